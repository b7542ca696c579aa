package api

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	attemptWindow = 15 * time.Minute
	maxPasswords  = 10 // for an address from a network
	maxMails      = 3  // of a kind to an address
)

// passwordAttempt returns what wrong passwords for an address are counted under: whoever guesses from elsewhere keeps nobody out.
func passwordAttempt(ctx context.Context, email string) []byte {
	return attemptKey("password", email, middleware.OriginOf(ctx).Network().String())
}

func attemptKey(kind, email, network string) []byte {
	hash := sha256.Sum256([]byte(kind + "\x00" + strings.ToLower(strings.TrimSpace(email)) + "\x00" + network))
	return hash[:]
}

// countAttempt counts an attempt before it is made, whichever process makes it, and returns for how many seconds there may be no
// more; 0: this one may be made.
func (a *API) countAttempt(ctx context.Context, key []byte, most int32) (int, error) {
	row, err := dbsqlc.New().SignInAttemptCount(ctx, a.DB,
		&dbsqlc.SignInAttemptCountParams{Key: key, Seconds: attemptWindow.Seconds()})
	if err != nil {
		return 0, fmt.Errorf("count attempt: %w", err)
	}
	if row.Tries <= most {
		return 0, nil
	}
	return max(1, int(row.Wait)), nil
}

// countPassword refuses one password too many.
func (a *API) countPassword(ctx context.Context, key []byte) error {
	wait, err := a.countAttempt(ctx, key, maxPasswords)
	if err != nil || wait == 0 {
		return err
	}
	return apierror.New(http.StatusTooManyRequests, "too_many_passwords",
		"Too many passwords were tried for this address. Try again later.").
		WithHeader("Retry-After", strconv.Itoa(wait))
}

// addressOf returns where a request comes from, nil where nobody knows.
func addressOf(origin *middleware.Origin) *netip.Addr {
	if !origin.Address.IsValid() {
		return nil
	}
	return &origin.Address
}
