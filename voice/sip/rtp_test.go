package sip

import (
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

type delivery struct{ sequence, missing int }

func pushAll(t *testing.T, sequences []uint16) (got []delivery, refused []uint16) {
	t.Helper()
	var r reorder
	r.deliver = func(p *packet, missing int) {
		require.Equal(t, byte(p.sequence), p.data[0])
		got = append(got, delivery{int(p.sequence), missing})
	}
	for _, s := range sequences {
		if !r.push(&rtp.Packet{Header: rtp.Header{SequenceNumber: s, SSRC: 7}, Payload: []byte{byte(s)}}) {
			refused = append(refused, s)
		}
	}
	return got, refused
}

func TestPacketsComeInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in      []uint16
		want    []delivery
		refused []uint16
	}{
		"in order":   {[]uint16{9, 10, 11}, []delivery{{9, 0}, {10, 0}, {11, 0}}, nil},
		"swapped":    {[]uint16{9, 11, 10, 12}, []delivery{{9, 0}, {10, 0}, {11, 0}, {12, 0}}, nil},
		"wraps":      {[]uint16{65534, 0, 65535, 1}, []delivery{{65534, 0}, {65535, 0}, {0, 0}, {1, 0}}, nil},
		"twice":      {[]uint16{1, 1, 3, 3, 2}, []delivery{{1, 0}, {2, 0}, {3, 0}}, []uint16{1, 3}},
		"one lost":   {[]uint16{1, 3, 4, 5, 6}, []delivery{{1, 0}, {3, 1}, {4, 0}, {5, 0}, {6, 0}}, nil},
		"too late":   {[]uint16{1, 3, 4, 5, 6, 2}, []delivery{{1, 0}, {3, 1}, {4, 0}, {5, 0}, {6, 0}}, []uint16{2}},
		"two holes":  {[]uint16{1, 3, 5, 6, 7, 8, 9}, []delivery{{1, 0}, {3, 1}, {5, 1}, {6, 0}, {7, 0}, {8, 0}, {9, 0}}, nil},
		"ten lost":   {[]uint16{1, 12, 13, 14, 15}, []delivery{{1, 0}, {12, 10}, {13, 0}, {14, 0}, {15, 0}}, nil},
		"hole, jump": {[]uint16{1, 3, 20, 21, 22, 23}, []delivery{{1, 0}, {3, 1}, {20, 16}, {21, 0}, {22, 0}, {23, 0}}, nil},
		"new stream": {[]uint16{1, 3, 5000, 5001}, []delivery{{1, 0}, {3, 1}, {5000, 0}, {5001, 0}}, nil},
	} {
		got, refused := pushAll(t, c.in)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.refused, refused, name)
	}
}

func FuzzReorder(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 5, 3, 200, 4})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var sequences []uint16
		for i, s := range steps {
			sequences = append(sequences, uint16(i)+uint16(s%16))
		}
		got, refused := pushAll(t, sequences)
		for i := 1; i < len(got); i++ {
			require.Equal(t, got[i-1].sequence+1+got[i].missing, got[i].sequence, "in order, and losses add up")
		}
		require.LessOrEqual(t, len(got)+len(refused), len(sequences))
		require.GreaterOrEqual(t, len(got)+len(refused), len(sequences)-reorderDepth)
	})
}

func TestEventsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, key := range []byte(eventKeys) {
		for _, e := range []event{{key, false, 160}, {key, true, 65535}} {
			got, ok := parseEvent(e.append(nil))
			require.True(t, ok)
			require.Equal(t, e, got)
		}
	}
	for _, payload := range [][]byte{nil, {1, 2, 3}, {16, 0, 0, 0}, {255, 0, 0, 0}} {
		_, ok := parseEvent(payload)
		require.False(t, ok)
	}
}

// press runs a writer into a reader, losing the packets that lose names.
func press(digits string, lose func(i int) bool) string {
	var w eventWriter
	var r eventReader
	var got []byte
	w.queue(digits)
	timestamp := uint32(0xffffff00) // wraps on the way
	for i := range 1000 {
		if e, start, ok := w.tick(timestamp); ok && !lose(i) {
			if key := r.press(e.append(nil), start); key != 0 {
				got = append(got, key)
			}
		}
		timestamp += audio.FrameLen
	}
	return string(got)
}

func TestKeysSurviveLostPackets(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12#11", press("12#11", func(int) bool { return false }))
	require.Equal(t, "12#11", press("12#11", func(i int) bool { return i%3 != 0 }))
	require.Equal(t, "7AD", press("7-a d?", func(int) bool { return false }))
	random := rand.New(rand.NewPCG(5, 6))
	require.Equal(t, eventKeys, press(eventKeys, func(int) bool { return random.IntN(4) == 0 }))
}

func TestACommaWaits(t *testing.T) {
	t.Parallel()
	var w eventWriter
	w.queue("1,2")
	var ticks []int
	for i := range 100 {
		if e, _, ok := w.tick(uint32(i * audio.FrameLen)); ok && e.duration == audio.FrameLen {
			ticks = append(ticks, i)
		}
	}
	require.Len(t, ticks, 2)
	require.GreaterOrEqual(t, ticks[1]-ticks[0], waitTicks)
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte{5, 0x8a, 1, 0}, uint32(1000))
	f.Fuzz(func(t *testing.T, payload []byte, timestamp uint32) {
		var r eventReader
		first, second := r.press(payload, timestamp), r.press(payload, timestamp)
		require.True(t, first == 0 || strings.IndexByte(eventKeys, first) >= 0)
		require.Zero(t, second, "one event is one press")
	})
}

// readText runs captions through packets, of which lose names the lost ones.
func readText(texts []string, lose func(i int) bool) (got []string) {
	var w textWriter
	var r textReader
	for _, text := range texts {
		w.queue(text)
	}
	for i := 0; ; i++ {
		payload, ok := w.tick(nil)
		if !ok {
			return got
		}
		if lose(i) {
			continue
		}
		if text := r.read(payload); text != "" {
			got = append(got, text)
		}
	}
}

func TestTextSurvivesOneLostCopy(t *testing.T) {
	t.Parallel()
	texts := []string{"ja", "ja", "nee, dank u", "ja"}
	require.Equal(t, texts, readText(texts, func(int) bool { return false }))
	require.Equal(t, texts, readText(texts, func(i int) bool { return i%2 == 0 }))
	require.Equal(t, texts, readText(texts, func(i int) bool { return i%2 == 1 }))
	require.Equal(t, []string{"ja", "\uFFFDnee, dank u", "ja"}, readText(texts, func(i int) bool { return i == 2 || i == 3 }))
}

func TestLongTextIsCutBetweenCodePoints(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("日本語", 500), "a" + strings.Repeat("é", 1500), strings.Repeat("x", textBlockLen)} {
		got := readText([]string{text}, func(int) bool { return false })
		for _, piece := range got {
			require.True(t, utf8.ValidString(piece))
			require.LessOrEqual(t, len(piece), textBlockLen)
		}
		require.Equal(t, text, strings.Join(got, ""))
	}
	require.Equal(t, []string{"a\uFFFDb"}, readText([]string{"a\xffb"}, func(int) bool { return false }))
	require.Empty(t, readText([]string{""}, func(int) bool { return false }))
}

func TestTheTextCounterWraps(t *testing.T) {
	t.Parallel()
	w, r := textWriter{counter: 0xffff}, textReader{started: true, next: 0xffff}
	w.queue("a")
	w.queue("b")
	var got string
	for range 4 {
		payload, ok := w.tick(nil)
		require.True(t, ok)
		got += r.read(payload)
	}
	require.Equal(t, "ab", got)
}

func FuzzTextReader(f *testing.F) {
	f.Add([]byte{0, 0, 'h', 'i'}, []byte{0, 1, 0xff})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var r textReader
		require.True(t, utf8.ValidString(r.read(first)+r.read(second)))
		require.Empty(t, r.read(second), "what was read once is not read again")
	})
}

func FuzzReceive(f *testing.F) {
	p := rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1, PayloadType: 0}, Payload: make([]byte, 160)}
	raw, err := p.Marshal()
	require.NoError(f, err)
	f.Add(raw, raw)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m := testMedia(t)
		r := newReceiver(m)
		from := netip.MustParseAddrPort("127.0.0.1:4000")
		r.read(first, from, m.now())
		r.read(second, from, m.now())
		for len(m.inbox.items) > 0 {
			item := <-m.inbox.items
			require.True(t, item.Frame == nil || len(item.Frame) == audio.FrameLen)
		}
	})
}

func testMedia(t *testing.T) *media {
	ports, err := rtpPorts{ip: loopback}.open()
	require.NoError(t, err)
	m := newMedia(ports, newClock(slog.New(slog.DiscardHandler)))
	t.Cleanup(func() { require.NoError(t, m.close()) })
	m.onDead = func() {}
	far := &description{remote: netip.MustParseAddrPort("127.0.0.1:9"), formats: ourFormats(), events: payloadEvents, text: payloadText, direction: sendRecv}
	m.agree(settle(far, sendRecv))
	return m
}

func TestTheClockAllocatesNothing(t *testing.T) {
	m := testMedia(t)
	m.tape.record(func(_, _ []int16) {})
	m.playout.push(make([]int16, 10*audio.Rate))
	s := newSender(m)
	m.sounded.Store(int64(time.Hour))
	require.Zero(t, testing.AllocsPerRun(200, func() { s.tick(0) }))
}

func TestReceivingAllocatesNothing(t *testing.T) {
	m := testMedia(t)
	r := newReceiver(m)
	from := netip.MustParseAddrPort("127.0.0.1:4000")
	p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: payloadPCMA}, Payload: make([]byte, audio.FrameLen)}
	raw := make([]byte, packetLen)
	perPacket := testing.AllocsPerRun(200, func() {
		p.SequenceNumber++
		n, err := p.MarshalTo(raw)
		if err != nil {
			t.Error(err)
		}
		r.read(raw[:n], from, m.now())
		audio.GiveFrame((<-m.inbox.items).Frame)
	})
	require.Less(t, perPacket, 1.0, "but what the collector took of the frames")
}

func TestPacketsOfAnyLengthBecomeFrames(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	r := newReceiver(m)
	from := netip.MustParseAddrPort("127.0.0.1:4000")
	for i, length := range []int{80, 80, 240, 80, 480, 1} {
		p := rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: uint16(i)}, Payload: make([]byte, length)}
		raw, err := p.Marshal()
		require.NoError(t, err)
		r.read(raw, from, m.now())
	}
	require.Len(t, m.inbox.items, 6)
}

func TestAFewLostPacketsAreMadeUpFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lost, frames int }{{0, 6}, {2, 8}, {3, 9}, {4, 6}} {
		m := testMedia(t)
		r := newReceiver(m)
		for i := range 6 {
			sequence := i
			if i > 0 {
				sequence += c.lost
			}
			r.read(tonePacket(t, sequence), netip.MustParseAddrPort("127.0.0.1:4000"), m.now())
		}
		require.EqualValues(t, c.lost, m.counts.lost.Load())
		require.Len(t, m.inbox.items, c.frames)
		require.EqualValues(t, c.frames-6, m.counts.concealed.Load())
		for i := range c.frames - 5 {
			require.Greater(t, audio.Purity((<-m.inbox.items).Frame, 400), 0.7, "frame %d sounds like the one before", i)
		}
	}
}

// tonePacket is one frame of a stream that sounds at 400 Hz.
func tonePacket(t *testing.T, sequence int) []byte {
	t.Helper()
	raw, err := (&rtp.Packet{
		Header:  rtp.Header{Version: 2, SequenceNumber: uint16(sequence), Timestamp: uint32(sequence * audio.FrameLen)},
		Payload: audio.Mu.Encode(nil, audio.Tone(audio.FrameDuration, -15, 400)),
	}).Marshal()
	require.NoError(t, err)
	return raw
}

func TestSilenceHeardInAGapIsNotHeardTwice(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	r := newReceiver(m)
	from := netip.MustParseAddrPort("127.0.0.1:4000")
	r.read(tonePacket(t, 1), from, m.now())
	m.starved.Store(2) // the clock filled in while 2 and 3 were missing
	for sequence := 4; sequence < 8; sequence++ {
		r.read(tonePacket(t, sequence), from, m.now())
	}
	require.Len(t, m.inbox.items, 5)
	require.Zero(t, m.counts.concealed.Load())
}

func TestALostPacketLetsNoTimePass(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	r := newReceiver(m)
	m.sounded.Store(-int64(time.Hour))
	r.read(tonePacket(t, 1), netip.MustParseAddrPort("127.0.0.1:4000"), m.now())
	m.sounded.Store(-int64(time.Hour))
	r.read(tonePacket(t, 3), netip.MustParseAddrPort("127.0.0.1:4000"), m.now()) // waits for 2
	newSender(m).tick(m.now())
	require.Zero(t, m.counts.filled.Load(), "sound that waits for its turn is no silence")
}

func TestAFarEndThatMovesIsHeardBehindItsLastPackets(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	r := newReceiver(m)
	before, now := netip.MustParseAddrPort("127.0.0.1:4000"), netip.MustParseAddrPort("127.0.0.2:4000")
	send := func(sequence uint16, from netip.AddrPort) {
		p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: payloadPCMA, SequenceNumber: sequence}, Payload: make([]byte, audio.FrameLen)}
		raw, err := p.Marshal()
		require.NoError(t, err)
		r.read(raw, from, m.now())
	}
	send(1, before)
	m.agree(settle(&description{remote: now, formats: ourFormats(), direction: sendRecv}, sendRecv))
	send(2, before) // which was under way
	send(3, now)
	to, ok := m.destination(m.route.Load())
	require.True(t, ok)
	require.Equal(t, now, to)
	send(4, before)
	to, _ = m.destination(m.route.Load())
	require.Equal(t, now, to, "the old place is a stranger's now")
}

func TestNobodyOutsideNamesAPlaceInOurNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named   string
		outside bool
		sends   bool
	}{
		{"203.0.113.7:4000", true, true},
		{"[2001:db8::7]:4000", true, true},
		{"10.0.0.7:4000", true, false},
		{"[::ffff:192.168.1.7]:4000", true, false},
		{"127.0.0.1:4000", true, false},
		{"169.254.169.254:4000", true, false},
		{"100.64.0.7:4000", true, false},
		{"[fd00::7]:4000", true, false},
		{"10.0.0.7:4000", false, true},
	} {
		m := testMedia(t)
		m.outside = c.outside
		remote := netip.MustParseAddrPort(c.named)
		m.agree(settle(&description{remote: remote, control: remote, formats: ourFormats(), direction: sendRecv}, sendRecv))
		_, sends := m.destination(m.route.Load())
		require.Equal(t, c.sends, sends, c.named)
		_, reports := m.reportsTo(m.route.Load())
		require.Equal(t, c.sends, reports, c.named)
		from := netip.MustParseAddrPort("203.0.113.8:4000")
		m.learned.Store(&from)
		to, sends := m.destination(m.route.Load())
		require.True(t, sends)
		require.Equal(t, from, to)
	}
}

func TestStrangersAreNotHeard(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	r := newReceiver(m)
	friend, stranger := netip.MustParseAddrPort("127.0.0.1:4000"), netip.MustParseAddrPort("127.0.0.2:4000")
	send := func(sequence uint16, from netip.AddrPort) {
		raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: sequence}, Payload: make([]byte, 160)}).Marshal()
		require.NoError(t, err)
		r.read(raw, from, m.now())
	}
	to, _ := m.destination(m.route.Load())
	require.Equal(t, uint16(9), to.Port(), "before the first packet SDP is all we know")
	send(1, friend)
	send(2, stranger)
	require.EqualValues(t, 1, m.counts.strays.Load())
	to, _ = m.destination(m.route.Load())
	require.Equal(t, friend, to)
	r.sourceAt -= 2 * relearnAfter // the far end moved behind its NAT
	send(3, stranger)
	to, _ = m.destination(m.route.Load())
	require.Equal(t, stranger, to)
	for _, raw := range [][]byte{nil, {1}, {0x80, 200, 0, 1}, []byte("hello, is this SIP?")} {
		r.read(raw, stranger, m.now())
	}
	require.EqualValues(t, 5, m.counts.strays.Load())
}

func TestTonesAreKeysWhereEventsAreUnknown(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	route := *m.route.Load()
	route.events = noPayload
	m.agree(&route)
	m.press("42#")
	s, r := newSender(m), newReceiver(m)
	var got []byte
	for i := range 30 {
		s.playout.take(s.bench.frame[:])
		p := rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: uint16(i)}, Payload: audio.Mu.Encode(nil, s.bench.frame[:])}
		raw, err := p.Marshal()
		require.NoError(t, err)
		r.read(raw, netip.MustParseAddrPort("127.0.0.1:4000"), m.now())
		for len(m.inbox.items) > 0 {
			if item := <-m.inbox.items; item.Digit != 0 {
				got = append(got, item.Digit)
			}
		}
	}
	require.Equal(t, "42#", string(got))
}

func TestASlowReaderLosesOldSoundOnly(t *testing.T) {
	t.Parallel()
	b := newInbox()
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
		captions += item.Caption
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

func TestTheTapeDoesNotDrift(t *testing.T) {
	t.Parallel()
	var tape tape
	var far []int16
	tape.record(func(f, _ []int16) { far = append(far, f[0]) })
	near := make([]int16, audio.FrameLen)
	frame := make([]int16, audio.FrameLen)
	for i := range 1000 { // the far end's clock is a tenth too fast
		frame[0] = int16(i + 1)
		tape.hear(frame)
		if i%10 != 0 {
			tape.turn(near)
		}
	}
	require.Len(t, far, 900)
	require.InDelta(t, 1000, far[len(far)-1], tapeLen)
	tape.turn(near)
}

func TestMediaPortsStayInTheirRange(t *testing.T) {
	t.Parallel()
	free, err := rtpPorts{ip: loopback}.listen()
	require.NoError(t, err)
	port := int(localPort(free.rtp))
	require.Zero(t, port%2)
	_, err = rtpPorts{loopback, port, port + 1}.listen()
	require.Error(t, err, "its only pair is taken")
	require.Equal(t, port+1, int(localPort(free.rtcp)))
	require.NoError(t, free.close())
	again, err := rtpPorts{loopback, port - 1, port + 1}.listen()
	require.NoError(t, err)
	require.Equal(t, port, int(localPort(again.rtp)))
	require.NoError(t, again.close())
	_, err = rtpPorts{loopback, 4001, 4001}.listen()
	require.Error(t, err)
}
