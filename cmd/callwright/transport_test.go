package main

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// TestTrunkTransports places a call to a softphone that nobody here wrote over each transport of a trunk, in which both
// sides hear the other.
func TestTrunkTransports(t *testing.T) {
	t.Parallel()

	const called = "+31612345678"
	certFile, keyFile := siptest.Certificate(t)
	for name, test := range map[string]struct {
		transport string
		encrypted bool
	}{
		"TCP":        {"tcp", false},
		"TLS":        {"tls", false},
		"TLSAndSRTP": {"tls", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			phone := &siptest.Softphone{Name: called, Transport: test.transport, Encrypted: test.encrypted, CertFile: certFile,
				KeyFile: keyFile}
			proxy, secure := phone.Ring(t)
			flags := append(hearing(), "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1", "--trunk-transport="+test.transport,
				"--sip-tls-roots="+certFile)
			if test.transport == "tls" {
				proxy = secure
			}
			if test.encrypted {
				flags = append(flags, "--trunk-srtp=required")
			}
			p := startPlatform(t, dbtest.DSN(t), false)
			worker := p.startWorker(append(flags, "--trunk-proxy="+proxy)...)
			id := p.direct(called)
			p.waitStatus(id, "in-progress", "failed")
			p.tell(id, map[string]any{"type": "say", "content": "Good morning, this is a test.", "interrupt": true,
				"end_call_after": true})
			call := p.waitStatus(id, "completed", "failed", "voicemail")
			require.Equal(t, "completed", call.Status, "%+v", call)
			require.Equal(t, test.encrypted, call.Media.Encrypted)
			require.Greater(t, sounding(phone.Heard(), isLoud), time.Second, "the softphone hears us")
			far := p.recording(id).Channels[0]
			require.Greater(t, sounding(far, isTone), time.Second, "we hear the softphone")
			p.server.waitReport(t, id)
			worker.stop()
		})
	}
}

// hearing are the flags of a worker that can recognise what is spoken on a real line, if anybody spoke.
func hearing() []string {
	return []string{"--stt-provider=openai", "--stt-base-url=http://127.0.0.1:9/v1", "--stt-key=key"}
}

// linked is what a link of a report opens without a key.
func (p *platform) linked(link string) []byte {
	p.t.Helper()
	target, err := url.Parse(link)
	require.NoError(p.t, err)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+target.Path, http.NoBody)
	require.NoError(p.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	body, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return body
}

// recording is the recording of a call that is over.
func (p *platform) recording(callID string) *audio.WAV {
	p.t.Helper()
	status, file := p.try(http.MethodGet, "/v1/calls/"+callID+"/recording", nil)
	require.Equal(p.t, http.StatusOK, status)
	wav, err := audio.ReadWAV(bytes.NewReader(file))
	require.NoError(p.t, err)
	return wav
}

func isLoud(frame []int16) bool { return audio.Level(frame) > -40 }

func isTone(frame []int16) bool { return audio.Purity(frame, siptest.SoftphoneTone) > 0.9 }

// sounding is how long a sound is of the wanted kind.
func sounding(pcm []int16, wanted func(frame []int16) bool) (lasted time.Duration) {
	for len(pcm) >= audio.FrameLen {
		if wanted(pcm[:audio.FrameLen]) {
			lasted += audio.FrameDuration
		}
		pcm = pcm[audio.FrameLen:]
	}
	return lasted
}
