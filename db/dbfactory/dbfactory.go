// Package dbfactory makes the rows that tests start from, valid and unlike each other. It knows tables and nothing of the
// rules above them; only tests may import it.
//
// Each function takes changes to what it would insert, for the test to which one of the values matters.
package dbfactory

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// WebhookSecret is the secret of an account's webhook endpoint, stored as it is: whoever opens secrets seals it first.
const WebhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// ID is a new id.
func ID(tb testing.TB) uuid.UUID {
	tb.Helper()
	id, err := uuid.NewV7()
	require.NoError(tb, err)
	return id
}

// Account makes an account and the endpoint row that every account has.
func Account(tb testing.TB, tx dbsqlc.DBTX, change ...func(*dbsqlc.AccountInsertParams)) *dbsqlc.Account {
	tb.Helper()
	id := ID(tb)
	params := &dbsqlc.AccountInsertParams{ID: id, Email: id.String() + "@example.com", Name: "Linden Dental"}
	apply(params, change)
	row, err := dbsqlc.New().AccountInsert(tb.Context(), tx, params)
	require.NoError(tb, err)
	_, err = dbsqlc.New().WebhookEndpointInsert(tb.Context(), tx, &dbsqlc.WebhookEndpointInsertParams{
		ID: ID(tb), AccountID: row.ID, Secret: new(WebhookSecret),
	})
	require.NoError(tb, err)
	return row
}

// APIKey makes a live key that a test can hardly use up, and returns its text too.
func APIKey(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID,
	change ...func(*dbsqlc.APIKeyInsertParams)) (text string, row *dbsqlc.APIKey) {
	tb.Helper()
	params := &dbsqlc.APIKeyInsertParams{ID: ID(tb), AccountID: accountID, Name: "Key", Mode: "live", Scope: "admin",
		RequestsPerMinute: 1_000_000}
	apply(params, change)
	text = "cw_" + params.Mode + "_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	hash := sha256.Sum256([]byte(text))
	params.Prefix, params.Hash = text[:12], hash[:]
	row, err := dbsqlc.New().APIKeyInsert(tb.Context(), tx, params)
	require.NoError(tb, err)
	rate := &dbsqlc.AccountRaiseRateParams{ID: accountID, KeyRequestsPerMinute: int64(params.RequestsPerMinute)}
	require.NoError(tb, dbsqlc.New().AccountRaiseRate(tb.Context(), tx, rate))
	return text, row
}

// Member makes a person who has joined an account, without a password.
func Member(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID, role string) *dbsqlc.Person {
	tb.Helper()
	id := ID(tb)
	person, err := dbsqlc.New().PersonEnsure(tb.Context(), tx,
		&dbsqlc.PersonEnsureParams{ID: id, Email: id.String() + "@example.com", Locale: "en"})
	require.NoError(tb, err)
	Join(tb, tx, accountID, person.ID, role)
	return person
}

// Join makes a person a member of an account.
func Join(tb testing.TB, tx dbsqlc.DBTX, accountID, personID uuid.UUID, role string) {
	tb.Helper()
	_, err := dbsqlc.New().MembershipEnsure(tb.Context(), tx,
		&dbsqlc.MembershipEnsureParams{AccountID: accountID, PersonID: personID, Role: role, JoinedAt: new(time.Now())})
	require.NoError(tb, err)
}

// Session signs a person in and returns the text of the cookie.
func Session(tb testing.TB, tx dbsqlc.DBTX, accountID, personID uuid.UUID) (text string, row *dbsqlc.APIKey) {
	tb.Helper()
	text = "cw_session_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	hash := sha256.Sum256([]byte(text))
	row, err := dbsqlc.New().SessionInsert(tb.Context(), tx, &dbsqlc.SessionInsertParams{
		ID: ID(tb), AccountID: accountID, PersonID: &personID, Hash: hash[:], RequestsPerMinute: 1_000_000, Seconds: 3600,
	})
	require.NoError(tb, err)
	return text, row
}

// Assistant makes an assistant without a number.
func Assistant(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID,
	change ...func(*dbsqlc.AssistantInsertParams)) *dbsqlc.Assistant {
	tb.Helper()
	params := &dbsqlc.AssistantInsertParams{
		ID: ID(tb), AccountID: accountID, Name: "Ava",
		Config: jsonb.Assistant{FirstMessage: "Hello.", MaxDurationSeconds: 600, BackgroundSound: "off"},
	}
	apply(params, change)
	params.Config.SetDefaults()
	row, err := dbsqlc.New().AssistantInsert(tb.Context(), tx, params)
	require.NoError(tb, err)
	return row
}

// LinkedAssistant makes an assistant that is linked to a custom number of its own.
func LinkedAssistant(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID,
	change ...func(*dbsqlc.AssistantInsertParams)) *dbsqlc.Assistant {
	tb.Helper()
	row := Assistant(tb, tx, accountID, change...)
	Link(tb, tx, row, Number(tb, tx, accountID))
	return row
}

// Contact makes a contact with a phone number of its own.
func Contact(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID, change ...func(*dbsqlc.Contact)) *dbsqlc.Contact {
	tb.Helper()
	contact := &dbsqlc.Contact{ID: ID(tb), AccountID: accountID, PhoneNumber: nextNumber("+316"), FullName: new("Jan Jansen")}
	apply(contact, change)
	details, err := json.Marshal(jsonb.ContactDetails{
		FullName: contact.FullName, Email: contact.Email, Address: contact.Address, OrgID: contact.OrgID,
		LastInteractionAt: contact.LastInteractionAt, LastInteractionSummary: contact.LastInteractionSummary,
	})
	require.NoError(tb, err)
	rows, err := dbsqlc.New().ContactInsertMany(tb.Context(), tx, &dbsqlc.ContactInsertManyParams{
		Ids: []uuid.UUID{contact.ID}, AccountIds: []uuid.UUID{accountID}, Tests: []bool{contact.Test},
		PhoneNumbers: []string{contact.PhoneNumber},
		Details:      []json.RawMessage{details},
	})
	require.NoError(tb, err)
	require.Len(tb, rows, 1, "another contact has the number")
	return rows[0]
}

// Number makes a custom number of the account.
func Number(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID,
	change ...func(*dbsqlc.PhoneNumberInsertParams)) *dbsqlc.PhoneNumber {
	tb.Helper()
	return number(tb, tx, &dbsqlc.PhoneNumberInsertParams{
		AccountID: &accountID, Origin: "custom", Type: new("local"), Locality: new("Amsterdam"),
	}, change)
}

// DefaultNumber makes a number that all accounts share.
func DefaultNumber(tb testing.TB, tx dbsqlc.DBTX, change ...func(*dbsqlc.PhoneNumberInsertParams)) *dbsqlc.PhoneNumber {
	tb.Helper()
	return number(tb, tx, &dbsqlc.PhoneNumberInsertParams{Origin: "default", Type: new("national")}, change)
}

// Link links a number to an assistant.
func Link(tb testing.TB, tx dbsqlc.DBTX, assistant *dbsqlc.Assistant, number *dbsqlc.PhoneNumber) {
	tb.Helper()
	require.NoError(tb, dbsqlc.New().PhoneNumberLinkInsert(tb.Context(), tx, &dbsqlc.PhoneNumberLinkInsertParams{
		AccountID: assistant.AccountID, AssistantID: assistant.ID, PhoneNumberID: number.ID, Origin: number.Origin,
	}))
}

// Credits moves the balance of an account.
func Credits(tb testing.TB, tx dbsqlc.DBTX, accountID uuid.UUID, amount int32) {
	tb.Helper()
	_, err := dbsqlc.New().CreditEntryInsert(tb.Context(), tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: accountID, ID: ID(tb), Kind: "grant", Amount: amount, Reason: "test",
	})
	require.NoError(tb, err)
}

func number(tb testing.TB, tx dbsqlc.DBTX, params *dbsqlc.PhoneNumberInsertParams,
	change []func(*dbsqlc.PhoneNumberInsertParams)) *dbsqlc.PhoneNumber {
	tb.Helper()
	params.ID, params.Number = ID(tb), nextNumber("+3120")
	apply(params, change)
	row, err := dbsqlc.New().PhoneNumberInsert(tb.Context(), tx, params)
	require.NoError(tb, err)
	return row
}

// numbers makes each number of a test process another one: tests in parallel transactions would wait for each other's.
var numbers atomic.Uint32

// nextNumber is a valid Dutch number that no other test of the process has.
func nextNumber(prefix string) string {
	const digits = 12 // with the +
	return prefix + fmt.Sprintf("%0*d", digits-len(prefix), 1_000_000+numbers.Add(1))
}

func apply[T any](params *T, changes []func(*T)) {
	for _, change := range changes {
		change(params)
	}
}
