package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/telco/telnyx"
)

// carrierWebhook accepts Telnyx's webhooks about orders and verifications. Their content is not trusted: a webhook only
// makes us fetch the order or verification again, so it may come twice, late or never.
func (a *API) carrierWebhook(w http.ResponseWriter, r *http.Request) {
	if a.Telnyx == nil {
		middleware.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		response := a.asError(r.Context(), unreadable(err))
		middleware.WriteJSON(w, response.GetStatus(), response)
		return
	}
	notice, err := a.Telnyx.Read(r.Header, body)
	if errors.Is(err, telnyx.ErrUnsigned) {
		middleware.WriteJSON(w, http.StatusUnauthorized, apierror.New(http.StatusUnauthorized, "unauthorized",
			"The webhook is not signed, or is too old."))
		return
	}
	if err == nil {
		err = db.InTx(r.Context(), a.DB, func(tx pgx.Tx) error { return a.lookAgain(r.Context(), tx, notice) })
	}
	if err != nil {
		middleware.WriteRefusal(w, a.asError(r.Context(), err))
		return
	}
	middleware.WriteJSON(w, http.StatusOK, struct{}{})
}

func (a *API) lookAgain(ctx context.Context, tx pgx.Tx, notice telnyx.Notice) error {
	queries := dbsqlc.New()
	if notice.OrderID != "" {
		id, err := queries.PhoneNumberOrderGetByExternal(ctx, tx,
			&dbsqlc.PhoneNumberOrderGetByExternalParams{ExternalOrderID: &notice.OrderID})
		if err != nil {
			return moot(err)
		}
		_, err = a.Jobs.InsertTx(ctx, tx, numbers.FulfilNumberOrderArgs{PhoneNumberOrderID: id, Notice: true}, nil)
		return err
	}
	if notice.ReviewID != "" {
		group, err := queries.VerificationGroupGetByReview(ctx, tx,
			&dbsqlc.VerificationGroupGetByReviewParams{ExternalGroupID: &notice.ReviewID})
		if err != nil {
			return moot(err)
		}
		_, err = a.Jobs.InsertTx(ctx, tx, numbers.ReviewVerificationGroupArgs{VerificationGroupID: group.ID,
			Submission: group.Submission, Notice: true}, nil)
		return err
	}
	return nil
}

// moot returns nil for errors that mean that the webhook concerns nothing that is still open here.
func moot(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
