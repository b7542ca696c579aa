// Package hook calls servers whose addresses come from customers: it posts signed events to them, and has an HTTP
// client that is safe for such addresses.
//
// It knows which addresses may be dialed and how a post is signed (Standard Webhooks). It must not know what an event
// is, nor when one is sent again.
package hook

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/callwright/callwright/providers/fault"
)

const (
	name           = "hook"
	secretPrefix   = "whsec_"
	secretBytes    = 32
	maxResponse    = 64 << 10
	defaultTimeout = 15 * time.Second
)

// Client posts to customers' servers. It is safe for concurrent use.
type Client struct {
	guard     *Guard
	http      *http.Client
	userAgent string
}

// New returns a client. Close must be called after use.
func New(cfg Config) *Client {
	guard := NewGuard(cfg.Allow)
	return &Client{guard: guard, http: newHTTP(guard.Dialer()), userAgent: cfg.UserAgent}
}

// Guard returns the client's guard, for connections that are not HTTP.
func (c *Client) Guard() *Guard { return c.guard }

// HTTP returns the underlying client, for other requests to addresses from customers. A connection to an address that
// is not allowed fails with a *fault.Error of kind Refused. The client follows no redirects and uses no proxy; callers
// must limit time and size.
func (c *Client) HTTP() *http.Client { return c.http }

// UserAgent returns the User-Agent of the client's requests.
func (c *Client) UserAgent() string { return c.userAgent }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Post is one message to a customer's server.
type Post struct {
	URL     string
	Headers map[string]string // the customer's; they do not replace ours
	ID      string            // webhook-id: the same for every attempt of one message
	At      time.Time         // webhook-timestamp, which is signed; zero: now, by the clock of this machine
	Secrets []string          // whsec_…; none: not signed; two during a rotation
	Body    []byte            // JSON
	Timeout time.Duration     // for the request and the response's body; 0: 15 s
}

// Response is the server's response, whatever its status.
type Response struct {
	Status     int
	Body       []byte        // the first 64 KiB
	RetryAfter time.Duration // 0: none
	Latency    time.Duration // from dialing to the end of the body
}

// Post sends p once. Any HTTP status is a Response, redirects too: they are not followed. Errors are *fault.Error
// unless ctx was canceled: Refused if p can never be sent, for instance to an address that is not allowed.
func (c *Client) Post(ctx context.Context, p Post) (*Response, error) {
	timeout := p.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	begin := time.Now()
	if p.At.IsZero() {
		p.At = begin
	}
	req, err := c.request(ctx, p)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	return &Response{
		Status: resp.StatusCode, Body: body,
		RetryAfter: fault.RetryAfter(resp.Header, time.Now()), Latency: time.Since(begin),
	}, nil
}

func (c *Client) request(ctx context.Context, p Post) (*http.Request, error) {
	target, err := url.Parse(p.URL)
	if err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http" {
		return nil, refused("not an absolute http or https URL", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		return nil, refused("request cannot be made", err)
	}
	for key, value := range p.Headers {
		if !validHeader(key, value) {
			return nil, refused(fmt.Sprintf("header %q is not valid", key), nil)
		}
		req.Header.Set(key, value)
	}
	if c.userAgent != "" {
		req.Header.Set("User-Agent", c.userAgent)
	}
	req.Header.Set("Content-Type", "application/json")
	return req, sign(req.Header, p)
}

// sign sets the headers of Standard Webhooks; several signatures are separated by spaces.
func sign(header http.Header, p Post) error {
	header.Set(standardwebhooks.HeaderWebhookID, p.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(p.At.Unix(), 10))
	header.Del(standardwebhooks.HeaderWebhookSignature)
	signatures := make([]string, 0, len(p.Secrets))
	for _, secret := range p.Secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return refused("signing secret is not valid", err)
		}
		signature, err := signer.Sign(p.ID, p.At, p.Body)
		if err != nil {
			return refused("body cannot be signed", err)
		}
		signatures = append(signatures, signature)
	}
	if len(signatures) > 0 {
		header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	}
	return nil
}

// validHeader reports whether a field is valid by RFC 9110.
func validHeader(key, value string) bool {
	token := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
			strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	foreign := func(r rune) bool { return !token(r) }
	return key != "" && !strings.ContainsFunc(key, foreign) && !strings.ContainsFunc(value, control)
}

func refused(message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.Refused, Provider: name, Message: message, Err: err}
}

// NewSecret returns a new signing secret: whsec_ and 32 random bytes in base64.
func NewSecret() string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never returns an error: it ends the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}
