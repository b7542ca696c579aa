package appointments

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/calendar"
	"github.com/callwright/callwright/providers/mail"
)

// invite mails an appointment, with the invitation for their calendars, to the company's notifications_email and to the
// contact's address where the account has stored them. An address that a caller spells is for the company to read: anybody could
// have anybody written to. A test call writes to the company alone.
func invite(
	ctx context.Context, tx pgx.Tx, in queue.Inserter, call *dbsqlc.Call, made *dbsqlc.Appointment, contact *dbsqlc.Contact,
	wanted *Request, zone *time.Location,
) error {
	account, err := dbsqlc.New().AccountGet(ctx, tx, &dbsqlc.AccountGetParams{ID: call.AccountID})
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	about := messages.AppointmentTemplate{
		Company: messages.CompanyName(account), Type: made.Type, Start: made.StartsAt.In(zone), Contact: db.Storable(wanted.Name),
		Number: call.ContactPhoneNumber, Email: db.Storable(wanted.Email), Notes: db.Storable(wanted.Notes),
	}
	about.Language, _ = call.AssistantConfig.Transcriber["language"].(string)
	attendee := ""
	if contact != nil {
		stored := db.TextOf(contact.Email)
		about.Contact, about.Email = db.TextOf(contact.FullName), cmp.Or(about.Email, stored)
		attendee = invitable(call, stored)
	}
	subject, text := about.Write()
	invitation := calendar.Invitation{
		UID: made.ID.String(), Start: made.StartsAt, End: made.EndsAt, Stamp: made.CreatedAt, Description: text,
		Organizer: account.Email, Attendee: attendee,
	}
	if office := call.AssistantConfig.NotificationsEmail; office != "" {
		invitation.Organizer = office
	}
	var mails []messages.Mail
	send := func(to, occasion, summary string) {
		if to == "" {
			return
		}
		invitation.Summary = summary
		mails = append(mails, messages.Mail{
			AccountID: call.AccountID, CallID: &call.ID, Key: "appointment/" + made.ID.String() + "/" + occasion,
			Message: mail.Message{To: to, Subject: subject, Text: text, Attachments: []mail.Attachment{
				{Name: "invite.ics", ContentType: calendar.InvitationType, Content: invitation.Text()},
			}},
		})
	}
	caller := about.Contact
	if caller == "" {
		caller = call.ContactPhoneNumber
	}
	send(call.AssistantConfig.NotificationsEmail, "company", made.Type+": "+caller)
	send(attendee, "caller", made.Type+": "+about.Company)
	return messages.EnqueueMail(ctx, tx, in, mails...)
}

// invitable returns the address, if it is one that a mail of this call may go to.
func invitable(call *dbsqlc.Call, address string) string {
	if call.Simulated || mail.CheckAddress(address) != nil {
		return ""
	}
	return address
}
