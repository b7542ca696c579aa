package jobstest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/scripted"
)

// FakeDialer notes which calls it was asked to dial.
type FakeDialer struct {
	Dialed   []uuid.UUID
	At       time.Time // of the last dial
	Full     bool
	Stop     chan struct{}
	Booked   int
	expected map[uuid.UUID]bool
}

func (d *FakeDialer) Reserve(context.Context, time.Duration) (calls.Place, bool) {
	if d.Full {
		return nil, false
	}
	d.Booked++
	return &fakePlace{dialer: d}, true
}

func (d *FakeDialer) Stopping() <-chan struct{} { return d.Stop }

type fakePlace struct {
	dialer   *FakeDialer
	held     uuid.UUID
	released bool
}

func (p *fakePlace) Hold(callID uuid.UUID) func() {
	p.held = callID
	p.dialer.expected[callID] = true
	return func() { delete(p.dialer.expected, callID) }
}

func (p *fakePlace) Dial(_ context.Context, call *dbsqlc.Call, at time.Time) {
	p.dialer.At = at
	p.dialer.Dialed = append(p.dialer.Dialed, call.ID)
	p.Release()
}

func (p *fakePlace) Release() {
	if !p.released {
		p.released = true
		delete(p.dialer.expected, p.held)
		p.dialer.Booked--
	}
}

// Unsealed opens what was never sealed; db/seal has its own tests.
type Unsealed struct{}

func (Unsealed) Open(sealed, _ string) (string, error) { return sealed, nil }

func (Unsealed) Seal(plaintext, _ string) string { return plaintext }

// noModel is a deployment without a language model.
type noModel struct{}

func (noModel) LLM(string) (llm.Provider, bool) { return scripted.New(), false }

// FakePDFs reads every file as its own bytes.
type FakePDFs struct{ Err error }

// Text implements website.PDFReader.
func (f FakePDFs) Text(_ context.Context, file []byte) (string, error) { return string(file), f.Err }
