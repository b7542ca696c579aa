// Package seal encrypts short strings at rest: a value that somebody finds in a backup of the database is of no use
// without the keys, which are never in the database. It knows AES-256-GCM and nothing of what the strings mean, where
// they are stored or where the keys come from.
//
// A sealed value is text: "v1." + the key's id + "." + base64url(nonce, ciphertext, tag).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

const (
	version = "v1"
	keySize = 32 // bytes, for AES-256
)

var (
	// ErrUnknownKey means that the value was sealed with a key that is not among ours.
	ErrUnknownKey = errors.New("sealed with a key that is not configured")
	// ErrForged means that the value was not sealed by any of our keys for this context, or was changed since.
	ErrForged = errors.New("not sealed by us for this context")
)

// Key is one of the keys a box opens values with. The id is stored with every value the key seals.
type Key struct {
	ID     string // 1-32 of a-z, A-Z, 0-9, _ and -
	Secret [keySize]byte
}

// Box seals with its first key and opens with all. It is safe for concurrent use.
type Box struct {
	first string
	boxes map[string]cipher.AEAD
}

// New returns a box. To rotate, put a new key in front and keep the old ones until every value is sealed anew.
func New(keys ...Key) (*Box, error) {
	if len(keys) == 0 {
		return nil, errors.New("seal: no keys")
	}
	box := &Box{first: keys[0].ID, boxes: make(map[string]cipher.AEAD, len(keys))}
	for _, key := range keys {
		if !validID(key.ID) {
			return nil, fmt.Errorf("seal: key id %q is not 1-32 letters, digits, _ or -", key.ID)
		}
		if _, taken := box.boxes[key.ID]; taken {
			return nil, fmt.Errorf("seal: two keys have the id %q", key.ID)
		}
		block, err := aes.NewCipher(key.Secret[:])
		if err != nil {
			return nil, fmt.Errorf("seal: use key %s: %w", key.ID, err)
		}
		// The nonce is random: 2^32 values may be sealed with one key before a repetition becomes thinkable.
		if box.boxes[key.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("seal: use key %s: %w", key.ID, err)
		}
	}
	return box, nil
}

// Seal encrypts plaintext. The context says whose value it is, such as "webhook_endpoint.secret:<id>"; it is not
// stored, and a value copied to where another context is expected does not open.
func (b *Box) Seal(plaintext, context string) string {
	sealed := b.boxes[b.first].Seal(nil, nil, []byte(plaintext), boundTo(b.first, context))
	return Prefix(b.first) + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open decrypts what Seal returned for the same context. It fails with ErrUnknownKey or ErrForged.
func (b *Box) Open(sealed, context string) (string, error) {
	id, body, err := split(sealed)
	if err != nil {
		return "", err
	}
	box, ok := b.boxes[id]
	if !ok {
		return "", fmt.Errorf("open sealed value: key %q: %w", id, ErrUnknownKey)
	}
	plaintext, err := box.Open(nil, nil, body, boundTo(id, context))
	if err != nil {
		return "", fmt.Errorf("open sealed value: %w", ErrForged)
	}
	return string(plaintext), nil
}

// KeyID is the id of the key that the box seals with.
func (b *Box) KeyID() string { return b.first }

// Prefix is how all values begin that are sealed with a key.
func Prefix(keyID string) string { return version + "." + keyID + "." }

// boundTo is authenticated with the ciphertext. The key id holds no colon, so no two pairs give the same bytes.
func boundTo(id, context string) []byte { return []byte(version + ":" + id + ":" + context) }

func split(sealed string) (id string, body []byte, err error) {
	found, rest, _ := strings.Cut(sealed, ".")
	id, text, ok := strings.Cut(rest, ".")
	if !ok || found != version {
		return "", nil, fmt.Errorf("read sealed value: %w", ErrForged)
	}
	// Strict: the unused bits at the end of base64 are not authenticated and must not make a second spelling.
	body, err = base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return "", nil, fmt.Errorf("read sealed value: %w", ErrForged)
	}
	return id, body, nil
}

// NewKeyID returns a random id, so that no two keys ever have the same by chance.
func NewKeyID() string { return strings.ToLower(rand.Text()[:12]) }

// GenerateKey returns a new random key. It cannot fail: the program ends when the system has no randomness.
func GenerateKey(id string) Key {
	key := Key{ID: id}
	_, _ = rand.Read(key.Secret[:]) // never returns an error
	return key
}

// ParseKeys reads "id:base64,id:base64", each secret 32 bytes in standard base64. Its errors never contain a secret.
func ParseKeys(text string) ([]Key, error) {
	var keys []Key
	for number, entry := range strings.Split(text, ",") {
		id, secret, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok || !validID(id) {
			return nil, fmt.Errorf("parse keys: key %d is not of the form id:base64", number+1)
		}
		decoded, err := base64.StdEncoding.DecodeString(secret)
		if err != nil || len(decoded) != keySize {
			return nil, fmt.Errorf("parse keys: the secret of key %q is not %d bytes in base64", id, keySize)
		}
		keys = append(keys, Key{ID: id, Secret: [keySize]byte(decoded)})
	}
	return keys, nil
}

// Format is the text that ParseKeys reads. It contains the secret.
func (k Key) Format() string { return k.ID + ":" + base64.StdEncoding.EncodeToString(k.Secret[:]) }

// String keeps the secret out of logs.
func (k Key) String() string { return "seal key " + k.ID }

// GoString keeps the secret out of logs that use %#v.
func (k Key) GoString() string { return k.String() }

func validID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return id != "" && len(id) <= 32 && strings.Trim(id, allowed) == ""
}
