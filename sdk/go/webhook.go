package callwright

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how much the clocks of sender and receiver may differ.
const tolerance = 5 * time.Minute

// ErrWebhook is wrapped by the errors of VerifyWebhook: the request is not from Callwright, too old, or not an event.
var ErrWebhook = errors.New("webhook not verified")

// UnknownMessage is a message of a type that this version of the module does not know.
type UnknownMessage struct {
	Type string
	Raw  json.RawMessage
}

// VerifyWebhook returns the message of a request that one of the secrets signed within five minutes, as Standard Webhooks has it:
// a pointer to a type of package api, or an *UnknownMessage. payload is the body as it arrived. The same event may arrive
// twice: its webhook-id is the same.
func VerifyWebhook(payload []byte, header http.Header, secrets ...string) (message any, err error) {
	return verifyWebhook(time.Now(), payload, header, secrets)
}

func verifyWebhook(now time.Time, payload []byte, header http.Header, secrets []string) (any, error) {
	id, sent, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	if id == "" || sent == "" || signatures == "" {
		return nil, unverified("webhook-id, webhook-timestamp or webhook-signature is missing")
	}
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil {
		return nil, unverified("webhook-timestamp is not a Unix time in seconds")
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return nil, unverified("webhook-timestamp is more than five minutes away from now")
	}
	found := false
	for _, secret := range secrets {
		matches, err := signedBy(secret, id+"."+sent+"."+string(payload), signatures)
		if err != nil {
			return nil, err
		}
		found = found || matches
	}
	if !found {
		return nil, unverified("no signature is by this secret")
	}
	var body struct{ Message json.RawMessage }
	var message struct{ Type string }
	if json.Unmarshal(payload, &body) != nil || json.Unmarshal(body.Message, &message) != nil || message.Type == "" {
		return nil, unverified("the body has no message with a type")
	}
	return decodeMessage(message.Type, body.Message)
}

// signedBy reports whether one of the signatures is by a secret.
func signedBy(secret, signed, signatures string) (bool, error) {
	key, err := keyOf(secret)
	if err != nil {
		return false, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	expected, found := mac.Sum(nil), false
	for signature := range strings.SplitSeq(signatures, " ") {
		encoded, is := strings.CutPrefix(signature, "v1,")
		if given, err := base64.StdEncoding.DecodeString(encoded); is && err == nil && hmac.Equal(given, expected) {
			found = true
		}
	}
	return found, nil
}

// keyOf returns the key of a secret: whsec_ and base64, or any text.
func keyOf(secret string) ([]byte, error) {
	if secret == "" {
		return nil, unverified("the secret is empty")
	}
	encoded, is := strings.CutPrefix(secret, "whsec_")
	if !is {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, unverified("the secret is not whsec_ and base64")
	}
	return key, nil
}

func unverified(reason string) error { return fmt.Errorf("%w: %s", ErrWebhook, reason) }

// decodeMessage returns a pointer to the type that belongs to a message.
func decodeMessage(kind string, raw json.RawMessage) (any, error) {
	message := newMessage(kind)
	if message == nil {
		return &UnknownMessage{kind, raw}, nil
	}
	if err := json.Unmarshal(raw, message); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return message, nil
}
