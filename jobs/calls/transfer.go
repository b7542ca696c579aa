package calls

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/spending"
)

// AdmitTransfer returns a *spending.Refusal when the call may not be transferred to target now: whoever is to be rung for it is
// a destination like any other, and counts as a call to it. Other errors are trouble.
func AdmitTransfer(ctx context.Context, beginner db.Beginner, call *dbsqlc.Call, target string) error {
	to := transferOf(call, target)
	return db.InTx(ctx, beginner, func(tx pgx.Tx) error { return spending.Admit(ctx, tx, to) })
}

func transferOf(call *dbsqlc.Call, target string) *spending.Destination {
	return &spending.Destination{AccountID: call.AccountID, Target: target, From: call.PhoneNumber, Simulated: call.Simulated,
		Continued: true}
}
