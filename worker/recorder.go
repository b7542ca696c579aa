package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/voice/audio"
)

// recorder writes both sides of a call, the caller left and the assistant right, to a draft of the file store, which keeps
// it when the call is over. A nil recorder records nothing.
//
// Frames come from the clock that sends the sound of many calls, which must not wait for a disk, nor for the collector of
// garbage, as who makes some must: full chunks are the writers' to write.
type recorder struct {
	file    files.Draft
	wav     *audio.WAVWriter
	writers *recordingWriters
	queue   chan<- *recorder // where the writers look for work

	mu      sync.Mutex
	filling *chunk
	full    []*chunk // in their order
	queued  bool     // in the queue, or with a writer
	idle    sync.Cond
	closed  bool
	err     error // of a writer; else errSlowDisk
}

const (
	framesInChunk    = 12 // a quarter of a second
	maxWaitingChunks = 40 // 300 kB and ten seconds, that a disk may stand still
	writersPerQueue  = 4
	queueLen         = 1024 // recordings with something to write; others wait for their next chunk
)

var errSlowDisk = errors.New("the disk is too slow")

// chunk is a part of the file.
type chunk struct {
	data [framesInChunk * 4 * audio.FrameLen]byte
	len  int
}

func (p *chunk) add(far, near []int16) {
	p.len += len(audio.AppendStereo(p.data[:p.len], far, near)) - p.len
}

// recordingWriters write the recordings of a process, while there are any. The zero value is ready.
type recordingWriters struct {
	free sync.Pool // of chunks

	mu         sync.Mutex
	recordings int
	queue      chan *recorder
}

// join has the writers write one more recording, which it puts into their queue.
func (s *recordingWriters) join() (desk chan<- *recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recordings == 0 {
		s.queue = make(chan *recorder, queueLen)
		for range writersPerQueue {
			go writeRecordings(s.queue)
		}
	}
	s.recordings++
	return s.queue
}

func (s *recordingWriters) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recordings--; s.recordings == 0 {
		close(s.queue)
	}
}

func writeRecordings(desk <-chan *recorder) {
	for r := range desk {
		r.write()
	}
}

func (s *recordingWriters) take() *chunk {
	if used, ok := s.free.Get().(*chunk); ok {
		used.len = 0
		return used
	}
	return new(chunk)
}

func (s *recordingWriters) give(used *chunk) { s.free.Put(used) }

func newRecorder(store files.Store, writers *recordingWriters) (*recorder, error) {
	file, err := files.NewDraft(store)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	wav, err := audio.NewWAVWriter(file, audio.Rate, 2)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	r := &recorder{file: file, wav: wav, writers: writers, queue: writers.join(), filling: writers.take(), full: make([]*chunk, 0, 4)}
	r.idle.L = &r.mu
	return r, nil
}

// frame takes what was heard and sent in one tick of the clock.
func (r *recorder) frame(far, near []int16) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.err != nil {
		return
	}
	r.filling.add(far, near)
	if r.filling.len < len(r.filling.data) {
		return
	}
	if len(r.full) == maxWaitingChunks {
		r.err = errSlowDisk
		return
	}
	r.full = append(r.full, r.filling)
	r.filling = r.writers.take()
	if r.queued {
		return
	}
	select {
	case r.queue <- r:
		r.queued = true
	default:
	}
}

// write writes the full chunks.
func (r *recorder) write() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeFull()
	r.queued = false
	r.idle.Signal()
}

// writeFull is called with the lock held, and lets go of it while the disk works.
func (r *recorder) writeFull() {
	for len(r.full) > 0 {
		next := r.full[0]
		r.full = slices.Delete(r.full, 0, 1)
		r.mu.Unlock()
		err := r.wav.WriteBytes(next.data[:next.len])
		r.mu.Lock()
		r.writers.give(next)
		if err != nil {
			r.err, r.full = err, nil
		}
	}
}

// finish writes what is left.
func (r *recorder) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for r.queued {
		r.idle.Wait()
	}
	r.writers.leave()
	if r.err == nil {
		r.writeFull()
	}
	if r.err == nil {
		r.err = r.wav.WriteBytes(r.filling.data[:r.filling.len])
	}
	r.writers.give(r.filling)
	return errors.Join(r.err, r.wav.Close())
}

// keep ends the recording, keeps it and answers its key.
func (r *recorder) keep(ctx context.Context, call *dbsqlc.Call) (key string, err error) {
	if r == nil {
		return "", nil
	}
	if err := r.finish(); err != nil {
		return "", errors.Join(fmt.Errorf("write recording: %w", err), r.file.Discard())
	}
	key = fmt.Sprintf("recordings/%s/%s.wav", call.AccountID, call.ID)
	if err := r.file.Keep(ctx, key); err != nil {
		return "", fmt.Errorf("keep recording: %w", err)
	}
	return key, nil
}
