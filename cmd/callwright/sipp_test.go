package main

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// TestCalledPartyIsSipp places calls to SIPp, a telephone that nobody here wrote, through the whole product.
func TestCalledPartyIsSipp(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	for name, test := range map[string]struct {
		scenario string
		flags    []string
		status   string
		reason   string
		code     int
	}{
		"Answered": {"uas_bye.xml", nil, "completed", "customer-ended-call", 0},
		"Busy":     {"uas_486.xml", nil, "busy", "customer-busy", 486},
		"NoAnswer": {"uas_noanswer.xml", []string{"--ring-for=2s"}, "no-answer", "customer-did-not-answer", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPlatform(t, dbtest.DSN(t), false)
			proxy, ended := startSipp(t, test.scenario)
			worker := p.startWorker(append(test.flags, "--trunk-proxy="+proxy, "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1")...)
			id := p.direct("+31612345678")
			call := p.waitStatus(id, "completed", "busy", "no-answer", "failed")
			require.Equal(t, test.status, call.Status, "%+v", call)
			require.Equal(t, test.reason, call.EndedReason)
			require.Equal(t, test.code, call.SIPCode)
			require.NoError(t, <-ended, "sipp")
			p.server.waitReport(t, id)
			worker.stop()
		})
	}
}

// startSipp runs a scenario for one call and returns where it listens; the channel receives its verdict.
func startSipp(t *testing.T, scenario string) (address string, ended <-chan error) {
	t.Helper()
	port := siptest.FreePort(t)
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	ended = runSipp(t, filepath.Join("..", "..", "voice", "sip", "testdata", scenario), address, "-rtp_echo")
	siptest.AwaitBound(t, "udp", port)
	return address, ended
}

// callFromSipp has SIPp call a number at a worker's address.
func callFromSipp(t *testing.T, scenario, worker, number string) (ended <-chan error) {
	t.Helper()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(siptest.FreePort(t)))
	return runSipp(t, filepath.Join("testdata", scenario), address, "-s", number, worker)
}

// runSipp runs a scenario for one call; the channel receives its verdict.
func runSipp(t *testing.T, scenario, address string, flags ...string) <-chan error {
	t.Helper()
	file, err := filepath.Abs(scenario)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	flags = append(flags, "-sf", file, "-i", "127.0.0.1", "-mi", "127.0.0.1", "-p", port, "-mp", strconv.Itoa(siptest.FreePort(t)),
		"-m", "1", "-nostdin", "-timeout", "60s", "-timeout_error")
	cmd := exec.CommandContext(ctx, "sipp", flags...)
	cmd.Dir = t.TempDir()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	done, gone := make(chan error, 1), make(chan struct{})
	go func() {
		done <- cmd.Wait()
		close(gone)
	}()
	t.Cleanup(func() {
		stop()
		<-gone
		if t.Failed() {
			t.Logf("sipp %s said:\n%s", scenario, output.Bytes())
		}
	})
	return done
}
