// Package erasure removes what calls leave behind: everything of a person, a call that was deleted, words that an assistant does
// not keep, and what has become older than an account keeps it. It knows rows and the keys of files. It must not move a call from
// state to state.
package erasure

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// ErrUnreported means that a call of the person still goes on, or that its customer was not told of its end yet.
var ErrUnreported = errors.New("a call of the person is not reported yet")

// ErasePerson removes all that is kept of a contact and of everybody with its phone number, in the caller's transaction,
// and asks for the recordings to be deleted. Of the calls, times and counts stay. Without such a contact the error is
// pgx.ErrNoRows; with a call that is not over and reported it is ErrUnreported, and nothing changes.
func ErasePerson(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID, contactID uuid.UUID) error {
	queries := dbsqlc.New()
	contacts, err := queries.ErasureListContacts(ctx, tx, &dbsqlc.ErasureListContactsParams{AccountID: accountID, ID: contactID})
	if err != nil {
		return fmt.Errorf("list contacts to erase: %w", err)
	}
	if len(contacts) == 0 {
		return pgx.ErrNoRows
	}
	who := person{accountID: accountID}
	for _, contact := range contacts {
		who.contacts = append(who.contacts, contact.ID)
		who.numbers = append(who.numbers, contact.PhoneNumber)
		if contact.SearchName != nil {
			who.names = append(who.names, *contact.SearchName)
		}
	}
	// The order of the locks is that of others: first of scheduled calls, then of calls, then of contacts.
	if err := eraseEach(ctx, tx, &who, eraseScheduledCalls, findCalls, eraseContacts); err != nil {
		return err
	}
	if err := findCalls(ctx, tx, &who); err != nil { // until the contacts were locked more could be made
		return err
	}
	if err := eraseEach(ctx, tx, &who, callContents...); err != nil {
		return err
	}
	if err := eraseEach(ctx, tx, &who, callTraces...); err != nil {
		return err
	}
	return discardRecordings(ctx, tx, in, &who)
}

// person is whom an erasure is about, by all the names under which the account keeps them.
type person struct {
	accountID uuid.UUID
	contacts  []uuid.UUID
	numbers   []string
	names     []string // as the list of contacts counts them
	calls     []uuid.UUID
}

// findCalls locks the calls of the person, and fails when one is not over and reported.
func findCalls(ctx context.Context, tx pgx.Tx, who *person) error {
	calls, err := dbsqlc.New().ErasureListCalls(ctx, tx, &dbsqlc.ErasureListCallsParams{
		AccountID: who.accountID, ContactIds: who.contacts, PhoneNumbers: who.numbers,
	})
	if err != nil {
		return fmt.Errorf("list calls: %w", err)
	}
	who.calls = nil
	for _, call := range calls {
		if !call.Reported {
			return ErrUnreported
		}
		who.calls = append(who.calls, call.ID)
	}
	return nil
}

// step is one part of an erasure, such as emptying one place. It is safe to run again.
type step func(ctx context.Context, tx pgx.Tx, who *person) error

// callContents are the places that keep what was said in a call, all of which go with the call.
var callContents = []step{
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().ErasureCalls(ctx, tx, &dbsqlc.ErasureCallsParams{AccountID: who.accountID, Ids: who.calls})
	},
	eraseTurns, eraseToolCalls, eraseLegs, eraseCommands,
}

func eraseTurns(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureCallTurns(ctx, tx, &dbsqlc.ErasureCallTurnsParams{AccountID: who.accountID, CallIds: who.calls})
}

func eraseToolCalls(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureCallToolCalls(ctx, tx, &dbsqlc.ErasureCallToolCallsParams{AccountID: who.accountID,
		CallIds: who.calls})
}

func eraseLegs(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureCallLegs(ctx, tx, &dbsqlc.ErasureCallLegsParams{AccountID: who.accountID, CallIds: who.calls})
}

func eraseCommands(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureCallCommands(ctx, tx, &dbsqlc.ErasureCallCommandsParams{AccountID: who.accountID, CallIds: who.calls})
}

// callTraces are the places that name a call and its person elsewhere, and which outlive the call.
var callTraces = []step{
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().ErasureCallPersons(ctx, tx, &dbsqlc.ErasureCallPersonsParams{AccountID: who.accountID, Ids: who.calls})
	},
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().ErasureMails(ctx, tx, &dbsqlc.ErasureMailsParams{AccountID: who.accountID, CallIds: who.calls})
	},
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().ErasureSMS(ctx, tx, &dbsqlc.ErasureSMSParams{AccountID: who.accountID, CallIds: who.calls})
	},
	eraseEvents, eraseAttempts,
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().ErasureIdempotencyKeys(ctx, tx, &dbsqlc.ErasureIdempotencyKeysParams{
			AccountID: who.accountID, ContactIds: texts(who.contacts), CallIds: texts(who.calls), PhoneNumbers: who.numbers,
		})
	},
}

func eraseEvents(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureEvents(ctx, tx, &dbsqlc.ErasureEventsParams{AccountID: who.accountID, CallIds: who.calls})
}

func eraseAttempts(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureDeliveryAttempts(ctx, tx,
		&dbsqlc.ErasureDeliveryAttemptsParams{AccountID: who.accountID, CallIds: who.calls})
}

func eraseScheduledCalls(ctx context.Context, tx pgx.Tx, who *person) error {
	return dbsqlc.New().ErasureScheduledCalls(ctx, tx, &dbsqlc.ErasureScheduledCallsParams{AccountID: who.accountID,
		ContactIds: who.contacts})
}

func eraseContacts(ctx context.Context, tx pgx.Tx, who *person) error {
	queries := dbsqlc.New()
	if err := queries.ErasureLockContacts(ctx, tx, &dbsqlc.ErasureLockContactsParams{AccountID: who.accountID,
		Ids: who.contacts}); err != nil {
		return err
	}
	if err := queries.ErasureDialedNumbers(ctx, tx, &dbsqlc.ErasureDialedNumbersParams{AccountID: who.accountID,
		PhoneNumbers: who.numbers}); err != nil {
		return err
	}
	if err := queries.ErasureWebTokens(ctx, tx, &dbsqlc.ErasureWebTokensParams{AccountID: who.accountID,
		ContactIds: who.contacts}); err != nil {
		return err
	}
	if err := queries.ErasureContacts(ctx, tx, &dbsqlc.ErasureContactsParams{AccountID: who.accountID,
		Ids: who.contacts}); err != nil {
		return err
	}
	return queries.ErasureNameCounts(ctx, tx, &dbsqlc.ErasureNameCountsParams{AccountID: who.accountID, Names: who.names})
}

func eraseEach(ctx context.Context, tx pgx.Tx, who *person, places ...step) error {
	for _, erase := range places {
		if err := erase(ctx, tx, who); err != nil {
			return fmt.Errorf("erase: %w", err)
		}
	}
	return nil
}

func texts(ids []uuid.UUID) []string {
	texts := make([]string, 0, len(ids))
	for _, id := range ids {
		texts = append(texts, id.String())
	}
	return texts
}
