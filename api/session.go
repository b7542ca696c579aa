package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

// Session is who is signed in, and to which account.
type Session struct {
	Person    Person         `json:"person"`
	Account   AccountRef     `json:"account" doc:"The account that requests are about."`
	Role      string         `json:"role" enum:"owner,admin,developer,viewer" doc:"What the person may do in it."`
	Accounts  []AccountOfOne `json:"accounts" nullable:"false" doc:"The accounts of which the person is a member."`
	ExpiresAt time.Time      `json:"expires_at" doc:"When the session ends if no request is made: 12 hours from now, or 30 days after signing in if that is sooner."`
}

// Person is somebody who signs in.
type Person struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name" example:"Jan Jansen"`
	Email    string    `json:"email" example:"jan@example.com"`
	Locale   string    `json:"locale" enum:"en,nl" doc:"The language of the dashboard and of mail."`
	TimeZone string    `json:"time_zone" doc:"Whose clock times are shown by (IANA)." example:"Europe/Amsterdam"`
}

// AccountRef names an account.
type AccountRef struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name" example:"Linden Dental"`
}

// AccountOfOne is an account of which a person is a member.
type AccountOfOne struct {
	AccountRef
	Role string `json:"role" enum:"owner,admin,developer,viewer"`
}

type signInInput struct {
	Body struct {
		Email     string     `json:"email" minLength:"3" maxLength:"254" example:"jan@example.com"`
		Password  string     `json:"password" maxLength:"256" example:"correct horse battery"`
		AccountID *uuid.UUID `json:"account_id,omitempty" format:"uuid" doc:"The account to work in; default the one that was joined first."`
	}
}

type sessionPatchInput struct {
	Body struct {
		Name     *string `json:"name,omitempty" maxLength:"200"`
		Locale   *string `json:"locale,omitempty" enum:"en,nl"`
		TimeZone *string `json:"time_zone,omitempty" maxLength:"64" doc:"A name of the IANA time zone database." example:"Europe/Amsterdam"`
	}
}

type sessionAccountInput struct {
	Body struct {
		AccountID uuid.UUID `json:"account_id" format:"uuid"`
	}
}

type sessionOutput struct{ Body Session }

type signedInOutput struct {
	SetCookie string `header:"Set-Cookie" doc:"The session, HttpOnly."`
	Body      Session
}

type signedOutOutput struct {
	SetCookie string `header:"Set-Cookie" doc:"Has the browser forget the session."`
}

// cookieDescription says what sessions may do.
const cookieDescription = "The session of a person who signed in. It counts where no Authorization is given, and never for a page of another origin (403 `cross_origin`). A person has one of four roles " +
	"in an account, each of which contains those before it and which each operation names: `viewer` looks, `developer` makes and changes things and test keys, `admin` manages members and live keys, " +
	"`owner` manages owners. A person without it gets 403 `forbidden`. Sessions are live; `Callwright-Mode: test` lowers a request to what a test key may do."

func (a *API) registerSession(to huma.API) {
	handle(a, to, open("/v1/session", "sign-in", "Sign in",
		"Sets the cookie of a new session, and ends the session that came with the request. 401 `unauthorized` when address and password do not belong together, 404 when the person is no member of the account; "+
			"429 `too_many_passwords` after ten wrong ones for the address from your network within 15 minutes.", http.StatusUnauthorized,
		http.StatusNotFound), a.signIn)
	handle(a, to, signedIn(http.MethodGet, "/v1/session", "get-session", "Get your session", "Who is signed in."), a.sessionGet)
	handle(a, to, signedIn(http.MethodPatch, "/v1/session", "patch-session", "Update yourself",
		"Changes the fields that the body names."), a.sessionPatch)
	out := signedIn(http.MethodDelete, "/v1/session", "sign-out", "Sign out", "Ends the session.")
	out.DefaultStatus = http.StatusNoContent
	handle(a, to, out, a.signOut)
	handle(a, to, signedIn(http.MethodPut, "/v1/session/account", "switch-account", "Switch account",
		"Has the session go on in another account of the person.", http.StatusNotFound), a.sessionAccount)
}

// open returns an operation of somebody who is not signed in yet.
func open(path, id, summary, description string, errors ...int) huma.Operation {
	op := operation(http.MethodPost, path, id, tagSession, summary, description,
		append(errors, http.StatusForbidden, http.StatusTooManyRequests)...)
	op.Security, op.MaxBodyBytes = []map[string][]string{}, maxUnauthenticatedBody
	return op
}

// maxUnauthenticatedBody is the limit of a body that is read before anybody is known, in bytes.
const maxUnauthenticatedBody = 16 << 10

// signedIn returns an operation of somebody who is signed in.
func signedIn(method, path, id, summary, description string, errors ...int) huma.Operation {
	op := operation(method, path, id, tagSession, summary, description, errors...)
	op.Security = []map[string][]string{{middleware.CookieSecurity: {}}}
	return op
}

func (a *API) signIn(ctx context.Context, in *signInInput) (*signedInOutput, error) {
	attempt := passwordAttempt(ctx, in.Body.Email)
	if err := a.countPassword(ctx, attempt); err != nil {
		return nil, err
	}
	person, err := a.personWithPassword(ctx, in.Body.Email, in.Body.Password)
	if err != nil {
		return nil, err
	}
	accounts, err := dbsqlc.New().MembershipListOfPerson(ctx, a.DB, &dbsqlc.MembershipListOfPersonParams{PersonID: person.ID})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	accountID, err := chosenAccount(accounts, in.Body.AccountID)
	if err != nil {
		return nil, err
	}
	return db.WithTx(ctx, a.DB, func(tx pgx.Tx) (*signedInOutput, error) {
		if err := stillHasPassword(ctx, tx, person); err != nil {
			return nil, err
		}
		if err := dbsqlc.New().SignInAttemptForget(ctx, tx, &dbsqlc.SignInAttemptForgetParams{Key: attempt}); err != nil {
			return nil, fmt.Errorf("forget attempts: %w", err)
		}
		return a.startSession(ctx, tx, accountID, person)
	})
}

// personWithPassword returns the person whom an address and a password belong to. Whether there is nobody with the address
// neither the answer tells nor its time.
func (a *API) personWithPassword(ctx context.Context, email, password string) (*dbsqlc.Person, error) {
	person, err := dbsqlc.New().PersonGetByEmail(ctx, a.DB, &dbsqlc.PersonGetByEmailParams{Email: email})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("find person: %w", err)
	}
	if err != nil {
		person = &dbsqlc.Person{}
	}
	same, err := a.passwords.Matches(ctx, password, person.PasswordHash)
	if err != nil {
		return nil, err
	}
	if same {
		return person, nil
	}
	if err := a.auditFailure(ctx, person.ID); err != nil {
		return nil, err
	}
	return nil, wrongPassword()
}

// stillHasPassword locks a person and refuses a password that was replaced while it was looked at.
func stillHasPassword(ctx context.Context, tx pgx.Tx, person *dbsqlc.Person) error {
	now, err := dbsqlc.New().PersonLock(ctx, tx, &dbsqlc.PersonLockParams{ID: person.ID})
	if err != nil {
		return apierror.FromDB("person", err)
	}
	if !samePassword(now.PasswordHash, person.PasswordHash) {
		return wrongPassword()
	}
	return nil
}

func wrongPassword() error {
	return apierror.New(http.StatusUnauthorized, "unauthorized", "The address and the password do not belong together.")
}

// auditFailure writes into the audit of all accounts of a person that a password was wrong. Nobody has none.
func (a *API) auditFailure(ctx context.Context, personID uuid.UUID) error {
	accounts, err := dbsqlc.New().MembershipListOfPerson(ctx, a.DB, &dbsqlc.MembershipListOfPersonParams{PersonID: personID})
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	var entries []middleware.AuditEntry
	for _, account := range accounts {
		entries = append(entries, middleware.AuditEntry{AccountID: account.ID, PersonID: personID, Operation: operationWrongPassword,
			Origin: middleware.OriginOf(ctx)})
	}
	return db.InTx(ctx, a.DB, func(tx pgx.Tx) error { return middleware.Audit(ctx, tx, entries...) })
}

func chosenAccount(accounts []*dbsqlc.MembershipListOfPersonRow, wanted *uuid.UUID) (uuid.UUID, error) {
	for _, account := range accounts {
		if wanted == nil || *wanted == account.ID {
			return account.ID, nil
		}
	}
	if wanted != nil {
		return uuid.Nil, apierror.NotFound("account").With("account_id", "not found")
	}
	return uuid.Nil, wrongPassword()
}

// startSession makes a session with a text of its own, ends the one that came with the request, and writes that into the audit.
func (a *API) startSession(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, person *dbsqlc.Person) (*signedInOutput, error) {
	queries, origin := dbsqlc.New(), middleware.OriginOf(ctx)
	if origin.Session != nil {
		if err := queries.SessionRevokeByHash(ctx, tx, &dbsqlc.SessionRevokeByHashParams{Hash: origin.Session}); err != nil {
			return nil, fmt.Errorf("end earlier session: %w", err)
		}
		if err := calls.CheckListeners(ctx, tx); err != nil {
			return nil, err
		}
	}
	text, hash := middleware.NewSession()
	row, err := queries.SessionInsert(ctx, tx, &dbsqlc.SessionInsertParams{
		ID: newID(), AccountID: accountID, PersonID: &person.ID, Hash: hash, RequestsPerMinute: middleware.SessionRate,
		Seconds: middleware.SessionAge.Seconds(),
		Address: addressOf(origin), UserAgent: &origin.UserAgent,
	})
	if err != nil {
		return nil, fmt.Errorf("insert session: %w", err)
	}
	entry := middleware.AuditEntry{AccountID: accountID, PersonID: person.ID, Operation: origin.Operation, Resource: row.ID,
		Origin: origin}
	if err := middleware.Audit(ctx, tx, entry); err != nil {
		return nil, err
	}
	shown, err := a.renderSession(ctx, tx, accountID, person, *row.ExpiresAt)
	if err != nil {
		return nil, err
	}
	return &signedInOutput{SetCookie: a.cookies().Set(text), Body: shown}, nil
}

func (a *API) sessionGet(ctx context.Context, _ *struct{}) (*sessionOutput, error) {
	who := middleware.CallerOf(ctx)
	person, err := dbsqlc.New().PersonGet(ctx, a.DB, &dbsqlc.PersonGetParams{ID: *who.PersonID})
	if err != nil {
		return nil, apierror.FromDB("person", err)
	}
	shown, err := a.renderSession(ctx, a.DB, who.AccountID, person, who.SignedOut)
	if err != nil {
		return nil, err
	}
	return &sessionOutput{Body: shown}, nil
}

func (a *API) sessionPatch(ctx context.Context, in *sessionPatchInput) (*sessionOutput, error) {
	wrong := apierror.Invalid()
	if zone := in.Body.TimeZone; zone != nil {
		if _, err := time.LoadLocation(*zone); err != nil || *zone == "" || *zone == "Local" {
			wrong.With("time_zone", "is not a name of the IANA time zone database, such as Europe/Amsterdam")
		}
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	who := middleware.CallerOf(ctx)
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*sessionOutput, error) {
		person, err := dbsqlc.New().PersonUpdate(ctx, tx, &dbsqlc.PersonUpdateParams{ID: *who.PersonID, Name: trimmed(in.Body.Name),
			Locale: in.Body.Locale, TimeZone: in.Body.TimeZone})
		if err != nil {
			return nil, apierror.FromDB("person", err)
		}
		shown, err := a.renderSession(ctx, tx, who.AccountID, person, who.SignedOut)
		return &sessionOutput{Body: shown}, err
	})
}

func trimmed(text *string) *string {
	if text == nil {
		return nil
	}
	return new(strings.TrimSpace(*text))
}

func (a *API) sessionAccount(ctx context.Context, in *sessionAccountInput) (*sessionOutput, error) {
	who := middleware.CallerOf(ctx)
	return db.WithTx(ctx, a.DB, func(tx pgx.Tx) (*sessionOutput, error) {
		queries, origin := dbsqlc.New(), middleware.OriginOf(ctx)
		if _, err := queries.SessionSetAccount(ctx, tx, &dbsqlc.SessionSetAccountParams{AccountID: in.Body.AccountID,
			PersonID: who.PersonID, ID: who.KeyID}); err != nil {
			return nil, apierror.FromDB("account", err)
		}
		person, err := queries.PersonGet(ctx, tx, &dbsqlc.PersonGetParams{ID: *who.PersonID})
		if err != nil {
			return nil, apierror.FromDB("person", err)
		}
		entry := middleware.AuditEntry{AccountID: in.Body.AccountID, PersonID: person.ID, Operation: origin.Operation,
			Resource: who.KeyID, Origin: origin}
		if err := middleware.Audit(ctx, tx, entry); err != nil {
			return nil, err
		}
		if err := calls.CheckListeners(ctx, tx); err != nil {
			return nil, err
		}
		shown, err := a.renderSession(ctx, tx, in.Body.AccountID, person, who.SignedOut)
		return &sessionOutput{Body: shown}, err
	})
}

func (a *API) signOut(ctx context.Context, _ *struct{}) (*signedOutOutput, error) {
	who := middleware.CallerOf(ctx)
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*signedOutOutput, error) {
		_, err := dbsqlc.New().SessionRevoke(ctx, tx, &dbsqlc.SessionRevokeParams{PersonID: who.PersonID, ID: who.KeyID})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) { // else it ended meanwhile
			return nil, fmt.Errorf("end session: %w", err)
		}
		return &signedOutOutput{SetCookie: a.cookies().Set("")}, calls.CheckListeners(ctx, tx)
	})
}

// renderSession returns the session of a person in an account.
func (a *API) renderSession(ctx context.Context, tx dbsqlc.DBTX, accountID uuid.UUID, person *dbsqlc.Person,
	end time.Time) (Session, error) {
	accounts, err := dbsqlc.New().MembershipListOfPerson(ctx, tx, &dbsqlc.MembershipListOfPersonParams{PersonID: person.ID})
	if err != nil {
		return Session{}, fmt.Errorf("list accounts: %w", err)
	}
	shown := Session{
		Person:   Person{ID: person.ID, Name: person.Name, Email: person.Email, Locale: person.Locale, TimeZone: person.TimeZone},
		Accounts: []AccountOfOne{}, ExpiresAt: end.UTC(),
	}
	if idle := a.Now().Add(middleware.SessionIdle); idle.Before(end) {
		shown.ExpiresAt = idle.UTC()
	}
	for _, account := range accounts {
		ref := AccountRef{ID: account.ID, Name: account.Name}
		shown.Accounts = append(shown.Accounts, AccountOfOne{AccountRef: ref, Role: account.Role})
		if account.ID == accountID {
			shown.Account, shown.Role = ref, account.Role
		}
	}
	return shown, nil
}

// cookies are those of this deployment.
func (a *API) cookies() middleware.Cookies {
	return middleware.Cookies{Secure: strings.HasPrefix(a.PublicURL, "https://")}
}
