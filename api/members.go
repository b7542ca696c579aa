package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/people"
)

// Member is a person in an account.
type Member struct {
	ID        uuid.UUID  `json:"id" doc:"Id of the person."`
	Email     string     `json:"email" example:"jan@example.com"`
	Name      string     `json:"name" example:"Jan Jansen"`
	Role      string     `json:"role" enum:"owner,admin,developer,viewer"`
	Status    string     `json:"status" enum:"invited,active"`
	InvitedAt time.Time  `json:"invited_at"`
	JoinedAt  *time.Time `json:"joined_at" doc:"null: not yet."`
}

// Invitation is a member who was invited, and the link by which to join, where no mail brings it.
type Invitation struct {
	Member
	Link *string `json:"link" doc:"Where mail is not set up, the link to hand on; it works for seven days, and once. Shown only now. null: it was mailed, and nobody else sees it." example:"https://calls.example.com/app/#/setup/NVXGKZLLMVSGC3LPNZTQ6YTBON"`
}

type memberListInput struct{ middleware.Page }

type memberInviteInput struct {
	middleware.Idempotency
	Body struct {
		Email  string `json:"email" maxLength:"254" example:"jan@example.com"`
		Role   string `json:"role" enum:"owner,admin,developer,viewer" doc:"No more than your own; keys invite up to admins."`
		Locale string `json:"locale,omitempty" enum:"en,nl" doc:"Language of the mail; default en."`
	}
}

type MemberPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the person."`
}

type memberPatchInput struct {
	MemberPath
	Body struct {
		Role string `json:"role" enum:"owner,admin,developer,viewer"`
	}
}

type memberOutput struct{ Body Member }

func (a *API) registerMembers(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/members", "list-members", tagMembers, "List members",
		"The people of the account, also those who were invited and have not joined."), a.memberList)
	handle(a, to, creates("/v1/members", "invite-member", tagMembers, "Invite somebody",
		"Mails a link by which the person joins. Whoever was invited before and has not joined gets a new link, with the role that is given now. 409 `conflict` when the person is a member, `limit_reached` with 200 members; 429 when an address is invited more than three times in 15 minutes.", http.StatusForbidden), a.memberInvite)
	handle(a, to, operation(http.MethodPatch, "/v1/members/{id}", "patch-member", tagMembers, "Change a role",
		"Nobody gives a role above their own, or takes one from somebody above. 409 `conflict` when the account would have no owner left.", http.StatusNotFound, http.StatusForbidden, http.StatusConflict), a.memberPatch)
	remove := operation(http.MethodDelete, "/v1/members/{id}", "delete-member", tagMembers, "Remove a member",
		"Ends the person's sessions in the account at once, and the invitation. Nobody removes somebody above them. 409 `conflict` when the account would have no owner left.", http.StatusNotFound, http.StatusForbidden, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.memberDelete)
}

func (a *API) memberList(ctx context.Context, in *memberListInput) (*middleware.List[Member], error) {
	queries, accountID := dbsqlc.New(), middleware.CallerOf(ctx).AccountID
	total, err := queries.MembershipCount(ctx, a.DB, &dbsqlc.MembershipCountParams{AccountID: accountID})
	if err != nil {
		return nil, apierror.FromDB("member", err)
	}
	rows, err := queries.MembershipList(ctx, a.DB, &dbsqlc.MembershipListParams{AccountID: accountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("member", err)
	}
	render := func(row *dbsqlc.MembershipListRow) Member { return renderMember(&row.Membership, &row.Person) }
	where := func(row *dbsqlc.MembershipListRow) middleware.Position { return middleware.Position{ID: row.Person.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

// roleOf returns the role of a caller: keys act as admins.
func roleOf(who middleware.Caller) middleware.Role {
	if who.PersonID == nil {
		return middleware.RoleAdmin
	}
	return who.Role
}

// reaches refuses a caller who would give or take a role above their own.
func reaches(who middleware.Caller, role string) error {
	if !roleOf(who).Has(middleware.Role(role)) {
		return middleware.RoleRefused(middleware.Role(role), roleOf(who))
	}
	return nil
}

func (a *API) memberInvite(ctx context.Context, in *memberInviteInput) (*middleware.Response[Invitation], error) {
	who, email := middleware.CallerOf(ctx), strings.TrimSpace(in.Body.Email)
	if !validEmail(email) {
		return nil, apierror.Invalid().With("email", "is not an e-mail address")
	}
	if err := reaches(who, in.Body.Role); err != nil {
		return nil, err
	}
	if err := a.countInvitation(ctx, who.AccountID, email); err != nil {
		return nil, err
	}
	mayInvite := func(made *Invitation) error { return reaches(who, made.Role) }
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[Invitation], error) {
		if err := lockMembers(ctx, tx, who.AccountID); err != nil {
			return nil, err
		}
		member, err := invited(ctx, tx, who, email, in.Body.Locale, in.Body.Role)
		if err != nil {
			return nil, err
		}
		link, err := a.mailInvitation(ctx, tx, who.AccountID, &member.Person)
		if err != nil {
			return nil, err
		}
		return middleware.RespondSecret(http.StatusCreated,
			Invitation{Member: renderMember(&member.Membership, &member.Person), Link: a.shownLink(link)}), nil
	}, mayInvite)
}

// shownLink returns what whoever invites sees of a link: nothing where it is mailed, as it may let a first password be chosen.
func (a *API) shownLink(link string) *string {
	if a.Mails {
		return nil
	}
	return &link
}

// countInvitation refuses to mail an address too often: whoever invites chooses it.
func (a *API) countInvitation(ctx context.Context, accountID uuid.UUID, email string) error {
	wait, err := a.countAttempt(ctx, attemptKey("invite", email, accountID.String()), maxMails)
	if err != nil || wait == 0 {
		return err
	}
	return apierror.New(http.StatusTooManyRequests, "rate_limited",
		"This person was invited three times within 15 minutes. Try again later.").
		WithHeader("Retry-After", strconv.Itoa(wait))
}

// lockMembers has one change of an account's members wait for another, so that two owners cannot remove each other.
func lockMembers(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	if err := dbsqlc.New().AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	return nil
}

// invited returns the membership of somebody who has not joined yet.
func invited(ctx context.Context, tx pgx.Tx, who middleware.Caller, email, locale,
	role string) (*dbsqlc.MembershipGetRow, error) {
	queries := dbsqlc.New()
	if locale == "" {
		locale = "en"
	}
	person, err := queries.PersonEnsure(ctx, tx, &dbsqlc.PersonEnsureParams{ID: newID(), Email: email, Locale: locale})
	if err != nil {
		return nil, fmt.Errorf("make person: %w", err)
	}
	inserted, err := queries.MembershipEnsure(ctx, tx, &dbsqlc.MembershipEnsureParams{AccountID: who.AccountID, PersonID: person.ID,
		Role: role})
	if err != nil {
		return nil, fmt.Errorf("invite: %w", err)
	}
	if inserted == 0 {
		err = inviteAgain(ctx, tx, who, person.ID, role)
	} else {
		err = hasRoomForMember(ctx, tx, who.AccountID)
	}
	if err != nil {
		return nil, err
	}
	row, err := queries.MembershipGet(ctx, tx, &dbsqlc.MembershipGetParams{AccountID: who.AccountID, PersonID: person.ID})
	if err != nil {
		return nil, fmt.Errorf("read invitation: %w", err)
	}
	return row, nil
}

// maxMembers is how many people an account has, those included who have not joined.
const maxMembers = 200

func hasRoomForMember(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	members, err := dbsqlc.New().MembershipCount(ctx, tx, &dbsqlc.MembershipCountParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("count members: %w", err)
	}
	if members > maxMembers {
		return limitReached(fmt.Sprintf("You have %d members; remove one first.", maxMembers))
	}
	return nil
}

// inviteAgain ends the links of an invitation and gives it another role. Of somebody who has joined it is a conflict.
func inviteAgain(ctx context.Context, tx pgx.Tx, who middleware.Caller, personID uuid.UUID, role string) error {
	queries := dbsqlc.New()
	before, err := queries.MembershipGet(ctx, tx, &dbsqlc.MembershipGetParams{AccountID: who.AccountID, PersonID: personID})
	if err != nil {
		return fmt.Errorf("read invitation: %w", err)
	}
	if before.Membership.JoinedAt != nil {
		return apierror.Conflict("This person is a member.").With("email", "is a member's")
	}
	if err := reaches(who, before.Membership.Role); err != nil {
		return err
	}
	if err := queries.LoginLinkEndInvitations(ctx, tx, &dbsqlc.LoginLinkEndInvitationsParams{AccountID: who.AccountID,
		PersonID: personID}); err != nil {
		return fmt.Errorf("end links: %w", err)
	}
	return queries.MembershipSetRole(ctx, tx, &dbsqlc.MembershipSetRoleParams{AccountID: who.AccountID, PersonID: personID,
		Role: role})
}

// mailInvitation makes a link, mails it and returns it.
func (a *API) mailInvitation(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, person *dbsqlc.Person) (string, error) {
	account, err := dbsqlc.New().AccountGet(ctx, tx, &dbsqlc.AccountGetParams{ID: accountID})
	if err != nil {
		return "", fmt.Errorf("read account: %w", err)
	}
	token, err := people.NewInvitation(ctx, tx, accountID, person.ID, !a.Mails)
	if err != nil {
		return "", err
	}
	mail := people.LinkMail{
		AccountID: accountID, Account: account.Name, Email: person.Email, Locale: person.Locale, Purpose: people.PurposeInvite,
		Token: token, PublicURL: a.PublicURL,
	}
	return people.URL(a.PublicURL, token), mail.Send(ctx, tx, a.Jobs)
}

// memberToChange locks the members and returns one whom the caller may change.
func memberToChange(ctx context.Context, tx pgx.Tx, personID uuid.UUID) (*dbsqlc.MembershipGetRow, error) {
	who := middleware.CallerOf(ctx)
	if err := lockMembers(ctx, tx, who.AccountID); err != nil {
		return nil, err
	}
	row, err := dbsqlc.New().MembershipGet(ctx, tx, &dbsqlc.MembershipGetParams{AccountID: who.AccountID, PersonID: personID})
	if err != nil {
		return nil, apierror.FromDB("member", err)
	}
	if who.PersonID == nil {
		return row, reaches(who, row.Membership.Role)
	}
	// Somebody else may have taken the caller's own role meanwhile.
	own, err := dbsqlc.New().MembershipGet(ctx, tx, &dbsqlc.MembershipGetParams{AccountID: who.AccountID, PersonID: *who.PersonID})
	if err != nil {
		return nil, apierror.FromDB("member", err)
	}
	for _, needed := range []middleware.Role{middleware.RoleAdmin, middleware.Role(row.Membership.Role)} {
		if role := middleware.Role(own.Membership.Role); !role.Has(needed) {
			return nil, middleware.RoleRefused(needed, role)
		}
	}
	return row, nil
}

// keepsOwner returns a conflict if the account has no owner. Its members are locked.
func keepsOwner(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	owners, err := dbsqlc.New().MembershipCountOwners(ctx, tx, &dbsqlc.MembershipCountOwnersParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("count owners: %w", err)
	}
	if owners == 0 {
		return apierror.Conflict("The account's last owner stays one. Make somebody else an owner first.")
	}
	return nil
}

func (a *API) memberPatch(ctx context.Context, in *memberPatchInput) (*memberOutput, error) {
	who := middleware.CallerOf(ctx)
	if err := reaches(who, in.Body.Role); err != nil {
		return nil, err
	}
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*memberOutput, error) {
		row, err := memberToChange(ctx, tx, in.ID)
		if err != nil {
			return nil, err
		}
		err = dbsqlc.New().MembershipSetRole(ctx, tx, &dbsqlc.MembershipSetRoleParams{AccountID: who.AccountID, PersonID: in.ID,
			Role: in.Body.Role})
		if err != nil {
			return nil, fmt.Errorf("set role: %w", err)
		}
		wasOwner := row.Membership.Role == string(middleware.RoleOwner) && row.Membership.JoinedAt != nil
		row.Membership.Role = in.Body.Role
		if wasOwner {
			err = keepsOwner(ctx, tx, who.AccountID)
		}
		if err == nil {
			err = calls.CheckListeners(ctx, tx)
		}
		return &memberOutput{Body: renderMember(&row.Membership, &row.Person)}, err
	})
}

func (a *API) memberDelete(ctx context.Context, in *MemberPath) (*struct{}, error) {
	accountID := middleware.CallerOf(ctx).AccountID
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		row, err := memberToChange(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := dbsqlc.New().MembershipDelete(ctx, tx, &dbsqlc.MembershipDeleteParams{AccountID: accountID,
			PersonID: in.ID}); err != nil {
			return fmt.Errorf("remove member: %w", err)
		}
		if err := calls.CheckListeners(ctx, tx); err != nil {
			return err
		}
		if row.Membership.Role != string(middleware.RoleOwner) || row.Membership.JoinedAt == nil {
			return nil
		}
		return keepsOwner(ctx, tx, accountID)
	})
}

func renderMember(membership *dbsqlc.Membership, person *dbsqlc.Person) Member {
	member := Member{
		ID: person.ID, Email: person.Email, Name: person.Name, Role: membership.Role, Status: "invited",
		InvitedAt: membership.CreatedAt.UTC(), JoinedAt: utc(membership.JoinedAt),
	}
	if member.JoinedAt != nil {
		member.Status = "active"
	}
	return member
}
