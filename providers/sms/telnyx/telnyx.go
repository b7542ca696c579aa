// Package telnyx sends text messages with Telnyx's messages API (v2).
//
// It knows Telnyx's paths and fields. It must not know who gets a message or why.
package telnyx

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/jsonhttp"
	"github.com/callwright/callwright/providers/sms"
)

const (
	name       = "telnyx"
	defaultURL = "https://api.telnyx.com/v2"

	maxResponse = 256 << 10 // bytes
)

// Config is an account at Telnyx.
type Config struct {
	BaseURL string // empty: the public API
	APIKey  string
	From    string        // a number, or a name of up to 11 letters and digits, which needs a profile
	Profile string        // messaging profile; empty: that of the number
	Wait    time.Duration // for one response; 0: 20 s
	HTTP    *http.Client
}

// Sender is an sms.Sender.
type Sender struct {
	endpoint      jsonhttp.Endpoint
	from, profile string
}

// New returns a Sender.
func New(cfg Config) *Sender {
	if cfg.BaseURL == "" {
		cfg.BaseURL = defaultURL
	}
	return &Sender{from: cfg.From, profile: cfg.Profile, endpoint: jsonhttp.Endpoint{
		Provider: name, BaseURL: cfg.BaseURL, Wait: cfg.Wait, MaxBytes: maxResponse, HTTP: cfg.HTTP, Explain: explain,
		Authorize: func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+cfg.APIKey) },
	}}
}

// Name returns "telnyx".
func (*Sender) Name() string { return name }

// Send implements sms.Sender.
func (s *Sender) Send(ctx context.Context, message *sms.Message) (string, error) {
	if err := sms.Check(message); err != nil {
		return "", &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	fields := map[string]string{"from": s.from, "to": message.To, "text": message.Text, "type": "SMS"}
	if s.profile != "" {
		fields["messaging_profile_id"] = s.profile
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return "", &fault.Error{Kind: fault.Refused, Provider: name, Message: "encode request", Err: err}
	}
	var response struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	request := jsonhttp.Request{Method: http.MethodPost, Path: "/messages", ContentType: "application/json",
		Body: bytes.NewReader(body)}
	if err := s.endpoint.Do(ctx, request, &response); err != nil {
		return "", err
	}
	return response.Data.ID, nil
}

// Check reads the messaging profile, or the list of them where none is configured, and sends nothing. Its errors are those of
// Send.
func (s *Sender) Check(ctx context.Context) error {
	path := "/messaging_profiles?page[size]=1"
	if s.profile != "" {
		path = "/messaging_profiles/" + url.PathEscape(s.profile)
	}
	return s.endpoint.Do(ctx, jsonhttp.Request{Method: http.MethodGet, Path: path}, nil)
}

// explain parses {"errors": [{"code", "title", "detail" or "description"}]}.
func explain(failed *fault.Error, _ *http.Response, body []byte) {
	var response struct {
		Errors []struct{ Code, Title, Detail, Description string }
	}
	if json.Unmarshal(body, &response) != nil || len(response.Errors) == 0 {
		return
	}
	first := response.Errors[0]
	switch first.Code {
	case "20100", "40333", // no balance, or the profile's spending limit is reached
		"40305", "40306", "40312": // the sender is not ours, or the profile is disabled
		failed.Kind = fault.Denied
	}
	words := []rune(strings.Join(strings.Fields(first.Code+" "+first.Title+": "+first.Detail+first.Description), " "))
	failed.Message = string(words[:min(len(words), 300)])
}
