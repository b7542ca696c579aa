package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/mail"
)

// PostCallMail returns the mail about calls whose assistants ask for it, one to each address. A call that nobody answered is
// worth one only when it was the contact who called.
func PostCallMail(calls []*dbsqlc.Call, turns map[uuid.UUID][]*dbsqlc.CallTurn, links *RecordingLinks) ([]Mail, error) {
	var mails []Mail
	for _, call := range calls {
		config := call.AssistantConfig
		if call.ErasedAt != nil || config == nil || !config.PostCallEmailEnabled ||
			call.StartedAt == nil && call.Direction != "inbound" {
			continue
		}
		recipients := postCallRecipients(config)
		if len(recipients) == 0 {
			continue
		}
		about := postCallTemplate(call, turns[call.ID], links)
		subject, text, html, err := about.Write()
		if err != nil {
			return nil, err
		}
		for _, recipient := range recipients {
			hash := sha256.Sum256([]byte(strings.ToLower(recipient)))
			mails = append(mails, Mail{
				AccountID: call.AccountID, CallID: &call.ID, Key: "post-call/" + call.ID.String() + "/" + hex.EncodeToString(hash[:8]),
				Message: mail.Message{To: recipient, Subject: subject, Text: text, HTML: html},
			})
		}
	}
	return mails, nil
}

// postCallRecipients returns the addresses of an assistant, each once.
func postCallRecipients(config *jsonb.Assistant) []string {
	var recipients []string
	known := map[string]bool{"": true}
	for _, address := range append([]string{config.NotificationsEmail}, config.PostCallEmails...) {
		address = strings.TrimSpace(address)
		if lower := strings.ToLower(address); !known[lower] {
			known[lower] = true
			recipients = append(recipients, address)
		}
	}
	return recipients
}

func postCallTemplate(call *dbsqlc.Call, turns []*dbsqlc.CallTurn, links *RecordingLinks) *postCall {
	about := &postCall{
		Assistant: call.AssistantName, Contact: call.ContactPhoneNumber, Number: call.ContactPhoneNumber,
		Inbound:   call.Direction == "inbound",
		StartedAt: call.CreatedAt, EndedReason: db.TextOf(call.EndedReason), Summary: db.TextOf(call.Summary),
		Evaluation: db.TextOf(call.SuccessEvaluation), Data: string(call.StructuredData),
	}
	about.Language, _ = call.AssistantConfig.Transcriber["language"].(string)
	if call.ContactName != nil && *call.ContactName != "" {
		about.Contact = *call.ContactName
	}
	if call.StartedAt != nil {
		about.StartedAt, about.Duration = *call.StartedAt, call.EndedAt.Sub(*call.StartedAt)
	}
	for _, turn := range turns {
		if turn.Role == "user" || turn.Role == "assistant" {
			about.Turns = append(about.Turns, postCallTurn{
				Assistant: turn.Role == "assistant", Text: turn.Text, At: time.Duration(turn.SecondsFromStart * float64(time.Second)),
			})
		}
	}
	if call.RecordingKey != nil {
		about.Recording, about.RecordingUntil = links.To(call), links.Until
	}
	return about
}
