// Package numbers gets phone numbers and gives them to assistants: orders and their credits, verification groups and their
// documents, links, and the registration of SIP connections. It knows rows and carriers; it must not know calls.
package numbers

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db/dbsqlc"
)

// The reasons for which an assistant does not get a number.
var (
	ErrGone          = errors.New("there is no such phone number")
	ErrForeign       = errors.New("the phone number is another account's")
	ErrInUse         = errors.New("the phone number is linked to another assistant")
	ErrAlreadyLinked = errors.New("the phone number is linked to this assistant already")
	ErrTest          = errors.New("a test key's assistant gets no real number, and takes no default number from another")
)

// Linked is a number that was linked to an assistant.
type Linked struct {
	Number   *dbsqlc.PhoneNumber
	Previous *uuid.UUID // the number that the assistant had before
	Released int64      // other assistants that lost their default number
}

// Link is the one way in which an assistant gets a number. The caller has locked the assistant, or made it in tx. The
// constraints of phone_number_link decide between those who come at once; after ErrInUse tx can only be rolled back.
func Link(ctx context.Context, tx pgx.Tx, accountID, assistantID, numberID uuid.UUID) (*Linked, error) {
	queries := dbsqlc.New()
	number, err := Linkable(ctx, tx, accountID, numberID)
	if err != nil {
		return nil, err
	}
	test, err := queries.AssistantIsTest(ctx, tx, &dbsqlc.AssistantIsTestParams{AccountID: accountID, ID: assistantID})
	if err != nil {
		return nil, fmt.Errorf("get assistant: %w", err)
	}
	if test {
		if err := CheckTest(ctx, tx, accountID, number); err != nil {
			return nil, err
		}
	}
	link := &Linked{Number: number}
	previous, err := queries.PhoneNumberLinkDelete(ctx, tx,
		&dbsqlc.PhoneNumberLinkDeleteParams{AccountID: accountID, AssistantID: assistantID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, fmt.Errorf("unlink previous number: %w", err)
	case previous.ID == numberID:
		return nil, ErrAlreadyLinked
	default:
		link.Previous = &previous.ID
	}
	if number.Origin == "default" {
		if link.Released, err = releaseDefaults(ctx, tx, accountID, assistantID); err != nil {
			return nil, err
		}
	}
	err = queries.PhoneNumberLinkInsert(ctx, tx, &dbsqlc.PhoneNumberLinkInsertParams{
		AccountID: accountID, AssistantID: assistantID, PhoneNumberID: numberID, Origin: number.Origin,
	})
	if violated, ok := errors.AsType[*pgconn.PgError](err); ok && violated.ConstraintName == "phone_number_link_custom_key" {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("link number: %w", err)
	}
	return link, nil
}

// Linkable returns a number that the account may link, its own or a default one. It is not released before tx ends.
func Linkable(ctx context.Context, tx pgx.Tx, accountID, numberID uuid.UUID) (*dbsqlc.PhoneNumber, error) {
	number, err := dbsqlc.New().PhoneNumberGetAny(ctx, tx, &dbsqlc.PhoneNumberGetAnyParams{ID: numberID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, ErrGone
	case err != nil:
		return nil, fmt.Errorf("get phone number: %w", err)
	case number.AccountID != nil && *number.AccountID != accountID:
		return nil, ErrForeign
	}
	return number, nil
}

// CheckTest returns ErrTest if an assistant that a test key made may not have the number: a real one, or a default one while
// another assistant has a default number that would be released. The account is locked until tx ends.
func CheckTest(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, number *dbsqlc.PhoneNumber) error {
	queries := dbsqlc.New()
	if number.Origin == "custom" {
		if number.Simulated {
			return nil
		}
		return ErrTest
	}
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	taken, err := queries.PhoneNumberLinkLiveDefault(ctx, tx, &dbsqlc.PhoneNumberLinkLiveDefaultParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("look for a live assistant: %w", err)
	}
	if taken {
		return ErrTest
	}
	return nil
}

// releaseDefaults unlinks the account's other assistants from default numbers. The account is locked, so of two
// assistants linked to default numbers at once the later one releases the earlier.
func releaseDefaults(ctx context.Context, tx pgx.Tx, accountID, assistantID uuid.UUID) (int64, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return 0, fmt.Errorf("lock account: %w", err)
	}
	released, err := queries.PhoneNumberLinkReleaseDefaults(ctx, tx, &dbsqlc.PhoneNumberLinkReleaseDefaultsParams{
		AccountID: accountID, AssistantID: assistantID,
	})
	if err != nil {
		return 0, fmt.Errorf("release default numbers: %w", err)
	}
	return released, nil
}
