package calendar

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
)

// feedServer serves google.ics at /feed and misbehaves elsewhere.
type feedServer struct {
	*httptest.Server
	fetched, unchanged atomic.Int32
}

func newFeedServer(t *testing.T) *feedServer {
	t.Helper()
	text, err := os.ReadFile("testdata/google.ics")
	require.NoError(t, err)
	s := &feedServer{}
	mux := http.NewServeMux()
	mux.HandleFunc("/feed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") == `"one"` {
			s.unchanged.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		s.fetched.Add(1)
		_, _ = w.Write(text)
	})
	mux.Handle("/moved", http.RedirectHandler("/feed", http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.Handle("/gone", http.NotFoundHandler())
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("X-A:B\n", maxFeedBytes)))
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	mux.HandleFunc("/hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestReader(t *testing.T) {
	t.Parallel()

	t.Run("KeepsAFeedForAWhile", func(t *testing.T) {
		t.Parallel()
		server := newFeedServer(t)
		reader, now := NewReader(server.Client()), time.Now()
		reader.now = func() time.Time { return now }
		for range 3 {
			busy, err := reader.Busy(t.Context(), uuid.Nil, server.URL+"/feed", fortnight(t), amsterdam(t))
			require.NoError(t, err)
			require.Len(t, busy, 3)
		}
		require.EqualValues(t, 1, server.fetched.Load())
		for range 2 {
			now = now.Add(freshFor)
			busy, err := reader.Busy(t.Context(), uuid.Nil, server.URL+"/feed", fortnight(t), amsterdam(t))
			require.NoError(t, err)
			require.Len(t, busy, 3)
		}
		require.EqualValues(t, 1, server.fetched.Load())
		require.EqualValues(t, 2, server.unchanged.Load())
	})
	t.Run("ForgetsTheOldestFeeds", func(t *testing.T) {
		t.Parallel()
		reader, begin := NewReader(http.DefaultClient), time.Now()
		for i := range 40 {
			reader.keep(strconv.Itoa(i), &feed{text: make([]byte, 1<<20), at: begin.Add(time.Duration(i))})
		}
		require.LessOrEqual(t, reader.size, maxKeptBytes)
		require.Len(t, reader.kept, 31)
		require.NotContains(t, reader.kept, "8")
		require.Contains(t, reader.kept, "9")
	})
	t.Run("FollowsRedirects", func(t *testing.T) {
		t.Parallel()
		server := newFeedServer(t)
		_, err := NewReader(server.Client()).Busy(t.Context(), uuid.Nil, server.URL+"/moved", fortnight(t), amsterdam(t))
		require.NoError(t, err)
	})
	t.Run("SpeaksTLSForWebcal", func(t *testing.T) {
		t.Parallel()
		text, err := os.ReadFile("testdata/apple.ics")
		require.NoError(t, err)
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }))
		t.Cleanup(server.Close)
		_, err = NewReader(server.Client()).Busy(t.Context(), uuid.Nil, "webcal://"+strings.TrimPrefix(server.URL, "https://"), fortnight(t),
			amsterdam(t))
		require.NoError(t, err)
	})
	for path, want := range map[string]fault.Kind{
		"/gone": fault.Refused, "/broken": fault.Unavailable, "/huge": fault.Refused, "/page": fault.Refused, "/loop": fault.Refused,
	} {
		t.Run("FailsFor"+path[1:], func(t *testing.T) {
			t.Parallel()
			server := newFeedServer(t)
			_, err := NewReader(server.Client()).Busy(t.Context(), uuid.Nil, server.URL+path+"?key=secret", fortnight(t), amsterdam(t))
			kind, _ := fault.Of(err)
			require.Equal(t, want, kind, err)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	t.Run("DoesNotReachOurOwnNetwork", func(t *testing.T) {
		t.Parallel()
		server := newFeedServer(t)
		_, err := NewReader(hook.New(hook.Config{}).HTTP()).Busy(t.Context(), uuid.Nil, server.URL+"/feed?key=secret", fortnight(t), amsterdam(t))
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Refused, kind)
		require.NotContains(t, err.Error(), "secret")
	})
	t.Run("EndsInTime", func(t *testing.T) {
		t.Parallel()
		server := newFeedServer(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := NewReader(server.Client()).Busy(ctx, uuid.Nil, server.URL+"/hangs?key=secret", fortnight(t), amsterdam(t))
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Timeout, kind)
		require.NotContains(t, err.Error(), "secret")
	})
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 10, 20, 10, 0, 0, 0, amsterdam(t))
	invitation := Invitation{
		UID: "0192f0c1@callwright", Start: start, End: start.Add(time.Hour), Stamp: start.AddDate(0, 0, -7),
		Summary: "Check-up, Linden; Dental", Description: "Line one\r\nATTENDEE:mailto:evil@example.com\x00" + strings.Repeat(" é", 60),
		Organizer: "desk@example.com", Attendee: "jan@example.com",
	}
	text := string(invitation.Text())
	lines := strings.Split(text, "\r\n")
	for _, line := range []string{
		"METHOD:REQUEST", "UID:0192f0c1@callwright", "DTSTART:20261020T080000Z", "DTEND:20261020T090000Z", "DTSTAMP:20261013T080000Z",
		`SUMMARY:Check-up\, Linden\; Dental`, "STATUS:CONFIRMED", "SEQUENCE:0", "ORGANIZER:mailto:desk@example.com",
	} {
		require.Contains(t, lines, line)
	}
	attendees := 0
	for _, line := range lines {
		require.LessOrEqual(t, len(line), 75)
		if strings.HasPrefix(line, "ATTENDEE") {
			attendees++
		}
	}
	require.Equal(t, 2, attendees, text)
	require.NotContains(t, text, "\x00")

	busy, err := busyTimes(t.Context(), []byte(text), fortnight(t), amsterdam(t))
	require.NoError(t, err)
	require.Equal(t, []string{"20 10:00+02 - 20 11:00+02"}, told(t, busy))
}
