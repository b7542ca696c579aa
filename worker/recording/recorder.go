// Package recording writes the recordings of live calls to drafts of the file store, keeps those that end, and keeps what dead
// processes left of theirs. It knows no call that speaks, no telephone and no queue: frames come in, and rows say whose they are.
package recording

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
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

// Recorder writes both sides of a call, the caller left and the assistant right, to a draft of the file store, which keeps
// it when the call is over. What a process that dies leaves of it is kept by another; see Salvager. A nil Recorder records
// nothing.
//
// Frames come from the clock that sends the sound of many calls, which must not wait for a disk, nor for the collector of
// garbage, as who makes some must: full segments are the writers' to seal and write.
type Recorder struct {
	file    files.Draft
	sealed  *sealed.Writer // to file
	band    audio.Band
	writers *Writers
	queue   chan<- *Recorder // where the writers look for work
	ticks   int              // since it began, of the goroutine that syncs

	mu      sync.Mutex
	filling sealed.Segment
	full    []sealed.Segment // in their order, with something behind them
	queued  bool             // in the queue, or with a writer
	writing bool             // with a writer
	idle    sync.Cond
	closed  bool
	err     error // of a writer; else errSlowDisk
}

const (
	maxWaiting      = 20 // segments: 300 kB and ten seconds, that a disk may stand still; of a wideband call twice as many
	stereoSample    = 4  // bytes
	writersPerQueue = 4
	queueLen        = 1024 // recordings with something to write; others wait for their next segment
	// writerRests is how long a writer waits for more to write: to wake one for each segment costs more than to write it.
	writerRests = 100 * time.Millisecond

	syncTick    = time.Second
	syncTicks   = 5 // from one sync of a recording to the next: a crash of the machine loses this, and what the disk takes for it
	syncsAtOnce = 8
)

var errSlowDisk = errors.New("the disk is too slow")

// Writers write the recordings of a process, while there are any. The zero value is ready.
type Writers struct {
	mu         sync.Mutex
	recordings map[*Recorder]bool
	queue      chan *Recorder
	stop       chan struct{} // closed when there are no recordings any more
}

// join has the writers write one more recording, which it puts into their queue.
func (s *Writers) join(r *Recorder) (queue chan<- *Recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recordings) == 0 {
		s.queue, s.stop, s.recordings = make(chan *Recorder, queueLen), make(chan struct{}), map[*Recorder]bool{}
		for range writersPerQueue {
			go writeRecordings(s.queue)
		}
		go s.syncRecordings(s.stop)
	}
	s.recordings[r] = true
	return s.queue
}

func (s *Writers) leave(r *Recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.recordings, r); len(s.recordings) == 0 {
		close(s.queue)
		close(s.stop)
	}
}

// syncRecordings has what was written survive a crash of the machine, apart from those who write: a disk may take longer
// to sync than recordings may wait.
func (s *Writers) syncRecordings(stop <-chan struct{}) {
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

func (s *Writers) live() []*Recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.recordings))
}

func writeRecordings(queue <-chan *Recorder) {
	for r := range queue {
		r.write()
		if len(queue) == 0 {
			time.Sleep(writerRests)
		}
	}
}

// New begins the recording of a call, whose sound is of that band, in a draft of that name, sealed with secret.
func New(store files.Store, writers *Writers, draft, secret string, band audio.Band) (*Recorder, error) {
	file, err := store.Drafts().New(draft)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	sealing, err := sealed.NewWriter(file, secret)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	r := &Recorder{
		file: file, sealed: sealing, band: band, writers: writers, full: make([]sealed.Segment, 0, 4),
	}
	if _, err := audio.NewWAVWriter(r, band.Rate(), 2); err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	r.idle.L = &r.mu
	r.queue = writers.join(r)
	return r, nil
}

// Frame takes what was heard and sent in one tick of the clock.
func (r *Recorder) Frame(far, near []int16) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.err != nil {
		return
	}
	if room := r.filling.Extend(stereoSample * max(len(far), len(near))); room != nil {
		audio.AppendStereo(room[:0], far, near) // where it is kept
		return
	}
	var room [stereoSample * audio.MaxFrameLen]byte
	if _, r.err = r.Write(audio.AppendStereo(room[:0], far, near)); r.err != nil || len(r.full) == 0 || r.queued {
		return
	}
	select {
	case r.queue <- r:
		r.queued = true
	default:
	}
}

// Write implements io.Writer, with the lock held. A segment is full for the writers once something is behind it: the last one of
// a file is sealed as such.
func (r *Recorder) Write(p []byte) (n int, err error) {
	for len(p) > n {
		if r.filling.Full() {
			if len(r.full) == r.band.Scale(maxWaiting) {
				return n, errSlowDisk
			}
			r.full = append(r.full, r.filling)
			r.filling = sealed.Segment{}
		}
		n += r.filling.Add(p[n:])
	}
	return n, nil
}

// write writes the full segments, but those of a recording that is being finished.
func (r *Recorder) write() {
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
func (r *Recorder) writeFull() {
	for len(r.full) > 0 {
		next := r.full[0]
		r.full = slices.Delete(r.full, 0, 1)
		r.mu.Unlock()
		err := r.sealed.WriteSegment(&next)
		next.Release()
		r.mu.Lock()
		if err != nil {
			r.err, r.full = err, nil
		}
	}
}

// sync syncs what was written so far. A recording of which a part never reached the disk is given up.
func (r *Recorder) sync() {
	err := r.file.Sync()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && !r.closed && r.err == nil {
		r.err = fmt.Errorf("sync recording: %w", err)
	}
}

// finish writes what is left.
func (r *Recorder) finish() error {
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
		_, r.err = r.sealed.Write(r.filling.Append(nil))
	}
	r.filling.Release()
	return errors.Join(r.err, r.sealed.Close())
}

// Keep ends the recording, keeps it and returns its key.
func (r *Recorder) Keep(ctx context.Context, call *dbsqlc.Call) (key string, err error) {
	if r == nil {
		return "", nil
	}
	if err := r.finish(); err != nil {
		return "", errors.Join(fmt.Errorf("write recording: %w", err), r.file.Discard())
	}
	key = recordings.Key(call.AccountID, call.ID)
	if err := r.file.Keep(ctx, key); err != nil {
		return "", fmt.Errorf("keep recording: %w", err)
	}
	return key, nil
}
