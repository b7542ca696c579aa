package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// What a link is for.
const (
	PurposeSetup  = "setup"   // the first password
	PurposeSignIn = "sign-in" // no password at all: the operator gave the link
	PurposeReset  = "reset"   // another password
	PurposeInvite = "invite"  // to join an account
)

// lifetimes are for how long links work.
var lifetimes = map[string]time.Duration{
	PurposeSetup: 24 * time.Hour, PurposeSignIn: time.Hour, PurposeReset: time.Hour, PurposeInvite: 7 * 24 * time.Hour,
}

// NewLink returns the token of a new link, of which only a hash is kept.
func NewLink(ctx context.Context, tx pgx.Tx, accountID, personID uuid.UUID, purpose string) (string, error) {
	token := rand.Text()
	err := dbsqlc.New().LoginLinkInsert(ctx, tx, &dbsqlc.LoginLinkInsertParams{
		Hash: HashToken(token), AccountID: accountID, PersonID: personID, Purpose: purpose, Seconds: lifetimes[purpose].Seconds(),
	})
	if err != nil {
		return "", fmt.Errorf("insert link: %w", err)
	}
	return token, nil
}

// HashToken returns what is kept of a token. It needs no slow function: a token has 130 random bits.
func HashToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

// URL returns a link as people open it. The token stands in the fragment, which browsers send to no server.
func URL(publicURL, token string) string { return publicURL + "/app/#/setup/" + token }

// NewOwnerLink returns the token of a link with which an account's owner comes in: the person with its address, who becomes a member.
func NewOwnerLink(ctx context.Context, tx pgx.Tx, account *dbsqlc.Account, purpose string) (string, error) {
	queries := dbsqlc.New()
	person, err := queries.PersonEnsure(ctx, tx, &dbsqlc.PersonEnsureParams{ID: uuid.Must(uuid.NewV7()), Email: account.Email, Locale: "en"})
	if err != nil {
		return "", fmt.Errorf("make person: %w", err)
	}
	_, err = queries.MembershipEnsure(ctx, tx, &dbsqlc.MembershipEnsureParams{AccountID: account.ID, PersonID: person.ID, Role: "owner", JoinedAt: new(time.Now())})
	if err != nil {
		return "", fmt.Errorf("make owner: %w", err)
	}
	return NewLink(ctx, tx, account.ID, person.ID, purpose)
}

// ErrNobody is the error for an address that neither a person nor an account has.
var ErrNobody = errors.New("nobody has this address")

// NewLinkFor returns the token of a link for the person with an address, or for the owner of the account with it.
func NewLinkFor(ctx context.Context, tx pgx.Tx, email string) (string, error) {
	queries := dbsqlc.New()
	person, err := queries.PersonGetByEmail(ctx, tx, &dbsqlc.PersonGetByEmailParams{Email: email})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("find person: %w", err)
	}
	if err == nil {
		purpose := PurposeSetup
		if person.PasswordHash != nil {
			purpose = PurposeReset
		}
		accounts, err := queries.MembershipListOfPerson(ctx, tx, &dbsqlc.MembershipListOfPersonParams{PersonID: person.ID})
		if err != nil {
			return "", fmt.Errorf("find accounts: %w", err)
		}
		if len(accounts) > 0 {
			return NewLink(ctx, tx, accounts[0].ID, person.ID, purpose)
		}
	}
	account, err := queries.AccountGetByEmail(ctx, tx, &dbsqlc.AccountGetByEmailParams{Email: email})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrNobody
	}
	if err != nil {
		return "", fmt.Errorf("find account: %w", err)
	}
	return NewOwnerLink(ctx, tx, account, PurposeSetup)
}
