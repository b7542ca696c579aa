package middleware_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

const operatorPassword = "correct horse battery"

// operatorServer serves an operator's page behind trusted proxies in 10.0.0.0/8.
func operatorServer(t *testing.T, beginner db.Beginner) *apitest.Server {
	t.Helper()
	return apitest.NewOn(t, beginner, func(a *api.API) {
		a.OperatorPassword, a.TrustedProxies = operatorPassword, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		a.Ops = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	})
}

// openOps requests the page from an address, with a password unless it is empty. Headers are names and values in turn.
func openOps(server *apitest.Server, method, address, password string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "/ops/jobs", nil)
	request.RemoteAddr = address
	if password != "" {
		request.SetBasicAuth("operator", password)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	server.Handler.ServeHTTP(recorder, request)
	return recorder
}

// Two API processes together compare ten passwords of an address, whatever number comes at once.
func TestOperatorPasswordGuesses(t *testing.T) {
	t.Parallel()

	const attacker, other = "198.51.100.7:4711", "198.51.100.8:4711"
	pool := dbtest.Pool(t)
	servers := []*apitest.Server{operatorServer(t, pool), operatorServer(t, pool)}
	statuses := make([]int, 60)
	var guesses sync.WaitGroup
	for i := range statuses {
		guesses.Go(func() {
			statuses[i] = openOps(servers[i%2], http.MethodGet, attacker, "guess "+strconv.Itoa(i)).Code
		})
	}
	guesses.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 10, http.StatusTooManyRequests: 50}, count)

	refused := openOps(servers[0], http.MethodGet, attacker, operatorPassword)
	require.Equal(t, http.StatusTooManyRequests, refused.Code, "the right one is not told from wrong ones")
	require.Contains(t, refused.Body.String(), "too_many_passwords")
	seconds, err := strconv.Atoi(refused.Header().Get("Retry-After"))
	require.NoError(t, err)
	require.InDelta(t, 30, seconds, 29)
	require.Equal(t, http.StatusNoContent, openOps(servers[0], http.MethodGet, other, operatorPassword).Code, "others do not wait")
	require.Equal(t, http.StatusUnauthorized, openOps(servers[0], http.MethodGet, attacker, "").Code, "no password is no guess")

	waited := func() (wait int) {
		_, err := pool.Exec(t.Context(), "UPDATE operator_attempt SET waits_until = now()")
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, openOps(servers[0], http.MethodGet, attacker, "guess").Code)
		const left = "SELECT round(extract(epoch FROM waits_until - failed_at))::integer FROM operator_attempt"
		require.NoError(t, pool.QueryRow(t.Context(), left).Scan(&wait))
		return wait
	}
	var waits []int
	for range 9 {
		waits = append(waits, waited())
	}
	require.Equal(t, []int{60, 120, 240, 480, 960, 1920, 3600, 3600, 3600}, waits, "each wrong one waits longer")
	_, err = pool.Exec(t.Context(), "UPDATE operator_attempt SET waits_until = now(), failed_at = now() - interval '25 hours'")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, openOps(servers[0], http.MethodGet, attacker, "guess").Code)
	require.Equal(t, http.StatusNoContent, openOps(servers[0], http.MethodGet, attacker, operatorPassword).Code,
		"a day forgets them")
}

// Whoever is behind a trusted proxy is told from others; nobody chooses an address by a header.
func TestOperatorPasswordGuessesBehindProxies(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		from, sees  func(i int) (address, forwarded string)
		sameAddress bool
	}{
		"OneClientBehindAProxy": {
			from: func(i int) (string, string) {
				return "10.0.0.1:80", "203.0.113." + strconv.Itoa(i) + ", 198.51.100.7, 10.0.0.2"
			},
			sees:        func(int) (string, string) { return "10.0.0.3:80", "198.51.100.7" },
			sameAddress: true,
		},
		"TwoClientsBehindAProxy": {
			from: func(int) (string, string) { return "10.0.0.1:80", "198.51.100.7" },
			sees: func(int) (string, string) { return "10.0.0.1:80", "198.51.100.8" },
		},
		"AHeaderOfNoProxy": {
			from:        func(i int) (string, string) { return "198.51.100.7:80", "203.0.113." + strconv.Itoa(i) },
			sees:        func(int) (string, string) { return "198.51.100.7:81", "203.0.113.200" },
			sameAddress: true,
		},
		"OneNetworkOfIPv6": {
			from:        func(i int) (string, string) { return "[2001:db8:0:1::" + strconv.Itoa(i+1) + "]:80", "" },
			sees:        func(int) (string, string) { return "[2001:db8:0:1:ffff::1]:80", "" },
			sameAddress: true,
		},
		"TwoNetworksOfIPv6": {
			from: func(int) (string, string) { return "[2001:db8:0:1::1]:80", "" },
			sees: func(int) (string, string) { return "[2001:db8:0:2::1]:80", "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := operatorServer(t, dbtest.Tx(t))
			for i := range 10 {
				address, forwarded := test.from(i)
				require.Equal(t, http.StatusUnauthorized, openOps(server, http.MethodGet, address, "guess", "X-Forwarded-For",
					forwarded).Code)
			}
			address, forwarded := test.sees(0)
			want := http.StatusNoContent
			if test.sameAddress {
				want = http.StatusTooManyRequests
			}
			require.Equal(t, want, openOps(server, http.MethodGet, address, operatorPassword, "X-Forwarded-For", forwarded).Code)
		})
	}
}

// A browser says where a request comes from; programs that say nothing are no browsers.
func TestOperatorPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()

	server := operatorServer(t, dbtest.Tx(t))
	const address = "198.51.100.7:80"
	for name, test := range map[string]struct {
		method  string
		headers []string
		want    int
	}{
		"AnotherSite":      {http.MethodPost, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"AnotherSubdomain": {http.MethodPut, []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"OldBrowser":       {http.MethodPost, []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		"NoOrigin":         {http.MethodPost, []string{"Origin", "null"}, http.StatusForbidden},
		"ItsOwn": {http.MethodPost, []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://example.com"},
			http.StatusNoContent},
		"AProgram":          {http.MethodPost, nil, http.StatusNoContent},
		"ALinkFromAnywhere": {http.MethodGet, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusNoContent},
	} {
		response := openOps(server, test.method, address, operatorPassword, test.headers...)
		require.Equal(t, test.want, response.Code, name)
		require.Contains(t, response.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'", name)
		require.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"), name)
		require.Equal(t, "no-referrer", response.Header().Get("Referrer-Policy"), name)
		if test.want == http.StatusForbidden {
			require.Contains(t, response.Body.String(), `"cross_origin"`, name)
		}
	}
	require.Equal(t, http.StatusForbidden, openOps(server, http.MethodPost, address, "guess", "Sec-Fetch-Site", "cross-site").Code)
	require.Equal(t, http.StatusNoContent, openOps(server, http.MethodGet, address, operatorPassword).Code,
		"a page elsewhere guesses nothing")
}
