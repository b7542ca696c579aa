package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// Whatever far ends write, there are so many series and no more.
func TestSIPResponsesAreBounded(t *testing.T) {
	t.Parallel()
	for code := range 1000 {
		SIPResponse("live", false, fmt.Sprintf("METHOD%d", code), code)
		SIPResponse("live", true, "INVITE", code)
	}
	most := 2 * (len(sipCodes) + 8)
	require.LessOrEqual(t, testutil.CollectAndCount(sipResponses), most)
	require.Equal(t, "486", sipCode(486))
	require.Equal(t, "4xx", sipCode(499))
	require.Equal(t, "none", sipCode(NoResponse))
	require.Equal(t, "other", sipCode(7))
	require.Equal(t, "other", sipMethod("invite"))
}

func TestHandler(t *testing.T) {
	t.Parallel()
	own := Gauge("test_value", "A value.", func() float64 { return 3 })
	handler := Handler(slog.New(slog.DiscardHandler), own)
	other := Handler(slog.New(slog.DiscardHandler), Gauge("test_value", "A value.", func() float64 { return 4 }))
	scrape := func(handler http.Handler) string {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		require.Equal(t, http.StatusOK, recorder.Code)
		return recorder.Body.String()
	}
	for handler, want := range map[http.Handler]string{handler: "callwright_test_value 3", other: "callwright_test_value 4"} {
		text := scrape(handler)
		require.Contains(t, text, want)
		require.Contains(t, text, "go_goroutines")
		require.Contains(t, text, `callwright_deliveries_total{outcome="dead"}`, "what never happened counts from zero")
	}
}

// A slow scrape does not let others pile up behind it.
func TestFewScrapesAtOnce(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	slow := Gauge("test_slow", "A value.", func() float64 {
		inside <- struct{}{}
		<-leave
		return 1
	})
	handler := Handler(slog.New(slog.DiscardHandler), slow)
	ask := func() int {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		return recorder.Code
	}
	codes := make(chan int, scrapesAtOnce)
	for range scrapesAtOnce {
		go func() { codes <- ask() }()
		<-inside
	}
	require.Equal(t, http.StatusServiceUnavailable, ask())
	close(leave)
	for range scrapesAtOnce {
		require.Equal(t, http.StatusOK, <-codes)
	}
}

func TestNamesAreAsPrometheusWantsThem(t *testing.T) {
	t.Parallel()
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	for _, problem := range problems {
		require.False(t, strings.HasPrefix(problem.Metric, Prefix), "%s: %s", problem.Metric, problem.Text)
	}
}
