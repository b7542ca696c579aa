package wire

import (
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/voice/accept"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testWait = 10 * time.Second

// nobody is a directory of an endpoint without calls.
type nobody struct{}

func (nobody) IsOurs(string) bool             { return false }
func (nobody) IsPeer(netip.AddrPort) bool     { return false }
func (nobody) SeenFrom(string) netip.AddrPort { return netip.AddrPort{} }

// endpoint serves OPTIONS.
func endpoint(t *testing.T, cfg Config) *Endpoint {
	t.Helper()
	cfg.Listen, cfg.Directory, cfg.Late = "127.0.0.1:0", nobody{}, func(*siplib.Response) {}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	e, err := Bind(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	require.NoError(t, e.Serve(func(server *sipgo.Server) {
		server.OnOptions(func(req *siplib.Request, tx siplib.ServerTransaction) { e.Accept(req, tx) })
	}))
	return e
}

// options asks whether an endpoint is alive.
func options(t *testing.T, from, to *Endpoint) {
	t.Helper()
	d := NewLiveDialog(Dialog{
		CallID: "alive", LocalURI: "sip:a@b", LocalTag: "1", RemoteURI: "sip:c@d", Target: "sip:c@d", NextHop: to.Addr().String(),
	})
	done, err := from.Exchange(t.Context(), d, Credentials{}, siplib.OPTIONS, nil, func(*siplib.Request) {})
	require.NoError(t, err)
	require.Equal(t, 200, done.Res.StatusCode)
}

// told passes on the first line of a log.
type told chan string

func (c told) Write(line []byte) (int, error) {
	select {
	case c <- string(line):
	default:
	}
	return len(line), nil
}

func TestASocketOutlivesAnErrorThatPasses(t *testing.T) {
	t.Parallel()
	failed := make(told, 1)
	e := endpoint(t, Config{Logger: slog.New(slog.NewTextHandler(failed, nil))})
	require.NoError(t, e.socket.SetReadDeadline(time.Now()))
	select {
	case <-failed:
	case <-time.After(testWait):
		require.FailNow(t, "nothing was logged")
	}
	require.NoError(t, e.socket.SetReadDeadline(time.Time{}))
	options(t, endpoint(t, Config{}), e)
}

func TestAnswersToNothingAreNotRead(t *testing.T) {
	t.Parallel()
	stray := []byte("SIP/2.0 200 OK\r\n\r\n")
	from := siplib.TransportReadProps{Transport: "UDP", RemoteAddr: &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}}
	e := endpoint(t, Config{Screen: func(netip.AddrPort) bool { return false }})
	passed, err := e.screen(from, stray)
	require.NoError(t, err)
	require.Empty(t, passed)
	options(t, e, endpoint(t, Config{})) // whose answer comes through
	passed, err = e.screen(from, stray)
	require.NoError(t, err)
	require.NotEmpty(t, passed)
}

func TestWhomWeAskedIsForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	known := recent{at: map[netip.Addr]time.Time{}}
	ip := netip.MustParseAddr("10.0.0.0")
	for range 10 * recentRoom {
		ip = ip.Next()
		now = now.Add(recentFor / recentRoom)
		known.add(ip, now)
	}
	require.LessOrEqual(t, len(known.at), 3*recentRoom)
	require.True(t, known.has(ip))
}

// The far end of a live call has few connections, so that the carrier finds room; who is neither has none.
func TestHowManyConnectionsASourceHas(t *testing.T) {
	t.Parallel()
	carrier, farEnd := netip.MustParseAddrPort("192.0.2.1:5060"), netip.MustParseAddrPort("192.0.2.2:5060")
	e := &Endpoint{cfg: Config{
		Screen: func(source netip.AddrPort) bool { return source == carrier }, Directory: peersOnly{peer: farEnd},
	}}
	require.Equal(t, accept.MaxConnections, e.most(carrier))
	require.Equal(t, maxOfGuest, e.most(farEnd))
	require.Zero(t, e.most(netip.MustParseAddrPort("192.0.2.3:5060")))
	require.Equal(t, accept.MaxConnections, (&Endpoint{}).most(farEnd), "nobody is screened")
}

// peersOnly is a directory with one peer.
type peersOnly struct {
	Directory
	peer netip.AddrPort
}

// IsPeer implements Directory.
func (d peersOnly) IsPeer(source netip.AddrPort) bool { return source == d.peer }

func TestWhoIsAskedForInARequestLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"INVITE sip:tok@192.0.2.1:5060;transport=tcp SIP/2.0\r\nTo: <sip:x@y>": "tok",
		"INVITE sip:192.0.2.1 SIP/2.0\r\nTo: <sip:x@y>":                        "",
		"OPTIONS tel:1": "",
		"":              "",
	} {
		require.Equal(t, want, requestUser([]byte(line)), line)
	}
}

func FuzzRequestUser(f *testing.F) {
	f.Add([]byte("INVITE sip:abc@1.2.3.4 SIP/2.0\r\nTo: <sip:x@y>"))
	f.Fuzz(func(t *testing.T, data []byte) { requestUser(data) })
}
