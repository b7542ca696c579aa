package siptest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
)

// SoftphoneTone is what a softphone sounds like, in hertz: lower than the beep of any answering machine.
const SoftphoneTone = 250

// Softphone is baresip, a telephone that nobody here wrote. It answers by itself and sounds at SoftphoneTone.
type Softphone struct {
	Name              string // or number, which it answers to
	Transport         string // that it calls by: udp, tcp or tls; it is called by any
	Encrypted         bool   // it talks encrypted or not at all
	Wideband          bool   // it speaks G.722 alone
	CertFile, KeyFile string // of its own for TLS; it believes whom this certificate vouches for
	Commands          []string

	tb  testing.TB
	dir string
}

// Ring starts the softphone, which ends with the test, and answers where it is called over UDP or TCP, and over TLS.
func (s *Softphone) Ring(tb testing.TB) (address, secure string) {
	tb.Helper()
	path := peertest.Require(tb, "baresip")
	port := FreePort(tb)
	s.tb, s.dir = tb, tb.TempDir()
	s.write("config", s.config(port))
	encryption := ""
	if s.Encrypted {
		encryption = ";mediaenc=srtp-mand"
	}
	s.write("accounts", fmt.Sprintf("<sip:%s@127.0.0.1;transport=%s>;regint=0;answermode=auto%s\n", s.Name, s.Transport, encryption))
	args := []string{"-f", s.dir, "-v"}
	for _, command := range s.Commands {
		args = append(args, "-e", command)
	}
	Start(tb, os.Kill, path, args...)
	for _, listening := range []int{port, port + 1} {
		AwaitBound(tb, "tcp", listening)
	}
	return at(port), at(port + 1)
}

func at(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func (s *Softphone) config(port int) string {
	both, err := os.ReadFile(s.CertFile)
	require.NoError(s.tb, err)
	key, err := os.ReadFile(s.KeyFile)
	require.NoError(s.tb, err)
	codec := "g711"
	if s.Wideband {
		codec = "g722"
	}
	return fmt.Sprintf(`poll_method epoll
sip_listen 127.0.0.1:%d
sip_certificate %s
sip_cafile %s
net_interface 127.0.0.1
audio_player aubridge,nil
audio_source aufile,%s
audio_alert aubridge,nil
snd_path %s
module_path /usr/lib/baresip/modules
module %s.so
module aufile.so
module aubridge.so
module sndfile.so
module srtp.so
module_app account.so
module_app menu.so
`, port, s.write("pem", string(both)+string(key)), s.CertFile, s.tone(), s.dir, codec)
}

func (s *Softphone) write(name, text string) (path string) {
	path = filepath.Join(s.dir, name)
	require.NoError(s.tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// tone writes a file that sounds for longer than any test: the softphone hangs up at its end.
func (s *Softphone) tone() (path string) {
	path = filepath.Join(s.dir, "tone.wav")
	file, err := os.Create(path)
	require.NoError(s.tb, err)
	defer file.Close()
	band := audio.Narrow
	if s.Wideband {
		band = audio.Wide
	}
	w, err := audio.NewWAVWriter(file, band.Rate(), 1)
	require.NoError(s.tb, err)
	require.NoError(s.tb, w.Write(band.Widen(audio.Tone(40*time.Second, -15, SoftphoneTone))))
	require.NoError(s.tb, w.Close())
	return path
}

// Heard returns what the softphone heard in its only call, which is over.
func (s *Softphone) Heard() []int16 {
	s.tb.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "dump-*-dec.wav"))
	require.NoError(s.tb, err)
	require.Len(s.tb, files, 1)
	file, err := os.Open(files[0])
	require.NoError(s.tb, err)
	defer file.Close()
	wav, err := audio.ReadWAV(file)
	require.NoError(s.tb, err)
	return wav.Mono()
}
