package media

import (
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// testStream returns a stream of mu-law with telephone-events.
func testStream() *Stream {
	s := NewStream()
	s.Watch(0, 0, func() {})
	s.Agree(testFormats(101))
	return s
}

func testFormats(events uint8) *Formats {
	mu := Format{Payload: 0, Codec: PCMU}
	return &Formats{Send: mu, Accept: []Format{mu, {Payload: 8, Codec: PCMA}}, Events: events, Text: 98, Sends: true, Expects: true}
}

// kept keeps the packets that a stream sends.
type kept []*rtp.Packet

func (k *kept) Send(h rtp.Header, payload []byte) error {
	*k = append(*k, &rtp.Packet{Header: h, Payload: append([]byte(nil), payload...)})
	return nil
}

func packetOf(sequence, length int) *rtp.Packet {
	return &rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: uint16(sequence)}, Payload: make([]byte, length)}
}

func TestPacketsOfAnyLengthBecomeFrames(t *testing.T) {
	t.Parallel()
	s, scratch := testStream(), NewScratch()
	for i, length := range []int{80, 80, 240, 80, 480, 1} {
		s.Receive(packetOf(i, length), s.Now(), scratch)
	}
	require.Len(t, s.Incoming(), 6)
}

func TestAFewLostPacketsAreMadeUpFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lost, frames int }{{0, 6}, {2, 8}, {3, 9}, {4, 6}} {
		s, scratch := testStream(), NewScratch()
		for i := range 6 {
			sequence := i
			if i > 0 {
				sequence += c.lost
			}
			s.Receive(tonePacket(sequence), s.Now(), scratch)
		}
		require.EqualValues(t, c.lost, s.Counts.Lost.Load())
		require.Len(t, s.Incoming(), c.frames)
		require.EqualValues(t, c.frames-6, s.Counts.Concealed.Load())
		for i := range c.frames - 5 {
			require.Greater(t, audio.Purity((<-s.Incoming()).Frame, 400), 0.7, "frame %d sounds like the one before", i)
		}
	}
}

// tonePacket returns one frame of a stream that sounds at 400 Hz.
func tonePacket(sequence int) *rtp.Packet {
	return &rtp.Packet{
		Header:  rtp.Header{Version: 2, SequenceNumber: uint16(sequence), Timestamp: uint32(sequence * audio.FrameLen)},
		Payload: audio.Mu.Encode(nil, audio.Tone(audio.FrameDuration, -15, 400)),
	}
}

func TestSilenceDeliveredInAGapIsNotFilledAgain(t *testing.T) {
	t.Parallel()
	s, scratch := testStream(), NewScratch()
	s.Receive(tonePacket(1), s.Now(), scratch)
	s.starved.Store(2) // the clock filled in while 2 and 3 were missing
	for sequence := 4; sequence < 8; sequence++ {
		s.Receive(tonePacket(sequence), s.Now(), scratch)
	}
	require.Len(t, s.Incoming(), 5)
	require.Zero(t, s.Counts.Concealed.Load())
}

func TestALostPacketLetsNoTimePass(t *testing.T) {
	t.Parallel()
	s, scratch := testStream(), NewScratch()
	s.sounded.Store(-int64(time.Hour))
	s.Receive(tonePacket(1), s.Now(), scratch)
	s.sounded.Store(-int64(time.Hour))
	s.Receive(tonePacket(3), s.Now(), scratch) // waits for 2
	s.Send(time.Now(), scratch, new(kept))
	require.Zero(t, s.Counts.Filled.Load(), "sound that waits for its turn is no silence")
}

func TestSoundThatStaysAwayIsDeliveredAsSilence(t *testing.T) {
	t.Parallel()
	s, scratch := testStream(), NewScratch()
	s.Start()
	s.sounded.Store(-int64(time.Hour))
	s.Send(time.Now(), scratch, new(kept))
	require.EqualValues(t, 1, s.Counts.Filled.Load())
	require.Equal(t, make([]int16, audio.FrameLen), (<-s.Incoming()).Frame)
}

func TestTonesAreKeysWhereEventsAreUnknown(t *testing.T) {
	t.Parallel()
	s, scratch := testStream(), NewScratch()
	s.Agree(testFormats(NoPayload))
	s.Press("42#")
	frame := make([]int16, audio.FrameLen)
	var got []byte
	for i := range 30 {
		s.playout.take(frame)
		p := packetOf(i, 0)
		p.Payload = audio.Mu.Encode(nil, frame)
		s.Receive(p, s.Now(), scratch)
		for len(s.Incoming()) > 0 {
			if item := <-s.Incoming(); item.Digit != 0 {
				got = append(got, item.Digit)
			}
		}
	}
	require.Equal(t, "42#", string(got))
}

func TestWhatIsPlayedLeavesInPackets(t *testing.T) {
	t.Parallel()
	s, scratch, sent := testStream(), NewScratch(), new(kept)
	s.Start()
	s.Play(audio.Tone(2*audio.FrameDuration, -15, 400))
	s.Caption("hello")
	for range 2 {
		s.Send(time.Now(), scratch, sent)
	}
	require.Len(t, *sent, 4, "a caption is sent twice")
	require.True(t, (*sent)[0].Marker, "a talkspurt begins")
	require.Equal(t, (*sent)[0].Timestamp+audio.FrameLen, (*sent)[2].Timestamp)
	require.EqualValues(t, 98, (*sent)[1].PayloadType)
	s.Press("5")
	s.Send(time.Now(), scratch, sent)
	require.EqualValues(t, 101, (*sent)[4].PayloadType, "a key takes the place of sound")
	require.Zero(t, s.Queued())
}

func TestAFarEndThatSendsNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	s, scratch, dead := testStream(), NewScratch(), 0
	s.Watch(time.Second, 0, func() { dead++ })
	s.Start()
	s.Send(time.Now(), scratch, new(kept))
	require.Zero(t, dead)
	s.Alive(s.Now() - 2*time.Second)
	s.Send(time.Now(), scratch, new(kept))
	require.Equal(t, 1, dead)
	s.Receive(tonePacket(1), s.Now(), scratch)
	s.Alive(s.Now() - time.Hour)
	s.Send(time.Now(), scratch, new(kept))
	require.Equal(t, 1, dead, "after the first packet another limit holds")
	s.Watch(time.Second, time.Second, func() { dead++ })
	onHold := testFormats(101)
	onHold.Sends = false
	s.Agree(onHold)
	s.Alive(s.Now() - time.Hour)
	s.Send(time.Now(), scratch, new(kept))
	require.Equal(t, 1, dead, "a far end that holds may be silent")
}

func TestSendingAllocatesNothing(t *testing.T) {
	s, scratch := testStream(), NewScratch()
	s.Record(func(_, _ []int16) {})
	s.Play(make([]int16, 10*audio.Rate))
	s.Start()
	s.sounded.Store(int64(time.Hour))
	now := time.Now()
	carrier := discarding{}
	require.Zero(t, testing.AllocsPerRun(200, func() { s.Send(now, scratch, carrier) }))
}

type discarding struct{}

func (discarding) Send(rtp.Header, []byte) error { return nil }
