package middleware

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
)

// The modes of keys.
const (
	KeyModeLive = "live"
	KeyModeTest = "test"
)

const (
	keyRandom   = 32
	keyAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyShown    = 12 // characters that stay readable, to identify the key
)

// Key is a new API key. Its text is shown once; only the hash is stored.
type Key struct {
	Text   string
	Mode   string // live or test
	Prefix string
	Hash   []byte
}

// NewKey returns a new key. Calls of a test key never leave the simulated network.
func NewKey(test bool) Key {
	mode := KeyModeLive
	if test {
		mode = KeyModeTest
	}
	text := "cw_" + mode + "_" + randomText(keyRandom)
	return Key{Text: text, Mode: mode, Prefix: text[:keyShown], Hash: HashKey(text)}
}

// HashKey returns the hash that is stored of a key. It needs no salt and no slow function: a key has 190 random bits.
func HashKey(text string) []byte {
	hash := sha256.Sum256([]byte(text))
	return hash[:]
}

// randomText returns characters of the alphabet with equal probability: bytes beyond its last whole multiple are
// dropped.
func randomText(length int) string {
	const even = 256 - 256%len(keyAlphabet)
	text := make([]byte, 0, length)
	buffer := make([]byte, 2*length)
	for len(text) < length {
		rand.Read(buffer) // never returns an error: it ends the program instead
		for _, b := range buffer {
			if int(b) < even && len(text) < length {
				text = append(text, keyAlphabet[int(b)%len(keyAlphabet)])
			}
		}
	}
	return string(text)
}

// sessionPrefix begins the text of a session, which is no key: it counts in a cookie alone, and a key counts in none.
const sessionPrefix = "cw_session_"

// NewSession returns the text of a new session, which the cookie carries, and the hash that is stored of it.
func NewSession() (text string, hash []byte) {
	text = sessionPrefix + randomText(keyRandom)
	return text, HashKey(text)
}

func looksLikeSession(text string) bool {
	rest, found := strings.CutPrefix(text, sessionPrefix)
	return found && len(rest) == keyRandom && strings.Trim(rest, keyAlphabet) == ""
}

func looksLikeKey(text string) bool {
	rest, found := strings.CutPrefix(text, "cw_"+KeyModeLive+"_")
	if !found {
		rest, found = strings.CutPrefix(text, "cw_"+KeyModeTest+"_")
	}
	return found && len(rest) == keyRandom && strings.Trim(rest, keyAlphabet) == ""
}
