package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/people"
)

// othersPassword is the one that whoever invites chose over the link that was shown.
const othersPassword = "mallory knows this"

// inviteAs returns the token of the invitation that the account of a key sends, as it is shown.
func inviteAs(t *testing.T, server *apitest.Server, key, email string) string {
	t.Helper()
	response := server.DoAs(t, key, http.MethodPost, "/v1/members", object{"email": email, "role": "viewer"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	_, token, found := strings.Cut(*apitest.Decode[api.Invitation](t, response).Link, "/app/#/setup/")
	require.True(t, found)
	return token
}

func asks(t *testing.T, server *apitest.Server, token string) string {
	t.Helper()
	return apitest.Decode[api.Link](t, server.DoAs(t, "", http.MethodPost, "/v1/session/link/check",
		object{"token": token})).Password
}

func useLink(t *testing.T, server *apitest.Server, token, password string) *apitest.Response {
	t.Helper()
	return server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": token, "password": password})
}

// takeAddress has the server's account invite an address and choose its password, and returns the session that came of it.
func takeAddress(t *testing.T, server *apitest.Server, email string) (session string) {
	t.Helper()
	token := inviteAs(t, server, server.Key, email)
	require.Equal(t, "new", asks(t, server, token))
	response := useLink(t, server, token, othersPassword)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	return cookieOf(t, response)
}

func ownerLink(ctx context.Context, beginner db.Beginner, account *dbsqlc.Account) (string, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) (string, error) {
		return people.NewOwnerLink(ctx, tx, account, people.PurposeSetup)
	})
}

func accountFor(t *testing.T, server *apitest.Server, email string) *dbsqlc.Account {
	t.Helper()
	account, err := dbsqlc.New().AccountInsert(t.Context(), server.Tx,
		&dbsqlc.AccountInsertParams{ID: dbfactory.ID(t), Email: email, Name: "Linden Dental"})
	require.NoError(t, err)
	return account
}

// TestAPasswordThatOthersChose: who chose the password of an address over the link that they were shown gets into no account that
// the address joins later, neither with that password nor with a session.
func TestAPasswordThatOthersChose(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const victim = "jan@example.com"
	session := takeAddress(t, server, victim)

	// It may be changed, and stays what it is: another account's invitation asks for a password that the person alone chose.
	changed := othersPassword + " too"
	response := server.DoAs(t, session, http.MethodPut, "/v1/session/password", object{"current": othersPassword, "new": changed})
	require.Equal(t, http.StatusNoContent, response.Status, "%s", response.Body)
	second, secondKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	invitation := inviteAs(t, server, secondKey, victim)
	require.Equal(t, "current", asks(t, server, invitation))
	useLink(t, server, invitation, "wrong horse battery").WantError(t, http.StatusUnauthorized, "unauthorized")
	useLink(t, server, invitation, changed).WantError(t, http.StatusConflict, "conflict")
	server.DoAs(t, session, http.MethodPut, "/v1/session/account", object{"account_id": second.ID}).WantError(t, http.StatusNotFound,
		"not_found")

	// An account of the address' own ends it.
	own := accountFor(t, server, victim)
	token, err := ownerLink(t.Context(), server.Tx, own)
	require.NoError(t, err)
	response, _ = signIn(t, server, "", victim, changed)
	response.WantError(t, http.StatusUnauthorized, "unauthorized")
	server.DoAs(t, session, http.MethodPut, "/v1/session/account", object{"account_id": own.ID}).WantError(t,
		http.StatusUnauthorized, "unauthorized")
	again := inviteAs(t, server, secondKey, victim)
	require.Equal(t, "current", asks(t, server, again))
	require.Equal(t, "new", asks(t, server, token))
	response = useLink(t, server, token, rightPassword)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Equal(t, own.ID, apitest.Decode[api.Session](t, response).Account.ID)
	response = useLink(t, server, again, rightPassword)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
}

// TestAMailedInvitationProvesItsAddress: it chooses a password in place of one that others chose, whose sessions end.
func TestAMailedInvitationProvesItsAddress(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const victim = "jan@example.com"
	session := takeAddress(t, server, victim)
	server.API.Mails = true
	second, secondKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	made := server.DoAs(t, secondKey, http.MethodPost, "/v1/members", object{"email": victim, "role": "viewer"})
	require.Nil(t, apitest.Decode[api.Invitation](t, made).Link)
	var text string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT content->>'text' FROM mail WHERE account_id = $1",
		second.ID).Scan(&text))
	_, token, _ := strings.Cut(strings.TrimSpace(text), "/app/#/setup/")
	require.Equal(t, "new", asks(t, server, token))
	response := useLink(t, server, token, rightPassword)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Len(t, apitest.Decode[api.Session](t, response).Accounts, 2)
	server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	response, _ = signIn(t, server, "", victim, othersPassword)
	response.WantError(t, http.StatusUnauthorized, "unauthorized")
}

// TestALinkThatWasShownStaysSo: mail that is set up meanwhile makes no secret of a link that somebody has seen.
func TestALinkThatWasShownStaysSo(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	token := inviteAs(t, server, server.Key, "jan@example.com")
	server.API.Mails = true
	require.Equal(t, http.StatusOK, useLink(t, server, token, othersPassword).Status)
	person, err := dbsqlc.New().PersonGetByEmail(t.Context(), server.Tx, &dbsqlc.PersonGetByEmailParams{Email: "jan@example.com"})
	require.NoError(t, err)
	require.True(t, person.PasswordUnproven)
	reset := linkFor(t, server, person.ID, people.PurposeReset)
	require.Equal(t, http.StatusOK, useLink(t, server, reset, rightPassword).Status)
	person, err = dbsqlc.New().PersonGet(t.Context(), server.Tx, &dbsqlc.PersonGetParams{ID: person.ID})
	require.NoError(t, err)
	require.False(t, person.PasswordUnproven)
}

// TestAnAddressIsTakenMeanwhile: a link that was looked at before its address joined another account, and a password that was
// looked at before it was ended, count for nothing after.
func TestAnAddressIsTakenMeanwhile(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	server := apitest.NewOn(t, pool)
	for name, wanted := range map[string]int{"choose": http.StatusConflict, "sign-in": http.StatusUnauthorized} {
		email := uuid.NewString() + "@example.com"
		token := inviteAs(t, server, server.Key, email)
		if name == "sign-in" {
			require.Equal(t, http.StatusOK, useLink(t, server, token, othersPassword).Status)
		}
		own := accountFor(t, server, email)
		tx, err := pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = people.NewOwnerLink(t.Context(), tx, own, people.PurposeSetup)
		require.NoError(t, err)
		ended := make(chan *apitest.Response)
		go func() {
			if name == "choose" {
				ended <- useLink(t, server, token, othersPassword)
				return
			}
			response, _ := signIn(t, server, "", email, othersPassword)
			ended <- response
		}()
		require.Eventually(t, func() bool {
			var waits bool
			err := pool.QueryRow(t.Context(),
				"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%PersonLock%')").Scan(&waits)
			return err == nil && waits
		}, 30*time.Second, 5*time.Millisecond, name)
		require.NoError(t, tx.Commit(t.Context()))
		response := <-ended
		require.Equal(t, wanted, response.Status, "%s: %s", name, response.Body)
		person, err := dbsqlc.New().PersonGetByEmail(t.Context(), pool, &dbsqlc.PersonGetByEmailParams{Email: email})
		require.NoError(t, err)
		require.Nil(t, person.PasswordHash, name)
	}
}
