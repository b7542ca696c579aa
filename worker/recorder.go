package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/voice/audio"
)

// recorder keeps both sides of a call in a scratch file, the caller left and the assistant right, and puts it into the
// file store when the call is over. A nil recorder records nothing.
//
// Frames come from the clock that sends the call's sound, which must not wait for a disk, so another goroutine writes,
// some of them at once.
type recorder struct {
	file *os.File
	wav  *audio.WAVWriter

	mu      sync.Mutex
	pending []int16 // interleaved
	closed  bool
	wake    chan struct{}
	done    chan struct{}
	err     error // of the writing goroutine, read after done
}

const (
	recordedAtOnce = audio.Rate / 4 * 2                  // samples that are written together: a quarter of a second of both sides
	recordedRoom   = recordedAtOnce + 2*2*audio.FrameLen // and those that come meanwhile
)

func newRecorder(folder string) (*recorder, error) {
	file, err := os.CreateTemp(folder, "callwright-recording-*.wav")
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	wav, err := audio.NewWAVWriter(file, audio.Rate, 2)
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	r := &recorder{file: file, wav: wav, wake: make(chan struct{}, 1), done: make(chan struct{}), pending: make([]int16, 0, recordedRoom)}
	go r.write()
	return r, nil
}

// frame takes what was heard and sent in one tick of the clock.
func (r *recorder) frame(far, near []int16) {
	if r == nil {
		return
	}
	r.mu.Lock()
	if !r.closed {
		for i := range far {
			r.pending = append(r.pending, far[i], near[i])
		}
	}
	enough := len(r.pending) >= recordedAtOnce
	r.mu.Unlock()
	if enough {
		r.signal()
	}
}

func (r *recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *recorder) write() {
	defer close(r.done)
	spare := make([]int16, 0, recordedRoom)
	for range r.wake {
		r.mu.Lock()
		frames, closed := r.pending, r.closed
		r.pending = spare[:0]
		r.mu.Unlock()
		if r.err == nil {
			r.err = r.wav.Write(frames)
		}
		spare = frames
		if closed {
			return
		}
	}
}

// store ends the recording, keeps it and answers its key. The scratch file is removed in any case.
func (r *recorder) store(ctx context.Context, store files.Store, call *dbsqlc.Call) (key string, err error) {
	if r == nil {
		return "", nil
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.signal()
	<-r.done
	defer func() { err = errors.Join(err, r.file.Close(), os.Remove(r.file.Name())) }()

	if err := errors.Join(r.err, r.wav.Close()); err != nil {
		return "", fmt.Errorf("write recording: %w", err)
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("read recording: %w", err)
	}
	key = fmt.Sprintf("recordings/%s/%s.wav", call.AccountID, call.ID)
	if err := store.Put(ctx, key, r.file); err != nil {
		return "", fmt.Errorf("store recording: %w", err)
	}
	return key, nil
}
