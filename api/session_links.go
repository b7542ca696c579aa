package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/people"
)

// What a link asks for before it signs somebody in.
const (
	linkAsksNothing  = "none"
	linkAsksNew      = "new"
	linkAsksPassword = "current"
)

// Link is what a link is for, before it is used.
type Link struct {
	Purpose  string     `json:"purpose" enum:"setup,sign-in,reset,invite"`
	Email    string     `json:"email" example:"jan@example.com"`
	Account  AccountRef `json:"account"`
	Password string     `json:"password" enum:"none,new,current" doc:"The password that using the link takes: none, a new one, or the one that the person has. Whoever has joined another account and has no password yet asks for one first (POST /v1/session/reset)."`
}

type linkCheckInput struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"100" example:"NVXGKZLLMVSGC3LPNZTQ6YTBON"`
	}
}

type linkUseInput struct {
	Body struct {
		Token    string  `json:"token" minLength:"1" maxLength:"100" example:"NVXGKZLLMVSGC3LPNZTQ6YTBON"`
		Password string  `json:"password,omitempty" maxLength:"256" doc:"A new password, or for an invitation of somebody who has one, that one." example:"correct horse battery"`
		Name     *string `json:"name,omitempty" maxLength:"200" example:"Jan Jansen"`
	}
}

type resetInput struct {
	Body struct {
		Email string `json:"email" minLength:"3" maxLength:"254" example:"jan@example.com"`
	}
}

type passwordInput struct {
	Body struct {
		Current string `json:"current" maxLength:"256" example:"correct horse battery"`
		New     string `json:"new" maxLength:"256" doc:"At least 10 characters, and none of those that are tried first." example:"staple battery horse"`
	}
}

type linkOutput struct{ Body Link }

func (a *API) registerSessionLinks(to huma.API) {
	handle(a, to, open("/v1/session/link", "use-link", "Sign in by a link",
		"Uses a link that was printed or mailed, once, and sets the cookie of a new session. A new password ends all other sessions of the person. 404 when the link was used or is too old; "+
			"an invitation of somebody who has a password takes that one: 401 `unauthorized` when it is wrong, 409 `conflict` when it was chosen over a link that somebody else saw.", http.StatusUnauthorized, http.StatusNotFound, http.StatusConflict), a.linkUse)
	handle(a, to, open("/v1/session/link/check", "check-link", "Look at a link",
		"Returns what a link is for, without using it. 404 when it was used or is too old.", http.StatusNotFound), a.linkCheck)
	reset := open("/v1/session/reset", "request-reset", "Ask for a new password",
		"Mails a link to the person, if there is one with this address; the response is the same if not. At most three in 15 minutes.")
	reset.DefaultStatus = http.StatusNoContent
	handle(a, to, reset, a.resetRequest)
	change := signedIn(http.MethodPut, "/v1/session/password", "change-password", "Change your password",
		"Ends all other sessions of the person. 403 `wrong_password` when the current one is wrong; 429 `too_many_passwords` after ten within 15 minutes.", http.StatusForbidden, http.StatusConflict)
	change.DefaultStatus = http.StatusNoContent
	handle(a, to, change, a.passwordChange)
}

func (a *API) linkCheck(ctx context.Context, in *linkCheckInput) (*linkOutput, error) {
	row, err := dbsqlc.New().LoginLinkGet(ctx, a.DB, &dbsqlc.LoginLinkGetParams{Hash: people.HashToken(in.Body.Token)})
	if err != nil {
		return nil, apierror.FromDB("link", err)
	}
	return &linkOutput{Body: Link{
		Purpose: row.LoginLink.Purpose, Email: row.Email, Account: AccountRef{ID: row.LoginLink.AccountID, Name: row.AccountName},
		Password: asksOf(row),
	}}, nil
}

// asksOf returns what a link asks for. An invitation signs nobody in who has a password without that. One that whoever invites
// sees chooses no password for somebody who has an account elsewhere: it would open that account too.
func asksOf(link *dbsqlc.LoginLinkGetRow) string {
	purpose, hasPassword := link.LoginLink.Purpose, link.PasswordHash != nil && !link.PasswordUnproven
	switch {
	case purpose == people.PurposeInvite && (hasPassword || link.Elsewhere && link.LoginLink.Shown):
		return linkAsksPassword
	case purpose == people.PurposeReset, purpose != people.PurposeSignIn && !hasPassword:
		return linkAsksNew
	}
	return linkAsksNothing
}

func (a *API) linkUse(ctx context.Context, in *linkUseInput) (*signedInOutput, error) {
	row, err := dbsqlc.New().LoginLinkGet(ctx, a.DB, &dbsqlc.LoginLinkGetParams{Hash: people.HashToken(in.Body.Token)})
	if err != nil {
		return nil, apierror.FromDB("link", err)
	}
	hash, err := a.linkPassword(ctx, row, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return db.WithTx(ctx, a.DB, func(tx pgx.Tx) (*signedInOutput, error) {
		queries := dbsqlc.New()
		if err := stillAsks(ctx, tx, row); err != nil {
			return nil, err
		}
		link, err := queries.LoginLinkUse(ctx, tx, &dbsqlc.LoginLinkUseParams{Hash: row.LoginLink.Hash})
		if err != nil {
			return nil, apierror.FromDB("link", err)
		}
		if err := queries.MembershipJoin(ctx, tx, &dbsqlc.MembershipJoinParams{AccountID: link.AccountID,
			PersonID: link.PersonID}); err != nil {
			return nil, fmt.Errorf("join account: %w", err)
		}
		if hash != nil {
			unproven := link.Purpose == people.PurposeInvite && link.Shown
			if err := replacePassword(ctx, tx, link.PersonID, row.PasswordHash, *hash, &unproven, uuid.Nil); err != nil {
				return nil, err
			}
		}
		person, err := queries.PersonUpdate(ctx, tx, &dbsqlc.PersonUpdateParams{ID: link.PersonID, Name: trimmed(in.Body.Name)})
		if err != nil {
			return nil, apierror.FromDB("person", err)
		}
		return a.startSession(ctx, tx, link.AccountID, person)
	})
}

// stillAsks locks the person of a link and reports that what it was checked with has changed: the person has another password, or
// joined an account elsewhere.
func stillAsks(ctx context.Context, tx pgx.Tx, row *dbsqlc.LoginLinkGetRow) error {
	queries := dbsqlc.New()
	person, err := queries.PersonLock(ctx, tx, &dbsqlc.PersonLockParams{ID: row.LoginLink.PersonID})
	if err != nil {
		return apierror.FromDB("link", err)
	}
	now, err := queries.LoginLinkGet(ctx, tx, &dbsqlc.LoginLinkGetParams{Hash: row.LoginLink.Hash})
	if err != nil {
		return apierror.FromDB("link", err)
	}
	if asksOf(now) != asksOf(row) || !samePassword(person.PasswordHash, row.PasswordHash) {
		return apierror.Conflict("The password was changed meanwhile, or another account joined. Open the link again.")
	}
	return nil
}

func samePassword(one, other *string) bool {
	return (one == nil) == (other == nil) && (one == nil || *one == *other)
}

// linkPassword returns the hash of the new password of somebody who uses a link, nil where there is none, or why the password is
// refused.
func (a *API) linkPassword(ctx context.Context, row *dbsqlc.LoginLinkGetRow, password string) (*string, error) {
	switch asksOf(row) {
	case linkAsksNew:
		return a.newPassword(ctx, "password", password, row.Email)
	case linkAsksPassword:
		if err := a.countPassword(ctx, passwordAttempt(ctx, row.Email)); err != nil {
			return nil, err
		}
		if _, err := a.personWithPassword(ctx, row.Email, password); err != nil {
			return nil, err
		}
		if row.PasswordUnproven {
			return nil, apierror.Conflict("Your password was chosen over a link that others could see, so it opens no other account. " +
				"Ask for a new password by mail, or whoever runs this server for a link (callwright account link); then open this link again.")
		}
		return nil, nil
	}
	return nil, nil
}

// newPassword returns the hash of a password that is good enough.
func (a *API) newPassword(ctx context.Context, field, password, email string) (*string, error) {
	if wrong := people.CheckPassword(password, email); wrong != "" {
		return nil, apierror.Invalid().With(field, wrong)
	}
	hash, err := a.passwords.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	return &hash, nil
}

// replacePassword gives a person another password in place of the one that the request was checked with, and ends the person's
// sessions, but for one, and links. unproven: somebody else may have chosen it; nil: if that holds for the one before.
func replacePassword(ctx context.Context, tx pgx.Tx, personID uuid.UUID, before *string, hash string, unproven *bool,
	keep uuid.UUID) error {
	_, err := dbsqlc.New().PersonSetPassword(ctx, tx, &dbsqlc.PersonSetPasswordParams{ID: personID, PasswordHash: &hash,
		Unproven: unproven, Before: before})
	if errors.Is(err, pgx.ErrNoRows) {
		return apierror.Conflict("The password was changed meanwhile.")
	}
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	if err := people.EndAccess(ctx, tx, personID, keep); err != nil {
		return err
	}
	return calls.CheckListeners(ctx, tx)
}

// resetTime is how long a reset takes, whether there is somebody to mail or not: a mail that is written takes longer than none.
const resetTime = 300 * time.Millisecond

func (a *API) resetRequest(ctx context.Context, in *resetInput) (*struct{}, error) {
	answer := time.NewTimer(resetTime)
	defer func() {
		select {
		case <-answer.C:
		case <-ctx.Done():
		}
	}()
	wait, err := a.countAttempt(ctx, attemptKey("reset", in.Body.Email, ""), maxMails)
	if err != nil || wait > 0 {
		return nil, err
	}
	return nil, db.InTx(ctx, a.DB, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		person, err := queries.PersonGetByEmail(ctx, tx, &dbsqlc.PersonGetByEmailParams{Email: in.Body.Email})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find person: %w", err)
		}
		accounts, err := queries.MembershipListOfPerson(ctx, tx, &dbsqlc.MembershipListOfPersonParams{PersonID: person.ID})
		if err != nil || len(accounts) == 0 {
			return err
		}
		return a.mailLink(ctx, tx, accounts[0].ID, accounts[0].Name, person, people.PurposeReset)
	})
}

// mailLink makes a link and mails it, and writes that into the audit.
func (a *API) mailLink(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, account string, person *dbsqlc.Person,
	purpose string) error {
	token, err := people.NewLink(ctx, tx, accountID, person.ID, purpose)
	if err != nil {
		return err
	}
	mail := people.LinkMail{
		AccountID: accountID, Account: account, Email: person.Email, Locale: person.Locale, Purpose: purpose, Token: token,
		PublicURL: a.PublicURL,
	}
	if err := mail.Send(ctx, tx, a.Jobs); err != nil {
		return err
	}
	origin := middleware.OriginOf(ctx)
	return middleware.Audit(ctx, tx, middleware.AuditEntry{AccountID: accountID, PersonID: person.ID, Operation: origin.Operation,
		Origin: origin})
}

func (a *API) passwordChange(ctx context.Context, in *passwordInput) (*struct{}, error) {
	who := middleware.CallerOf(ctx)
	person, err := dbsqlc.New().PersonGet(ctx, a.DB, &dbsqlc.PersonGetParams{ID: *who.PersonID})
	if err != nil {
		return nil, apierror.FromDB("person", err)
	}
	attempt := passwordAttempt(ctx, person.Email)
	if err := a.countPassword(ctx, attempt); err != nil {
		return nil, err
	}
	same, err := a.passwords.Matches(ctx, in.Body.Current, person.PasswordHash)
	if err != nil {
		return nil, err
	}
	if !same {
		if err := a.auditFailure(ctx, person.ID); err != nil {
			return nil, err
		}
		return nil, apierror.New(http.StatusForbidden, "wrong_password", "The current password is wrong.").With("current", "is wrong")
	}
	hash, err := a.newPassword(ctx, "new", in.Body.New, person.Email)
	if err != nil {
		return nil, err
	}
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		if err := dbsqlc.New().SignInAttemptForget(ctx, tx, &dbsqlc.SignInAttemptForgetParams{Key: attempt}); err != nil {
			return fmt.Errorf("forget attempts: %w", err)
		}
		return replacePassword(ctx, tx, person.ID, person.PasswordHash, *hash, nil, who.KeyID)
	})
}
