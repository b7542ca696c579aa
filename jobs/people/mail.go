package people

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/mail"
)

// LinkMail is a link on its way to a person.
type LinkMail struct {
	AccountID      uuid.UUID
	Account        string // name
	Email          string
	Locale         string
	Purpose, Token string
	PublicURL      string
}

// Send enqueues the mail, in the transaction that made the link.
func (m *LinkMail) Send(ctx context.Context, tx pgx.Tx, in queue.Inserter) error {
	subject, text := m.write()
	return messages.EnqueueMail(ctx, tx, in, messages.Mail{
		AccountID: m.AccountID, Key: "login-link/" + hex.EncodeToString(HashToken(m.Token)[:16]),
		Message: mail.Message{To: m.Email, Subject: subject, Text: text},
	})
}

// write returns the mail, as text: a link in it is seen before it is followed.
func (m *LinkMail) write() (subject, text string) {
	account, url := strings.Join(strings.Fields(m.Account), " "), URL(m.PublicURL, m.Token)
	switch dutch := m.Locale == "nl"; {
	case m.Purpose == PurposeInvite && dutch:
		return "Uitnodiging voor " + account,
			fmt.Sprintf("U bent uitgenodigd voor %s in Callwright. Met deze link doet u mee; hij werkt een week, en één keer:\n\n%s\n",
				account, url)
	case m.Purpose == PurposeInvite:
		return "Invitation to " + account,
			fmt.Sprintf("You are invited to %s in Callwright. This link lets you join; it works for a week, and once:\n\n%s\n", account,
				url)
	case dutch:
		return "Een nieuw wachtwoord",
			"Met deze link kiest u een nieuw wachtwoord voor Callwright. Hij werkt een uur, en één keer:\n\n" + url +
				"\n\nHebt u hier niet om gevraagd? Dan hoeft u niets te doen.\n"
	}
	return "A new password", "This link lets you choose a new password for Callwright. It works for an hour, and once:\n\n" + url +
		"\n\nIf you did not ask for it, you need not do anything.\n"
}
