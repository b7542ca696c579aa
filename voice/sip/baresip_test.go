package sip

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// baresip runs a softphone that nobody here wrote. It answers by itself, sounds at 440 Hz, speaks over TLS and talks
// encrypted or not at all. TLS is one port above the one returned. commands are what its user types.
func baresip(t *testing.T, secure TLSConfig, commands ...string) (port int) {
	t.Helper()
	path, err := exec.LookPath("baresip")
	if err != nil {
		t.Skip("baresip is not installed (Debian: baresip-core)")
	}
	dir := t.TempDir()
	port = siptest.FreePort(t)
	both, err := os.ReadFile(secure.CertFile)
	require.NoError(t, err)
	key, err := os.ReadFile(secure.KeyFile)
	require.NoError(t, err)
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	pem := write("pem", string(both)+string(key))
	wav := filepath.Join(dir, "tone.wav")
	writeTone(t, wav)
	write("config", fmt.Sprintf(`poll_method epoll
sip_listen 127.0.0.1:%d
sip_certificate %s
sip_cafile %s
net_interface 127.0.0.1
audio_player aubridge,nil
audio_source aufile,%s
audio_alert aubridge,nil
module_path /usr/lib/baresip/modules
module g711.so
module aufile.so
module aubridge.so
module srtp.so
module_app account.so
module_app menu.so
`, port, pem, secure.RootsFile, wav))
	write("accounts", "<sip:bob@127.0.0.1;transport=tls>;regint=0;mediaenc=srtp-mand;answermode=auto\n")
	args := []string{"-f", dir, "-v"}
	for _, c := range commands {
		args = append(args, "-e", c)
	}
	start(t, os.Kill, path, args...)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1)))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, testWait, 10*time.Millisecond)
	return port
}

// start runs a program that is ended with the test, which shows what it said if the test failed.
func start(t *testing.T, end os.Signal, path string, args ...string) {
	t.Helper()
	cmd, output := exec.CommandContext(context.WithoutCancel(t.Context()), path, args...), new(lockedBuffer)
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if err := cmd.Process.Signal(end); err != nil {
			t.Errorf("end %s: %v", path, err)
		}
		if err := cmd.Wait(); t.Failed() {
			t.Logf("%s ended with %v and said:\n%s", path, err, output.Bytes())
		}
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// writeTone writes a file that sounds at 440 Hz for longer than any test.
func writeTone(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	w, err := audio.NewWAVWriter(file, audio.Rate, 1)
	require.NoError(t, err)
	require.NoError(t, w.Write(audio.Tone(20*time.Second, -15, 440)))
	require.NoError(t, w.Close())
}

func TestBaresipIsCalledOverTLS(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	port := baresip(t, secure)
	leg, err := listen(t, Config{TLS: secure}).Dial(within(t), Dial{
		Proxy: net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1)), Transport: TLS, SRTP: SRTPRequired, From: "alice", To: "bob",
	})
	require.NoError(t, err)
	hears(t, leg, 440)
	require.True(t, leg.Stats().Encrypted)
	require.NoError(t, leg.Hangup(within(t)))
}

func TestBaresipCallsOverTLS(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	legs := make(chan *Leg, 1)
	ua := listen(t, Config{TLS: secure, Inbound: func(ctx context.Context, in *Inbound) {
		leg, err := in.Answer(ctx)
		if err != nil {
			t.Errorf("answer: %v", err)
			return
		}
		legs <- leg
	}})
	baresip(t, secure, "/dial sip:carol@"+ua.AddrOf(TLS).String()+";transport=tls")
	leg := receive(t, legs)
	hears(t, leg, 440)
	require.True(t, leg.Stats().Encrypted)
	require.Equal(t, TLS, leg.Dialog().Transport)
	require.NoError(t, leg.Hangup(within(t)), "our BYE takes its connection")
}
