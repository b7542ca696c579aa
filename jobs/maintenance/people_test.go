package maintenance_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
)

// Sessions, links and attempts go a day after their end, and people once nobody knows them; who is in an audit stays as long as
// that.
func TestPeopleAreForgotten(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	member, left := dbfactory.Member(t, f.Tx, f.Account.ID, "owner"), dbfactory.Member(t, f.Tx, f.Account.ID, "viewer")
	audited := dbfactory.Member(t, f.Tx, f.Account.ID, "viewer")
	for _, person := range []*dbsqlc.Person{member, left} {
		_, session := dbfactory.Session(t, f.Tx, f.Account.ID, person.ID)
		_, err := f.Tx.Exec(t.Context(), "INSERT INTO rate_window (api_key_id, window_start, hits) VALUES ($1, now(), 1)", session.ID)
		require.NoError(t, err)
	}
	for _, statement := range []string{
		"INSERT INTO audit_entry (id, account_id, person_id, operation, user_agent, request_id) VALUES (uuid_at(now() - interval '40 days'), '" + f.Account.ID.String() + "', '" + audited.ID.String() + "', 'sign-in', '', '')",
		"DELETE FROM membership WHERE person_id IN ('" + left.ID.String() + "', '" + audited.ID.String() + "')",
		"INSERT INTO sign_in_attempt (key, tries, began_at) VALUES ('a', 1, now() - interval '2 days'), ('b', 1, now())",
		"UPDATE person SET updated_at = now() - interval '2 days'",
	} {
		_, err := f.Tx.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	prune := func() {
		require.Zero(t, jobstest.Work(t, f, &maintenance.PruneExpiredWorker{DB: f.Tx}, maintenance.PruneExpiredArgs{}))
	}
	people := func(ids ...uuid.UUID) int { return count(t, f, "person WHERE id = ANY ($1)", ids) }
	prune()
	require.Equal(t, 1, people(member.ID))
	require.Zero(t, people(left.ID))
	require.Equal(t, 1, people(audited.ID))
	require.Equal(t, 1, count(t, f, "sign_in_attempt"))
	require.Equal(t, 1, count(t, f, "api_key WHERE kind = 'session'"), "the other went with the membership")

	_, err := f.Tx.Exec(t.Context(), "UPDATE api_key SET revoked_at = now() - interval '2 days' WHERE kind = 'session'")
	require.NoError(t, err)
	enforce(t, f, time.Now(), maintenance.Retention{Audit: 50})
	prune()
	require.Equal(t, 1, people(audited.ID))
	require.Zero(t, count(t, f, "api_key WHERE kind = 'session'"))
	enforce(t, f, time.Now(), maintenance.Retention{Audit: 30})
	prune()
	require.Zero(t, people(audited.ID))
}
