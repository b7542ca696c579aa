package vapi

import (
	"context"
	"fmt"
	"net/http"
)

// present is what is here already.
type present struct {
	assistants map[string]string // ids here, by ids at Vapi
	numbers    map[string]string // ids of numbers with SIP connections, by numbers
	links      map[string]string // ids of numbers, by assistants
}

func newPresent() *present {
	return &present{assistants: map[string]string{}, numbers: map[string]string{}, links: map[string]string{}}
}

type presentAssistant struct {
	ID       string         `json:"assistant_id"`
	NumberID string         `json:"phone_number_id"`
	Metadata map[string]any `json:"metadata"`
}

type presentConnection struct {
	Number   string `json:"phone_number"`
	NumberID string `json:"phone_number_id"`
}

func (p *present) read(ctx context.Context, from *Client) error {
	assistants, err := readAll[presentAssistant](ctx, from, "/v1/assistants")
	if err != nil {
		return err
	}
	for _, assistant := range assistants {
		if id, ok := assistant.Metadata[metadataID].(string); ok {
			p.assistants[id] = assistant.ID
		}
		if assistant.NumberID != "" {
			p.links[assistant.ID] = assistant.NumberID
		}
	}
	connections, err := readAll[presentConnection](ctx, from, "/v1/sip-connections")
	for _, connection := range connections {
		p.numbers[e164(connection.Number)] = connection.NumberID
	}
	return err
}

// readAll reads a list of ours.
func readAll[T any](ctx context.Context, from *Client, path string) ([]T, error) {
	var all []T
	for {
		var page struct {
			Data       []T
			Pagination struct {
				HasMore bool `json:"has_more"`
			}
		}
		err := from.do(ctx, &request{method: http.MethodGet, path: fmt.Sprintf("%s?limit=100&offset=%d", path, len(all))}, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if !page.Pagination.HasMore || len(page.Data) == 0 {
			return all, nil
		}
	}
}
