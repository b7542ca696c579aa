package worker

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

// Reserve implements calls.Dialer.
func (p *Phone) Reserve(ctx context.Context, wait time.Duration) (calls.Place, bool) {
	if !p.places.take(ctx, wait, p.stopping) {
		return nil, false
	}
	return &place{phone: p}, true
}

// place is room for one call on the telephone. It implements calls.Place. One goroutine at a time uses it.
type place struct {
	phone    *Phone
	held     uuid.UUID // the call that is about to be claimed for it
	call     *liveCall // likewise
	released bool
}

// Hold implements calls.Place.
func (r *place) Hold(callID uuid.UUID) (forget func()) {
	r.held, r.call = callID, r.phone.expect(callID)
	return func() {
		r.phone.release(callID, r.call)
		r.held = uuid.Nil
	}
}

// Dial implements calls.Place.
func (r *place) Dial(ctx context.Context, call *dbsqlc.Call, at time.Time) {
	defer r.Release()
	r.phone.dial(ctx, call, at)
}

// Release implements calls.Place.
func (r *place) Release() {
	if r.released {
		return
	}
	r.released = true
	if r.held != uuid.Nil {
		r.phone.release(r.held, r.call)
	}
	r.phone.places.give()
}
