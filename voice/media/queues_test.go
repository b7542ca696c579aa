package media

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

func TestASlowReaderLosesOldSoundOnly(t *testing.T) {
	t.Parallel()
	b := newIncoming()
	frame := make([]int16, audio.FrameLen)
	for i := range 1000 {
		frame[0] = int16(i)
		b.sound(frame)
		if i%100 == 50 {
			b.key('0' + byte(i/100))
		}
		if i == 10 {
			b.caption("early")
		}
	}
	b.close()
	b.key('9') // after the end nothing comes and nothing breaks
	var keys, captions string
	last := int16(-1)
	for item := range b.items {
		keys += strings.Trim(string(rune(item.Digit)), "\x00")
		captions += item.Caption()
		if item.Frame != nil {
			require.Greater(t, item.Frame[0], last)
			last = item.Frame[0]
		}
	}
	require.Equal(t, "0123456789", keys)
	require.Equal(t, "early", captions)
	require.EqualValues(t, 999, last, "the newest sound is there")
	require.Positive(t, b.drops())
}

func TestSoundIsAnnouncedAndTheRestToldAtOnce(t *testing.T) {
	t.Parallel()
	b, told := newIncoming(), 0
	b.notify(func() { told++ })
	require.Equal(t, 1, told, "for what was before")
	frame := make([]int16, audio.FrameLen)
	b.sound(frame)
	b.sound(frame)
	require.Equal(t, 1, told)
	b.key('1')
	require.Equal(t, 2, told)
	b.announce()
	require.Equal(t, 4, told)
	b.announce()
	require.Equal(t, 4, told)
	b.close()
	require.Equal(t, 5, told)
	b.sound(frame)
	b.announce()
	require.Equal(t, 5, told)
}

func TestPlayoutKeepsItsOrder(t *testing.T) {
	t.Parallel()
	var p playout
	var want, got []int16
	random := rand.New(rand.NewPCG(1, 1))
	frame := make([]int16, audio.FrameLen)
	for len(want) < 50*audio.FrameLen || p.queued() > 0 {
		if len(want) < 50*audio.FrameLen {
			piece := make([]int16, random.IntN(400))
			for i := range piece {
				piece[i] = int16(len(want) + i + 1)
			}
			want = append(want, piece...)
			p.push(piece)
		}
		n := min(audio.Samples(p.queued()), audio.FrameLen)
		p.take(frame)
		got = append(got, frame[:n]...)
		require.Equal(t, make([]int16, audio.FrameLen-n), frame[n:])
	}
	require.Equal(t, want, got)
	p.push(make([]int16, 800))
	require.Equal(t, 100*time.Millisecond, p.flush())
	require.Zero(t, p.queued())
}

func TestTheRecordingDoesNotDrift(t *testing.T) {
	t.Parallel()
	var tap recordingTap
	var far []int16
	tap.record(func(f, _ []int16) { far = append(far, f[0]) })
	near := make([]int16, audio.FrameLen)
	frame := make([]int16, audio.FrameLen)
	for i := range 1000 { // the far end's clock is a tenth too fast
		frame[0] = int16(i + 1)
		tap.received(frame)
		if i%10 != 0 {
			tap.sent(near)
		}
	}
	require.Len(t, far, 900)
	require.InDelta(t, 1000, far[len(far)-1], tapLen)
	tap.sent(near)
}
