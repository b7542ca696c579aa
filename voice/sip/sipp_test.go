package sip

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// sipp runs one scenario of testdata as a peer that nobody here wrote. The channel gets how it ended.
func sipp(t *testing.T, scenario string, port int, args ...string) <-chan error {
	t.Helper()
	path := peertest.Require(t, "sipp")
	file, err := filepath.Abs(filepath.Join("testdata", scenario))
	require.NoError(t, err)
	dir := t.TempDir()
	args = append(args, "-sf", file, "-i", "127.0.0.1", "-mi", "127.0.0.1", "-p", strconv.Itoa(port), "-mp",
		strconv.Itoa(siptest.FreePort(t)),
		"-m", "1", "-nostdin", "-timeout", "20s", "-timeout_error", "-trace_err", "-error_file", filepath.Join(dir, "errors"))
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		ended <- cmd.Wait()
		close(gone)
	}()
	t.Cleanup(func() {
		stop()
		<-gone
		if t.Failed() {
			errors, _ := os.ReadFile(filepath.Join(dir, "errors"))
			t.Logf("sipp %s said:\n%s\n%s", scenario, errors, output.Bytes())
		}
	})
	return ended
}

// called runs sipp as the called party and waits until it listens.
func called(t *testing.T, scenario string, args ...string) (addr string, ended <-chan error) {
	t.Helper()
	port := siptest.FreePort(t)
	ended = sipp(t, scenario, port, args...)
	addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	siptest.AwaitBound(t, "udp", port)
	return addr, ended
}

func TestSippAnswersAndEchoes(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"uas_answer.xml", "uas_ring12.xml", "uas_183.xml"} {
		addr, ended := called(t, scenario, "-rtp_echo")
		var progress []int
		leg, err := listen(t, Config{}).Dial(within(t), Dial{
			Proxy: addr, From: "+31201234567", FromName: `Practice "Jansen"`, To: "+31612345678", CallID: "call-" + scenario,
			Headers:  map[string]string{"X-Account": "7"},
			Progress: func(code int, _ string) { progress = append(progress, code) },
		})
		require.NoError(t, err, scenario)
		if scenario != "uas_answer.xml" { // there the answer comes right behind the 180, and may overtake it
			require.NotEmpty(t, progress, scenario)
		}
		require.Equal(t, "call-"+scenario, leg.Dialog().CallID)
		leg.Play(audio.Tone(testWait, -15, 400))
		hears(t, leg, 400)
		require.NoError(t, leg.Hangup(within(t)))
		require.NoError(t, receive(t, ended), scenario)
	}
}

func TestSippIsBusy(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_486.xml")
	_, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, To: "1"})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, &Refused{Code: 486, Reason: "Busy Here", RetryAfter: 5 * time.Hour}, refused)
	require.NoError(t, receive(t, ended))
}

func TestSippAsksForCredentials(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"uas_401.xml", "uas_407.xml"} {
		addr, ended := called(t, scenario)
		dial := Dial{Proxy: addr, From: "alice", To: "1", Username: "alice", Password: "s3cret"}
		leg, err := listen(t, Config{}).Dial(within(t), dial)
		require.NoError(t, err, scenario)
		require.NoError(t, leg.Hangup(within(t)))
		require.NoError(t, receive(t, ended), scenario)

		addr, ended = called(t, scenario)
		dial.Proxy, dial.Password = addr, "wrong"
		_, err = listen(t, Config{}).Dial(within(t), dial)
		var refused *Refused
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 403, refused.Code)
		require.NoError(t, receive(t, ended), scenario)
	}
}

func TestSippDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"uas_noanswer.xml", "uas_cancelrace.xml"} {
		addr, ended := called(t, scenario)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := listen(t, Config{}).Dial(ctx, Dial{Proxy: addr, To: "1", Progress: func(int, string) { cancel() }})
		require.ErrorIs(t, err, context.Canceled, scenario)
		require.NoError(t, receive(t, ended), "%s wants its ACK, and a BYE where it had answered", scenario)
	}
}

func TestSippHangsUp(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_bye.xml")
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1"})
	require.NoError(t, err)
	receive(t, leg.Done())
	require.ErrorIs(t, leg.Err(), media.ErrRemoteHangup)
	require.NoError(t, receive(t, ended))
}

func TestSippIsTransferred(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_refer.xml")
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1"})
	require.NoError(t, err)
	require.NoError(t, leg.Transfer(within(t), "+31201111111"))
	var refused *Refused
	require.ErrorAs(t, leg.Transfer(within(t), "sip:+31201111111@example.org"), &refused)
	require.Equal(t, 486, refused.Code)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, receive(t, ended))
}

func TestSippAnswersTwice(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_fork.xml")
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1"})
	require.NoError(t, err)
	leg.Play(audio.Tone(200*time.Millisecond, -15, 400))
	require.Eventually(t, func() bool { return leg.Queued() == 0 }, testWait, time.Millisecond)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, receive(t, ended), "the second phone gets its ACK and BYE first")
}

// calling runs sipp as the caller of ua.
func calling(t *testing.T, ua *UA, scenario string, args ...string) <-chan error {
	t.Helper()
	return sipp(t, scenario, siptest.FreePort(t), append([]string{ua.Addr().String()}, args...)...)
}

func TestSippCalls(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"uac_hold.xml", "uac_lateoffer.xml"} {
		onCall, legs := answering(t)
		ended := calling(t, listen(t, Config{Inbound: onCall}), scenario)
		leg := receive(t, legs)
		if scenario == "uac_hold.xml" {
			require.Equal(t, byte('7'), next(t, leg, func(item audio.Incoming) bool { return item.Digit != 0 }).Digit)
			require.Equal(t, uint8(8), leg.media.Route().Send.Payload)
		}
		require.NoError(t, receive(t, ended), scenario)
		receive(t, leg.Done())
		require.ErrorIs(t, leg.Err(), media.ErrRemoteHangup)
		require.Positive(t, leg.Stats().PacketsOut, scenario)
	}
}

func TestSippGivesUpWhileItRings(t *testing.T) {
	t.Parallel()
	answered := make(chan error, 1)
	ua := listen(t, Config{Inbound: func(ctx context.Context, in *Inbound) {
		if err := in.Ring(); err != nil {
			answered <- err
			return
		}
		<-in.Done()
		_, err := in.Answer(ctx)
		answered <- err
	}})
	ended := calling(t, ua, "uac_cancel.xml")
	require.ErrorIs(t, receive(t, answered), ErrCancelled)
	require.NoError(t, receive(t, ended))
}

func TestSippNeverAcknowledges(t *testing.T) {
	t.Parallel()
	answered := make(chan error, 1)
	ua := listen(t, Config{Inbound: func(ctx context.Context, in *Inbound) {
		in.ua.timers = timers{t1: 5 * time.Millisecond, t2: 40 * time.Millisecond}
		_, err := in.Answer(ctx)
		answered <- err
	}})
	ended := calling(t, ua, "uac_noack.xml")
	require.ErrorIs(t, receive(t, answered), errNoACK)
	require.NoError(t, receive(t, ended), "it gets its BYE")
}

func TestSippIsRefused(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{Inbound: func(context.Context, *Inbound) { t.Error("nobody has to see this call") }})
	require.NoError(t, receive(t, calling(t, ua, "uac_488.xml")))
	require.NoError(t, receive(t, calling(t, ua, "uac_options.xml")))
}
