package sip

import (
	"context"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// kamailio runs a registrar that nobody here wrote and returns its address.
func kamailio(t *testing.T) string {
	t.Helper()
	path := peertest.Require(t, "kamailio")
	config, err := filepath.Abs(filepath.Join("testdata", "kamailio.cfg"))
	require.NoError(t, err)
	dir, port := t.TempDir(), strconv.Itoa(siptest.FreePort(t))
	siptest.Start(t, syscall.SIGTERM, path, "-f", config, "-A", "PORT="+port, "-DD", "-E", "-m", "16", "-M", "4",
		"-Y", dir, "-w", dir, "-P", filepath.Join(dir, "pid")) // asked to end, it takes its children along
	address := net.JoinHostPort("127.0.0.1", port)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, testWait, 5*time.Millisecond)
	return address
}

// registering registers until the returned function is called, which waits for the end.
func registering(t *testing.T, ua *UA, r Registration) (states <-chan RegistrationStatus, end func() error) {
	t.Helper()
	reported := make(chan RegistrationStatus, 100)
	r.Status = func(s RegistrationStatus) { reported <- s }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ua.Register(ctx, r) }()
	return reported, func() error {
		cancel()
		return receive(t, ended)
	}
}

func awaitState(t *testing.T, states <-chan RegistrationStatus, want RegistrationState) RegistrationStatus {
	t.Helper()
	for {
		if s := receive(t, states); s.State == want {
			return s
		}
	}
}

func TestKamailioSendsCallsOfAnAccount(t *testing.T) {
	t.Parallel()
	registrar := kamailio(t)
	for _, transport := range []Transport{UDP, TCP} {
		onCall, legs := answering(t)
		tokens := make(chan string, 1)
		cfg := Config{
			Screen: func(netip.AddrPort) bool { return false }, // the registrar may call nevertheless
			Inbound: func(ctx context.Context, in *Inbound) {
				tokens <- in.Token + " for " + in.To
				onCall(ctx, in)
			},
		}
		there := listen(t, cfg)
		states, end := registering(t, there, Registration{
			Registrar: registrar, Transport: transport, Username: "alice", Password: "s3cret", Token: "connection7",
			KeepAlive: 20 * time.Millisecond,
			Probe:     transport == UDP,
		})
		require.Equal(t, Registering, receive(t, states).State)
		status := receive(t, states)
		require.Equal(t, Registered, status.State, "%+v", status)
		require.WithinDuration(t, time.Now().Add(time.Minute), status.Until, 5*time.Second, "the registrar grants one minute")

		if transport == TCP {
			require.NoError(t, there.wire.WithConnection(TCP, registrar, siplib.Connection.Close))
			require.Equal(t, Registered, awaitState(t, states, Registered).State, "a lost connection is replaced")
		}

		here := listen(t, Config{})
		for _, calleeEnds := range []bool{true, false} {
			leg, err := here.Dial(within(t), Dial{Proxy: registrar, From: "bob", To: "alice"})
			require.NoError(t, err, transport)
			require.Equal(t, "connection7 for alice", receive(t, tokens))
			callee := receive(t, legs)
			leg.Play(audio.Tone(testWait, -15, 400))
			hears(t, callee, 400)
			first, second := leg, callee
			if calleeEnds {
				first, second = callee, leg
			}
			require.NoError(t, first.Hangup(within(t)))
			receive(t, second.Done())
		}

		require.NoError(t, end())
		require.Equal(t, Unregistered, awaitState(t, states, Unregistered).State)
		_, err := here.Dial(within(t), Dial{Proxy: registrar, From: "bob", To: "alice"})
		var refused *Refused
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 404, refused.Code, "nobody is there any more")
	}
}

func TestKamailioRefusesAWrongPassword(t *testing.T) {
	t.Parallel()
	states, end := registering(t, listen(t, Config{}), Registration{Registrar: kamailio(t), Username: "alice", Password: "wrong"})
	status := awaitState(t, states, Failed)
	require.Equal(t, 401, status.Code)
	require.Equal(t, "Unauthorized", status.Reason)
	require.Equal(t, time.Minute, status.RetryIn)
	require.Error(t, end(), "nor may we take back what was never given")
}
