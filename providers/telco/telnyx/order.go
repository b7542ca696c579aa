package telnyx

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
)

type numberOrder struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Order implements telco.Carrier. An order is posted only after Telnyx has said that it has none with this reference.
func (c *Carrier) Order(ctx context.Context, order telco.Order) (telco.Purchase, error) {
	var known envelope[[]numberOrder]
	if err := c.ask(ctx, http.MethodGet, "/number_orders"+query("filter[customer_reference]", order.Reference), nil,
		&known); err != nil {
		return telco.Purchase{}, unknownOutcome(err)
	}
	if len(known.Data) > 0 {
		return c.purchase(ctx, known.Data[0], order.PhoneNumber)
	}
	group, err := c.group(ctx, order.Dossier)
	if err != nil {
		return telco.Purchase{}, unknownOutcome(err)
	}
	body := map[string]any{
		"customer_reference": order.Reference,
		"phone_numbers":      []map[string]any{{"phone_number": order.PhoneNumber, "requirement_group_id": group.ID}},
	}
	if c.connectionID != "" {
		body["connection_id"] = c.connectionID
	}
	var response envelope[numberOrder]
	if err := c.ask(ctx, http.MethodPost, "/number_orders", body, &response); err != nil {
		return telco.Purchase{}, err
	}
	return c.purchase(ctx, response.Data, order.PhoneNumber)
}

// unknownOutcome replaces Refused by Denied: a refused query says nothing about the order, so an operator has to look.
func unknownOutcome(err error) error {
	known, isFault := errors.AsType[*fault.Error](err)
	if !isFault || known.Kind != fault.Refused {
		return err
	}
	denied := *known
	denied.Kind = fault.Denied
	return &denied
}

func (c *Carrier) purchase(ctx context.Context, order numberOrder, number string) (telco.Purchase, error) {
	made := telco.Purchase{OrderID: order.ID, Status: telco.Pending}
	switch order.Status {
	case "success":
		id, err := c.find(ctx, "/phone_numbers", "filter[phone_number]", number)
		if err != nil {
			return telco.Purchase{}, unknownOutcome(err)
		}
		if id == "" { // it appears shortly after its order succeeded
			return made, nil
		}
		made.Status, made.NumberID = telco.Completed, id
	case "failure", "cancelled", "deleted":
		made.Status, made.Reason = telco.Failed, "The carrier's status is "+order.Status+"."
	}
	return made, nil
}

// Release implements telco.Carrier.
func (c *Carrier) Release(ctx context.Context, numberID string) error {
	err := c.ask(ctx, http.MethodDelete, "/phone_numbers/"+url.PathEscape(numberID), nil, nil)
	if known, isFault := errors.AsType[*fault.Error](err); isFault && known.StatusCode == http.StatusNotFound {
		return nil
	}
	return err
}
