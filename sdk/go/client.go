package callwright

import (
	"fmt"
	"net/http"
	"time"

	"github.com/callwright/callwright/sdk/go/api"
)

// Version is the version of this module, which requests name in User-Agent.
const Version = "0.1.0"

const responseTimeout = time.Minute

// Config is what a client is made of.
type Config struct {
	URL        string       // where the API is, such as https://calls.example.com
	Key        string       // API key
	HTTP       *http.Client // nil: one that waits a minute for each response
	MaxRetries *int         // most retries of a request; nil: 4
}

// Client is a client of the API. It may be used by several goroutines.
type Client struct {
	*api.ClientWithResponses
	sender *sender
}

// New returns a client.
func New(config Config) (*Client, error) {
	sender := &sender{http: config.HTTP, key: config.Key, most: 4}
	if config.MaxRetries != nil {
		sender.most = *config.MaxRetries
	}
	if sender.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = responseTimeout
		sender.http = &http.Client{Transport: transport}
	}
	client, err := api.NewClientWithResponses(config.URL, api.WithHTTPClient(sender))
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &Client{client, sender}, nil
}
