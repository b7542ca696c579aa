//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	requestLimit = 10 * time.Second
	answerLimit  = 100 * time.Second // for one request with all its repetitions: longer than any fault
	retryDelay   = 2 * time.Second
	retryMost    = 3
	deleteEvery  = 17 // calls: one of so many is deleted when it is over
	orderEvery   = 40 // calls: a number is ordered with one of so many
)

// assistant has rules for the built-in model, which knows what the far end says. A call may bring a rule of its own.
var assistant = map[string]any{
	"assistant_name": "Receptionist", "first_message_outbound": "Hello, this is Linden Dental.", "end_call_message": "Goodbye.",
	"call_transfers": []any{map[string]any{"name": "Dentist", "phone_number": transferTarget}},
	"model": map[string]any{"provider": "scripted", "messages": []any{map[string]any{"role": "system",
		"content": "You are the receptionist.\n" +
			"{{rule}}\nwhen saturday: Yes, from nine to one.\nafter transfer: {result}\notherwise: Which day suits you?"}}},
}

var transferring = map[string]any{"rule": `when saturday: call transfer {"destination": "dentist"}`}

// driver is a customer's program: it repeats a request under the same key until it is answered, and remembers the answer.
type driver struct {
	h           *harness
	account     string
	key         string
	assistantID string
	group       string // approved for orders of numbers
	http        *http.Client
	turn        atomic.Int64
	requests    sync.WaitGroup

	mu      sync.Mutex
	failed  []string // requests that were not answered, or with a fault of ours
	ledger  []*entry
	callers []caller
	pages   []pageCall
	orders  []string
	random  *rand.Rand
}

func newDriver(h *harness) *driver {
	return &driver{h: h, http: &http.Client{Timeout: requestLimit}, random: rand.New(rand.NewPCG(h.seed, 1))}
}

// setUp makes what calls need, before there are faults.
func (d *driver) setUp(ctx context.Context) error {
	var made struct {
		ID string `json:"assistant_id"`
	}
	if err := d.post(ctx, "/v1/assistants", "assistant", assistant, &made); err != nil {
		return err
	}
	d.assistantID = made.ID
	var numbers struct{ Data []struct{ ID string } }
	if err := d.insist(ctx, http.MethodGet, "/v1/phone-numbers", "", nil, &numbers); err != nil {
		return err
	}
	if len(numbers.Data) != 1 {
		return fmt.Errorf("there are %d phone numbers", len(numbers.Data))
	}
	link := map[string]any{"phone_number_id": numbers.Data[0].ID}
	if err := d.post(ctx, "/v1/assistants/"+made.ID+"/phone-number", "link", link, nil); err != nil {
		return err
	}
	hook := map[string]any{"url": d.h.hooks.url, "enabled": true,
		"events": []string{"status-update", "transcript", "end-of-call-report"}}
	if err := d.do(ctx, http.MethodPut, "/v1/user/webhook", "", hook, nil); err != nil {
		return err
	}
	var rotated struct{ Secret string }
	if err := d.post(ctx, "/v1/user/webhook/rotate-secret", "secret", nil, &rotated); err != nil {
		return err
	}
	if err := d.h.receiver.trust(rotated.Secret); err != nil {
		return err
	}
	return d.openOrders(ctx)
}

// run makes the requests at an even pace until loading ends, and returns when all are answered or given up.
func (d *driver) run(ctx, loading context.Context, most int) {
	defer d.requests.Wait()
	pace := time.NewTicker(d.h.duration / time.Duration(max(1, d.h.calls)))
	defer pace.Stop()
	for i := range most {
		select {
		case <-loading.Done():
			return
		case <-pace.C:
		}
		if i%callerEvery == 0 {
			d.requests.Go(func() { d.ringIn(ctx, i) })
			continue
		}
		if i%pageEvery == 1 && !d.h.rolls() {
			d.requests.Go(func() { d.callIn(ctx, i) })
			continue
		}
		one := d.plan(i)
		d.requests.Go(func() { d.ask(ctx, loading, i, one) })
	}
}

// kinds are what the called numbers do; what stands twice happens twice as often.
var kinds = []string{
	numberTalks, numberTalks, numberTalks, numberTalksLong, numberTalksLong, numberBusy, numberBusy, numberRings, numberDeclines,
	numberHangsUp, numberSilent,
	numberUnavailable, numberUnavailable, numberTransferred, numberTransferred,
}

// plan decides on a request. Every one has a number of its own.
func (d *driver) plan(i int) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	kind := kinds[d.random.IntN(len(kinds))]
	one := &entry{Key: fmt.Sprintf("chaos-%d-%d", d.h.seed, i), Number: fmt.Sprintf("+3161%05d%s", i%100_000, kind),
		Transferred: kind == numberTransferred}
	if d.random.IntN(2) == 0 {
		one.Scheduled, one.Attempts = true, 1
		one.Due = time.Now().Add(time.Duration(d.random.IntN(8_000)) * time.Millisecond).UTC().Truncate(time.Millisecond)
		if d.random.IntN(3) > 0 {
			one.RetryOn, one.RetryDelay, one.Attempts = []string{"failed"}, retryDelay, retryMost
		}
	}
	d.ledger = append(d.ledger, one)
	return one
}

// ask makes one request, and what follows from it.
func (d *driver) ask(ctx, loading context.Context, i int, one *entry) {
	id, err := d.place(ctx, one)
	d.mu.Lock()
	one.ID = id
	if !one.Scheduled {
		one.Due = time.Now()
	}
	d.mu.Unlock()
	if err != nil {
		d.h.say("request %s: %v", one.Key, err)
		return
	}
	if i%orderEvery == 0 {
		d.order(ctx, i)
	}
	if i%deleteEvery == 0 && !one.Scheduled {
		d.remove(ctx, loading, one)
	}
}

func (d *driver) place(ctx context.Context, one *entry) (id string, err error) {
	if !one.Scheduled {
		var call struct {
			ID string `json:"call_id"`
		}
		body := map[string]any{"assistant_id": d.assistantID, "contact_phone_number": one.Number}
		if one.Transferred {
			body["custom_data"] = transferring
		}
		err = d.post(ctx, "/v1/calls/direct", one.Key, body, &call)
		return call.ID, err
	}
	var contact struct {
		ID string `json:"contact_id"`
	}
	if err := d.post(ctx, "/v1/contacts", one.Key+"-contact", map[string]any{"phone_number": one.Number}, &contact); err != nil {
		return "", err
	}
	body := map[string]any{"assistant_id": d.assistantID, "contact_id": contact.ID, "scheduled_time": one.Due}
	if one.Attempts > 1 {
		body["retry"] = map[string]any{"on": one.RetryOn, "max_attempts": one.Attempts,
			"delay_seconds": int(one.RetryDelay / time.Second)}
	}
	if one.Transferred {
		body["variables"] = transferring
	}
	var scheduled struct{ ID string }
	err = d.post(ctx, "/v1/scheduled-calls", one.Key, body, &scheduled)
	return scheduled.ID, err
}

// remove deletes a call, recording and all, when it is over and reported before loading ends.
func (d *driver) remove(ctx, loading context.Context, one *entry) {
	for !d.h.receiver.reported(one.ID) {
		if sleep(loading, 500*time.Millisecond); loading.Err() != nil {
			return
		}
	}
	if err := d.insist(ctx, http.MethodDelete, "/v1/calls/"+one.ID, "", nil, nil); err != nil {
		d.h.say("delete call %s: %v", one.ID, err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	one.Deleted = true
}

// entries are what was asked for so far.
func (d *driver) entries() (all []entry, answered int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.ledger {
		all = append(all, *one)
		if one.ID != "" {
			answered++
		}
	}
	return all, answered
}
