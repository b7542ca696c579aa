// Package simulated is a carrier and a regulator in Postgres: deployments without a carrier, and test keys, can search,
// submit, order and release numbers, and all of it survives a crash as it would at a real carrier.
//
// It knows its own tables, simulated_carrier_*, and the references of its customer. It must not know accounts, nor any
// other table.
//
// The regulator approves after two seconds. A business whose name contains REJECT is rejected, SLOW takes thirty
// seconds, and for DOWN the carrier is unavailable the first three times. All numbers are of unassigned ranges; the
// last two digits decide the outcome of an order: 66 is refused, for 67 the carrier is unavailable three times, 68
// takes three seconds, for 69 the response comes three seconds after the order was stored; all others take half a
// second.
package simulated

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
)

const (
	name        = "simulated carrier"
	reviewTime  = 2 * time.Second
	slowReview  = 30 * time.Second
	orderTime   = 500 * time.Millisecond
	slowOrder   = 3 * time.Second
	outage      = 3      // failures before a success
	stock       = 10_000 // numbers of each type and area
	anyAreaCode = "20"
)

// DB is what the carrier needs of a pgx pool.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Carrier is the simulated carrier.
type Carrier struct {
	db    DB
	now   func() time.Time
	dutch *telco.Dutch
}

var _ telco.Carrier = (*Carrier)(nil)

// New returns the carrier; now is its clock.
func New(db DB, now func() time.Time, dutch *telco.Dutch) *Carrier {
	return &Carrier{db: db, now: now, dutch: dutch}
}

// Search implements telco.Carrier. All numbers of the ranges that were not ordered are in stock.
func (c *Carrier) Search(ctx context.Context, search telco.Search) (telco.Stock, error) {
	types := []string{telco.Local, telco.Mobile, telco.National}
	if search.Type != "" {
		types = []string{search.Type}
	}
	all := telco.Stock{Total: new(int64)}
	for _, numberType := range types {
		prefix := c.rangeOf(numberType, search)
		if prefix == "" || search.Country != "NL" {
			continue
		}
		found, total, err := c.free(ctx, prefix, search.Limit-len(all.Numbers))
		if err != nil {
			return telco.Stock{}, err
		}
		all.Numbers = append(all.Numbers, found...)
		*all.Total += total
	}
	return all, nil
}

// rangeOf returns the prefix of the numbers that a search matches; empty if there are none.
func (c *Carrier) rangeOf(numberType string, search telco.Search) string {
	switch numberType {
	case telco.Mobile:
		return "+316"
	case telco.National:
		return "+3184"
	}
	areaCode := search.AreaCode
	if areaCode == "" && search.Locality != "" {
		if areaCode = c.dutch.AreaCode(search.Locality); areaCode == "" {
			return ""
		}
	}
	if areaCode == "" {
		areaCode = anyAreaCode
	}
	return "+31" + areaCode
}

const lengthOfNumber = 12 // with the +

// free returns the first numbers in stock that begin with prefix, and how many there are.
func (c *Carrier) free(ctx context.Context, prefix string, limit int) ([]telco.Number, int64, error) {
	var sold int64
	err := c.db.QueryRow(ctx,
		`SELECT count(*) FROM simulated_carrier_number WHERE starts_with(phone_number, $1) AND right(phone_number, $2)::int < $3`,
		prefix, lengthOfNumber-len(prefix), stock).Scan(&sold)
	if err != nil {
		return nil, 0, failed(ctx, "search", err)
	}
	rows, err := c.db.Query(ctx, `
		SELECT number FROM (SELECT $1 || lpad(n::text, $2, '0') AS number FROM generate_series(0, $3::int - 1) AS n) AS stock
		WHERE NOT EXISTS (SELECT FROM simulated_carrier_number WHERE phone_number = stock.number)
		ORDER BY number LIMIT $4`, prefix, lengthOfNumber-len(prefix), stock, limit)
	if err != nil {
		return nil, 0, failed(ctx, "search", err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, 0, failed(ctx, "search", err)
	}
	var numbers []telco.Number
	for _, text := range texts {
		if numberType, locality, ok := c.dutch.Type(text); ok {
			numbers = append(numbers, telco.Number{PhoneNumber: text, Type: numberType, Locality: locality, Country: "NL"})
		}
	}
	return numbers, int64(stock) - sold, nil
}

// CreateAddress implements telco.Carrier.
func (c *Carrier) CreateAddress(ctx context.Context, address telco.Address) (string, error) {
	if address.Country != "NL" {
		return "", refused("addresses must be Dutch")
	}
	return c.keep(ctx, "address", address.Reference, nil, 0)
}

// UploadDocument implements telco.Carrier. It reads the document as a carrier would, and does not store it.
func (c *Carrier) UploadDocument(ctx context.Context, document telco.Document) (string, error) {
	var known bool
	err := c.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM simulated_carrier_record WHERE kind = 'document' AND reference = $1)`,
		document.Reference).Scan(&known)
	if err != nil {
		return "", failed(ctx, "look up document", err)
	}
	if !known {
		if err := swallow(ctx, document); err != nil {
			return "", err
		}
	}
	return c.keep(ctx, "document", document.Reference, nil, 0)
}

func swallow(ctx context.Context, document telco.Document) error {
	content, err := document.Open(ctx)
	if err != nil {
		return fmt.Errorf("open document: %w", err)
	}
	defer content.Close()
	size, err := io.Copy(io.Discard, content)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	if size != document.Size {
		return refused("the document is cut off")
	}
	return nil
}

// Submit implements telco.Carrier.
func (c *Carrier) Submit(ctx context.Context, dossier telco.Dossier) (string, error) {
	if dossier.AddressID == "" || dossier.CompanyRegistration == "" || dossier.Identification == "" || dossier.ProofOfAddress == "" {
		return "", refused("the dossier is not complete")
	}
	if strings.Contains(dossier.BusinessName, "DOWN") {
		if err := c.outage(ctx, dossier.Reference); err != nil {
			return "", err
		}
	}
	takes := reviewTime
	if strings.Contains(dossier.BusinessName, "SLOW") {
		takes = slowReview
	}
	var rejection *string
	if strings.Contains(dossier.BusinessName, "REJECT") {
		rejection = new("The company registration does not show this business name.")
	}
	return c.keep(ctx, "review", dossier.Reference, rejection, takes)
}

// Review implements telco.Carrier.
func (c *Carrier) Review(ctx context.Context, id string) (telco.Review, error) {
	reference, _ := strings.CutPrefix(id, "review-")
	var rejection *string
	var readyAt time.Time
	err := c.db.QueryRow(ctx, `SELECT rejection, ready_at FROM simulated_carrier_record WHERE kind = 'review' AND reference = $1`,
		reference).Scan(&rejection, &readyAt)
	switch {
	case err != nil:
		return telco.Review{}, failed(ctx, "look up review", err)
	case c.now().Before(readyAt):
		return telco.Review{Status: telco.Pending}, nil
	case rejection != nil:
		return telco.Review{Status: telco.Rejected, Reason: *rejection}, nil
	}
	return telco.Review{Status: telco.Approved}, nil
}

// keep stores what was submitted, once per reference.
func (c *Carrier) keep(ctx context.Context, kind, reference string, rejection *string, takes time.Duration) (string, error) {
	_, err := c.db.Exec(ctx, `
		INSERT INTO simulated_carrier_record (kind, reference, rejection, ready_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (kind, reference) DO NOTHING`, kind, reference, rejection, c.now().Add(takes))
	if err != nil {
		return "", failed(ctx, "keep "+kind, err)
	}
	return kind + "-" + reference, nil
}

// outage returns an error the first times that it is called for a reference.
func (c *Carrier) outage(ctx context.Context, reference string) error {
	var failures int
	err := c.db.QueryRow(ctx, `
		INSERT INTO simulated_carrier_outage AS o (reference, failures) VALUES ($1, 1)
		ON CONFLICT (reference) DO UPDATE SET failures = o.failures + 1
		RETURNING failures`, reference).Scan(&failures)
	if err != nil {
		return failed(ctx, "count outage", err)
	}
	if failures <= outage {
		return fault.New(fault.Unavailable, name, "out of order, as its rules say")
	}
	return nil
}

func refused(message string) error { return fault.New(fault.Refused, name, message) }

// failed returns the fault for an error of the database: the carrier is unavailable.
func failed(ctx context.Context, act string, err error) error {
	if ctx.Err() != nil {
		return fault.FromNet(name, ctx.Err())
	}
	return &fault.Error{Kind: fault.Unavailable, Provider: name, Message: act, Err: err}
}
