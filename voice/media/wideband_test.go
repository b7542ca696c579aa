package media

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// formatsOf returns what both ends agree on who send one codec and take all.
func formatsOf(codec Codec) *Formats {
	all := []Format{{Payload: 0, Codec: PCMU}, {Payload: 8, Codec: PCMA}, {Payload: 9, Codec: G722}}
	return &Formats{
		Send: Format{Payload: map[Codec]uint8{PCMU: 0, PCMA: 8, G722: 9}[codec], Codec: codec}, Accept: all, Events: 101,
		Text:  NoPayload,
		Sends: true, Expects: true,
	}
}

// startedIn returns a stream that was answered with a codec.
func startedIn(codec Codec) *Stream {
	s := NewStream()
	s.Watch(0, 0, func() {})
	s.Agree(formatsOf(codec))
	s.Start()
	return s
}

// highTone is what narrow sound cannot carry.
const highTone = 5000

// purity is audio.Purity in a band.
func purity(band audio.Band, pcm []int16, hertz float64) float64 {
	return audio.Purity(pcm, hertz*audio.Rate/float64(band.Rate()))
}

// toneIn returns frames of a tone.
func toneIn(band audio.Band, frames int, hertz float64) []int16 {
	d := time.Duration(frames) * audio.FrameDuration * time.Duration(band.Scale(1))
	return audio.Tone(d, -15, hertz*audio.Rate/float64(band.Rate()))
}

func TestG722TicksAt8kHz(t *testing.T) {
	t.Parallel()
	s, scratch, sent := startedIn(G722), NewScratch(), kept{}
	require.Equal(t, audio.Wide, s.Band())
	s.Play(toneIn(audio.Wide, 10, highTone))
	require.Equal(t, 200*time.Millisecond, s.Queued())
	far := startedIn(G722)
	for i := range 10 {
		s.Send(time.Now(), scratch, &sent)
		require.EqualValues(t, 9, sent[i].PayloadType)
		require.Len(t, sent[i].Payload, 160)
		require.EqualValues(t, i*160, sent[i].Timestamp-sent[0].Timestamp)
		sent[i].SequenceNumber = uint16(i)
		far.Receive(sent[i], far.Now(), scratch)
	}
	require.Zero(t, s.Queued())
	require.Equal(t, "G722", s.Stats().Codec)
	require.Len(t, far.Incoming(), 10)
	for range 8 {
		<-far.Incoming()
	}
	frame := (<-far.Incoming()).Frame
	require.Len(t, frame, 320)
	require.Greater(t, purity(audio.Wide, frame, highTone), 0.9)
}

func TestLostG722IsMadeUpFor(t *testing.T) {
	t.Parallel()
	s, scratch, encoder := startedIn(G722), NewScratch(), audio.NewG722Encoder()
	for sequence := range 12 {
		p := &rtp.Packet{
			Header: rtp.Header{Version: 2, PayloadType: 9, SequenceNumber: uint16(sequence),
				Timestamp: uint32(sequence * audio.FrameLen)},
			Payload: encoder.Encode(nil, toneIn(audio.Wide, 1, 400)),
		}
		if sequence != 3 && sequence != 4 {
			s.Receive(p, s.Now(), scratch)
		}
	}
	require.EqualValues(t, 2, s.Counts.Concealed.Load())
	require.Len(t, s.Incoming(), 12)
}

// A later agreement may bring another codec; what is played and heard stays as it was. In a bubble no time passes between two
// frames, which would be made up for.
func TestACodecOfTheOtherBandIsConverted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, convertsTheOtherBand)
}

func convertsTheOtherBand(t *testing.T) {
	t.Helper()
	for _, c := range []struct{ first, then Codec }{{G722, PCMA}, {PCMU, G722}} {
		near, far := startedIn(c.first), startedIn(c.then)
		band := near.Band()
		near.Agree(formatsOf(c.then))
		require.Equal(t, band, near.Band())
		scratch := NewScratch()
		near.Play(toneIn(near.Band(), 10, 1000))
		far.Play(toneIn(far.Band(), 10, 1000))
		for i := range 10 {
			var ours, theirs kept
			near.Send(time.Now(), scratch, &ours)
			far.Send(time.Now(), scratch, &theirs)
			ours[0].SequenceNumber, theirs[0].SequenceNumber = uint16(i), uint16(i)
			far.Receive(ours[0], far.Now(), scratch)
			near.Receive(theirs[0], near.Now(), scratch)
		}
		for _, s := range []*Stream{near, far} {
			require.Len(t, s.Incoming(), 10)
			for range 5 {
				<-s.Incoming()
			}
			frame := (<-s.Incoming()).Frame
			require.Len(t, frame, s.Band().FrameLen())
			require.Greater(t, purity(s.Band(), frame, 1000), 0.9, "%s heard by %s", c.then, c.first)
		}
	}
}

func TestKeysAmongWidebandSound(t *testing.T) {
	t.Parallel()
	near, far, scratch := startedIn(G722), startedIn(G722), NewScratch()
	deaf := formatsOf(G722)
	deaf.Events = NoPayload
	near.Agree(deaf)
	far.Agree(deaf)
	near.Press("5")
	for i := range 12 {
		var sent kept
		near.Send(time.Now(), scratch, &sent)
		sent[0].SequenceNumber = uint16(i)
		far.Receive(sent[0], far.Now(), scratch)
	}
	var keys []byte
	for len(far.Incoming()) > 0 {
		if in := <-far.Incoming(); in.Digit != 0 {
			keys = append(keys, in.Digit)
		}
	}
	require.Equal(t, "5", string(keys))
}

func TestWidebandIsRecordedWhole(t *testing.T) {
	t.Parallel()
	s, scratch, sent := startedIn(G722), NewScratch(), kept{}
	lengths := map[int]bool{}
	s.Record(func(far, near []int16) { lengths[len(far)], lengths[len(near)] = true, true })
	s.Play(toneIn(audio.Wide, 2, highTone))
	for i := range 4 {
		s.Send(time.Now(), scratch, &sent)
		sent[i].SequenceNumber = uint16(i)
		s.Receive(sent[i], s.Now(), scratch)
	}
	require.Equal(t, map[int]bool{320: true}, lengths)
}
