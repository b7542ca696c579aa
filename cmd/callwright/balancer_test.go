package main

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// TestBalancer calls two workers by the balancer of docs/kamailio. A worker that is full passes a call on to the other, and so
// does one that was killed.
func TestBalancer(t *testing.T) {
	t.Parallel()
	long(t)

	kamailio := peertest.Require(t, "kamailio")
	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	flags := append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8")
	small := p.startWorker(append(flags, "--queues=calls=1,webhooks=10,default=10")...)
	large := p.startWorker(append(flags, "--queues=calls=5,webhooks=10,default=10")...)
	balancer := startBalancer(t, kamailio, small.address("SIP gateway"), large.address("SIP gateway"))
	var ended []<-chan error
	call := func(live int) {
		ended = append(ended, p.silentCaller(outside, balancer))
		p.waitLive(live)
	}
	for i := range 4 { // in turn, two to each
		call(i + 1)
	}
	small.kill()
	p.waitLive(3)
	call(4) // one of the two in turn is for the worker that is gone
	call(5)
	_, err := outside.Call(t.Context(), balancer, "+31612345679", ourNumber, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, 503, refused.Code, "one is full, and one is gone")
	require.Positive(t, refused.RetryAfter)
	large.stop()
	for _, one := range ended {
		<-one
	}
	p.waitLive(0)
}

// waitLive waits until so many calls are talked on.
func (p *platform) waitLive(wanted int) {
	p.t.Helper()
	var listed struct{ Pagination struct{ Total int } }
	require.Eventually(p.t, func() bool {
		p.call(http.MethodGet, "/v1/calls?call_status=in-progress&limit=1", nil, http.StatusOK, &listed)
		return listed.Pagination.Total == wanted
	}, time.Minute, 20*time.Millisecond, "%d calls are live", wanted)
}

// startBalancer runs the example of docs/kamailio before workers and returns its address.
func startBalancer(t *testing.T, kamailio string, workers ...string) string {
	t.Helper()
	config, err := filepath.Abs(filepath.Join("..", "..", "docs", "kamailio", "kamailio.cfg"))
	require.NoError(t, err)
	dir, address := t.TempDir(), "127.0.0.1:"+strconv.Itoa(siptest.FreePort(t))
	list := filepath.Join(dir, "dispatcher.list")
	require.NoError(t, os.WriteFile(list, []byte("1 sip:"+strings.Join(workers, "\n1 sip:")+"\n"), 0o600))
	cmd := exec.Command(kamailio, "-f", config, "-A", "ADDRESS=udp:"+address, "-A", "WORKERS="+strconv.Quote(list), "-A",
		`CARRIER="127.0.0.0/8"`,
		"-DD", "-E", "-m", "16", "-M", "4", "-Y", dir, "-w", dir, "-P", filepath.Join(dir, "pid"))
	cmd.Dir, cmd.Stderr = dir, t.Output()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM)) // asked to end, it takes its children along
		_ = cmd.Wait()                                          // its status says how it was ended
	})
	require.Eventually(t, func() bool { return knock(t, address) != "" }, 10*time.Second, 20*time.Millisecond)
	return address
}
