package webrtc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ voice.Leg = (*Leg)(nil)

const patience = 30 * time.Second // the machine may be busy

// testServer listens on loopback.
func testServer(t *testing.T, cfg Config) *Server {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.Clocks = media.NewClocks(cfg.Logger)
	s, err := Listen(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, s.Close(ctx))
		cfg.Clocks.Close()
	})
	return s
}

// browser is a page whose failures are the test's.
type browser struct{ *webrtctest.Browser }

// openBrowser returns one that speaks codec; without one it has no microphone.
func openBrowser(t *testing.T, o webrtctest.Options) *browser {
	t.Helper()
	b, err := webrtctest.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return &browser{b}
}

func (b *browser) offer(t *testing.T) string {
	t.Helper()
	offer, err := b.Offer(t.Context())
	require.NoError(t, err)
	return offer
}

// call connects the browser.
func (b *browser) call(t *testing.T, s *Server) *Leg {
	t.Helper()
	leg, answer, err := s.Answer(t.Context(), b.offer(t))
	require.NoError(t, err)
	require.Contains(t, answer, "a=ice-lite")
	require.NoError(t, b.Accept(answer))
	wait(t, leg.Connected())
	wait(t, b.Open)
	return leg
}

// speak sends frames of a tone.
func (b *browser) speak(t *testing.T, frames int) {
	t.Helper()
	tone := audio.Tone(time.Duration(frames)*audio.FrameDuration, -15, 440)
	for ; len(tone) > 0; tone = tone[audio.FrameLen:] {
		require.NoError(t, b.Speak(0, audio.Mu.Encode(nil, tone[:audio.FrameLen])))
	}
}

func (b *browser) tell(t *testing.T, message any) {
	t.Helper()
	require.NoError(t, b.Tell(message))
}

func wait[T any](t *testing.T, on <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-on:
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
	}
	return got
}

// next returns what comes beside sound that is not loud.
func next(t *testing.T, leg *Leg, is func(audio.Incoming) bool) audio.Incoming {
	t.Helper()
	for end := time.After(patience); ; {
		select {
		case in, alive := <-leg.Incoming():
			require.True(t, alive, "the leg ended: %v", leg.Err())
			if is(in) {
				return in
			}
		case <-end:
			require.FailNow(t, "nothing came")
		}
	}
}

func loud(in audio.Incoming) bool {
	for _, sample := range in.Frame {
		if sample > 1000 {
			return true
		}
	}
	return false
}

func TestABrowserTalks(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]bool{"by UDP": false, "where UDP is closed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testServer(t, Config{Listen: "127.0.0.1:0", TCP: "127.0.0.1:0"})
			b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU, TCPOnly: closed})
			leg := b.call(t, s)
			require.Equal(t, audio.Narrow, leg.Band())
			require.True(t, leg.Captioned())

			b.speak(t, 10)
			next(t, leg, loud)

			recorded := make(chan int, 1000)
			leg.Record(func(far, near []int16) { recorded <- len(far) + len(near) })
			require.Equal(t, 2*audio.FrameLen, wait(t, recorded))
			leg.Record(nil)

			leg.Play(audio.Tone(200*time.Millisecond, -15, 440))
			for heard := false; !heard; {
				p := wait(t, b.Sound)
				require.EqualValues(t, 0, p.PayloadType)
				heard = loud(audio.Incoming{Frame: audio.Mu.Decode(nil, p.Payload)})
			}

			b.tell(t, Message{Type: MessageSay, Text: " What are your hours? "})
			require.Equal(t, "What are your hours?", next(t, leg, func(in audio.Incoming) bool { return in.Typed() != "" }).Typed())
			b.tell(t, Message{Type: MessageCaption, Text: "hello\n"})
			require.Equal(t, "hello\n", next(t, leg, func(in audio.Incoming) bool { return in.Caption() != "" }).Caption())
			b.tell(t, Message{Type: MessageKeys, Keys: "x7"})
			require.EqualValues(t, '7', next(t, leg, func(in audio.Incoming) bool { return in.Digit != 0 }).Digit)
			require.NoError(t, b.Press(5, 1_000_000))
			require.EqualValues(t, '5', next(t, leg, func(in audio.Incoming) bool { return in.Digit != 0 }).Digit)

			leg.Caption("We are open from nine to five.")
			require.JSONEq(t, `{"type": "caption", "text": "We are open from nine to five."}`, wait(t, b.Messages))
			leg.SendDigits("1#")
			require.JSONEq(t, `{"type": "keys", "keys": "1#"}`, wait(t, b.Messages))

			stats := leg.Stats()
			require.Equal(t, "PCMU", stats.Codec)
			require.True(t, stats.Encrypted)
			require.Positive(t, stats.PacketsIn)
			require.Positive(t, stats.PacketsOut)
			require.NoError(t, leg.Hangup(t.Context()))
			wait(t, leg.Done())
			require.NoError(t, leg.Err())
			require.JSONEq(t, `{"type": "hang-up"}`, wait(t, b.Messages))
		})
	}
}

func TestWidebandIsPreferred(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	leg := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypeG722}).call(t, s)
	require.Equal(t, audio.Wide, leg.Band())
	require.Equal(t, "G722", leg.Stats().Codec)
}

// A page whose microphone is blocked still types.
func TestABrowserWithoutMicrophone(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	b := openBrowser(t, webrtctest.Options{})
	leg := b.call(t, s)
	b.tell(t, Message{Type: MessageSay, Text: "Hello"})
	require.Equal(t, "Hello", next(t, leg, func(in audio.Incoming) bool { return in.Typed() != "" }).Typed())
	wait(t, b.Sound)
}

func TestTheBrowserHangsUp(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	for name, hangUp := range map[string]func(*testing.T, *browser, *Leg){
		"by closing":   func(t *testing.T, b *browser, _ *Leg) { require.NoError(t, b.Close()) },
		"by a message": func(t *testing.T, b *browser, _ *Leg) { b.tell(t, Message{Type: MessageHangUp}) },
		"otherwise":    func(_ *testing.T, _ *browser, leg *Leg) { leg.RemoteHangup() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
			leg := b.call(t, s)
			hangUp(t, b, leg)
			wait(t, leg.Done())
			require.ErrorIs(t, leg.Err(), media.ErrRemoteHangup)
			require.NoError(t, leg.Hangup(t.Context()), "it is over")
		})
	}
}

func TestABrowserVanishes(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	leg := b.call(t, s)
	require.NoError(t, b.Cut())
	wait(t, leg.Done())
	require.ErrorIs(t, leg.Err(), media.ErrDisconnected)
}

// A process that stood still reads late what a browser has sent meanwhile: nobody has vanished.
func TestTheProcessStandsStill(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	leg, answer, err := s.Answer(t.Context(), b.offer(t))
	require.NoError(t, err)
	way := startRelay(t, s.UDP())
	require.NoError(t, b.Accept(strings.ReplaceAll(answer, portOf(t, s.UDP()), portOf(t, way.near.LocalAddr()))))
	wait(t, leg.Connected())
	wait(t, b.Open)
	way.hold()
	require.Eventually(t, func() bool { return leg.peer.ConnectionState() == webrtc.PeerConnectionStateDisconnected }, patience,
		time.Millisecond)
	b.speak(t, 25)
	way.release(t)
	next(t, leg, loud)
	require.Eventually(t, func() bool { return leg.peer.ConnectionState() == webrtc.PeerConnectionStateConnected }, patience,
		time.Millisecond)
	leg.vanished()
	require.NoError(t, leg.Err())
	select {
	case <-leg.Done():
		require.FailNow(t, "the leg ended")
	default:
	}
}

// relay passes packets between a browser and a server, and can hold those of the browser.
type relay struct {
	near *net.UDPConn // that the browser sends to
	far  *net.UDPConn // to the server

	mu      sync.Mutex
	held    [][]byte
	holding bool
}

func startRelay(t *testing.T, server net.Addr) *relay {
	t.Helper()
	near, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	far, err := net.DialUDP("udp4", nil, server.(*net.UDPAddr))
	require.NoError(t, err)
	r := &relay{near: near, far: far}
	var browser atomic.Pointer[net.UDPAddr]
	var running sync.WaitGroup
	running.Go(func() {
		for packet := make([]byte, 2048); ; {
			n, from, err := near.ReadFromUDP(packet)
			if err != nil {
				return
			}
			browser.Store(from)
			r.pass(slices.Clone(packet[:n]))
		}
	})
	running.Go(func() {
		for packet := make([]byte, 2048); ; {
			n, err := far.Read(packet)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			_, _ = near.WriteToUDP(packet[:n], browser.Load())
		}
	})
	t.Cleanup(func() {
		require.NoError(t, errors.Join(near.Close(), far.Close()))
		running.Wait()
	})
	return r
}

func (r *relay) pass(packet []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holding {
		r.held = append(r.held, packet)
		return
	}
	_, _ = r.far.Write(packet)
}

func (r *relay) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holding = true
}

func (r *relay) release(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holding = false
	for _, packet := range r.held {
		_, err := r.far.Write(packet)
		require.NoError(t, err)
	}
}

func portOf(t *testing.T, address net.Addr) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address.String())
	require.NoError(t, err)
	return port
}

func TestClosedUnderItsLegs(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	leg := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU}).call(t, s)
	require.NoError(t, s.Close(t.Context()))
	wait(t, leg.Done())
	require.ErrorIs(t, leg.Err(), media.ErrClosed)
	_, _, err := s.Answer(t.Context(), openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU}).offer(t))
	require.ErrorIs(t, err, media.ErrClosed)
}

func TestWhatIsNoOffer(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	good := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU}).offer(t)
	sound := good[strings.Index(good, "m=audio"):strings.Index(good, "m=application")]
	for name, offer := range map[string]string{
		"nothing": "", "no SDP": "hello", "too long": good + strings.Repeat("a=x:y\r\n", MaxOffer/7), "two streams": good + sound,
		"video":      good + strings.Replace(sound, "m=audio", "m=video", 1),
		"no sound":   good[:strings.Index(good, "m=audio")] + good[strings.Index(good, "m=application"):],
		"no codec":   strings.NewReplacer("SAVPF 0", "SAVPF 111", "rtpmap:0 PCMU/8000", "rtpmap:111 opus/48000/2").Replace(good),
		"no ice":     strings.ReplaceAll(good, "a=ice-", "a=no-"),
		"encryption": strings.ReplaceAll(good, "a=fingerprint", "a=nofingerprint"),
	} {
		_, _, err := s.Answer(t.Context(), offer)
		require.ErrorIs(t, err, ErrOffer, name)
	}
}

func TestABrowserThatTalksTooMuch(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	leg := b.call(t, s)
	b.tell(t, Message{Type: MessageSay, Text: strings.Repeat("a", maxMessage)})
	b.tell(t, "no message")
	for range 5 * messagesPerSecond {
		b.tell(t, Message{Type: MessageKeys})
	}
	require.Eventually(t, func() bool { return leg.Stats().Strays >= 2*messagesPerSecond }, patience, time.Millisecond)
	require.NoError(t, b.OpenAnother())
	wait(t, leg.Done())
}

func FuzzOffer(f *testing.F) {
	f.Add("v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=candidate:1 1 udp 1 10.0.0.1 9 typ host\r\n")
	f.Fuzz(func(t *testing.T, offer string) {
		clean, err := readOffer(offer)
		if err == nil {
			require.NotContains(t, clean, "a=candidate")
			_, err := readOffer(clean)
			require.NoError(t, err)
		}
	})
}

// Firefox offers its address in a network alone: the answer names ours there, too, at a port that hears this machine and nobody else.
func TestThePortBesideLoopbackHearsThisMachineAlone(t *testing.T) {
	t.Parallel()
	own, err := ownAddress("0.0.0.0:0")
	if err != nil || own.IsLoopback() {
		t.Skip("this machine has no network")
	}
	s := testServer(t, Config{Listen: "127.0.0.1:0", Beside: true})
	b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	offer := b.offer(t)
	leg, answer, err := s.Answer(t.Context(), offer)
	require.NoError(t, err)
	require.Contains(t, answer, " 127.0.0.1 ")
	require.Contains(t, answer, " "+own.String()+" ")
	require.NoError(t, leg.Hangup(t.Context()))
	alone := testServer(t, Config{Listen: "127.0.0.1:0"})
	leg, answer, err = alone.Answer(t.Context(), offer)
	require.NoError(t, err)
	require.NotContains(t, answer, " "+own.String()+" ")
	require.NoError(t, leg.Hangup(t.Context()))

	open := func(at netip.Addr) *net.UDPConn {
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, conn.Close()) })
		return conn
	}
	here, stranger, neighbour := open(netip.IPv4Unspecified()), open(own), open(netip.MustParseAddr("127.0.0.1"))
	port := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), here.LocalAddr().(*net.UDPAddr).AddrPort().Port())
	for _, from := range []*net.UDPConn{stranger, neighbour} { // one whose address is not the port's own
		_, err := from.WriteToUDPAddrPort([]byte(from.LocalAddr().String()), port)
		require.NoError(t, err)
	}
	heard := make([]byte, 100)
	n, from, err := (&ownPackets{socket{here, slog.New(slog.DiscardHandler)}, netip.MustParseAddr("192.0.2.99")}).ReadFrom(heard)
	require.NoError(t, err)
	require.Equal(t, neighbour.LocalAddr().String(), string(heard[:n]))
	require.Equal(t, neighbour.LocalAddr().String(), from.String())
}

// What is told before the data channel is open waits for it, and comes in its order.
func TestToldBeforeTheChannelOpens(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0"})
	b := openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	leg, answer, err := s.Answer(t.Context(), b.offer(t))
	require.NoError(t, err)
	for _, text := range []string{"one", "two"} {
		leg.Caption(text)
	}
	require.NoError(t, b.Accept(answer))
	wait(t, leg.Connected())
	leg.Caption("three")
	for _, text := range []string{"one", "two", "three"} {
		require.JSONEq(t, `{"type": "caption", "text": "`+text+`"}`, wait(t, b.Messages))
	}
	b.tell(t, Message{Type: MessageSay, Text: "and back"})
	require.Equal(t, "and back", next(t, leg, func(in audio.Incoming) bool { return in.Typed() != "" }).Typed())
	require.NoError(t, leg.Hangup(t.Context()))
}
