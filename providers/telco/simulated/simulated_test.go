package simulated_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/telco/simulated"
	"github.com/callwright/callwright/providers/telco/telcotest"
)

// clock stands still until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newCarrier(t *testing.T) (*simulated.Carrier, *clock) {
	t.Helper()
	at := &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return simulated.New(dbtest.Tx(t), at.now, telco.NewDutch()), at
}

func TestConformance(t *testing.T) {
	t.Parallel()
	carrier, at := newCarrier(t)
	telcotest.Run(t, telcotest.Subject{Carrier: carrier, Settle: func() { at.advance(3 * time.Second) }})
}

func TestRegulator(t *testing.T) {
	t.Parallel()
	carrier, at := newCarrier(t)
	slow := telcotest.Dossier(t, carrier, "SLOW BV")
	id, err := carrier.Submit(t.Context(), slow)
	require.NoError(t, err)
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, telco.Pending}, {29 * time.Second, telco.Pending}, {time.Second, telco.Approved}} {
		at.advance(step.after)
		review, err := carrier.Review(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, step.want, review.Status)
	}
	down := telcotest.Dossier(t, carrier, "DOWN BV")
	for range 3 {
		_, err := carrier.Submit(t.Context(), down)
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Unavailable, kind)
	}
	_, err = carrier.Submit(t.Context(), down)
	require.NoError(t, err)
	empty := telcotest.Dossier(t, carrier, "Zaak BV")
	empty.Identification = ""
	_, err = carrier.Submit(t.Context(), empty)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Refused, kind)
}

func TestOrdersGoAsTheirEndingsSay(t *testing.T) {
	t.Parallel()
	carrier, at := newCarrier(t)
	order := func(number string) telco.Order {
		return telco.Order{Reference: uuid.NewString(), PhoneNumber: number}
	}
	for number, reason := range map[string]string{"+31200000066": "rules", "+31201000001": "does not sell",
		"+3120": "does not sell"} {
		response, err := carrier.Order(t.Context(), order(number))
		require.NoError(t, err)
		require.Equal(t, telco.Failed, response.Status, number)
		require.Contains(t, response.Reason, reason)
	}
	unavailable := order("+31200000067")
	for range 3 {
		_, err := carrier.Order(t.Context(), unavailable)
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Unavailable, kind)
	}
	slow := order("+31200000068")
	for _, taken := range []telco.Order{unavailable, slow} {
		response, err := carrier.Order(t.Context(), taken)
		require.NoError(t, err)
		require.Equal(t, telco.Pending, response.Status)
	}
	at.advance(2 * time.Second)
	response, err := carrier.Order(t.Context(), unavailable)
	require.NoError(t, err)
	require.Equal(t, telco.Completed, response.Status)
	response, err = carrier.Order(t.Context(), slow)
	require.NoError(t, err)
	require.Equal(t, telco.Pending, response.Status)
}

func TestSearches(t *testing.T) {
	t.Parallel()
	carrier, _ := newCarrier(t)
	for _, test := range []struct {
		search telco.Search
		first  string
		count  int
		total  int
	}{
		{telco.Search{Country: "NL", Type: telco.Mobile, Limit: 2}, "+31600000000", 2, 10_000},
		{telco.Search{Country: "NL", Type: telco.National, Limit: 2}, "+31840000000", 2, 10_000},
		{telco.Search{Country: "NL", Type: telco.Local, AreaCode: "111", Limit: 1}, "+31111000000", 1, 10_000},
		{telco.Search{Country: "NL", Type: telco.Local, Locality: "Utrecht", Limit: 1}, "+31300000000", 1, 10_000},
		{telco.Search{Country: "NL", Limit: 1}, "+31200000000", 1, 30_000},
		{telco.Search{Country: "NL", Type: telco.Local, Locality: "Nowhere", Limit: 5}, "", 0, 0},
		{telco.Search{Country: "BE", Type: telco.Local, Limit: 5}, "", 0, 0},
	} {
		found, err := carrier.Search(t.Context(), test.search)
		require.NoError(t, err)
		require.Len(t, found.Numbers, test.count, "%+v", test.search)
		require.EqualValues(t, test.total, *found.Total, "%+v", test.search)
		if test.count > 0 {
			require.Equal(t, test.first, found.Numbers[0].PhoneNumber)
		}
	}
}
