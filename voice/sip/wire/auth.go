package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
)

// maxChallenges bounds how often one request is sent anew with better credentials: a proxy, a server and one stale nonce.
const maxChallenges = 3

var errNoDigest = errors.New("the challenge has no digest scheme we know")

// Credentials are those of a SIP account; empty ones answer no challenge.
type Credentials struct {
	Username, Password string
}

// Authorization answers the challenges that one request meets on its way (RFC 3261 section 22).
type Authorization struct {
	Credentials
	answered map[string]string // realm -> nonce
	headers  map[string]string // Authorization and Proxy-Authorization for the next try
	tries    int
}

func isChallenge(res *siplib.Response) bool {
	return res.StatusCode == siplib.StatusUnauthorized || res.StatusCode == siplib.StatusProxyAuthRequired
}

// Answer prepares the headers for another try of req. It returns false when another try would not help.
func (a *Authorization) Answer(req *siplib.Request, res *siplib.Response) (bool, error) {
	if !isChallenge(res) || a.Username == "" || a.tries >= maxChallenges {
		return false, nil
	}
	a.tries++
	challenge, err := findChallenge(res)
	if err != nil {
		return false, err
	}
	nonce, again := a.answered[challenge.Realm]
	if again && (!challenge.Stale || nonce == challenge.Nonce) {
		return false, nil // the password is wrong
	}
	answer, err := digest.Digest(challenge, digest.Options{
		Method: string(req.Method), URI: req.Recipient.String(), Count: 1,
		Username: a.Username, Password: a.Password,
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(req.Body())), nil },
	})
	if err != nil {
		return false, fmt.Errorf("answer sip challenge: %w", err)
	}
	if a.answered == nil {
		a.answered, a.headers = map[string]string{}, map[string]string{}
	}
	a.answered[challenge.Realm] = challenge.Nonce
	_, answerHeader := challengeHeaders(res)
	a.headers[answerHeader] = answer.String()
	return true, nil
}

// Apply puts the answers into the next try.
func (a *Authorization) Apply(req *siplib.Request) {
	for name, value := range a.headers {
		req.AppendHeader(siplib.NewHeader(name, value))
	}
}

func challengeHeaders(res *siplib.Response) (asks, answers string) {
	if res.StatusCode == siplib.StatusProxyAuthRequired {
		return "Proxy-Authenticate", "Proxy-Authorization"
	}
	return "WWW-Authenticate", "Authorization"
}

// findChallenge picks the first challenge with an algorithm we have; servers list several, best first (RFC 8760).
func findChallenge(res *siplib.Response) (*digest.Challenge, error) {
	name, _ := challengeHeaders(res)
	for _, header := range res.GetHeaders(name) {
		challenge, err := digest.ParseChallenge(header.Value())
		if err != nil {
			continue
		}
		for i, qop := range challenge.QOP {
			challenge.QOP[i] = strings.TrimSpace(qop)
		}
		if digest.CanDigest(challenge) {
			return challenge, nil
		}
	}
	return nil, fmt.Errorf("read %d answer: %w", res.StatusCode, errNoDigest)
}
