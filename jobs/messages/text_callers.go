package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nyaruka/phonenumbers"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
	"github.com/callwright/callwright/providers/sms"
)

// TextCallers writes the text messages to those with whom assistants talked, and asks for them to be sent: to the number of the
// call and no other. Who called us must have spoken, so that nobody is written to because somebody else showed their number.
// A call that has its message already gets no other, nor does a number that was written to that day, and what the account
// may not send is counted as refused.
func TextCallers(ctx context.Context, tx pgx.Tx, in queue.Inserter, calls []*dbsqlc.Call,
	turns map[uuid.UUID][]*dbsqlc.CallTurn) error {
	var wanted []*dbsqlc.Call
	var accountIDs []uuid.UUID
	for _, call := range calls {
		if wantsText(call) && (call.Direction == "outbound" || spoke(turns[call.ID])) {
			wanted, accountIDs = append(wanted, call), append(accountIDs, call.AccountID)
		}
	}
	wanted, err := allowedTexts(ctx, tx, wanted)
	if err != nil || len(wanted) == 0 {
		return err
	}
	accounts, err := dbsqlc.New().AccountListByID(ctx, tx, &dbsqlc.AccountListByIDParams{Ids: accountIDs})
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	names := map[uuid.UUID]string{}
	for _, account := range accounts {
		names[account.ID] = CompanyName(account)
	}
	params := &dbsqlc.SMSInsertManyParams{}
	for _, call := range wanted {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make sms id: %w", err)
		}
		params.Ids, params.AccountIds, params.CallIds = append(params.Ids, id), append(params.AccountIds, call.AccountID),
			append(params.CallIds, call.ID)
		params.Simulated, params.Recipients = append(params.Simulated, call.Simulated),
			append(params.Recipients, call.ContactPhoneNumber)
		params.Contents = append(params.Contents, smsText(call.AssistantConfig.SMSMessage, names[call.AccountID]))
	}
	return enqueueTexts(ctx, tx, in, params)
}

// allowedTexts returns the calls whose accounts may write to their numbers, today still. It counts the others as refused.
func allowedTexts(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) ([]*dbsqlc.Call, error) {
	var allowed []*dbsqlc.Call
	var refused []*spending.Refusal
	left := map[uuid.UUID]int64{}
	calls = slices.SortedFunc(slices.Values(calls), func(a, b *dbsqlc.Call) int { // the order in which accounts are locked
		return cmp.Compare(a.AccountID.String(), b.AccountID.String())
	})
	for _, call := range calls {
		err := spending.Check(ctx, tx, &spending.Destination{AccountID: call.AccountID, Target: call.ContactPhoneNumber,
			Simulated: call.Simulated})
		if err == nil && !call.Simulated {
			err = takeText(ctx, tx, call.AccountID, left)
		}
		refusal, is := errors.AsType[*spending.Refusal](err)
		switch {
		case is:
			refused = append(refused, refusal)
		case err != nil:
			return nil, err
		default:
			allowed = append(allowed, call)
		}
	}
	return allowed, spending.AddRefusals(ctx, tx, refused...)
}

// takeText takes one of the texts that the account may still send today; left are those, by account.
func takeText(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, left map[uuid.UUID]int64) error {
	if _, known := left[accountID]; !known {
		n, err := spending.LockTexts(ctx, tx, accountID)
		if err != nil {
			return err
		}
		left[accountID] = n
	}
	if left[accountID] <= 0 {
		return &spending.Refusal{AccountID: accountID, Reason: spending.DailyTexts,
			Why: "is not written to today: the account has used its texts of the day"}
	}
	left[accountID]--
	return nil
}

func enqueueTexts(ctx context.Context, tx pgx.Tx, in queue.Inserter, params *dbsqlc.SMSInsertManyParams) error {
	inserted, err := dbsqlc.New().SMSInsertMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("insert text messages: %w", err)
	}
	var asked []river.InsertManyParams
	used := map[uuid.UUID]int64{}
	for _, row := range inserted {
		asked = append(asked, river.InsertManyParams{Args: SendSMSArgs{SMSID: row.ID}})
		if !row.Simulated {
			used[row.AccountID]++
		}
	}
	if err := spending.AddTexts(ctx, tx, used); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, asked)
}

// wantsText reports whether somebody answered or called who is to get a message, and can.
func wantsText(call *dbsqlc.Call) bool {
	config := call.AssistantConfig
	return config != nil && strings.TrimSpace(config.SMSMessage) != "" && call.Status == callstate.StatusCompleted &&
		call.StartedAt != nil &&
		call.ErasedAt == nil && isMobile(call.ContactPhoneNumber)
}

// spoke reports whether the person said something.
func spoke(turns []*dbsqlc.CallTurn) bool {
	return slices.ContainsFunc(turns, func(turn *dbsqlc.CallTurn) bool {
		return turn.Role == "user" &&
			strings.TrimSpace(turn.Text) != ""
	})
}

// isMobile reports whether a number takes text messages, as far as numbers show: those of some countries do not.
func isMobile(text string) bool {
	number, err := phonenumbers.Parse(text, "")
	if err != nil {
		return false
	}
	switch phonenumbers.GetNumberType(number) {
	case phonenumbers.MOBILE, phonenumbers.FIXED_LINE_OR_MOBILE:
		return true
	}
	return false
}

// smsText fills a template, and cuts what carriers would not take.
func smsText(template, company string) string {
	text := []rune(db.Storable(strings.TrimSpace(strings.ReplaceAll(template, "{company_name}", company))))
	return string(text[:min(len(text), sms.MaxRunes)])
}
