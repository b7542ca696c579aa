package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// upload sends a document as a customer's program would.
func (c *client) upload(group, documentType string) {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(c.t, form.WriteField("document_type", documentType))
	file, err := form.CreateFormFile("file", "paper.pdf")
	require.NoError(c.t, err)
	_, err = file.Write([]byte("%PDF-1.7 paper"))
	require.NoError(c.t, err)
	require.NoError(c.t, form.Close())
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/v1/verification-groups/"+group+"/documents",
		&body)
	require.NoError(c.t, err)
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, http.StatusCreated, resp.StatusCode, "%s", answer)
}

type groupRecord struct {
	ID              string `json:"verification_group_id"`
	Status          string
	RejectionReason *string `json:"rejection_reason"`
	AddressID       *string `json:"external_address_id"`
	Documents       []struct{ Status string }
}

func (p *platform) makeGroup(businessName string) groupRecord {
	p.t.Helper()
	var group groupRecord
	p.call(http.MethodPost, "/v1/verification-groups", map[string]any{
		"name": "Practice", "business_name": businessName, "contact_person_first_name": "Jan", "contact_person_last_name": "Jansen",
		"contact_person_phone": "0612345678", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1",
		"postal_code": "1012LG", "province": "Noord-Holland",
	}, http.StatusCreated, &group)
	return group
}

// submitGroup makes a group, waits until the carrier has what it needs, and submits it.
func (p *platform) submitGroup(businessName string) string {
	p.t.Helper()
	group := p.makeGroup(businessName)
	for _, documentType := range []string{"company-registration", "proof-of-address", "copy-id"} {
		p.upload(group.ID, documentType)
	}
	path := "/v1/verification-groups/" + group.ID
	require.Eventually(p.t, func() bool {
		p.call(http.MethodGet, path, nil, http.StatusOK, &group)
		uploaded := 0
		for _, document := range group.Documents {
			if document.Status == "uploaded" {
				uploaded++
			}
		}
		return group.AddressID != nil && uploaded == 3
	}, time.Minute, 20*time.Millisecond, "the carrier does not get the documents")
	p.call(http.MethodPost, path+"/submit-for-approval", nil, http.StatusOK, nil)
	return group.ID
}

func (p *platform) waitGroup(id, status string) groupRecord {
	p.t.Helper()
	var group groupRecord
	require.Eventually(p.t, func() bool {
		p.call(http.MethodGet, "/v1/verification-groups/"+id, nil, http.StatusOK, &group)
		return group.Status == status
	}, time.Minute, 20*time.Millisecond, "group never became %s", status)
	return group
}

// TestNumberOrdersOfKilledWorkers takes a business from its papers to a number, and kills workers at each step of an
// order: before it reached the carrier, when the carrier took it and its answer was under way, and while it is followed.
// Each ends once: as a number that cost ten credits, or as none that cost nothing.
func TestNumberOrdersOfKilledWorkers(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	account := find(t, `"user_id":"([^"]+)"`, p.answer("/v1/user/profile"))
	p.run("account", "credit", account, "100", "--reason=test")
	worker := p.startWorker()
	rejected, approved := p.submitGroup("REJECT BV"), p.submitGroup("Linden BV")
	byHand := p.submitGroup("SLOW BV")
	require.Contains(t, p.run("verification", "list"), byHand)
	p.run("verification", "reject", byHand, "--reason=Not readable")
	require.Equal(t, "Not readable", *p.waitGroup(byHand, "rejected").RejectionReason)
	require.NotEmpty(t, *p.waitGroup(rejected, "rejected").RejectionReason)
	p.waitGroup(approved, "approved")
	worker.kill()

	order := func(ending string) string {
		p.t.Helper()
		var made struct {
			Data struct {
				OrderID string `json:"order_id"`
			}
		}
		p.call(http.MethodPost, "/v1/verification-groups/"+approved+"/order-number",
			map[string]any{"phone_number": "+312000000" + ending}, http.StatusCreated, &made)
		return made.Data.OrderID
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	until := func(query string) {
		t.Helper()
		require.Eventually(t, func() bool {
			var met bool
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT "+query).Scan(&met))
			return met
		}, time.Minute, 5*time.Millisecond, query)
	}
	ids := map[string]string{"11": order("11"), "66": order("66"), "68": order("68"), "69": order("69")}
	// No worker runs yet. The next one dies when the carrier has taken order 69 and has not answered.
	first := p.startWorker()
	until("EXISTS (SELECT FROM simulated_carrier_order WHERE phone_number = '+31200000069')")
	first.kill()
	until("NOT EXISTS (SELECT FROM phone_number_order WHERE phone_number = '+31200000069' AND external_order_id IS NOT NULL)")
	// This one dies while the carrier works on order 68.
	ids["68b"] = order("67")
	second := p.startWorker()
	until("EXISTS (SELECT FROM phone_number_order WHERE phone_number = '+31200000068' AND external_order_id IS NOT NULL)")
	second.kill()
	last := p.startWorker()
	for ending, id := range ids {
		var shown struct{ Status string }
		require.Eventually(t, func() bool {
			p.call(http.MethodGet, "/v1/phone-number-orders/"+id, nil, http.StatusOK, &shown)
			return shown.Status != "pending"
		}, time.Minute, 20*time.Millisecond, "order %s never ends", ending)
		require.Equal(t, map[bool]string{true: "failed", false: "completed"}[ending == "66"], shown.Status, ending)
	}
	var numbers, taken, credits, entries int
	require.NoError(t,
		conn.QueryRow(t.Context(),
			`SELECT (SELECT count(*) FROM phone_number WHERE origin = 'custom'), (SELECT count(*) FROM simulated_carrier_number),
		(SELECT credits FROM account), (SELECT count(*) FROM credit_entry)`).Scan(&numbers, &taken, &credits, &entries))
	require.Equal(t, "4 4 60 7", fmt.Sprint(numbers, taken, credits, entries),
		"numbers, at the carrier, credits, and entries of the ledger")
	last.stop()
}

// answer returns the response to a GET, as text.
func (c *client) answer(path string) string {
	c.t.Helper()
	status, body := c.try(http.MethodGet, path, nil)
	require.Equal(c.t, http.StatusOK, status, "%s", body)
	return string(body)
}
