// Package telcotest has the conformance suite of telco.Carrier.
//
// It knows the contract of package telco. It must not know any carrier.
package telcotest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
)

// Subject is a carrier under test. Its regulator approves, but rejects businesses whose name contains REJECT.
type Subject struct {
	Carrier telco.Carrier
	Settle  func() // completes pending reviews and orders
}

// Run checks a carrier that has stock in Amsterdam.
func Run(t *testing.T, s Subject) {
	t.Helper()
	t.Run("searches", func(t *testing.T) { searches(t, s) })
	t.Run("addresses and documents are made once", func(t *testing.T) { once(t, s) })
	t.Run("reviews", func(t *testing.T) { reviews(t, s) })
	t.Run("an order is made once", func(t *testing.T) { orders(t, s) })
	t.Run("a number is sold once", func(t *testing.T) { soldOnce(t, s) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, s) })
}

// Find returns a number that can be ordered now.
func Find(t *testing.T, carrier telco.Carrier) string {
	t.Helper()
	stock, err := carrier.Search(t.Context(), telco.Search{Country: "NL", Type: telco.Local, AreaCode: "20", Limit: 1})
	require.NoError(t, err)
	require.Len(t, stock.Numbers, 1)
	return stock.Numbers[0].PhoneNumber
}

// Dossier creates what a dossier refers to and returns the dossier.
func Dossier(t *testing.T, carrier telco.Carrier, businessName string) telco.Dossier {
	t.Helper()
	reference := uuid.NewString()
	address, err := carrier.CreateAddress(t.Context(), telco.Address{
		Reference: reference, BusinessName: businessName, FirstName: "Jan", LastName: "Jansen", Phone: "+31612345678",
		Street:     "Damrak 1",
		PostalCode: "1012LG", City: "Amsterdam", Province: "Noord-Holland", Country: "NL",
	})
	require.NoError(t, err)
	dossier := telco.Dossier{
		Reference: reference, Country: "NL", Type: telco.Local, BusinessName: businessName, FirstName: "Jan", LastName: "Jansen",
		Phone: "+31612345678", AddressID: address,
	}
	for _, id := range []*string{&dossier.CompanyRegistration, &dossier.Identification, &dossier.ProofOfAddress} {
		*id, err = carrier.UploadDocument(t.Context(), document(uuid.NewString(), "%PDF-1.7 paper"))
		require.NoError(t, err)
		require.NotEmpty(t, *id)
	}
	return dossier
}

func document(reference, content string) telco.Document {
	return telco.Document{
		Reference: reference, Filename: reference + ".pdf", ContentType: "application/pdf", Size: int64(len(content)),
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
	}
}

func searches(t *testing.T, s Subject) {
	t.Helper()
	stock, err := s.Carrier.Search(t.Context(), telco.Search{Country: "NL", Type: telco.Local, AreaCode: "20", Limit: 3})
	require.NoError(t, err)
	require.Len(t, stock.Numbers, 3)
	if stock.Total != nil {
		require.GreaterOrEqual(t, *stock.Total, int64(3))
	}
	seen := map[string]bool{}
	for _, number := range stock.Numbers {
		require.Regexp(t, `^\+3120\d{7}$`, number.PhoneNumber)
		require.Equal(t, telco.Local, number.Type)
		require.Equal(t, "Amsterdam", number.Locality)
		require.Equal(t, "NL", number.Country)
		seen[number.PhoneNumber] = true
	}
	require.Len(t, seen, 3)
}

func once(t *testing.T, s Subject) {
	t.Helper()
	address := telco.Address{
		Reference: uuid.NewString(), BusinessName: "Zaak BV", FirstName: "Jan", LastName: "Jansen", Phone: "+31612345678",
		Street:     "Damrak 1",
		PostalCode: "1012LG", City: "Amsterdam", Province: "Noord-Holland", Country: "NL",
	}
	first, err := s.Carrier.CreateAddress(t.Context(), address)
	require.NoError(t, err)
	second, err := s.Carrier.CreateAddress(t.Context(), address)
	require.NoError(t, err)
	require.Equal(t, first, second)

	paper := document(uuid.NewString(), "%PDF-1.7 paper")
	first, err = s.Carrier.UploadDocument(t.Context(), paper)
	require.NoError(t, err)
	paper.Open = func(context.Context) (io.ReadCloser, error) { return nil, errors.New("read a second time") }
	second, err = s.Carrier.UploadDocument(t.Context(), paper)
	require.NoError(t, err)
	require.Equal(t, first, second)

	broken := document(uuid.NewString(), "")
	lost := errors.New("the file is lost")
	broken.Open = func(context.Context) (io.ReadCloser, error) { return nil, lost }
	_, err = s.Carrier.UploadDocument(t.Context(), broken)
	require.ErrorIs(t, err, lost)
}

func reviews(t *testing.T, s Subject) {
	t.Helper()
	good, bad := Dossier(t, s.Carrier, "Zaak BV"), Dossier(t, s.Carrier, "REJECT BV")
	ids := map[string]string{}
	for _, dossier := range []telco.Dossier{good, bad} {
		first, err := s.Carrier.Submit(t.Context(), dossier)
		require.NoError(t, err)
		second, err := s.Carrier.Submit(t.Context(), dossier)
		require.NoError(t, err)
		require.Equal(t, first, second)
		review, err := s.Carrier.Review(t.Context(), first)
		require.NoError(t, err)
		require.Equal(t, telco.Review{Status: telco.Pending}, review)
		ids[dossier.Reference] = first
	}
	s.Settle()
	review, err := s.Carrier.Review(t.Context(), ids[good.Reference])
	require.NoError(t, err)
	require.Equal(t, telco.Review{Status: telco.Approved}, review)
	review, err = s.Carrier.Review(t.Context(), ids[bad.Reference])
	require.NoError(t, err)
	require.Equal(t, telco.Rejected, review.Status)
	require.NotEmpty(t, review.Reason)
}

func orders(t *testing.T, s Subject) {
	t.Helper()
	dossier := Dossier(t, s.Carrier, "Zaak BV")
	_, err := s.Carrier.Submit(t.Context(), dossier)
	require.NoError(t, err)
	s.Settle()
	order := telco.Order{Reference: uuid.NewString(), PhoneNumber: Find(t, s.Carrier), Dossier: dossier}
	first, err := s.Carrier.Order(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, telco.Pending, first.Status)
	require.NotEmpty(t, first.OrderID)
	s.Settle()
	second, err := s.Carrier.Order(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, first.OrderID, second.OrderID)
	require.Equal(t, telco.Completed, second.Status)
	require.NotEmpty(t, second.NumberID)
	require.NotEqual(t, order.PhoneNumber, Find(t, s.Carrier), "it is not for sale any more")
	for range 2 {
		require.NoError(t, s.Carrier.Release(t.Context(), second.NumberID))
	}
	require.Equal(t, order.PhoneNumber, Find(t, s.Carrier), "it is for sale again")
}

func soldOnce(t *testing.T, s Subject) {
	t.Helper()
	dossier, number := Dossier(t, s.Carrier, "Zaak BV"), Find(t, s.Carrier)
	_, err := s.Carrier.Order(t.Context(), telco.Order{Reference: uuid.NewString(), PhoneNumber: number, Dossier: dossier})
	require.NoError(t, err)
	late := telco.Order{Reference: uuid.NewString(), PhoneNumber: number, Dossier: dossier}
	for range 2 {
		response, err := s.Carrier.Order(t.Context(), late)
		if kind, isFault := fault.Of(err); isFault {
			require.Equal(t, fault.Refused, kind)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, telco.Failed, response.Status)
		require.NotEmpty(t, response.Reason)
	}
}

func cancelled(t *testing.T, s Subject) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Carrier.Search(ctx, telco.Search{Country: "NL", Type: telco.Local, AreaCode: "20", Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
	_, isFault := fault.Of(err)
	require.False(t, isFault)
}
