package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

// recorder writes both sides of a call, the caller left and the assistant right, to a draft of the file store, which keeps
// it when the call is over. What a process that dies leaves of it is kept by another; see salvager. A nil recorder records
// nothing.
//
// Frames come from the clock that sends the sound of many calls, which must not wait for a disk, nor for the collector of
// garbage, as who makes some must: full chunks are the writers' to seal and write.
type recorder struct {
	file    files.Draft
	sealed  *sealed.Writer // to file
	wav     *audio.WAVWriter
	band    audio.Band
	writers *recordingWriters
	queue   chan<- *recorder // where the writers look for work
	ticks   int              // since it began, of the goroutine that syncs

	mu      sync.Mutex
	filling *chunk
	full    []*chunk // in their order
	queued  bool     // in the queue, or with a writer
	writing bool     // with a writer
	idle    sync.Cond
	closed  bool
	err     error // of a writer; else errSlowDisk
}

const (
	framesInChunk    = 12 // a quarter of a second, of a wideband call half of that
	maxWaitingChunks = 40 // 300 kB and ten seconds, that a disk may stand still; of a wideband call twice as many
	writersPerQueue  = 4
	queueLen         = 1024 // recordings with something to write; others wait for their next chunk
	// writerRests is how long a writer waits for more to write: to wake one for each chunk costs more than to write it.
	writerRests = 100 * time.Millisecond

	syncTick    = time.Second
	syncTicks   = 5 // from one sync of a recording to the next: a crash of the machine loses this, and what the disk takes for it
	syncsAtOnce = 8
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
	recordings map[*recorder]bool
	queue      chan *recorder
	stop       chan struct{} // closed when there are no recordings any more
}

// join has the writers write one more recording, which it puts into their queue.
func (s *recordingWriters) join(r *recorder) (desk chan<- *recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recordings) == 0 {
		s.queue, s.stop, s.recordings = make(chan *recorder, queueLen), make(chan struct{}), map[*recorder]bool{}
		for range writersPerQueue {
			go writeRecordings(s.queue)
		}
		go s.syncRecordings(s.stop)
	}
	s.recordings[r] = true
	return s.queue
}

func (s *recordingWriters) leave(r *recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.recordings, r); len(s.recordings) == 0 {
		close(s.queue)
		close(s.stop)
	}
}

// syncRecordings has what was written survive a crash of the machine, apart from those who write: a disk may take longer
// to sync than recordings may wait.
func (s *recordingWriters) syncRecordings(stop <-chan struct{}) {
	tick := time.NewTicker(syncTick)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		var syncing errgroup.Group
		syncing.SetLimit(syncsAtOnce)
		for _, r := range s.live() {
			if r.ticks++; r.ticks%syncTicks != 0 {
				continue
			}
			syncing.Go(func() error {
				r.sync()
				return nil
			})
		}
		_ = syncing.Wait() // each recording has its own error
	}
}

func (s *recordingWriters) live() []*recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.recordings))
}

func writeRecordings(desk <-chan *recorder) {
	for r := range desk {
		r.write()
		if len(desk) == 0 {
			time.Sleep(writerRests)
		}
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

// newRecorder begins the recording of a call, whose sound is of that band, in a draft of that name, sealed with secret.
func newRecorder(store files.Store, writers *recordingWriters, draft, secret string, band audio.Band) (*recorder, error) {
	file, err := store.Drafts().New(draft)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	sealing, err := sealed.NewWriter(file, secret)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	wav, err := audio.NewWAVWriter(sealing, band.Rate(), 2)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	r := &recorder{
		file: file, sealed: sealing, wav: wav, band: band, writers: writers, filling: writers.take(), full: make([]*chunk, 0, 4),
	}
	r.idle.L = &r.mu
	r.queue = writers.join(r)
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
	if r.filling.len+4*len(far) <= len(r.filling.data) { // one more would fit
		return
	}
	if len(r.full) == r.band.Scale(maxWaitingChunks) {
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

// write writes the full chunks, but those of a recording that is being finished.
func (r *recorder) write() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.writing = true
	r.writeFull()
	r.queued, r.writing = false, false
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

// sync syncs what was written so far. A recording of which a part never reached the disk is given up.
func (r *recorder) sync() {
	err := r.file.Sync()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && !r.closed && r.err == nil {
		r.err = fmt.Errorf("sync recording: %w", err)
	}
}

// finish writes what is left.
func (r *recorder) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for r.writing {
		r.idle.Wait()
	}
	r.writers.leave(r)
	if r.err == nil {
		r.writeFull()
	}
	if r.err == nil {
		r.err = r.wav.WriteBytes(r.filling.data[:r.filling.len])
	}
	r.writers.give(r.filling)
	return errors.Join(r.err, r.sealed.Close())
}

// keep ends the recording, keeps it and answers its key.
func (r *recorder) keep(ctx context.Context, call *dbsqlc.Call) (key string, err error) {
	if r == nil {
		return "", nil
	}
	if err := r.finish(); err != nil {
		return "", errors.Join(fmt.Errorf("write recording: %w", err), r.file.Discard())
	}
	key = calls.RecordingKey(call.AccountID, call.ID)
	if err := r.file.Keep(ctx, key); err != nil {
		return "", fmt.Errorf("keep recording: %w", err)
	}
	return key, nil
}
