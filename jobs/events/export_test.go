package events

import (
	"context"
	"time"

	"github.com/callwright/callwright/providers/hook"
)

// What the tests of this package see of it.
const DeliveryLifetime = deliveryLifetime

var DeliveryBackoff = deliveryBackoff

// Load reads an event as the job does that delivers it.
func (w *DeliverEventWorker) Load(ctx context.Context, args DeliverEventArgs) (*delivery, error) {
	return w.loads.Do(ctx, args)
}

// RecordAccepted records, in one batch, that the receiver accepted all the deliveries.
func (w *DeliverEventWorker) RecordAccepted(ctx context.Context, deliveries ...*delivery) error {
	var attempts []*attempt
	for _, delivery := range deliveries {
		attempts = append(attempts, newAttempt(delivery, &hook.Response{Status: 200}, nil, 0, time.Now()))
	}
	_, err := w.log.record(ctx, attempts)
	return err
}

// Behind returns the position behind which the next look begins.
func (u *Unnumbered) Behind() int64 { return u.behind }
