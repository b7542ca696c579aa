// Package telco defines carriers: available numbers, verification of their customers, orders and releases.
//
// It knows the Dutch numbering plan. It must not know any vendor, nor accounts, credits or payment. Requests are
// repeated after a crash, so each operation that creates something takes a reference, and returns what exists under
// that reference.
package telco

import (
	"context"
	"io"
)

// Types of numbers.
const (
	Local    = "local"
	Mobile   = "mobile"
	National = "national"
)

// Carrier sells numbers. Implementations are safe for concurrent use and fail only with faults: Refused means that this
// request will never succeed, Denied that the operator has to act.
type Carrier interface {
	// Search returns numbers that can be ordered now.
	Search(ctx context.Context, search Search) (Stock, error)
	// CreateAddress creates an address and returns its id.
	CreateAddress(ctx context.Context, address Address) (id string, err error)
	// UploadDocument uploads a document and returns its id.
	UploadDocument(ctx context.Context, document Document) (id string, err error)
	// Submit submits a dossier for review and returns the review's id.
	Submit(ctx context.Context, dossier Dossier) (id string, err error)
	// Review returns the state of a review.
	Review(ctx context.Context, id string) (Review, error)
	// Order orders a number, or returns the state of the order with that reference.
	Order(ctx context.Context, order Order) (Purchase, error)
	// Release returns an ordered number to the carrier. It is not an error if it was released before.
	Release(ctx context.Context, numberID string) error
}

// Search selects numbers.
type Search struct {
	Country  string // ISO 3166-1 alpha-2
	Type     string // one of the types; empty: any
	AreaCode string // without the leading 0; empty: any
	Locality string // only numbers of this town; empty: any
	Limit    int
}

// Stock is what a search found.
type Stock struct {
	Numbers []Number // at most as many as the search asks for
	Total   *int64   // of all that match; nil: the carrier does not say
}

// Number is a number that can be ordered.
type Number struct {
	PhoneNumber string // E.164
	Type        string
	Locality    string // empty: none
	Country     string
}

// Address is the address of a business.
type Address struct {
	Reference    string
	BusinessName string
	FirstName    string
	LastName     string
	Phone        string // E.164
	Street       string // with the house number
	PostalCode   string
	City         string
	Province     string
	Country      string
}

// Document is a file that proves something.
type Document struct {
	Reference   string
	Filename    string
	ContentType string
	Size        int64
	// Open returns the content; it is called only if the carrier does not have it yet.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Dossier is what a regulator requires of a business for numbers of one type.
type Dossier struct {
	Reference           string
	Country             string
	Type                string
	BusinessName        string
	FirstName           string
	LastName            string
	Phone               string
	AddressID           string
	CompanyRegistration string // ids of documents
	Identification      string
	ProofOfAddress      string
}

// States of a review and of a purchase.
const (
	Pending   = "pending"
	Approved  = "approved"
	Rejected  = "rejected"
	Completed = "completed"
	Failed    = "failed"
)

// Review is the state of a review: Pending, Approved or Rejected.
type Review struct {
	Status string
	Reason string // of a rejection
}

// Order is the order of a number.
type Order struct {
	Reference   string
	PhoneNumber string
	Dossier     Dossier // of the number's type
}

// Purchase is the state of an order: Pending, Completed or Failed.
type Purchase struct {
	OrderID  string
	Status   string
	Reason   string // of a failure
	NumberID string // of a completed purchase; Release takes it, and it is unique to this purchase
}

// Carriers are the carriers of a deployment.
type Carriers struct {
	Live      Carrier
	Simulated Carrier
}

// Of returns the carrier for simulated or for real numbers.
func (c Carriers) Of(simulated bool) Carrier {
	if simulated {
		return c.Simulated
	}
	return c.Live
}
