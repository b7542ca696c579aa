//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"time"
)

const (
	grantedCredits = 100_000
	papersLimit    = time.Minute
)

// openOrders has a business approved, so that it may order numbers, which cost credits.
func (d *driver) openOrders(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, papersLimit, errors.New("the verification group is not approved"))
	defer cancel()
	var group struct {
		ID        string `json:"verification_group_id"`
		Status    string
		AddressID *string `json:"external_address_id"`
		Documents []struct{ Status string }
	}
	body := map[string]any{
		"name": "Practice", "business_name": "Linden BV", "contact_person_first_name": "Jan", "contact_person_last_name": "Jansen",
		"contact_person_phone": "0612345678", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1",
		"postal_code": "1012LG", "province": "Noord-Holland",
	}
	if err := d.post(ctx, "/v1/verification-groups", "group", body, &group); err != nil {
		return err
	}
	path := "/v1/verification-groups/" + group.ID
	documents := []string{"company-registration", "proof-of-address", "copy-id"}
	for _, kind := range documents {
		if err := d.upload(ctx, path+"/documents", kind); err != nil {
			return err
		}
	}
	submitted := false
	for group.Status != "approved" {
		if err := d.do(ctx, http.MethodGet, path, "", nil, &group); err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		uploaded := 0
		for _, document := range group.Documents {
			if document.Status == "uploaded" {
				uploaded++
			}
		}
		if !submitted && group.AddressID != nil && uploaded == len(documents) {
			if err := d.post(ctx, path+"/submit-for-approval", "submit", nil, nil); err != nil {
				return err
			}
			submitted = true
		}
		sleep(ctx, 100*time.Millisecond)
	}
	d.group = group.ID
	return nil
}

func (d *driver) upload(ctx context.Context, path, kind string) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("document_type", kind); err != nil {
		return err
	}
	file, err := form.CreateFormFile("file", "paper.pdf")
	if err != nil {
		return err
	}
	if _, err := file.Write([]byte("%PDF-1.7 paper")); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return d.send(ctx, http.MethodPost, path, "document-"+kind, form.FormDataContentType(), &body, nil)
}

// order buys a number.
func (d *driver) order(ctx context.Context, i int) {
	var made struct {
		Data struct {
			ID string `json:"order_id"`
		}
	}
	body := map[string]any{"phone_number": fmt.Sprintf("+3120000%04d", i/orderEvery%10_000)}
	err := d.post(ctx, "/v1/verification-groups/"+d.group+"/order-number", fmt.Sprintf("order-%d", i), body, &made)
	if err != nil {
		d.h.say("order %d: %v", i, err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.orders = append(d.orders, made.Data.ID)
}
