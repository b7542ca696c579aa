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
// garbage, as who makes some must: full pieces are the scribes' to write.
type recorder struct {
	file    files.Draft
	wav     *audio.WAVWriter
	scribes *scribes
	desk    chan<- *recorder // where the scribes look for work

	mu      sync.Mutex
	filling *piece
	full    []*piece // in their order
	queued  bool     // on the desk, or with a scribe
	idle    sync.Cond
	closed  bool
	err     error // of a scribe; else errSlowDisk
}

const (
	framesInPiece = 12 // a quarter of a second
	piecesWaiting = 40 // 300 kB and ten seconds, that a disk may stand still
	scribesAtDesk = 4
	deskLen       = 1024 // recordings with something to write; others wait for their next piece
)

var errSlowDisk = errors.New("the disk is too slow")

// piece is a part of the file.
type piece struct {
	data [framesInPiece * 4 * audio.FrameLen]byte
	len  int
}

func (p *piece) add(far, near []int16) {
	p.len += len(audio.AppendStereo(p.data[:p.len], far, near)) - p.len
}

// scribes write the recordings of a process, while there are any. The zero value is ready.
type scribes struct {
	free sync.Pool // of pieces

	mu         sync.Mutex
	recordings int
	desk       chan *recorder
}

// join has the scribes write one more recording, which it finds a place for on the desk.
func (s *scribes) join() (desk chan<- *recorder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recordings == 0 {
		s.desk = make(chan *recorder, deskLen)
		for range scribesAtDesk {
			go scribe(s.desk)
		}
	}
	s.recordings++
	return s.desk
}

func (s *scribes) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recordings--; s.recordings == 0 {
		close(s.desk)
	}
}

func scribe(desk <-chan *recorder) {
	for r := range desk {
		r.write()
	}
}

func (s *scribes) take() *piece {
	if used, ok := s.free.Get().(*piece); ok {
		used.len = 0
		return used
	}
	return new(piece)
}

func (s *scribes) give(used *piece) { s.free.Put(used) }

func newRecorder(store files.Store, scribes *scribes) (*recorder, error) {
	file, err := files.NewDraft(store)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	wav, err := audio.NewWAVWriter(file, audio.Rate, 2)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	r := &recorder{file: file, wav: wav, scribes: scribes, desk: scribes.join(), filling: scribes.take(), full: make([]*piece, 0, 4)}
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
	if len(r.full) == piecesWaiting {
		r.err = errSlowDisk
		return
	}
	r.full = append(r.full, r.filling)
	r.filling = r.scribes.take()
	if r.queued {
		return
	}
	select {
	case r.desk <- r:
		r.queued = true
	default:
	}
}

// write writes the full pieces.
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
		r.scribes.give(next)
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
	r.scribes.leave()
	if r.err == nil {
		r.writeFull()
	}
	if r.err == nil {
		r.err = r.wav.WriteBytes(r.filling.data[:r.filling.len])
	}
	r.scribes.give(r.filling)
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
