package api_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/people"
)

var allRoles = []string{"viewer", "developer", "admin", "owner"}

// Every operation that takes a session declares the smallest role that may call it, and refuses the smaller ones in words that
// name it. The document lists the operations, so that a new one is tried at once.
func TestEveryOperationWithEveryRole(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) {
		a.Websites = oneSiteReader()
		a.SetInstantAgentTime(50 * time.Millisecond)
	})
	walk := newAccessWalk(t, server, &tenant{server.Account.ID, server.Key, map[string]string{}}, "false")
	for _, role := range allRoles {
		walk.keys[role], _ = dbfactory.Session(t, server.Tx, server.Account.ID,
			dbfactory.Member(t, server.Tx, server.Account.ID, role).ID)
	}
	admitted := []string{"list-assistants", "create-contact", "list-members", "list-audit", "get-session", "patch-profile",
		"list-sessions"}
	before, tried := accountDigest(t, server, server.Account.ID), 0
	for path, item := range api.Document().Paths {
		for method, op := range apifuzz.OperationsOf(item) {
			if len(op.Security) == 0 {
				continue
			}
			needed := op.Extensions["x-role"].(string)
			require.Contains(t, allRoles, needed, op.OperationID)
			require.Contains(t, op.Description, "ole `"+needed+"`", op.OperationID)
			require.True(t, method == http.MethodGet || slices.Contains(readingPosts, op.OperationID) || apifuzz.NeedsSession(op) ||
				needed != "viewer",
				"%s: who may only look changes nothing but themself", op.OperationID)
			for _, role := range allRoles[:slices.Index(allRoles, needed)] {
				response := walk.ask(t, role, method, path, op)
				response.WantError(t, http.StatusForbidden, "forbidden")
				require.Contains(t, string(response.Body), "needs the role "+needed, op.OperationID)
				tried++
			}
		}
	}
	require.Greater(t, tried, 45)
	require.Equal(t, before, accountDigest(t, server, server.Account.ID), "what is refused changes nothing")
	for path, item := range api.Document().Paths {
		for method, op := range apifuzz.OperationsOf(item) {
			if slices.Contains(admitted, op.OperationID) {
				response := walk.ask(t, op.Extensions["x-role"].(string), method, path, op)
				require.Contains(t, []int{200, 201, 409}, response.Status, "%s: %s", op.OperationID, response.Body)
			}
		}
	}
}

// A developer makes, rotates and revokes test keys, and touches no live one. A session makes keys that do not end with it.
func TestDevelopersManageTestKeys(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	_, live := dbfactory.APIKey(t, server.Tx, server.Account.ID)
	session := map[string]string{}
	for _, role := range allRoles {
		session[role], _ = dbfactory.Session(t, server.Tx, server.Account.ID,
			dbfactory.Member(t, server.Tx, server.Account.ID, role).ID)
	}
	made := server.DoAs(t, session["developer"], http.MethodPost, "/v1/api-keys", object{"mode": "test"})
	require.Equal(t, http.StatusCreated, made.Status, "%s", made.Body)
	key := apitest.Decode[api.NewAPIKey](t, made)
	require.Nil(t, key.ExpiresAt)
	server.DoAs(t, session["developer"], http.MethodPost, "/v1/api-keys", object{}).WantError(t, http.StatusForbidden, "forbidden")
	server.DoAs(t, session["developer"], http.MethodPost, "/v1/api-keys/"+live.ID.String()+"/rotate", nil).WantError(t,
		http.StatusForbidden, "forbidden")
	server.DoAs(t, session["developer"], http.MethodDelete, "/v1/api-keys/"+live.ID.String(), nil).WantError(t, http.StatusForbidden,
		"forbidden")
	require.Equal(t, http.StatusNoContent, server.DoAs(t, session["developer"], http.MethodDelete, "/v1/api-keys/"+key.ID.String(),
		nil).Status)
	require.Equal(t, http.StatusCreated, server.DoAs(t, session["admin"], http.MethodPost, "/v1/api-keys",
		object{"scopes": []string{"admin"}}).Status)
	require.Equal(t, http.StatusNoContent, server.DoAs(t, session["admin"], http.MethodDelete, "/v1/api-keys/"+live.ID.String(),
		nil).Status)

	// The header lowers a request, and raises none.
	server.DoAs(t, session["owner"], http.MethodPost, "/v1/api-keys", object{"mode": "test"}, middleware.ModeHeader,
		"test").WantError(t, http.StatusForbidden, "test_key")
	contact := apitest.Decode[api.Contact](t, server.DoAs(t, session["owner"], http.MethodPost, "/v1/contacts",
		object{"phone_number": "+31612345678"}, middleware.ModeHeader, "test"))
	var test bool
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT test FROM contact WHERE id = $1", contact.ContactID).Scan(&test))
	require.True(t, test)
	testKey, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" })
	server.DoAs(t, testKey, http.MethodPost, "/v1/api-keys", object{}, middleware.ModeHeader, "live").WantError(t,
		http.StatusForbidden, "test_key")
}

func TestInvitations(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.PublicURL = "https://calls.example" })
	invite := func(email, role string) (api.Invitation, string) {
		made := apitest.Want[api.Invitation](t, server, http.StatusCreated, http.MethodPost, "/v1/members",
			object{"email": email, "role": role, "locale": "nl"})
		_, token, found := strings.Cut(*made.Link, "https://calls.example/app/#/setup/")
		require.True(t, found, *made.Link)
		return made, token
	}
	accept := func(token string, body object) *apitest.Response {
		body["token"] = token
		return server.DoAs(t, "", http.MethodPost, "/v1/session/link", body)
	}
	first, old := invite("jan@example.com", "viewer")
	require.Equal(t, "invited", first.Status)
	again, token := invite("Jan@Example.com", "developer")
	require.Equal(t, first.ID, again.ID)
	accept(old, object{"password": rightPassword}).WantError(t, http.StatusNotFound, "not_found")
	joined := accept(token, object{"password": rightPassword, "name": "Jan"})
	require.Equal(t, http.StatusOK, joined.Status, "%s", joined.Body)
	require.Equal(t, "developer", apitest.Decode[api.Session](t, joined).Role)
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/members",
		object{"email": "jan@example.com", "role": "viewer"})
	var subject string
	require.NoError(t,
		server.Tx.QueryRow(t.Context(), "SELECT min(content->>'subject') FROM mail WHERE recipient = 'jan@example.com'").Scan(&subject))
	require.Equal(t, "Uitnodiging voor Linden Dental", subject)

	// Whoever invites sees the link. It opens nothing of a person who has a password that nobody else may have chosen.
	require.Equal(t, http.StatusOK, useLink(t, server, linkFor(t, server, first.ID, people.PurposeReset), rightPassword).Status)
	other, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	server.Key = key
	second, token := invite("jan@example.com", "admin")
	require.Equal(t, first.ID, second.ID)
	looked := apitest.Decode[api.Link](t, server.DoAs(t, "", http.MethodPost, "/v1/session/link/check", object{"token": token}))
	require.Equal(t, "current", looked.Password)
	accept(token, object{"password": "wrong horse battery"}).WantError(t, http.StatusUnauthorized, "unauthorized")
	accept(token, object{}).WantError(t, http.StatusUnauthorized, "unauthorized")
	response := accept(token, object{"password": rightPassword})
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	shown := apitest.Decode[api.Session](t, response)
	require.Equal(t, other.ID, shown.Account.ID)
	require.Len(t, shown.Accounts, 2)
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/members",
		object{"email": "no address", "role": "viewer"})
}

// TestInvitationsByMail: where mail brings the link, whoever invites does not see it.
func TestInvitationsByMail(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.PublicURL, a.Mails = "https://calls.example", true })
	made := apitest.Want[api.Invitation](t, server, http.StatusCreated, http.MethodPost, "/v1/members",
		object{"email": "jan@example.com", "role": "viewer"})
	require.Nil(t, made.Link)
	var text string
	require.NoError(t,
		server.Tx.QueryRow(t.Context(), "SELECT content->>'text' FROM mail WHERE recipient = 'jan@example.com'").Scan(&text))
	_, token, found := strings.Cut(text, "/app/#/setup/")
	require.True(t, found, text)
	joined := server.DoAs(t, "", http.MethodPost, "/v1/session/link",
		object{"token": strings.TrimSpace(token), "password": rightPassword})
	require.Equal(t, http.StatusOK, joined.Status, "%s", joined.Body)
}

// TestNobodyIsTakenOver invites the owner of another account, who has not chosen a password yet: the invitation chooses none, for
// it would open that account to whoever invites.
func TestNobodyIsTakenOver(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	victim, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	owner := dbfactory.Member(t, server.Tx, victim.ID, "owner")
	made := apitest.Want[api.Invitation](t, server, http.StatusCreated, http.MethodPost, "/v1/members",
		object{"email": owner.Email, "role": "viewer"})
	_, token, _ := strings.Cut(*made.Link, "/app/#/setup/")
	looked := apitest.Decode[api.Link](t, server.DoAs(t, "", http.MethodPost, "/v1/session/link/check", object{"token": token}))
	require.Equal(t, "current", looked.Password)
	for _, password := range []string{"", rightPassword} {
		server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": token, "password": password}).WantError(t,
			http.StatusUnauthorized, "unauthorized")
	}

	// The owner asks for a password by mail, and joins with it.
	require.Equal(t, http.StatusNoContent, server.DoAs(t, "", http.MethodPost, "/v1/session/reset",
		object{"email": owner.Email}).Status)
	reset := linkFor(t, server, owner.ID, people.PurposeReset)
	response := server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": reset, "password": rightPassword})
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	response = server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": token, "password": rightPassword})
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Equal(t, server.Account.ID, apitest.Decode[api.Session](t, response).Account.ID)
}

// Nobody gives or takes a role above their own; keys act as admins.
func TestNobodyRisesAboveThemself(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	owner, admin, viewer := dbfactory.Member(t, server.Tx, server.Account.ID, "owner"),
		dbfactory.Member(t, server.Tx, server.Account.ID, "admin"), dbfactory.Member(t, server.Tx, server.Account.ID, "viewer")
	session, _ := dbfactory.Session(t, server.Tx, server.Account.ID, admin.ID)
	for _, who := range []string{session, server.Key} {
		server.DoAs(t, who, http.MethodPost, "/v1/members", object{"email": "a@example.com", "role": "owner"}).WantError(t,
			http.StatusForbidden, "forbidden")
		server.DoAs(t, who, http.MethodPatch, "/v1/members/"+viewer.ID.String(), object{"role": "owner"}).WantError(t,
			http.StatusForbidden, "forbidden")
		server.DoAs(t, who, http.MethodPatch, "/v1/members/"+owner.ID.String(), object{"role": "viewer"}).WantError(t,
			http.StatusForbidden, "forbidden")
		server.DoAs(t, who, http.MethodDelete, "/v1/members/"+owner.ID.String(), nil).WantError(t, http.StatusForbidden, "forbidden")
		require.Equal(t, http.StatusOK, server.DoAs(t, who, http.MethodPatch, "/v1/members/"+viewer.ID.String(),
			object{"role": "developer"}).Status)
	}
	server.DoAs(t, session, http.MethodPatch, "/v1/members/"+admin.ID.String(), object{"role": "owner"}).WantError(t,
		http.StatusForbidden, "forbidden")
	require.Equal(t, http.StatusOK, server.DoAs(t, session, http.MethodPatch, "/v1/members/"+admin.ID.String(),
		object{"role": "viewer"}).Status)
	server.DoAs(t, session, http.MethodDelete, "/v1/members/"+viewer.ID.String(), nil).WantError(t, http.StatusForbidden,
		"forbidden")

	mine, _ := dbfactory.Session(t, server.Tx, server.Account.ID, owner.ID)
	server.DoAs(t, mine, http.MethodDelete, "/v1/members/"+owner.ID.String(), nil).WantError(t, http.StatusConflict, "conflict")
	server.DoAs(t, mine, http.MethodPatch, "/v1/members/"+owner.ID.String(), object{"role": "admin"}).WantError(t,
		http.StatusConflict, "conflict")
	require.Equal(t, http.StatusNoContent, server.DoAs(t, mine, http.MethodDelete, "/v1/members/"+admin.ID.String(), nil).Status)
	server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	require.Equal(t, http.StatusOK, server.DoAs(t, mine, http.MethodPatch, "/v1/members/"+viewer.ID.String(),
		object{"role": "owner"}).Status)
	require.Equal(t, http.StatusNoContent, server.DoAs(t, mine, http.MethodDelete, "/v1/members/"+owner.ID.String(), nil).Status,
		"another owner is left")
}

// Two owners who remove or demote each other at the same time leave one.
func TestAnOwnerIsLeft(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	for round := range 6 {
		account, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		owners := []*dbsqlc.Person{dbfactory.Member(t, server.Tx, account.ID, "owner"),
			dbfactory.Member(t, server.Tx, account.ID, "owner")}
		statuses := make([]int, 2)
		var changing sync.WaitGroup
		sessions := make([]string, 2)
		for i := range owners {
			sessions[i], _ = dbfactory.Session(t, server.Tx, account.ID, owners[i].ID)
		}
		for i := range owners {
			session, other := sessions[i], "/v1/members/"+owners[1-i].ID.String()
			changing.Go(func() {
				if (round+i)%2 == 0 {
					statuses[i] = server.DoAs(t, session, http.MethodDelete, other, nil).Status
				} else {
					statuses[i] = server.DoAs(t, session, http.MethodPatch, other, object{"role": "viewer"}).Status
				}
			})
		}
		changing.Wait()
		left, err := dbsqlc.New().MembershipCountOwners(t.Context(), server.Tx,
			&dbsqlc.MembershipCountOwnersParams{AccountID: account.ID})
		require.NoError(t, err)
		require.Equal(t, int64(1), left, "%v", statuses)
	}
}

// The audit says who did what, to what and from where, and nothing of what was written.
func TestAudit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	person := newPerson(t, server, "admin")
	_, session := signIn(t, server, "", person.Email, rightPassword, "User-Agent", "Browser/1")
	signIn(t, server, "", person.Email, "wrong horse battery")
	contact := apitest.Decode[api.Contact](t, server.DoAs(t, session, http.MethodPost, "/v1/contacts",
		object{"phone_number": "+31612345678", "full_name": "Secretive"},
		"X-Request-Id", "one-request", "User-Agent", "Browser/1"))
	path := "/v1/contacts/" + contact.ContactID.String()
	for range 2 {
		require.Equal(t, http.StatusOK, server.Do(t, http.MethodPatch, path, object{"full_name": "Other"}).Status)
	}
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, object{"full_name": 1})
	repeated := []string{"Idempotency-Key", "once"}
	for range 2 {
		require.Equal(t, http.StatusCreated, server.Do(t, http.MethodPost, "/v1/contacts", object{"phone_number": "+31612345679"},
			repeated...).Status)
	}

	list := func(query string) []object {
		return apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/audit"+query, nil).Data
	}
	var operations []string
	for _, entry := range list("") {
		operations = append(operations, entry["operation"].(string))
	}
	require.Equal(t, []string{"create-contact", "patch-contact", "patch-contact", "create-contact", "sign-in-failed", "sign-in"},
		operations)

	made := list("?operation=create-contact&actor=" + person.ID.String())
	require.Len(t, made, 1)
	require.Equal(t, map[string]any{"type": "person", "id": person.ID.String(), "name": "", "email": person.Email}, made[0]["actor"])
	require.Equal(t, contact.ContactID.String(), made[0]["resource_id"])
	require.Equal(t, "192.0.2.1", made[0]["address"])
	require.Equal(t, "Browser/1", made[0]["user_agent"])
	require.Equal(t, "one-request", made[0]["request_id"])
	patched := list("?operation=patch-contact")
	require.Equal(t, "key", patched[0]["actor"].(map[string]any)["type"])
	require.Equal(t, "Key", patched[0]["actor"].(map[string]any)["name"])

	at := made[0]["created_at"].(string)
	require.Contains(t, list("?from="+at), made[0])
	require.NotContains(t, list("?to="+at), made[0])
	require.Empty(t, list("?to=1969-01-01T00:00:00Z"))
	require.Len(t, list("?limit=2&offset=4"), 2)
	require.Len(t, walk(t, server, "/v1/audit", nil, "id", 2), 6)
	whole := string(server.Do(t, http.MethodGet, "/v1/audit", nil).Body)
	for _, written := range []string{"Secretive", "+316", rightPassword, session} {
		require.NotContains(t, whole, written)
	}
	_, foreign := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	require.Empty(t, apitest.Decode[listAnswer](t, server.DoAs(t, foreign, http.MethodGet, "/v1/audit?actor="+person.ID.String(),
		nil)).Data)
}
