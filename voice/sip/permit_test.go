package sip

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errTaken = errors.New("others have the call now")

func TestAnInviteThatIsNotPermittedDoesNotLeave(t *testing.T) {
	t.Parallel()
	for name, transport := range map[string]Transport{"UDP": UDP, "TCP": TCP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rung atomic.Int32
			far := listen(t, Config{TCP: "127.0.0.1:0", Inbound: func(context.Context, *Inbound) { rung.Add(1) }})
			near := listen(t, Config{TCP: "127.0.0.1:0"})
			_, err := near.Dial(t.Context(), Dial{
				Proxy: far.AddrOf(transport).String(), Transport: transport, To: "200", Permit: func() error { return errTaken },
			})
			require.ErrorIs(t, err, ErrNotPermitted)
			require.ErrorIs(t, err, errTaken)
			require.Zero(t, rung.Load())
		})
	}
}

// A process that is paused after its INVITE left repeats it when it wakes: not when somebody else has the call by then.
func TestAnInviteIsNotRepeatedWithoutPermission(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp", "127.0.0.1:0") // so the INVITE is sent again, 0.5 s later
	require.NoError(t, err)
	defer silent.Close()
	var taken atomic.Bool
	refused := make(chan struct{}, 8)
	ctx, cancel := context.WithCancel(t.Context())
	ended, near := make(chan error, 1), listen(t, Config{})
	go func() {
		_, err := near.Dial(ctx, Dial{Proxy: silent.LocalAddr().String(), To: "200", Permit: func() error {
			if !taken.Load() {
				return nil
			}
			refused <- struct{}{}
			return errTaken
		}})
		ended <- err
	}()
	message := make([]byte, 2000)
	require.NoError(t, silent.SetReadDeadline(time.Now().Add(testWait)))
	n, _, err := silent.ReadFrom(message)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(message[:n], []byte("INVITE ")))
	taken.Store(true)
	receive(t, refused)
	require.NoError(t, silent.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, _, err = silent.ReadFrom(message)
	require.Error(t, err, "nothing comes")
	cancel()
	require.ErrorIs(t, receive(t, ended), context.Canceled)
}

func TestATransferThatIsNotPermittedDoesNotLeave(t *testing.T) {
	t.Parallel()
	var taken atomic.Bool
	leg, _ := call(t, Dial{Permit: func() error {
		if taken.Load() {
			return errTaken
		}
		return nil
	}})
	taken.Store(true)
	require.ErrorIs(t, leg.Transfer(within(t), "+31201234567"), ErrNotPermitted)
	require.NoError(t, leg.Hangup(within(t)), "goodbyes always leave")
}
