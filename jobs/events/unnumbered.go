package events

import (
	"context"
	"fmt"
	"math"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// unnumberedWalk is how many events looks walk over by their positions. Where more came while some transaction was not over, or
// since the last look, the index of unnumbered ones is read from its beginning.
const unnumberedWalk = 20_000

// Unnumbered looks for events that have no number yet. It remembers up to which position there are none and never will be, as
// number_events does for an account: positions are drawn in order by transactions that have their ids before, and committed in
// any order. So once all transactions that had begun when a position was the newest are over, and no event up to there is
// unnumbered, looks begin behind it. The zero value is ready; it is for one goroutine.
type Unnumbered struct {
	behind int64 // no event up to this position is unnumbered
	newest int64 // when a look was made, which behind is to follow
	begun  int64 // all transactions that had begun at that look are below
}

// Accounts returns the accounts that have unnumbered events.
func (u *Unnumbered) Accounts(ctx context.Context, tx dbsqlc.DBTX) ([]uuid.UUID, error) {
	rows, err := u.look(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("list accounts with unnumbered events: %w", err)
	}
	var accounts []uuid.UUID
	oldest := int64(math.MaxInt64)
	for _, row := range rows {
		if row.AccountID != uuid.Nil {
			accounts, oldest = append(accounts, row.AccountID), min(oldest, row.Oldest)
		}
	}
	u.looked(rows[0], oldest)
	return accounts, nil
}

func (u *Unnumbered) look(ctx context.Context, tx dbsqlc.DBTX) (rows []*dbsqlc.EventLookForUnnumberedRow, err error) {
	if u.behind == 0 {
		return dbsqlc.New().EventLookForUnnumbered(ctx, tx)
	}
	late, err := dbsqlc.New().EventLookForLate(ctx, tx, &dbsqlc.EventLookForLateParams{Behind: u.behind})
	for _, row := range late {
		rows = append(rows, (*dbsqlc.EventLookForUnnumberedRow)(row))
	}
	return rows, err
}

// looked takes what a look found: the oldest unnumbered event, among others.
func (u *Unnumbered) looked(found *dbsqlc.EventLookForUnnumberedRow, oldest int64) {
	switch {
	case found.Newest < u.newest: // the database was restored, or an account deleted
		*u = Unnumbered{newest: found.Newest, begun: found.Begun}
	case u.begun <= found.Over && oldest > u.newest:
		*u = Unnumbered{behind: u.newest, newest: found.Newest, begun: found.Begun}
	}
	if found.Newest-u.behind > unnumberedWalk {
		u.behind = 0
	}
}
