package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestRateLimitOverProcesses asks three API processes at once with one key. In each minute of the limit exactly as many
// requests pass as the key may make.
func TestRateLimitOverProcesses(t *testing.T) {
	t.Parallel()

	const allowed, asked = 100, 300
	p := startPlatform(t, dbtest.DSN(t), false)
	addresses := []string{p.url}
	for range 2 {
		addresses = append(addresses, "http://"+start(t, p.env, "api").waitFor(`"serving","address":"([^"]+)"`))
	}
	key := find(t, `key\s+(\S+)`, p.run("key", "create", p.account))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	var mu sync.Mutex
	passed, refused := map[string]int{}, map[string]int{} // by the end of the minute
	var requests sync.WaitGroup
	for i := range asked {
		requests.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, addresses[i%len(addresses)]+"/v1/user/profile", http.NoBody)
			if !assert.NoError(t, err) {
				return
			}
			req.Header.Set("Authorization", "Bearer "+key)
			answer, err := http.DefaultClient.Do(req)
			if !assert.NoError(t, err) {
				return
			}
			defer answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			switch reset := answer.Header.Get("X-RateLimit-Reset"); answer.StatusCode {
			case http.StatusOK:
				passed[reset]++
			case http.StatusTooManyRequests:
				refused[reset]++
			default:
				assert.Fail(t, "unexpected status", answer.Status)
			}
		})
	}
	requests.Wait()
	total := 0
	for reset, count := range passed {
		total += count + refused[reset]
		require.Equal(t, min(allowed, count+refused[reset]), count, "passed until %s", reset)
	}
	require.Equal(t, asked, total)
}
