// Package people is how people come in: their passwords, the links that sign them in once, and the mail that brings those. It
// knows people and their memberships; what a role may do is the API's affair.
package people

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

const (
	// LeastPassword is how many characters a password has at least.
	LeastPassword = 10
	// MostPassword is how many bytes it has at most.
	MostPassword = 256

	hashesAtOnce = 2

	decoration = "0123456789!?.-_" // what makes a name long enough
)

// cost is what OWASP recommends of argon2id: 19 MiB and two passes.
var cost = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// nobodys is the hash that is compared where there is nobody, so that the time of a refusal does not tell whether there is.
var nobodys = sync.OnceValues(func() (string, error) { return argon2id.CreateHash("", cost) })

//go:embed common_passwords.txt
var commonPasswords string

// Passwords hashes and compares passwords, two at once: each takes 19 MiB and a core.
type Passwords struct{ slots chan struct{} }

// NewPasswords returns the Passwords of a process.
func NewPasswords() *Passwords { return &Passwords{make(chan struct{}, hashesAtOnce)} }

// Hash returns what is stored of a password.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := p.enter(ctx); err != nil {
		return "", err
	}
	defer p.leave()
	return argon2id.CreateHash(password, cost)
}

// Matches reports whether a password is the one of a hash. With a nil hash it takes as long, and the answer is no.
func (p *Passwords) Matches(ctx context.Context, password string, hash *string) (bool, error) {
	if err := p.enter(ctx); err != nil {
		return false, err
	}
	defer p.leave()
	if hash == nil {
		none, err := nobodys()
		if err == nil {
			_, err = argon2id.ComparePasswordAndHash(password, none)
		}
		return false, err
	}
	same, err := argon2id.ComparePasswordAndHash(password, *hash)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return same, nil
}

func (p *Passwords) enter(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Passwords) leave() { <-p.slots }

// CheckPassword returns what is wrong with a new password of a person; empty: nothing.
func CheckPassword(password, email string) string {
	lower := strings.ToLower(password)
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	switch {
	case utf8.RuneCountInString(password) < LeastPassword:
		return fmt.Sprintf("has fewer than %d characters", LeastPassword)
	case len(password) > MostPassword:
		return fmt.Sprintf("has more than %d bytes", MostPassword)
	case strings.EqualFold(password, email), strings.Trim(lower, decoration) == strings.Trim(local, decoration),
		len(strings.Trim(lower, lower[:1])) == 0, isCommon(lower):
		return "is one of those that are tried first"
	}
	return ""
}

func isCommon(lower string) bool {
	for line := range strings.Lines(commonPasswords) {
		if strings.TrimSpace(line) == lower {
			return true
		}
	}
	return false
}
