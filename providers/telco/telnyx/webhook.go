package telnyx

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the time of a webhook may be from ours; Telnyx's own libraries use the same.
const tolerance = 5 * time.Minute

// ErrUnsigned is returned for a webhook that was not signed by Telnyx for us, or is too old.
var ErrUnsigned = errors.New("webhook is not signed")

// Webhook parses Telnyx's webhooks. They come in any order and more than once, so only the id of the changed record is
// used.
type Webhook struct {
	publicKey ed25519.PublicKey
	now       func() time.Time
}

// Notice is the record that has changed; without ids it is about something else.
type Notice struct {
	OrderID  string // of a number order
	ReviewID string // of a requirement group
}

// NewWebhook returns a Webhook for the account's public key in base64, as the portal shows it.
func NewWebhook(publicKey string, now func() time.Time) (*Webhook, error) {
	key, err := base64.StdEncoding.DecodeString(publicKey)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("the public key is not 32 bytes in base64")
	}
	return &Webhook{publicKey: key, now: now}, nil
}

// Read verifies the signature of the body, and decodes it.
func (w *Webhook) Read(header http.Header, body []byte) (Notice, error) {
	timestamp := header.Get("Telnyx-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || w.now().Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return Notice{}, ErrUnsigned
	}
	signature, err := base64.StdEncoding.DecodeString(header.Get("Telnyx-Signature-Ed25519"))
	if err != nil || !ed25519.Verify(w.publicKey, append([]byte(timestamp+"|"), body...), signature) {
		return Notice{}, ErrUnsigned
	}
	var event struct {
		Data struct {
			EventType string `json:"event_type"`
			Payload   struct {
				ID string `json:"id"`
			} `json:"payload"`
		} `json:"data"`
	}
	_ = json.Unmarshal(body, &event) // it stays empty for unknown types
	switch kind, _, _ := strings.Cut(event.Data.EventType, "."); kind {
	case "number_order":
		return Notice{OrderID: event.Data.Payload.ID}, nil
	case "requirement_group":
		return Notice{ReviewID: event.Data.Payload.ID}, nil
	}
	return Notice{}, nil
}
