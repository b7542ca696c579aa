package calls_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// sharedNumber is a number that accounts link, dial from and are called on.
type sharedNumber struct {
	*jobstest.Fixture
	row *dbsqlc.PhoneNumber
}

func newSharedNumber(t *testing.T) *sharedNumber {
	t.Helper()
	f := jobstest.New(t)
	return &sharedNumber{f, dbfactory.DefaultNumber(t, f.Tx)}
}

// link returns an assistant of an account of its own.
func (n *sharedNumber) link(t *testing.T) *dbsqlc.Assistant {
	t.Helper()
	assistant := dbfactory.Assistant(t, n.Tx, dbfactory.Account(t, n.Tx).ID)
	dbfactory.Link(t, n.Tx, assistant, n.row)
	return assistant
}

// dial is a call of the assistant to the caller that nobody answered.
func (n *sharedNumber) dial(t *testing.T, assistant *dbsqlc.Assistant) uuid.UUID {
	t.Helper()
	call, err := calls.InsertDirect(t.Context(), n.Tx, &calls.DirectCall{
		ID: dbfactory.ID(t), AccountID: assistant.AccountID, AssistantID: assistant.ID, PhoneNumber: caller, CustomData: []byte(`{}`),
	})
	require.NoError(t, err)
	n.set(t, call.ID, "status = 'no-answer', ended_at = now()")
	return call.ID
}

// reach is a call of the assistant to the caller that was answered some time ago.
func (n *sharedNumber) reach(t *testing.T, assistant *dbsqlc.Assistant, ago string) uuid.UUID {
	t.Helper()
	id := n.dial(t, assistant)
	n.set(t, id, "status = 'completed', started_at = now() - interval '"+ago+"'")
	return id
}

func (n *sharedNumber) set(t *testing.T, callID uuid.UUID, what string) {
	t.Helper()
	_, err := n.Tx.Exec(t.Context(), "UPDATE call SET "+what+" WHERE id = $1", callID)
	require.NoError(t, err)
}

// own makes the account of the assistant the number's inbound owner.
func (n *sharedNumber) own(t *testing.T, assistant *dbsqlc.Assistant) {
	t.Helper()
	set, err := dbsqlc.New().PhoneNumberSetInboundAccount(t.Context(), n.Tx, &dbsqlc.PhoneNumberSetInboundAccountParams{
		Number: n.row.Number, InboundAccountID: &assistant.AccountID,
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, set)
}

func (n *sharedNumber) answers(t *testing.T, want *dbsqlc.Assistant, change ...func(*calls.Ring)) {
	t.Helper()
	call, err := ringIn(t, n.Fixture, n.row.Number, change...)
	require.NoError(t, err)
	require.Equal(t, &want.ID, call.AssistantID)
	require.Equal(t, want.AccountID, call.AccountID)
	require.Nil(t, call.ContactID, "another account's contact")
}

func (n *sharedNumber) refuses(t *testing.T, change ...func(*calls.Ring)) {
	t.Helper()
	_, err := ringIn(t, n.Fixture, n.row.Number, change...)
	require.ErrorIs(t, err, calls.ErrNoAssistant)
}

func stranger(r *calls.Ring) { r.Caller = "anonymous" }

func TestSharedNumber(t *testing.T) {
	t.Parallel()

	t.Run("LinkingItIsNoClaim", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		n.link(t)
		n.refuses(t)
		n.refuses(t, stranger)
	})

	t.Run("TheOwnerIsCalledByStrangers", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		owner, thief := n.link(t), n.link(t)
		n.own(t, owner)
		n.answers(t, owner)
		n.answers(t, owner, stranger)
		n.dial(t, thief)
		n.answers(t, owner)
		n.reach(t, thief, "1 hour")
		n.answers(t, thief) // it has talked with them
		n.answers(t, owner, stranger)
		n.answers(t, owner, func(r *calls.Ring) { r.Caller = "+31612345699" })
	})

	t.Run("AnUnansweredCallTakesNothing", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		first, thief := n.link(t), n.link(t)
		n.reach(t, first, "29 days")
		for _, status := range []string{"queued", "dialing", "ringing", "busy", "no-answer", "failed", "canceled"} {
			n.set(t, n.dial(t, thief), "status = '"+status+"'")
			n.answers(t, first)
		}
		n.set(t, n.reach(t, thief, "1 minute"), "status = 'voicemail'")
		n.answers(t, first) // a mailbox answers whoever calls
	})

	t.Run("AMessageIsCalledBack", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		first := n.link(t)
		n.link(t)
		n.set(t, n.reach(t, first, "1 hour"), "status = 'voicemail'")
		n.answers(t, first)
	})

	t.Run("TheLastAnswerCounts", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		first, second := n.link(t), n.link(t)
		n.reach(t, second, "2 hours")
		latest := n.reach(t, first, "1 hour") // though second's was made after it
		n.reach(t, second, "3 hours")
		n.answers(t, first)
		n.set(t, latest, "started_at = now() - interval '31 days'")
		n.answers(t, second)
		n.set(t, latest, "started_at = now() - interval '1 hour', simulated = true")
		n.answers(t, second)
		n.answers(t, first, func(r *calls.Ring) { r.Simulated = true }) // networks do not mix
	})

	t.Run("OfOneInstantTheLaterCallCounts", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		first, second := n.link(t), n.link(t)
		for range 3 {
			n.reach(t, first, "1 hour")
			n.reach(t, second, "1 hour")
			n.answers(t, second)
		}
	})

	t.Run("WhoLeftTheNumberIsNotCalled", func(t *testing.T) {
		t.Parallel()
		n := newSharedNumber(t)
		owner, gone := n.link(t), n.link(t)
		n.reach(t, gone, "1 hour")
		n.own(t, owner)
		n.answers(t, gone)
		for _, left := range []*dbsqlc.Assistant{gone, owner} {
			require.NoError(t, dbsqlc.New().PhoneNumberLinkRemove(t.Context(), n.Tx, &dbsqlc.PhoneNumberLinkRemoveParams{
				AccountID: left.AccountID, AssistantID: left.ID,
			}))
			if left == gone {
				n.answers(t, owner)
			}
		}
		n.refuses(t)
	})
}

// TestASharedNumberUnderAttack has one account link and dial without an answer while people call back.
func TestASharedNumberUnderAttack(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	number := dbfactory.DefaultNumber(t, pool)
	victim := dbfactory.Assistant(t, pool, dbfactory.Account(t, pool).ID)
	dbfactory.Link(t, pool, victim, number)
	insert := func(assistant *dbsqlc.Assistant) (uuid.UUID, error) {
		call, err := calls.InsertDirect(t.Context(), pool, &calls.DirectCall{
			ID: uuid.Must(uuid.NewV7()), AccountID: assistant.AccountID, AssistantID: assistant.ID, PhoneNumber: caller,
			CustomData: []byte(`{}`),
		})
		if err != nil {
			return uuid.Nil, err
		}
		return call.ID, nil
	}
	reached, err := insert(victim)
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "UPDATE call SET status = 'completed', started_at = now(), ended_at = now() WHERE id = $1",
		reached)
	require.NoError(t, err)

	thieves := make([]*dbsqlc.Assistant, 3)
	for i := range thieves {
		thieves[i] = dbfactory.Assistant(t, pool, dbfactory.Account(t, pool).ID)
	}
	group, done := errgroup.Group{}, make(chan struct{})
	for _, thief := range thieves {
		group.Go(func() error {
			err := dbsqlc.New().PhoneNumberLinkInsert(t.Context(), pool, &dbsqlc.PhoneNumberLinkInsertParams{
				AccountID: thief.AccountID, AssistantID: thief.ID, PhoneNumberID: number.ID, Origin: number.Origin,
			})
			for err == nil {
				select {
				case <-done:
					return nil
				default:
				}
				_, err = insert(thief)
			}
			return err
		})
	}
	for range 50 {
		arrival, err := calls.Route(t.Context(), pool, &calls.Ring{Number: number.Number, Caller: caller})
		require.NoError(t, err)
		require.Equal(t, victim.AccountID, arrival.AccountID())
	}
	close(done)
	require.NoError(t, group.Wait())
}
