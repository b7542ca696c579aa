package simulated

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
)

// Outcomes of an order, by the last two digits of its number.
const (
	endingRefused     = "66"
	endingUnavailable = "67"
	endingSlow        = "68"
	endingLateAnswer  = "69"
)

// purchase is a row of simulated_carrier_order.
type purchase struct {
	refusal *string
	readyAt time.Time
}

// Order implements telco.Carrier. The order is committed even if the response is lost.
func (c *Carrier) Order(ctx context.Context, order telco.Order) (telco.Purchase, error) {
	known, err := c.lookUp(ctx, order.Reference)
	if err != nil {
		return telco.Purchase{}, err
	}
	if known != nil {
		return c.purchase(order, known), nil
	}
	ending := order.PhoneNumber[max(len(order.PhoneNumber)-2, 0):]
	if ending == endingUnavailable {
		if err := c.outage(ctx, order.Reference); err != nil {
			return telco.Purchase{}, err
		}
	}
	if err := c.take(ctx, order, ending); err != nil {
		return telco.Purchase{}, err
	}
	if ending == endingLateAnswer {
		if err := wait(ctx, slowOrder); err != nil {
			return telco.Purchase{}, err
		}
	}
	if known, err = c.lookUp(ctx, order.Reference); err != nil {
		return telco.Purchase{}, err
	}
	if known == nil {
		return telco.Purchase{}, fault.New(fault.Unavailable, name, "the order was not kept")
	}
	return c.purchase(order, known), nil
}

// take stores the order and claims its number, unless the order exists.
func (c *Carrier) take(ctx context.Context, order telco.Order, ending string) error {
	takes := orderTime
	if ending == endingSlow {
		takes = slowOrder
	}
	err := pgx.BeginFunc(ctx, c.db, func(tx pgx.Tx) error {
		made, err := tx.Exec(ctx, `
			INSERT INTO simulated_carrier_order (reference, phone_number, ready_at) VALUES ($1, $2, $3)
			ON CONFLICT (reference) DO NOTHING`, order.Reference, order.PhoneNumber, c.now().Add(takes))
		if err != nil || made.RowsAffected() == 0 {
			return err
		}
		refusal := ""
		switch {
		case ending == endingRefused:
			refusal = "The carrier refused the order, as its rules say."
		case !c.inStock(order.PhoneNumber):
			refusal = "The carrier does not sell this number."
		default:
			claimed, err := tx.Exec(ctx, `
				INSERT INTO simulated_carrier_number (phone_number, order_reference) VALUES ($1, $2)
				ON CONFLICT (phone_number) DO NOTHING`, order.PhoneNumber, order.Reference)
			if err != nil {
				return err
			}
			if claimed.RowsAffected() == 0 {
				refusal = "The number was sold meanwhile."
			}
		}
		if refusal == "" {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE simulated_carrier_order SET refusal = $2 WHERE reference = $1`, order.Reference, refusal)
		return err
	})
	if err != nil {
		return failed(ctx, "take order", err)
	}
	return nil
}

// inStock reports whether the number is sold: the ranges begin with zeros, which no real number has.
func (c *Carrier) inStock(number string) bool {
	numberType, locality, ok := c.dutch.Type(number)
	if !ok {
		return false
	}
	prefix := c.rangeOf(numberType, telco.Search{AreaCode: c.dutch.AreaCode(locality)})
	digits := len(number) - len(prefix)
	for _, digit := range number[len(prefix) : len(prefix)+max(digits-4, 0)] {
		if digit != '0' {
			return false
		}
	}
	return number[:len(prefix)] == prefix
}

func (c *Carrier) lookUp(ctx context.Context, reference string) (*purchase, error) {
	var found purchase
	err := c.db.QueryRow(ctx, `SELECT refusal, ready_at FROM simulated_carrier_order WHERE reference = $1`,
		reference).Scan(&found.refusal, &found.readyAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(ctx, "look up order", err)
	}
	return &found, nil
}

func (c *Carrier) purchase(order telco.Order, known *purchase) telco.Purchase {
	response := telco.Purchase{OrderID: "order-" + order.Reference, Status: telco.Pending}
	switch {
	case known.refusal != nil:
		response.Status, response.Reason = telco.Failed, *known.refusal
	case !c.now().Before(known.readyAt):
		response.Status, response.NumberID = telco.Completed, order.Reference
	}
	return response
}

// Release implements telco.Carrier.
func (c *Carrier) Release(ctx context.Context, numberID string) error {
	if _, err := c.db.Exec(ctx, `DELETE FROM simulated_carrier_number WHERE order_reference = $1`, numberID); err != nil {
		return failed(ctx, "release number", err)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fault.FromNet(name, ctx.Err())
	case <-timer.C:
		return nil
	}
}
