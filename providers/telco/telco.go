// Package telco is what the product asks of a carrier: numbers that can be had, the check of who wants them, their
// purchase and their return.
//
// It knows how Dutch numbers are made up. It must not know any vendor, nor accounts, credits or who pays for what: the
// caller's references say what belongs together. A carrier is asked the same thing again after every crash, so whatever
// makes something takes a reference, and finds what it made under that reference before.
package telco

import (
	"context"
	"io"
)

// The types of numbers.
const (
	Local    = "local"
	Mobile   = "mobile"
	National = "national"
)

// Carrier sells numbers. Implementations are safe for concurrent use and fail only with faults: Refused means that this
// very thing will never be had, Denied that the operator has to act.
type Carrier interface {
	// Search answers numbers that can be ordered now.
	Search(ctx context.Context, search Search) ([]Number, error)
	// CreateAddress files an address and answers its id.
	CreateAddress(ctx context.Context, address Address) (id string, err error)
	// UploadDocument hands a document over and answers its id.
	UploadDocument(ctx context.Context, document Document) (id string, err error)
	// Submit hands a dossier in for review and answers the review's id.
	Submit(ctx context.Context, dossier Dossier) (id string, err error)
	// Review answers how far the review of that id is.
	Review(ctx context.Context, id string) (Review, error)
	// Order buys a number, or answers how far the order of that reference is.
	Order(ctx context.Context, order Order) (Purchase, error)
	// Release gives back what an order bought. That it was given back before is no error.
	Release(ctx context.Context, numberID string) error
}

// Search says which numbers are wanted.
type Search struct {
	Country  string // ISO 3166-1 alpha-2
	Type     string // one of the types; empty: any
	AreaCode string // without the leading 0; empty: any
	Locality string // only numbers of this town; empty: any
	Limit    int
}

// Number is a number that can be ordered.
type Number struct {
	PhoneNumber string // E.164
	Type        string
	Locality    string // empty: none
	Country     string
}

// Address is where a business is.
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
	// Open gives the bytes; it is called only when the carrier does not have them yet.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Dossier is all that a regulator wants to know of a business for numbers of one type.
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

// The states of a review and of a purchase.
const (
	Pending   = "pending"
	Approved  = "approved"
	Rejected  = "rejected"
	Completed = "completed"
	Failed    = "failed"
)

// Review is Pending, Approved or Rejected.
type Review struct {
	Status string
	Reason string // of a rejection
}

// Order asks for a number.
type Order struct {
	Reference   string
	PhoneNumber string
	Dossier     Dossier // of the number's type
}

// Purchase is Pending, Completed or Failed.
type Purchase struct {
	OrderID  string
	Status   string
	Reason   string // of a failure
	NumberID string // of a completed purchase; names it for its release, and no later purchase of the same number
}

// Carriers are the carriers of a deployment.
type Carriers struct {
	Live      Carrier
	Simulated Carrier
}

// Of is the carrier for what must stay simulated, or need not.
func (c Carriers) Of(simulated bool) Carrier {
	if simulated {
		return c.Simulated
	}
	return c.Live
}
