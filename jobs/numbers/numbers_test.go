package numbers_test

import (
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/telco/simulated"
)

// numbersFixture is a fixture with the simulated carrier, whose clock the test moves.
type numbersFixture struct {
	*jobstest.Fixture
	skip time.Duration
}

func setupNumbers(t *testing.T) *numbersFixture {
	t.Helper()
	n := &numbersFixture{Fixture: jobstest.New(t)}
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	started := time.Now()
	now := func() time.Time { return started.Add(n.skip) }
	carrier := simulated.New(n.Tx, now, telco.NewDutch())
	n.Services.Now, n.Services.Files, n.Services.Scanner = now, store, scan.None{}
	n.Services.Carriers = telco.Carriers{Live: carrier, Simulated: carrier}
	n.Services.Logger = slog.New(slog.DiscardHandler)
	return n
}

func (n *numbersFixture) carriers() *numbers.Carriers {
	return &numbers.Carriers{Carriers: n.Services.Carriers, Logger: n.Services.Logger, Now: n.Services.Now}
}

func (n *numbersFixture) documents() *numbers.Documents {
	return &numbers.Documents{Files: n.Services.Files, Seal: n.Services.Seal}
}

func (n *numbersFixture) group(t *testing.T, businessName string) *dbsqlc.VerificationGroup {
	t.Helper()
	group, err := dbsqlc.New().VerificationGroupInsert(t.Context(), n.Tx, &dbsqlc.VerificationGroupInsertParams{
		ID: dbfactory.ID(t), AccountID: n.Account.ID, Name: "Practice", BusinessName: businessName, ContactPersonFirstName: "Jan",
		ContactPersonLastName: "Jansen",
		ContactPersonPhone:    "+31612345678", City: "Amsterdam", StreetName: "Damrak", HouseNumber: "1", PostalCode: "1012LG",
		Province: "Noord-Holland",
	})
	require.NoError(t, err)
	return group
}

const paper = "%PDF-1.7 paper"

func (n *numbersFixture) document(t *testing.T, group *dbsqlc.VerificationGroup,
	documentType string) *dbsqlc.VerificationDocument {
	t.Helper()
	id := dbfactory.ID(t)
	key := "verification/" + id.String()
	secret, err := sealed.Put(t.Context(), n.Services.Files, key, strings.NewReader(paper))
	require.NoError(t, err)
	document, err := dbsqlc.New().VerificationDocumentInsert(t.Context(), n.Tx, &dbsqlc.VerificationDocumentInsertParams{
		ID: id, AccountID: n.Account.ID, VerificationGroupID: group.ID, DocumentType: documentType, ContentType: "application/pdf",
		Size: int32(len(paper)), Sha256: []byte{1}, FileKey: key, FileSecret: secret,
	})
	require.NoError(t, err)
	return document
}

func (n *numbersFixture) get(t *testing.T, id uuid.UUID) *dbsqlc.VerificationGroup {
	t.Helper()
	group, err := dbsqlc.New().VerificationGroupGetAny(t.Context(), n.Tx, &dbsqlc.VerificationGroupGetAnyParams{ID: id})
	require.NoError(t, err)
	return group
}

// submitted is a group with everything, handed in.
func (n *numbersFixture) submitted(t *testing.T, businessName string) *dbsqlc.VerificationGroup {
	t.Helper()
	group := n.group(t, businessName)
	require.Zero(t, jobstest.Work(t, n.Fixture, &numbers.CreateVerificationAddressWorker{DB: n.Services.DB, Carriers: n.carriers()},
		numbers.CreateVerificationAddressArgs{VerificationGroupID: group.ID}))
	for _, documentType := range []string{"company-registration", "copy-id", "proof-of-address"} {
		document := n.document(t, group, documentType)
		require.Zero(t, jobstest.Work(t, n.Fixture, &numbers.UploadVerificationDocumentWorker{DB: n.Services.DB, Carriers: n.carriers(),
			Documents: n.documents(), Scanner: n.Services.Scanner},
			numbers.UploadVerificationDocumentArgs{VerificationDocumentID: document.ID}))
	}
	group = n.get(t, group.ID)
	for _, id := range []*string{group.ExternalAddressID, group.ExternalCompanyRegistrationFileID,
		group.ExternalIdentificationFileID, group.ExternalProofOfAddressFileID} {
		require.NotNil(t, id)
	}
	return n.submit(t, group)
}

func (n *numbersFixture) submit(t *testing.T, group *dbsqlc.VerificationGroup) *dbsqlc.VerificationGroup {
	t.Helper()
	group, err := dbsqlc.New().VerificationGroupSubmit(t.Context(), n.Tx,
		&dbsqlc.VerificationGroupSubmitParams{AccountID: group.AccountID, ID: group.ID})
	require.NoError(t, err)
	return group
}

func (n *numbersFixture) review(t *testing.T, group *dbsqlc.VerificationGroup, notice bool) time.Duration {
	t.Helper()
	return jobstest.Work(t, n.Fixture, &numbers.ReviewVerificationGroupWorker{DB: n.Services.DB, Carriers: n.carriers(),
		Documents: n.documents()}, numbers.ReviewVerificationGroupArgs{VerificationGroupID: group.ID, Submission: group.Submission,
		Notice: notice})
}

func TestReview(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		skip   time.Duration
		status string
	}{"Zaak BV": {3 * time.Second, "approved"}, "REJECT BV": {3 * time.Second, "rejected"},
		"SLOW BV": {3 * time.Second, "pending"}} {
		n := setupNumbers(t)
		group := n.submitted(t, name)
		require.Positive(t, n.review(t, group, false), "it sleeps on until the regulator has decided")
		require.Zero(t, n.review(t, group, true), "a notice looks once")
		n.skip = test.skip
		wait := n.review(t, group, false)
		require.Equal(t, test.status == "pending", wait > 0)
		decided := n.get(t, group.ID)
		require.Equal(t, test.status, decided.Status)
		require.Equal(t, test.status == "rejected", decided.RejectionReason != nil)
		require.Equal(t, test.status != "pending", decided.ReviewedAt != nil)
		require.Zero(t, n.review(t, &dbsqlc.VerificationGroup{ID: group.ID, Submission: group.Submission - 1}, false),
			"a job of an earlier submission")
	}
}

func TestReviewOfTheNextSubmission(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	group := n.submitted(t, "REJECT BV")
	n.review(t, group, false)
	n.skip = 3 * time.Second
	require.Zero(t, n.review(t, group, false))
	_, err := n.Tx.Exec(t.Context(), "UPDATE verification_group SET business_name = 'Zaak BV' WHERE id = $1", group.ID)
	require.NoError(t, err)
	second := n.submit(t, group)
	require.Nil(t, second.RejectionReason)
	require.Positive(t, n.review(t, second, false))
	n.skip = 6 * time.Second
	require.Zero(t, n.review(t, second, false))
	require.Equal(t, "approved", n.get(t, group.ID).Status)
}

func TestReviewWhileTheCarrierIsDown(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	group := n.submitted(t, "DOWN BV")
	for range 3 {
		require.Positive(t, n.review(t, group, false))
		require.Nil(t, n.get(t, group.ID).ExternalGroupID)
	}
	require.Positive(t, n.review(t, group, false))
	require.NotNil(t, n.get(t, group.ID).ExternalGroupID)
}

// scannerFunc is a scanner that answers without looking.
type scannerFunc func() error

func (f scannerFunc) Scan(context.Context, io.Reader) error { return f() }

func TestDocumentsAreScannedFirst(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	group := n.group(t, "Zaak BV")
	document := n.document(t, group, "copy-id")
	upload := func() time.Duration {
		return jobstest.Work(t, n.Fixture, &numbers.UploadVerificationDocumentWorker{DB: n.Services.DB, Carriers: n.carriers(),
			Documents: n.documents(), Scanner: n.Services.Scanner},
			numbers.UploadVerificationDocumentArgs{VerificationDocumentID: document.ID})
	}
	n.Services.Scanner = scannerFunc(func() error { return fault.New(fault.Unavailable, "scanner", "away") })
	require.Positive(t, upload(), "it waits for the scanner")
	n.Services.Scanner = scannerFunc(func() error { return fault.New(fault.Refused, "scanner", "The file contains Eicar.") })
	require.Zero(t, upload())
	row, err := dbsqlc.New().VerificationDocumentGetAny(t.Context(), n.Tx, &dbsqlc.VerificationDocumentGetAnyParams{ID: document.ID})
	require.NoError(t, err)
	require.Equal(t, "refused", row.Status)
	require.Equal(t, "The file contains Eicar.", *row.Error)
	require.Nil(t, n.get(t, group.ID).ExternalIdentificationFileID)
	var records int
	require.NoError(t, n.Tx.QueryRow(t.Context(), "SELECT count(*) FROM simulated_carrier_record WHERE reference = $1",
		document.ID.String()).Scan(&records))
	require.Zero(t, records, "the carrier never saw it")
}

func TestLostFile(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	document := n.document(t, n.group(t, "Zaak BV"), "copy-id")
	require.NoError(t, n.Services.Files.Delete(t.Context(), document.FileKey))
	require.Zero(t, jobstest.Work(t, n.Fixture, &numbers.UploadVerificationDocumentWorker{DB: n.Services.DB, Carriers: n.carriers(),
		Documents: n.documents(), Scanner: n.Services.Scanner},
		numbers.UploadVerificationDocumentArgs{VerificationDocumentID: document.ID}))
	row, err := dbsqlc.New().VerificationDocumentGetAny(t.Context(), n.Tx, &dbsqlc.VerificationDocumentGetAnyParams{ID: document.ID})
	require.NoError(t, err)
	require.Equal(t, "refused", row.Status)
}

func TestDiscard(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	document := n.document(t, n.group(t, "Zaak BV"), "copy-id")
	discard := func() {
		require.Zero(t, jobstest.Work(t, n.Fixture, &numbers.DiscardVerificationFileWorker{DB: n.Services.DB, Files: n.Services.Files},
			numbers.DiscardVerificationFileArgs{FileKey: document.FileKey}))
	}
	discard()
	_, _, err := n.Services.Files.Open(t.Context(), document.FileKey)
	require.NoError(t, err, "a document names it")
	_, err = dbsqlc.New().VerificationDocumentDelete(t.Context(), n.Tx, &dbsqlc.VerificationDocumentDeleteParams{
		AccountID: n.Account.ID, VerificationGroupID: document.VerificationGroupID, ID: document.ID,
	})
	require.NoError(t, err)
	discard()
	discard()
	_, _, err = n.Services.Files.Open(t.Context(), document.FileKey)
	require.ErrorIs(t, err, files.ErrNotFound)
}

// order is an order that is paid, of a number with the given last two digits.
func (n *numbersFixture) order(t *testing.T, ending string) *dbsqlc.PhoneNumberOrder {
	t.Helper()
	number := "+3120000" + digits(t, 2) + ending
	return n.orderOf(t, number)
}

func digits(t *testing.T, count int) string {
	t.Helper()
	id := dbfactory.ID(t)
	return strings.Map(func(r rune) rune { return '0' + r%10 }, hex.EncodeToString(id[14:]))[:count]
}

func (n *numbersFixture) orderOf(t *testing.T, number string) *dbsqlc.PhoneNumberOrder {
	t.Helper()
	queries := dbsqlc.New()
	n.credit(t, 10)
	order, err := queries.PhoneNumberOrderInsert(t.Context(), n.Tx, &dbsqlc.PhoneNumberOrderInsertParams{
		ID: dbfactory.ID(t), AccountID: n.Account.ID, VerificationGroupID: n.group(t, "Zaak BV").ID, PhoneNumber: number,
		NumberType: "local", CreditsUsed: 10,
	})
	require.NoError(t, err)
	_, err = queries.CreditEntryInsert(t.Context(), n.Tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: n.Account.ID, ID: dbfactory.ID(t), Kind: "order", Amount: -10, Reason: "order", PhoneNumberOrderID: &order.ID,
	})
	require.NoError(t, err)
	return order
}

func (n *numbersFixture) credit(t *testing.T, amount int32) {
	t.Helper()
	_, err := dbsqlc.New().CreditEntryInsert(t.Context(), n.Tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: n.Account.ID, ID: dbfactory.ID(t), Kind: "grant", Amount: amount, Reason: "test",
	})
	require.NoError(t, err)
}

func (n *numbersFixture) fulfil(t *testing.T, order *dbsqlc.PhoneNumberOrder) time.Duration {
	t.Helper()
	return jobstest.Work(t, n.Fixture, &numbers.FulfilNumberOrderWorker{DB: n.Services.DB, Carriers: n.carriers()},
		numbers.FulfilNumberOrderArgs{PhoneNumberOrderID: order.ID})
}

// outcome is an order's status, the numbers of its account that it bought, and the account's credits.
func (n *numbersFixture) outcome(t *testing.T, order *dbsqlc.PhoneNumberOrder) (status string, numbers, credits int) {
	t.Helper()
	require.NoError(t, n.Tx.QueryRow(t.Context(), `
		SELECT o.status, (SELECT count(*) FROM phone_number WHERE phone_number_order_id = o.id AND status = 'active'), account.credits
		FROM phone_number_order AS o JOIN account ON account.id = o.account_id WHERE o.id = $1`, order.ID).Scan(&status, &numbers,
		&credits))
	return status, numbers, credits
}

func TestFulfil(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	order := n.order(t, "11")
	require.Positive(t, n.fulfil(t, order))
	status, numbers, credits := n.outcome(t, order)
	require.Equal(t, "pending", status)
	require.Zero(t, numbers+credits)
	n.skip = time.Second
	for range 2 {
		require.Zero(t, n.fulfil(t, order))
		status, numbers, credits = n.outcome(t, order)
		require.Equal(t, "completed", status)
		require.Equal(t, 1, numbers)
		require.Zero(t, credits)
	}
}

func TestFulfilRefused(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	order := n.order(t, "66")
	for range 2 {
		require.Zero(t, n.fulfil(t, order))
		status, numbers, credits := n.outcome(t, order)
		require.Equal(t, "failed", status)
		require.Zero(t, numbers)
		require.Equal(t, 10, credits, "given back once")
	}
}

func TestFulfilWhileTheCarrierIsDown(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	order := n.order(t, "67")
	for range 4 {
		require.Positive(t, n.fulfil(t, order))
	}
	n.skip = 10 * time.Second
	require.Zero(t, n.fulfil(t, order))
	status, numbers, _ := n.outcome(t, order)
	require.Equal(t, "completed", status)
	require.Equal(t, 1, numbers)
}

// A carrier that denies us costs no attempts and loses no order.
func TestFulfilDenied(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	order := n.order(t, "12")
	n.Services.Carriers.Live = denying{}
	require.Greater(t, n.fulfil(t, order), time.Minute)
	status, _, _ := n.outcome(t, order)
	require.Equal(t, "pending", status)
}

type denying struct{ telco.Carrier }

func (denying) Order(context.Context, telco.Order) (telco.Purchase, error) {
	return telco.Purchase{}, &fault.Error{Kind: fault.Denied, Provider: "carrier", StatusCode: 401}
}

// A number that came into use here meanwhile goes back to the carrier, and the credits to the account.
func TestFulfilNumberInUse(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	order := n.order(t, "13")
	_, err := dbsqlc.New().PhoneNumberInsert(t.Context(), n.Tx,
		&dbsqlc.PhoneNumberInsertParams{ID: dbfactory.ID(t), AccountID: &n.Account.ID, Number: order.PhoneNumber, Origin: "custom"})
	require.NoError(t, err)
	n.fulfil(t, order)
	n.skip = time.Second
	require.Zero(t, n.fulfil(t, order))
	status, numbers, credits := n.outcome(t, order)
	require.Equal(t, "failed", status)
	require.Zero(t, numbers)
	require.Equal(t, 10, credits)
	require.Contains(t, n.JobKinds(t), "release_phone_number")
}

// A number that is given back can be ordered anew, and a release that runs again does not take it from its next owner.
func TestRelease(t *testing.T) {
	t.Parallel()

	n := setupNumbers(t)
	first := n.order(t, "14")
	n.fulfil(t, first)
	n.skip = time.Second
	require.Zero(t, n.fulfil(t, first))
	var numberID uuid.UUID
	require.NoError(t, n.Tx.QueryRow(t.Context(), "UPDATE phone_number SET status = 'releasing' WHERE number = $1 RETURNING id",
		first.PhoneNumber).Scan(&numberID))
	release := func() {
		require.Zero(t, jobstest.Work(t, n.Fixture, &numbers.ReleasePhoneNumberWorker{DB: n.Services.DB, Carriers: n.carriers()},
			numbers.ReleasePhoneNumberArgs{PhoneNumberID: numberID}))
	}
	release()
	second := n.orderOf(t, first.PhoneNumber)
	n.fulfil(t, second)
	n.skip = 2 * time.Second
	require.Zero(t, n.fulfil(t, second))
	release()
	status, numbers, _ := n.outcome(t, second)
	require.Equal(t, "completed", status)
	require.Equal(t, 1, numbers)
	var owner string
	require.NoError(t, n.Tx.QueryRow(t.Context(), "SELECT order_reference FROM simulated_carrier_number WHERE phone_number = $1",
		first.PhoneNumber).Scan(&owner))
	require.Equal(t, second.ID.String(), owner)
}
