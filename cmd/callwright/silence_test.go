//go:build unix

package main

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
)

// TestCallsOfAllKindsOutliveSilence has the ways of an API process and a worker to Postgres go silent, that of the worker for less
// long than its lease is good for: connections stay, and nothing passes. Who asks meanwhile is told to come again, and so is who
// calls; calls of all kinds go on, and obey when the ways are back.
func TestCallsOfAllKindsOutliveSilence(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t)
	api, way := startCut(t, dsn), startCut(t, dsn)
	c := startAllKinds(t, startPlatformBehind(t, dsn, api.dsn, false), way.dsn)
	line := c.worker.address("SIP gateway")

	way.setSilent(true)
	_, err := c.outside.Call(t.Context(), line, callerNumber, ourNumber, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	require.Positive(t, refused.RetryAfter)
	way.setSilent(false)

	api.setSilent(true)
	require.Equal(t, http.StatusServiceUnavailable, c.statusOf("/v1/calls"))
	api.setSilent(false)
	require.Eventually(t, func() bool { return c.statusOf("/readyz") == http.StatusOK }, patience, 50*time.Millisecond)
	c.requireGoOn()
	c.requireOver(dsn, "completed", "manually-canceled", "assistant-forwarded-call")
	c.worker.stop()
	c.api.stop()
}
