package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

const (
	defaultExpiry    = 10 * time.Minute
	defaultKeepAlive = 25 * time.Second // shorter than NATs forget a UDP flow
	firstRetry       = time.Second
	refusedRetry     = time.Minute // at least, where trying sooner would only lock the account
	longestRetry     = time.Hour   // also what we let a registrar's Retry-After ask for
	maxExpiry        = 24 * time.Hour
)

// Registration is an account at a registrar, through which calls reach us.
type Registration struct {
	Registrar    string        // host:port that REGISTER is sent to; without a port the one usual for the transport
	Transport    Transport     // empty: UDP
	Domain       string        // host part of the account's address; empty: the host of Registrar
	Username     string        // user part of the account's address
	AuthUsername string        // user in digest answers; empty: Username
	Password     string        // answer to digest challenges
	Token        string        // user part of our Contact, which calls through this account name; empty: a random one
	Expiry       time.Duration // how long to ask for; zero: 10 min
	KeepAlive    time.Duration // pause between keep-alives; zero: 25 s, negative: none
	Probe        bool          // keep alive with OPTIONS instead of empty lines, and register anew when it is not answered

	Pause        time.Duration             // after the failure before this registration, if it follows one
	LongestPause time.Duration             // between tries; zero: an hour
	Admit        func(ctx context.Context) // returns when a try may begin, or ctx ends; nil: at once

	Status func(RegistrationStatus) // called with each change, one at a time; must not block
}

// RegistrationState is what a registration is doing.
type RegistrationState string

// The states of a registration.
const (
	Registering  RegistrationState = "registering"
	Registered   RegistrationState = "registered"   // until Until, and refreshed before that
	Failed       RegistrationState = "failed"       // and tried again after RetryIn
	Unregistered RegistrationState = "unregistered" // for good
)

// RegistrationStatus is how a registration stands.
type RegistrationStatus struct {
	State   RegistrationState
	Until   time.Time      // Registered: when it lapses unless refreshed
	Public  netip.AddrPort // Registered: the address we told the registrar, learned from it if we are behind a NAT
	Code    int            // Failed: the registrar's answer; 408 for silence, 503 for a broken transport
	Reason  string         // Failed: the text of the answer
	Err     error          // Failed, Unregistered: what went wrong, if anything
	RetryIn time.Duration  // Failed
}

// complete checks the settings and fills in what was left open.
func (r *Registration) complete() error {
	if r.Registrar == "" || r.Username == "" {
		return errors.New("registrar and user name are required")
	}
	for _, field := range []string{r.Registrar, r.Domain, r.Username, r.Token} {
		if strings.ContainsFunc(field, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune("<>@\";?", c) }) {
			return fmt.Errorf("%q holds characters that no address has", field)
		}
	}
	if err := r.Transport.Check(); err != nil {
		return err
	}
	r.Transport = r.Transport.OrUDP()
	if r.Domain == "" {
		r.Domain = wire.HostOf(r.Registrar)
	}
	r.Registrar = wire.WithPort(r.Registrar, r.Transport)
	if r.AuthUsername == "" {
		r.AuthUsername = r.Username
	}
	if r.Token == "" {
		r.Token = siplib.GenerateTagN(24)
	}
	if r.Expiry <= 0 {
		r.Expiry = defaultExpiry
	}
	r.KeepAlive = orDefault(r.KeepAlive, defaultKeepAlive)
	if r.LongestPause <= 0 {
		r.LongestPause = longestRetry
	}
	return nil
}
