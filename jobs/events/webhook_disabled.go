package events

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/mail"
)

// webhookDisabled writes to the owner of an endpoint that it gets no more events, and why.
func webhookDisabled(ctx context.Context, tx pgx.Tx, in queue.Inserter, endpoint *dbsqlc.WebhookEndpointCountRow) error {
	account, err := dbsqlc.New().AccountGet(ctx, tx, &dbsqlc.AccountGetParams{ID: endpoint.AccountID})
	if err != nil {
		return fmt.Errorf("get account: %w", err)
	}
	return messages.EnqueueMail(ctx, tx, in, messages.Mail{
		AccountID: account.ID,
		Key:       fmt.Sprintf("webhook-disabled:%s:%d", endpoint.ID, endpoint.UpdatedAt.UnixMicro()),
		Message: mail.Message{
			To: account.Email, Subject: "Your webhook was disabled",
			Text: fmt.Sprintf("We no longer send events to %s.\n\n%s\n\nNothing that happened is lost: your events are kept. When the server is well again, set "+
				"the webhook again (PUT /v1/user/webhook, or the assistant's server) and have the events that it missed sent again "+
				"(POST /v1/events/replay).\n", *endpoint.URL, endpoint.Reason),
		},
	})
}
