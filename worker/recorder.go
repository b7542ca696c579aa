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
// Frames come from the clock that sends the sound of many calls, which must not wait for a disk: what fills a piece is
// written by a goroutine that lives as long as there is something to write.
type recorder struct {
	file files.Draft
	wav  *audio.WAVWriter
	free *pieces

	mu      sync.Mutex
	filling *piece
	full    []*piece // in their order
	writing bool
	closed  bool
	writer  sync.WaitGroup
	err     error // of the writer; else errSlowDisk
}

const (
	framesInPiece = 12 // a quarter of a second
	piecesWaiting = 40 // 300 kB and ten seconds, that a disk may stand still
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

// pieces are those that no recording uses now.
type pieces struct{ pool sync.Pool }

func (p *pieces) take() *piece {
	if used, ok := p.pool.Get().(*piece); ok {
		used.len = 0
		return used
	}
	return new(piece)
}

func (p *pieces) give(used *piece) { p.pool.Put(used) }

func newRecorder(store files.Store, free *pieces) (*recorder, error) {
	file, err := files.NewDraft(store)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	wav, err := audio.NewWAVWriter(file, audio.Rate, 2)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	return &recorder{file: file, wav: wav, free: free, filling: free.take()}, nil
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
	r.filling = r.free.take()
	if !r.writing {
		r.writing = true
		r.writer.Go(r.write)
	}
}

// write writes the full pieces.
func (r *recorder) write() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.full) > 0 {
		next := r.full[0]
		r.full = slices.Delete(r.full, 0, 1)
		r.mu.Unlock()
		err := r.wav.WriteBytes(next.data[:next.len])
		r.mu.Lock()
		r.free.give(next)
		if err != nil {
			r.err, r.full = err, nil
		}
	}
	r.writing = false
}

// finish writes what is left.
func (r *recorder) finish() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.writer.Wait()
	err := r.err
	if err == nil {
		err = r.wav.WriteBytes(r.filling.data[:r.filling.len])
	}
	r.free.give(r.filling)
	return errors.Join(err, r.wav.Close())
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
