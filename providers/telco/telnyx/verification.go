package telnyx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/jsonhttp"
	"github.com/callwright/callwright/providers/telco"
)

const byReference = "filter[customer_reference][eq]"

// CreateAddress implements telco.Carrier.
func (c *Carrier) CreateAddress(ctx context.Context, address telco.Address) (string, error) {
	id, err := c.find(ctx, "/addresses", byReference, address.Reference)
	if err != nil || id != "" {
		return id, err
	}
	var response envelope[made]
	err = c.ask(ctx, http.MethodPost, "/addresses", map[string]any{
		"customer_reference": address.Reference, "business_name": address.BusinessName, "first_name": address.FirstName,
		"last_name": address.LastName, "phone_number": address.Phone, "street_address": address.Street,
		"postal_code": address.PostalCode,
		"locality":    address.City, "administrative_area": address.Province, "country_code": address.Country,
		"validate_address": false,
	}, &response)
	return response.Data.ID, err
}

// UploadDocument implements telco.Carrier. The document is streamed, never whole in memory. Telnyx deletes documents
// that no requirement uses within half an hour; such a document is not found, and is uploaded again.
func (c *Carrier) UploadDocument(ctx context.Context, document telco.Document) (string, error) {
	id, err := c.find(ctx, "/documents", byReference, document.Reference)
	if err != nil || id != "" {
		return id, err
	}
	content, err := document.Open(ctx)
	if err != nil {
		return "", fmt.Errorf("open document: %w", err)
	}
	defer content.Close()
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	source := &source{r: content}
	written := make(chan struct{})
	go func() {
		defer close(written)
		writer.CloseWithError(writeForm(form, document, source))
	}()
	var response envelope[made]
	err = c.endpoint.Do(ctx, jsonhttp.Request{
		Method: http.MethodPost, Path: "/documents", ContentType: form.FormDataContentType(), Body: reader, Wait: uploadWait,
	}, &response)
	reader.CloseWithError(context.Canceled) // ends the writer if the carrier responded early
	<-written
	if source.err != nil && err != nil {
		return "", fmt.Errorf("read document: %w", source.err)
	}
	return response.Data.ID, err
}

func writeForm(form *multipart.Writer, document telco.Document, content io.Reader) error {
	if err := form.WriteField("customer_reference", document.Reference); err != nil {
		return err
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition("file", document.Filename))
	header.Set("Content-Type", document.ContentType)
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, content); err != nil {
		return err
	}
	return form.Close()
}

// source remembers its own error: it is not the carrier's.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// requirementGroup has no envelope in responses.
type requirementGroup struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

type requirementValue struct {
	RequirementID string `json:"requirement_id"`
	FieldValue    string `json:"field_value"`
}

// Submit implements telco.Carrier.
func (c *Carrier) Submit(ctx context.Context, dossier telco.Dossier) (string, error) {
	group, err := c.group(ctx, dossier)
	if err != nil || group.Status != "unapproved" {
		return group.ID, err
	}
	return group.ID, c.ask(ctx, http.MethodPost, "/requirement_groups/"+url.PathEscape(group.ID)+"/submit_for_approval", nil, nil)
}

// group returns the dossier's requirement group, and creates it if necessary.
func (c *Carrier) group(ctx context.Context, dossier telco.Dossier) (requirementGroup, error) {
	reference := dossier.Reference + "-" + dossier.Type
	var groups []requirementGroup
	if err := c.ask(ctx, http.MethodGet, "/requirement_groups"+query("filter[customer_reference]", reference), nil,
		&groups); err != nil {
		return requirementGroup{}, err
	}
	if len(groups) > 0 {
		return groups[0], nil
	}
	values, err := c.values(ctx, dossier)
	if err != nil {
		return requirementGroup{}, err
	}
	var group requirementGroup
	err = c.ask(ctx, http.MethodPost, "/requirement_groups", map[string]any{
		"country_code": dossier.Country, "phone_number_type": dossier.Type, "action": "ordering", "customer_reference": reference,
		"regulatory_requirements": values,
	}, &group)
	return group, err
}

// requirement is one thing that a country requires for a type of numbers.
type requirement struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	FieldType string `json:"field_type"`
}

// values returns the values of all requirements. The requirements change, so they are fetched each time.
func (c *Carrier) values(ctx context.Context, dossier telco.Dossier) ([]requirementValue, error) {
	var response envelope[[]struct {
		Requirements []requirement `json:"regulatory_requirements"`
	}]
	err := c.ask(ctx, http.MethodGet, "/regulatory_requirements"+query(
		"filter[country_code]", dossier.Country, "filter[phone_number_type]", dossier.Type, "filter[action]", "ordering"), nil,
		&response)
	if err != nil {
		return nil, err
	}
	values := []requirementValue{}
	for _, kind := range response.Data {
		for _, wanted := range kind.Requirements {
			value := valueFor(wanted, dossier)
			if value == "" {
				return nil, fault.New(fault.Denied, name, "the carrier wants what a dossier does not have: "+clip(wanted.Name))
			}
			values = append(values, requirementValue{RequirementID: wanted.ID, FieldValue: value})
		}
	}
	return values, nil
}

// valueFor returns a dossier's value for a requirement. Telnyx identifies requirements by their names only.
func valueFor(wanted requirement, dossier telco.Dossier) string {
	says := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(strings.ToLower(wanted.Name), word) {
				return true
			}
		}
		return false
	}
	switch strings.TrimSuffix(wanted.FieldType, "_id") {
	case "address":
		return dossier.AddressID
	case "document":
		switch {
		case says("address", "utility", "residence"):
			return dossier.ProofOfAddress
		case says("registration", "commerce", "kvk", "company", "business"):
			return dossier.CompanyRegistration
		case says("identi", "passport", "id copy", "copy of id"):
			return dossier.Identification
		}
	case "textual":
		switch {
		case says("phone", "telephone"):
			return dossier.Phone
		case says("company", "business", "organi"):
			return dossier.BusinessName
		case says("contact", "name", "end user"):
			return dossier.FirstName + " " + dossier.LastName
		}
	}
	return ""
}

// Review implements telco.Carrier. The reason of a rejection is a comment of the carrier's staff.
func (c *Carrier) Review(ctx context.Context, id string) (telco.Review, error) {
	var group requirementGroup
	if err := c.ask(ctx, http.MethodGet, "/requirement_groups/"+url.PathEscape(id), nil, &group); err != nil {
		return telco.Review{}, err
	}
	switch group.Status {
	case "approved":
		return telco.Review{Status: telco.Approved}, nil
	case "declined", "expired", "no-longer-eligible":
		reason, err := c.comment(ctx, "requirement_group", id)
		if reason == "" {
			reason = "The carrier's status is " + group.Status + "."
		}
		return telco.Review{Status: telco.Rejected, Reason: reason}, err
	}
	return telco.Review{Status: telco.Pending}, nil
}

// comment returns the last comment of the carrier's staff on a record; empty if there is none.
func (c *Carrier) comment(ctx context.Context, recordType, id string) (string, error) {
	var response envelope[[]struct {
		Body          string `json:"body"`
		CommenterType string `json:"commenter_type"`
		CreatedAt     string `json:"created_at"` // ISO 8601 in UTC, so text sorts by time
	}]
	err := c.ask(ctx, http.MethodGet, "/comments"+query("filter[comment_record_type]", recordType, "filter[comment_record_id]", id),
		nil, &response)
	if err != nil {
		return "", err
	}
	latest, words := "", ""
	for _, comment := range response.Data {
		if comment.CommenterType == "admin" && comment.CreatedAt >= latest {
			latest, words = comment.CreatedAt, comment.Body
		}
	}
	return clip(words), nil
}
