package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
	"github.com/callwright/callwright/worker/lease"
)

// TestInvite rings a far end that is busy: when the row says that the call is ours, and not otherwise.
func TestInvite(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	inserter, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	require.NoError(t, err)
	held, err := lease.Acquire(t.Context(), pool, "own", "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	phone := &Phone{processID: "own", lease: held, pool: pool, jobs: inserter, calls: map[uuid.UUID]*liveCall{}}
	phone.keepRecords()
	t.Cleanup(phone.closeRecords)
	account := dbfactory.Account(t, pool)
	assistant := dbfactory.LinkedAssistant(t, pool, account.ID)
	claimed := func(processID string) (call *dbsqlc.Call) {
		require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			queued, err := calls.InsertDirect(t.Context(), tx, &calls.DirectCall{
				ID: dbfactory.ID(t), AccountID: account.ID, AssistantID: assistant.ID, PhoneNumber: "+31612345678", CustomData: []byte(`{}`),
			})
			require.NoError(t, err)
			job := &calls.PlaceCallArgs{AccountID: account.ID, CallID: queued.ID}
			found, err := calls.Claim(t.Context(), tx, inserter, []*calls.PlaceCallArgs{job}, processID)
			call = found[job]
			return err
		}))
		return call
	}
	var rung atomic.Int32
	open := func(receive func(context.Context, *sip.Inbound)) *sip.UA {
		ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Inbound: receive})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, ua.Close(context.Background())) })
		return ua
	}
	far := open(func(_ context.Context, in *sip.Inbound) {
		rung.Add(1)
		_ = in.Reject(486, "Busy Here") // the test sees what comes of it
	})
	gateway := &gateways.Gateway{UA: open(nil)}
	own, foreign := claimed("own"), claimed("another")
	invitation := func(call *dbsqlc.Call) *calls.Invitation { return &calls.Invitation{CallID: call.ID} }
	dial := sip.Dial{Proxy: far.Addr().String(), To: "+31612345678"}

	_, unsent, err := phone.invite(t.Context(), gateway, dial, invitation(own))
	var refused *sip.Refused
	require.ErrorAs(t, err, &refused)
	require.False(t, unsent)
	require.EqualValues(t, 1, rung.Load())
	_, unsent, err = phone.invite(t.Context(), gateway, dial, invitation(own))
	require.ErrorIs(t, err, errDisowned, "a call is invited once")
	require.True(t, unsent)
	_, unsent, err = phone.invite(t.Context(), gateway, dial, invitation(foreign))
	require.ErrorIs(t, err, errDisowned)
	require.True(t, unsent)

	later := dial
	later.NotBefore = time.Now().Add(time.Hour)
	ended, end := context.WithCancel(t.Context())
	end()
	call := claimed("own")
	_, unsent, err = phone.invite(ended, gateway, later, invitation(call))
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, unsent)
	phone.giveBack(t.Context(), call, slog.New(slog.DiscardHandler), err)
	row, err := dbsqlc.New().CallGet(t.Context(), pool, &dbsqlc.CallGetParams{AccountID: account.ID, ID: call.ID})
	require.NoError(t, err)
	require.Equal(t, "queued", row.Status)
	require.EqualValues(t, 1, rung.Load(), "nobody else was rung")
}

func TestPermit(t *testing.T) {
	t.Parallel()
	lost := errors.New("the lease is lost")
	var lease error
	may := func() *permit { return &permit{lease: func() error { return lease }} }

	sent := may()
	require.NoError(t, sent.check())
	require.False(t, sent.revoke(), "an INVITE may have left")
	require.ErrorIs(t, sent.check(), errRevoked)

	lease = lost
	refused := may()
	require.ErrorIs(t, refused.check(), lost)
	require.True(t, refused.revoke())
}
