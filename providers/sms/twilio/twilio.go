// Package twilio sends text messages with Twilio's messages resource (API of 2010-04-01).
//
// It knows Twilio's paths and fields. It must not know who gets a message or why.
package twilio

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/jsonhttp"
	"github.com/callwright/callwright/providers/sms"
)

const (
	name       = "twilio"
	defaultURL = "https://api.twilio.com/2010-04-01"

	maxResponse = 256 << 10 // bytes
)

// Config is an account at Twilio.
type Config struct {
	BaseURL    string // empty: the public API
	AccountSID string
	AuthToken  string
	From       string        // a number, a name of up to 11 letters and digits, or a messaging service (MG…)
	Wait       time.Duration // for one response; 0: 20 s
	HTTP       *http.Client
}

// Sender is an sms.Sender.
type Sender struct {
	endpoint  jsonhttp.Endpoint
	account   string // path of the account
	fromField string
	from      string
}

// New returns a Sender.
func New(cfg Config) *Sender {
	if cfg.BaseURL == "" {
		cfg.BaseURL = defaultURL
	}
	field := "From"
	if strings.HasPrefix(cfg.From, "MG") && len(cfg.From) == 34 {
		field = "MessagingServiceSid"
	}
	return &Sender{account: "/Accounts/" + url.PathEscape(cfg.AccountSID), fromField: field, from: cfg.From,
		endpoint: jsonhttp.Endpoint{
			Provider: name, BaseURL: cfg.BaseURL, Wait: cfg.Wait, MaxBytes: maxResponse, HTTP: cfg.HTTP,
			Authorize: func(req *http.Request) { req.SetBasicAuth(cfg.AccountSID, cfg.AuthToken) },
		}}
}

// Name returns "twilio".
func (*Sender) Name() string { return name }

// Send implements sms.Sender. Twilio's error body, {"code", "message"}, is one that fault.FromHTTP parses.
func (s *Sender) Send(ctx context.Context, message *sms.Message) (string, error) {
	if err := sms.Check(message); err != nil {
		return "", &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	form := url.Values{"To": {message.To}, s.fromField: {s.from}, "Body": {message.Text}}.Encode()
	request := jsonhttp.Request{
		Method: http.MethodPost, Path: s.account + "/Messages.json", ContentType: "application/x-www-form-urlencoded",
		Body: strings.NewReader(form),
	}
	var response struct {
		SID string `json:"sid"`
	}
	if err := s.endpoint.Do(ctx, request, &response); err != nil {
		return "", err
	}
	return response.SID, nil
}

// Check reads the account and sends nothing. Its errors are those of Send; an account that is not active is Denied.
func (s *Sender) Check(ctx context.Context) error {
	var response struct {
		Status string `json:"status"`
	}
	if err := s.endpoint.Do(ctx, jsonhttp.Request{Method: http.MethodGet, Path: s.account + ".json"}, &response); err != nil {
		return err
	}
	if response.Status != "active" {
		return fault.New(fault.Denied, name, "the account is "+response.Status)
	}
	return nil
}
