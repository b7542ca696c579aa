package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// page is a browser's page that may call.
type page struct {
	*webrtctest.Browser
	t     *testing.T
	p     *platform
	token string // empty: the key of the account
	id    string // of its call

	unseen []string // messages
}

const pageOrigin = "https://www.example.com"

func (p *platform) openPage(t *testing.T, token string, o webrtctest.Options) *page {
	t.Helper()
	browser, err := webrtctest.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, browser.Close()) })
	return &page{Browser: browser, t: t, p: p, token: token}
}

// ask sends a request as the page does, and returns the status, the body and the headers.
func (b *page) ask(method, path, origin string, body any) (int, []byte, http.Header) {
	b.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(b.t, err)
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.p.url+path, bytes.NewReader(text))
	require.NoError(b.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+b.token)
	if b.token == "" {
		req.Header.Set("Authorization", "Bearer "+b.p.key)
	}
	if strings.HasPrefix(b.token, "cw_session_") {
		req.Header.Del("Authorization")
		req.AddCookie(&http.Cookie{Name: "callwright_session", Value: b.token})
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, res.Body.Close()) }()
	answer, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return res.StatusCode, answer, res.Header
}

func (b *page) offer() map[string]any {
	b.t.Helper()
	offer, err := b.Offer(b.t.Context())
	require.NoError(b.t, err)
	return map[string]any{"sdp": offer}
}

// call connects the page with the assistant.
func (b *page) call() {
	b.t.Helper()
	offer := b.offer()
	if b.token == "" {
		offer["assistant_id"] = b.p.assistantID
	}
	status, body, header := b.ask(http.MethodPost, "/v1/calls/web", pageOrigin, offer)
	require.Equal(b.t, http.StatusCreated, status, "%s", body)
	var made struct {
		CallID string `json:"call_id"`
		SDP    string
	}
	require.NoError(b.t, json.Unmarshal(body, &made))
	require.Equal(b.t, "/v1/calls/web/"+made.CallID, header.Get("Location"))
	b.id = made.CallID
	require.NoError(b.t, b.Accept(made.SDP))
	for _, happened := range []<-chan struct{}{b.Connected, b.Open} {
		select {
		case <-happened:
		case <-time.After(30 * time.Second):
			require.FailNow(b.t, "the page does not connect")
		}
	}
}

// see waits for a message of a type in which text stands, whatever else comes before it.
func (b *page) see(kind, text string) {
	b.t.Helper()
	matches := func(message string) bool {
		return strings.Contains(message, `"type":"`+kind+`"`) && strings.Contains(message, text)
	}
	for end := time.After(60 * time.Second); ; {
		if i := slices.IndexFunc(b.unseen, matches); i >= 0 {
			b.unseen = slices.Delete(b.unseen, i, i+1)
			return
		}
		select {
		case message := <-b.Messages:
			b.unseen = append(b.unseen, message)
		case <-end:
			require.FailNow(b.t, "nothing was seen", "%s %s among %v", kind, text, b.unseen)
		}
	}
}

func (b *page) tell(message map[string]any) {
	b.t.Helper()
	require.NoError(b.t, b.Tell(message))
}

func webWorker(p *platform) *process {
	return p.startWorker("--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0")
}

// brokenOffer is one that a worker must read to refuse it: its number of a codec of ours is another's.
const brokenOffer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=ice-ufrag:Kx9d\r\n" +
	"a=ice-pwd:7sMnPq2uWxYz4aBcDeFgHiJk\r\na=setup:actpass\r\na=rtcp-mux\r\na=sendrecv\r\na=rtpmap:0 opus/48000/2\r\n" +
	"a=fingerprint:sha-256 0F:74:31:25:CB:A2:13:EC:28:6F:6D:2C:61:FF:5D:C2:BC:B9:DB:3D:98:14:8D:1A:BB:EA:33:0C:A4:60:A8:8E\r\n"

// TestWebCalls has pages talk through real processes.
func TestWebCalls(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	t.Run("NoWorker", func(t *testing.T) {
		status, body, header := p.openPage(t, "", webrtctest.Options{}).ask(http.MethodPost, "/v1/calls/web", "",
			map[string]any{"assistant_id": p.assistantID, "sdp": brokenOffer})
		require.Equal(t, http.StatusServiceUnavailable, status, "%s", body)
		require.Equal(t, "5", header.Get("Retry-After"))
	})
	worker := webWorker(p)

	for name, options := range map[string]webrtctest.Options{
		"Talks": {Codec: webrtc.MimeTypePCMU}, "TalksWithoutUDP": {Codec: webrtc.MimeTypeG722, TCPOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := p.openPage(t, "", options)
			b.call()
			b.tell(map[string]any{"type": "say", "text": "Yes, speaking."})
			b.see("activity", "speaking")
			b.see("caption", "Your check-up takes about twenty minutes.")
			b.tell(map[string]any{"type": "say", "text": "Are you open on Saturday?"}) // and cuts it off
			b.see("transcript", `"interrupted":true`)
			b.see("transcript", "Yes, from nine to one.")
			require.NoError(t, b.Press(5, 1_000_000))
			require.NoError(t, b.Tell(map[string]any{"type": "hang-up"}))
			call := p.waitStatus(b.id, "completed", "failed")
			require.Equal(t, "customer-ended-call", call.EndedReason)
			require.Equal(t, []string{"ringing", "in-progress", "completed"}, states(call))
			report := p.server.waitReport(t, b.id)
			require.Equal(t, "webCall", report.Message.Call.Type)
			used := func(cost jsonb.Cost) bool { return cost.Model != nil }
			require.True(t, slices.ContainsFunc(call.Costs, used), "what it uses is counted as in other calls: %+v", call.Costs)
			require.NotEmpty(t, report.Message.Artifact.RecordingURL)
		})
	}
	t.Run("Ends", func(t *testing.T) {
		b := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
		b.call()
		p.waitStatus(b.id, "in-progress")
		p.hangUp(b.id)
		b.see("hang-up", "")
		require.Equal(t, "manually-canceled", p.waitStatus(b.id, "completed").EndedReason)

		left := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
		left.call()
		p.waitStatus(left.id, "in-progress")
		status, body, _ := left.ask(http.MethodDelete, "/v1/calls/web/"+left.id, "", nil)
		require.Equal(t, http.StatusNoContent, status, "%s", body)
		require.Equal(t, "customer-ended-call", p.waitStatus(left.id, "completed").EndedReason)
	})
	t.Run("NoOffer", func(t *testing.T) {
		b := p.openPage(t, "", webrtctest.Options{})
		for _, offer := range []string{"hello", brokenOffer} {
			status, body, _ := b.ask(http.MethodPost, "/v1/calls/web", "", map[string]any{"assistant_id": p.assistantID, "sdp": offer})
			require.Equal(t, http.StatusBadRequest, status, "%s", body)
		}
	})
	t.Run("Tokens", func(t *testing.T) { webTokenAbuse(t, p) })
	t.Run("Full", func(t *testing.T) {
		p.run("limits", p.account, "--max-concurrent-calls=0")
		b := p.openPage(t, "", webrtctest.Options{})
		status, body, _ := b.ask(http.MethodPost, "/v1/calls/web", "",
			map[string]any{"assistant_id": p.assistantID, "sdp": brokenOffer})
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, string(body), "limit_reached")
		p.run("limits", p.account, "--max-concurrent-calls=10")
	})
	t.Run("WorkerKilled", func(t *testing.T) {
		b := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
		b.call()
		p.waitStatus(b.id, "in-progress")
		worker.kill()
		webWorker(p)
		require.Equal(t, "worker-lost", p.waitStatus(b.id, "completed", "failed").EndedReason)
	})
}

// webTokenAbuse has pages use tokens that are not for them.
func webTokenAbuse(t *testing.T, p *platform) {
	t.Helper()
	token := func(more map[string]any) (made struct{ ID, Token string }) {
		wanted := map[string]any{"assistant_id": p.assistantID, "origins": []string{pageOrigin}}
		maps.Copy(wanted, more)
		p.call(http.MethodPost, "/v1/web-tokens", wanted, http.StatusCreated, &made)
		return made
	}
	one := token(nil)
	b := p.openPage(t, one.Token, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	offer := b.offer()
	for name, wrong := range map[string]struct {
		method, path, origin string
		body                 map[string]any
		status               int
	}{
		"another origin":    {http.MethodPost, "/v1/calls/web", "https://evil.example", offer, http.StatusForbidden},
		"no origin":         {http.MethodPost, "/v1/calls/web", "", offer, http.StatusForbidden},
		"another operation": {http.MethodGet, "/v1/calls", pageOrigin, nil, http.StatusUnauthorized},
		"another assistant": {
			http.MethodPost, "/v1/calls/web", pageOrigin,
			map[string]any{"sdp": brokenOffer, "assistant_id": "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"}, http.StatusForbidden,
		},
	} {
		status, body, header := b.ask(wrong.method, wrong.path, wrong.origin, wrong.body)
		require.Equal(t, wrong.status, status, "%s: %s", name, body)
		require.NotEqual(t, "https://evil.example", header.Get("Access-Control-Allow-Origin"), name)
	}
	fresh := p.openPage(t, one.Token, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	fresh.call()
	status, body, header := b.ask(http.MethodPost, "/v1/calls/web", pageOrigin, offer)
	require.Equal(t, http.StatusForbidden, status, "%s", body)
	require.Contains(t, string(body), "token_used")
	require.Equal(t, pageOrigin, header.Get("Access-Control-Allow-Origin"))
	stranger := p.openPage(t, token(nil).Token, webrtctest.Options{})
	status, _, _ = stranger.ask(http.MethodDelete, "/v1/calls/web/"+fresh.id, pageOrigin, nil)
	require.Equal(t, http.StatusNotFound, status, "another token's call")
	p.waitStatus(fresh.id, "in-progress")
	status, body, _ = fresh.ask(http.MethodDelete, "/v1/calls/web/"+fresh.id, pageOrigin, nil)
	require.Equal(t, http.StatusNoContent, status, "%s", body)
	p.waitStatus(fresh.id, "completed")

	revoked := token(map[string]any{"max_calls": 3})
	p.call(http.MethodDelete, "/v1/web-tokens/"+revoked.ID, nil, http.StatusNoContent, nil)
	late := p.openPage(t, revoked.Token, webrtctest.Options{})
	status, _, _ = late.ask(http.MethodPost, "/v1/calls/web", pageOrigin, offer)
	require.Equal(t, http.StatusUnauthorized, status)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, p.url+"/v1/calls/web", nil)
	require.NoError(t, err)
	req.Header.Set("Origin", pageOrigin)
	req.Header.Set("Access-Control-Request-Method", http.MethodPost)
	preflight, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, preflight.Body.Close())
	require.Equal(t, pageOrigin, preflight.Header.Get("Access-Control-Allow-Origin"))
}
