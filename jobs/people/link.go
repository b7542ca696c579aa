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

// NewLink returns the token of a new link that the person or the operator alone will see. Only a hash of it is kept.
func NewLink(ctx context.Context, tx pgx.Tx, accountID, personID uuid.UUID, purpose string) (string, error) {
	return newLink(ctx, tx, accountID, personID, purpose, false)
}

// NewInvitation returns the token of a new link to join an account. shown: whoever invites sees it.
func NewInvitation(ctx context.Context, tx pgx.Tx, accountID, personID uuid.UUID, shown bool) (string, error) {
	return newLink(ctx, tx, accountID, personID, PurposeInvite, shown)
}

func newLink(ctx context.Context, tx pgx.Tx, accountID, personID uuid.UUID, purpose string, shown bool) (string, error) {
	token := rand.Text()
	err := dbsqlc.New().LoginLinkInsert(ctx, tx, &dbsqlc.LoginLinkInsertParams{
		Hash: HashToken(token), AccountID: accountID, PersonID: personID, Purpose: purpose, Shown: shown,
		Seconds: lifetimes[purpose].Seconds(),
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

// NewOwnerLink returns the token of a link with which an account's owner comes in: the person with its address, who becomes a
// member. A password that somebody else may have chosen for the address ends first: it would open this account too.
func NewOwnerLink(ctx context.Context, tx pgx.Tx, account *dbsqlc.Account, purpose string) (string, error) {
	queries := dbsqlc.New()
	person, err := queries.PersonEnsure(ctx, tx, &dbsqlc.PersonEnsureParams{ID: uuid.Must(uuid.NewV7()), Email: account.Email,
		Locale: "en"})
	if err != nil {
		return "", fmt.Errorf("make person: %w", err)
	}
	if err := forgetUnproven(ctx, tx, person.ID); err != nil {
		return "", err
	}
	_, err = queries.MembershipEnsure(ctx, tx, &dbsqlc.MembershipEnsureParams{AccountID: account.ID, PersonID: person.ID,
		Role: "owner", JoinedAt: new(time.Now())})
	if err != nil {
		return "", fmt.Errorf("make owner: %w", err)
	}
	return NewLink(ctx, tx, account.ID, person.ID, purpose)
}

// forgetUnproven ends a password that was chosen over a link which somebody else saw, with the sessions and links that came of
// it. Whoever calls holds the person's row.
func forgetUnproven(ctx context.Context, tx pgx.Tx, personID uuid.UUID) error {
	forgotten, err := dbsqlc.New().PersonForgetUnproven(ctx, tx, &dbsqlc.PersonForgetUnprovenParams{ID: personID})
	if err != nil {
		return fmt.Errorf("forget password: %w", err)
	}
	if forgotten == 0 {
		return nil
	}
	return EndAccess(ctx, tx, personID, uuid.Nil)
}

// EndAccess ends the sessions of a person, but for one, and the links that let the person in without the password.
func EndAccess(ctx context.Context, tx pgx.Tx, personID, keep uuid.UUID) error {
	queries := dbsqlc.New()
	if err := queries.SessionRevokeOthers(ctx, tx, &dbsqlc.SessionRevokeOthersParams{PersonID: &personID, Keep: keep}); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	purposes := []string{PurposeSetup, PurposeSignIn, PurposeReset}
	if err := queries.LoginLinkEnd(ctx, tx, &dbsqlc.LoginLinkEndParams{PersonID: personID, Purposes: purposes}); err != nil {
		return fmt.Errorf("end links: %w", err)
	}
	return nil
}

// ErrNobody is the error for an address that neither a person nor an account has.
var ErrNobody = errors.New("nobody has this address")

// NewLinkFor returns the token of a link for the person with an address, or for the owner of the account with it, and the account
// that it leads to.
func NewLinkFor(ctx context.Context, tx pgx.Tx, email string) (token string, accountID uuid.UUID, err error) {
	queries, purpose := dbsqlc.New(), PurposeSetup
	person, err := queries.PersonGetByEmail(ctx, tx, &dbsqlc.PersonGetByEmailParams{Email: email})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", uuid.Nil, fmt.Errorf("find person: %w", err)
	}
	if err == nil {
		if person.PasswordHash != nil {
			purpose = PurposeReset
		}
		accounts, err := queries.MembershipListOfPerson(ctx, tx, &dbsqlc.MembershipListOfPersonParams{PersonID: person.ID})
		if err != nil {
			return "", uuid.Nil, fmt.Errorf("find accounts: %w", err)
		}
		if len(accounts) > 0 {
			token, err := NewLink(ctx, tx, accounts[0].ID, person.ID, purpose)
			return token, accounts[0].ID, err
		}
	}
	account, err := queries.AccountGetByEmail(ctx, tx, &dbsqlc.AccountGetByEmailParams{Email: email})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", uuid.Nil, ErrNobody
	}
	if err != nil {
		return "", uuid.Nil, fmt.Errorf("find account: %w", err)
	}
	token, err = NewOwnerLink(ctx, tx, account, purpose)
	return token, account.ID, err
}
