package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/telco/telnyx"
)

// carrierWebhook takes what Telnyx says of orders and reviews. All that is believed of it is which of them to look at
// again, so it may come twice, late or not at all.
func (a *API) carrierWebhook(w http.ResponseWriter, r *http.Request) {
	if a.Telnyx == nil {
		notFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		answer := a.asError(r.Context(), unreadable(err))
		writeJSON(w, answer.GetStatus(), answer)
		return
	}
	notice, err := a.Telnyx.Read(r.Header, body)
	if errors.Is(err, telnyx.ErrUnsigned) {
		writeJSON(w, http.StatusUnauthorized, apierror.New(http.StatusUnauthorized, "unauthorized", "The webhook is not signed, or is too old."))
		return
	}
	if err == nil {
		err = db.InTx(r.Context(), a.DB, func(tx pgx.Tx) error { return a.lookAgain(r.Context(), tx, notice) })
	}
	if err != nil {
		answer := a.asError(r.Context(), err)
		writeJSON(w, answer.GetStatus(), answer)
		return
	}
	writeJSON(w, http.StatusOK, struct{}{})
}

func (a *API) lookAgain(ctx context.Context, tx pgx.Tx, notice telnyx.Notice) error {
	queries := dbsqlc.New()
	if notice.OrderID != "" {
		id, err := queries.PhoneNumberOrderGetByExternal(ctx, tx, &dbsqlc.PhoneNumberOrderGetByExternalParams{ExternalOrderID: &notice.OrderID})
		if err != nil {
			return moot(err)
		}
		_, err = a.Jobs.InsertTx(ctx, tx, numbers.FulfilNumberOrderArgs{PhoneNumberOrderID: id, Notice: true}, nil)
		return err
	}
	if notice.ReviewID != "" {
		group, err := queries.VerificationGroupGetByReview(ctx, tx, &dbsqlc.VerificationGroupGetByReviewParams{ExternalGroupID: &notice.ReviewID})
		if err != nil {
			return moot(err)
		}
		_, err = a.Jobs.InsertTx(ctx, tx, numbers.ReviewVerificationGroupArgs{VerificationGroupID: group.ID, Round: group.Round, Notice: true}, nil)
		return err
	}
	return nil
}

// moot: news of what we do not know, or know the end of.
func moot(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
