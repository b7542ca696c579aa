package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/callwright/callwright/worker"
)

const (
	mixCustomers         = 8
	mixRequestsPerSecond = 100 // of each client, by which the length of a phase is made a number of requests
)

// mix measures requests of all kinds, of 16 clients of 8 customers, beside a worker that dials the calls that they make: every
// far end is busy. Which requests are made in which order depends on the seed alone. At the end every call must be over and
// reported once.
func mix(ctx context.Context, b *bench) error {
	customers := make([]*customer, mixCustomers)
	for i := range customers {
		made, err := newCustomer(ctx, b.pool, 0, greeter)
		if err != nil {
			return err
		}
		for range apiClients / mixCustomers {
			if err := made.addKey(ctx, b.pool, false); err != nil {
				return err
			}
		}
		customers[i] = made
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	address, stop, err := serveAPI(ctx, b, inserter)
	if err != nil {
		return err
	}
	defer stop()
	clients := make([]*mixClient, apiClients)
	for i := range clients {
		connection, err := dialAPI(ctx, address)
		if err != nil {
			return err
		}
		c := customers[i%mixCustomers]
		clients[i] = &mixClient{
			apiConnection: connection, customer: c, key: c.keys[i/mixCustomers].Text,
			random: rand.New(rand.NewPCG(b.seed, uint64(i))), number: i * 100_000 / apiClients,
		}
	}
	return withWorker(ctx, b, func(ctx context.Context, far *farEnd) error {
		if err := mixAll(ctx, b, clients); err != nil {
			return err
		}
		if far.twice > 0 {
			return fmt.Errorf("%d numbers were called twice", far.twice)
		}
		return nil
	})
}

func mixAll(ctx context.Context, b *bench, clients []*mixClient) error {
	before, err := b.spent(ctx)
	if err != nil {
		return err
	}
	var (
		wg        sync.WaitGroup
		mu        sync.Mutex
		failed    error
		latencies []time.Duration
	)
	started := time.Now()
	for _, client := range clients {
		wg.Go(func() {
			err := client.run(ctx, b.seconds*mixRequestsPerSecond)
			mu.Lock()
			defer mu.Unlock()
			failed, latencies = errors.Join(failed, err), append(latencies, client.latencies...)
		})
	}
	wg.Wait()
	elapsed := time.Since(started)
	if failed != nil {
		return failed
	}
	if err := allReported(ctx, b); err != nil {
		return err
	}
	over := time.Since(started)
	after, err := b.spent(ctx)
	if err != nil {
		return err
	}
	report("mix_rps", float64(len(latencies))/elapsed.Seconds(), "requests/s")
	report("mix_p50_ms", percentile(latencies, 0.50), "ms")
	report("mix_p99_ms", percentile(latencies, 0.99), "ms")
	report("mix_settled_seconds", over.Seconds(), "s")
	after.since(before).report("mix", len(latencies))
	return nil
}

// allReported returns when every call is over and reported.
func allReported(ctx context.Context, b *bench) error {
	for {
		var open, reports, calls int
		err := b.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM call WHERE ended_at IS NULL), (SELECT count(*) FROM call),
			(SELECT count(*) FROM event WHERE type = 'end-of-call-report')`).Scan(&open, &calls, &reports)
		if err != nil {
			return fmt.Errorf("count calls: %w", err)
		}
		if reports > calls {
			return fmt.Errorf("%d calls have %d reports", calls, reports)
		}
		if open == 0 && reports == calls {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d calls are not over, %d are reported: %w", open, calls, reports, ctx.Err())
		}
	}
}

// mixClient makes one request after the other.
type mixClient struct {
	*apiConnection
	customer  *customer
	key       string
	random    *rand.Rand
	latencies []time.Duration

	number    int // of the next contact or call
	contacts  []string
	scheduled []string
	calls     []string
	sequence  int64 // of the last event that was read
}

// mixKinds are the requests and how many of a hundred are of each.
var mixKinds = []struct {
	share int
	do    func(*mixClient) error
}{
	{20, (*mixClient).makeContact}, {20, (*mixClient).call}, {14, (*mixClient).schedule}, {4, (*mixClient).change},
	{4, (*mixClient).cancel},
	{2, (*mixClient).deleteContact}, {12, (*mixClient).readCall}, {8, (*mixClient).listCalls}, {6, (*mixClient).listContacts},
	{10, (*mixClient).readEvents},
}

func (m *mixClient) run(ctx context.Context, requests int) error {
	for range requests {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		at := m.random.IntN(100)
		for _, kind := range mixKinds {
			if at -= kind.share; at < 0 {
				if err := kind.do(m); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// ask makes a request and reads its response into one of the type.
func ask[T any](m *mixClient, method, path, body string, wanted int) (response T, err error) {
	began := time.Now()
	status, answer, err := m.exchange(apiRequest(m.key, method, path, body))
	if err != nil {
		return response, err
	}
	m.latencies = append(m.latencies, time.Since(began))
	if status != wanted {
		return response, fmt.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	if status != http.StatusNoContent {
		err = json.Unmarshal(answer, &response)
	}
	return response, err
}

// nextNumber returns a number that was not used; one that is called is busy.
func (m *mixClient) nextNumber() string {
	m.number++
	return fmt.Sprintf("+3161%05d01", m.number)
}

// one returns an element of a list, and false when that is empty.
func (m *mixClient) one(list []string) (int, bool) {
	if len(list) == 0 {
		return 0, false
	}
	return m.random.IntN(len(list)), true
}

// take removes an element of a list.
func take(list *[]string, i int) string {
	taken, last := (*list)[i], len(*list)-1
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
	return taken
}

func (m *mixClient) makeContact() error {
	made, err := ask[struct {
		ContactID string `json:"contact_id"`
	}](m, http.MethodPost, "/v1/contacts", fmt.Sprintf(`{"phone_number":%q,"full_name":"Jan Jansen"}`, m.nextNumber()),
		http.StatusCreated)
	m.contacts = append(m.contacts, made.ContactID)
	return err
}

func (m *mixClient) call() error {
	body := fmt.Sprintf(`{"assistant_id":%q,"contact_phone_number":%q}`, m.customer.assistantID, m.nextNumber())
	made, err := ask[struct {
		CallID string `json:"call_id"`
	}](m, http.MethodPost, "/v1/calls/direct", body, http.StatusCreated)
	m.calls = append(m.calls, made.CallID)
	return err
}

func (m *mixClient) schedule() error {
	i, ok := m.one(m.contacts)
	if !ok {
		return m.makeContact()
	}
	body := fmt.Sprintf(`{"assistant_id":%q,"contact_id":%q,"scheduled_time":%q}`, m.customer.assistantID, take(&m.contacts, i),
		time.Now().AddDate(0, 1, 0).Format(time.RFC3339))
	made, err := ask[struct{ ID string }](m, http.MethodPost, "/v1/scheduled-calls", body, http.StatusCreated)
	m.scheduled = append(m.scheduled, made.ID)
	return err
}

func (m *mixClient) change() error {
	i, ok := m.one(m.scheduled)
	if !ok {
		return m.schedule()
	}
	_, err := ask[any](m, http.MethodPut, "/v1/scheduled-calls/"+m.scheduled[i], `{"instruction":"Be brief."}`, http.StatusOK)
	return err
}

func (m *mixClient) cancel() error {
	i, ok := m.one(m.scheduled)
	if !ok {
		return m.schedule()
	}
	_, err := ask[any](m, http.MethodDelete, "/v1/scheduled-calls/"+take(&m.scheduled, i), "", http.StatusNoContent)
	return err
}

func (m *mixClient) deleteContact() error {
	i, ok := m.one(m.contacts)
	if !ok {
		return m.makeContact()
	}
	_, err := ask[any](m, http.MethodDelete, "/v1/contacts/"+take(&m.contacts, i), "", http.StatusNoContent)
	return err
}

func (m *mixClient) readCall() error {
	i, ok := m.one(m.calls)
	if !ok {
		return m.call()
	}
	_, err := ask[any](m, http.MethodGet, "/v1/calls/"+m.calls[i], "", http.StatusOK)
	return err
}

func (m *mixClient) listCalls() error {
	_, err := ask[any](m, http.MethodGet, "/v1/calls?call_status=busy&limit=20", "", http.StatusOK)
	return err
}

func (m *mixClient) listContacts() error {
	_, err := ask[any](m, http.MethodGet, "/v1/contacts?limit=20", "", http.StatusOK)
	return err
}

func (m *mixClient) readEvents() error {
	page, err := ask[struct{ Data []struct{ Sequence int64 } }](m, http.MethodGet,
		fmt.Sprintf("/v1/events?limit=50&after=%d", m.sequence), "", http.StatusOK)
	if n := len(page.Data); n > 0 {
		m.sequence = page.Data[n-1].Sequence
	}
	return err
}
