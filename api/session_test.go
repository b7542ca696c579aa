package api_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

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

const rightPassword = "correct horse battery"

// rightHash is made once: a hash takes a quarter of a second.
var rightHash = sync.OnceValues(func() (string, error) { return people.NewPasswords().Hash(context.Background(), rightPassword) })

// newPerson makes a member with a password.
func newPerson(t *testing.T, server *apitest.Server, role string) *dbsqlc.Person {
	t.Helper()
	hash, err := rightHash()
	require.NoError(t, err)
	person := dbfactory.Member(t, server.Tx, server.Account.ID, role)
	_, err = dbsqlc.New().PersonSetPassword(t.Context(), server.Tx,
		&dbsqlc.PersonSetPasswordParams{ID: person.ID, PasswordHash: &hash})
	require.NoError(t, err)
	return person
}

// signIn returns the response and the session of its cookie.
func signIn(t *testing.T, server *apitest.Server, session, email, password string,
	headers ...string) (*apitest.Response, string) {
	t.Helper()
	response := server.DoAs(t, session, http.MethodPost, "/v1/session", object{"email": email, "password": password}, headers...)
	return response, cookieOf(t, response)
}

func cookieOf(t *testing.T, response *apitest.Response) string {
	t.Helper()
	given := response.Header.Get("Set-Cookie")
	if given == "" {
		return ""
	}
	cookie, err := http.ParseSetCookie(given)
	require.NoError(t, err)
	return cookie.Value
}

func TestSignIn(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.PublicURL = "http://calls.example" })
	person := newPerson(t, server, "developer")
	response, session := signIn(t, server, "", strings.ToUpper(person.Email), rightPassword)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	cookie, err := http.ParseSetCookie(response.Header.Get("Set-Cookie"))
	require.NoError(t, err)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.Equal(t, "callwright_session", cookie.Name)
	require.NotContains(t, string(response.Body), session)

	shown := apitest.Decode[api.Session](t, server.DoAs(t, session, http.MethodGet, "/v1/session", nil))
	require.Equal(t, person.ID, shown.Person.ID)
	require.Equal(t, server.Account.ID, shown.Account.ID)
	require.Equal(t, "developer", shown.Role)
	require.Equal(t, http.StatusOK, server.DoAs(t, session, http.MethodGet, "/v1/assistants", nil).Status)

	changed := server.DoAs(t, session, http.MethodPatch, "/v1/session",
		object{"name": " Jan ", "locale": "nl", "time_zone": "Europe/Amsterdam"})
	require.Equal(t, api.Person{ID: person.ID, Email: person.Email, Name: "Jan", Locale: "nl", TimeZone: "Europe/Amsterdam"},
		apitest.Decode[api.Session](t, changed).Person)
	server.DoAs(t, session, http.MethodPatch, "/v1/session", object{"time_zone": "Mars"}).WantError(t, http.StatusBadRequest,
		"invalid_request")

	wrong, none := signIn(t, server, "", person.Email, "wrong horse battery")
	unknown, _ := signIn(t, server, "", "nobody@example.com", rightPassword)
	wrong.WantError(t, http.StatusUnauthorized, "unauthorized")
	require.Empty(t, none)
	require.Equal(t, wrong.Body, unknown.Body, "who is a member is nobody's to know")

	out := server.DoAs(t, session, http.MethodDelete, "/v1/session", nil)
	require.Equal(t, http.StatusNoContent, out.Status)
	require.Contains(t, out.Header.Get("Set-Cookie"), "Max-Age=0")
	server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
}

// Where the dashboard is reached by https, the cookie travels over https alone, and no other host can set it.
func TestSecureCookie(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.PublicURL = "https://calls.example" })
	response, session := signIn(t, server, "", newPerson(t, server, "owner").Email, rightPassword)
	require.Regexp(t, "^__Host-callwright_session=.*; Path=/; .*HttpOnly; Secure; SameSite=Lax$", response.Header.Get("Set-Cookie"))
	server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	require.Equal(t, http.StatusOK, server.DoAs(t, "", http.MethodGet, "/v1/session", nil, "Cookie",
		"__Host-callwright_session="+session).Status)
}

// A session that somebody else put into the browser is not the one that signing in makes, and ends by it.
func TestSessionsAreNotFixed(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	person, attacker := newPerson(t, server, "viewer"), dbfactory.Member(t, server.Tx, server.Account.ID, "viewer")
	planted, _ := dbfactory.Session(t, server.Tx, server.Account.ID, attacker.ID)
	for _, given := range []string{planted, "cw_session_" + strings.Repeat("a", 32)} {
		response, session := signIn(t, server, given, person.Email, rightPassword)
		require.Equal(t, http.StatusOK, response.Status)
		require.NotEqual(t, given, session)
		server.DoAs(t, given, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	}
}

// Ten passwords may be tried, however many are tried at once and whichever process is asked. Nobody else is kept out.
func TestGuessingIsThrottled(t *testing.T) {
	t.Parallel()

	behind := func(a *api.API) { a.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }
	first := apitest.NewOn(t, dbtest.Pool(t), behind)
	second := apitest.NewOn(t, first.Tx, behind)
	person := newPerson(t, first, "owner")
	statuses := make(chan int, 14)
	var guessing sync.WaitGroup
	for i := range cap(statuses) {
		guessing.Go(func() {
			response, _ := signIn(t, []*apitest.Server{first, second}[i%2], "", person.Email, "wrong horse battery", "X-Forwarded-For",
				"198.51.100.7")
			statuses <- response.Status
		})
	}
	guessing.Wait()
	close(statuses)
	counts := map[int]int{}
	for status := range statuses {
		counts[status]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 10, http.StatusTooManyRequests: 4}, counts)

	response, _ := signIn(t, second, "", person.Email, rightPassword, "X-Forwarded-For", "198.51.100.7")
	response.WantError(t, http.StatusTooManyRequests, "too_many_passwords")
	require.NotEmpty(t, response.Header.Get("Retry-After"))
	response, _ = signIn(t, first, "", person.Email, rightPassword, "X-Forwarded-For", "198.51.100.8")
	require.Equal(t, http.StatusOK, response.Status, "from elsewhere the person comes in")
	_, err := first.Tx.Exec(t.Context(), "UPDATE sign_in_attempt SET began_at = began_at - interval '15 minutes'")
	require.NoError(t, err)
	response, _ = signIn(t, first, "", person.Email, rightPassword, "X-Forwarded-For", "198.51.100.7")
	require.Equal(t, http.StatusOK, response.Status, "later too")
}

// A browser sends the cookie with requests that pages of other sites make. They do nothing.
func TestPagesOfOtherOriginsDoNothing(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.CORSOrigins = []string{"https://shop.example"} })
	person := newPerson(t, server, "owner")
	session, _ := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
	body := object{"full_name": "Jan", "phone_number": "+31612345678"}
	for _, headers := range [][]string{
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "http://example.com:8081"}, {"Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site"},
	} {
		server.DoAs(t, session, http.MethodPost, "/v1/contacts", body, headers...).WantError(t, http.StatusForbidden, "cross_origin")
		response, made := signIn(t, server, "", person.Email, rightPassword, headers...)
		response.WantError(t, http.StatusForbidden, "cross_origin")
		require.Empty(t, made, "nobody is signed in as somebody else")
		if headers[0] == "Origin" {
			server.DoAs(t, session, http.MethodGet, "/v1/contacts", nil, headers...).WantError(t, http.StatusForbidden, "cross_origin")
			require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/contacts", nil, headers...).Status,
				"a key is sent by nobody unasked")
		}
	}
	// a link is for everybody
	server.DoAs(t, session, http.MethodGet, "/v1/recordings/nothing", nil, "Origin", "https://evil.example").WantError(t,
		http.StatusNotFound, "not_found")
	list := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/contacts", nil)
	require.Zero(t, list.Pagination.Total)
	require.Equal(t, http.StatusCreated, server.DoAs(t, session, http.MethodPost, "/v1/contacts", body, "Origin",
		"http://example.com", "Sec-Fetch-Site", "same-origin").Status)
}

// A cookie holds a session and nothing else, a header a key and nothing else, and a header rules a cookie out.
func TestCredentialsInTheWrongPlace(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	session, _ := dbfactory.Session(t, server.Tx, server.Account.ID, dbfactory.Member(t, server.Tx, server.Account.ID, "owner").ID)
	for name, headers := range map[string][]string{
		"SessionInHeader": {"Authorization", "Bearer " + session},
		"KeyInCookie":     {"Cookie", "callwright_session=" + server.Key},
		"CookieBesideKey": {"Cookie", "callwright_session=" + session, "Authorization",
			"Bearer cw_live_" + strings.Repeat("a", 32)},
		"CookieBesideNothing": {"Cookie", "callwright_session=" + session, "Authorization", "Basic YTpi"},
		"TwoCookies":          {"Cookie", "callwright_session=" + session + "; callwright_session=" + session},
	} {
		response := server.DoAs(t, "", http.MethodGet, "/v1/assistants", nil, headers...)
		require.Equal(t, http.StatusUnauthorized, response.Status, name)
	}
	server.Do(t, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusForbidden, "forbidden")
	server.DoAs(t, session, http.MethodPost, "/mcp", object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).WantError(t,
		http.StatusUnauthorized, "unauthorized")
}

// A session that nobody uses ends, and so does each after a month, and with its membership.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	person := dbfactory.Member(t, server.Tx, server.Account.ID, "viewer")
	for name, statement := range map[string]string{
		"unused":   "UPDATE rate_window SET window_start = now() - interval '12 hours' WHERE api_key_id = $1",
		"old":      "UPDATE api_key SET expires_at = now() WHERE id = $1",
		"revoked":  "UPDATE api_key SET revoked_at = now() WHERE id = $1",
		"forgot":   "WITH lost AS (DELETE FROM rate_window WHERE api_key_id = $1) UPDATE api_key SET created_at = now() - interval '12 hours' WHERE id = $1",
		"uninvite": "WITH one AS (SELECT person_id, account_id FROM api_key WHERE id = $1) UPDATE membership SET joined_at = NULL FROM one WHERE membership.person_id = one.person_id",
	} {
		session, row := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
		require.Equal(t, http.StatusOK, server.DoAs(t, session, http.MethodGet, "/v1/session", nil).Status, name)
		_, err := server.Tx.Exec(t.Context(), statement, row.ID)
		require.NoError(t, err)
		server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
		_, err = server.Tx.Exec(t.Context(), "UPDATE membership SET joined_at = now()")
		require.NoError(t, err)
	}
	// Sessions are no keys.
	list := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/api-keys", nil)
	require.Equal(t, 1, list.Pagination.Total)
}

// People see and end their own sessions in all accounts, and nobody else's.
func TestOwnSessions(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	other, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	person, stranger := dbfactory.Member(t, server.Tx, server.Account.ID, "viewer"),
		dbfactory.Member(t, server.Tx, server.Account.ID, "owner")
	dbfactory.Join(t, server.Tx, other.ID, person.ID, "owner")
	here, row := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
	there, _ := dbfactory.Session(t, server.Tx, other.ID, person.ID)
	foreign, foreignRow := dbfactory.Session(t, server.Tx, server.Account.ID, stranger.ID)

	list := apitest.Decode[listAnswer](t, server.DoAs(t, here, http.MethodGet, "/v1/sessions", nil))
	require.Len(t, list.Data, 2)
	require.Equal(t, row.ID.String(), list.Data[1]["id"])
	require.Equal(t, true, list.Data[1]["current"])
	server.DoAs(t, here, http.MethodDelete, "/v1/sessions/"+foreignRow.ID.String(), nil).WantError(t, http.StatusNotFound,
		"not_found")
	require.Equal(t, http.StatusNoContent, server.DoAs(t, there, http.MethodDelete, "/v1/sessions", nil).Status)
	server.DoAs(t, here, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	require.Equal(t, http.StatusOK, server.DoAs(t, foreign, http.MethodGet, "/v1/session", nil).Status)

	// The session moves to an account of the person, and to no other.
	require.Equal(t, http.StatusOK, server.DoAs(t, there, http.MethodPut, "/v1/session/account",
		object{"account_id": server.Account.ID}).Status)
	shown := apitest.Decode[api.Session](t, server.DoAs(t, there, http.MethodGet, "/v1/session", nil))
	require.Equal(t, server.Account.ID, shown.Account.ID)
	require.Equal(t, "viewer", shown.Role)
	third, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	_, err := dbsqlc.New().MembershipEnsure(t.Context(), server.Tx,
		&dbsqlc.MembershipEnsureParams{AccountID: third.ID, PersonID: person.ID, Role: "owner"})
	require.NoError(t, err)
	for _, account := range []uuid.UUID{third.ID, uuid.New()} {
		server.DoAs(t, there, http.MethodPut, "/v1/session/account", object{"account_id": account}).WantError(t, http.StatusNotFound,
			"not_found")
	}
}

// linkFor makes a link as people is given one.
func linkFor(t *testing.T, server *apitest.Server, personID uuid.UUID, purpose string) string {
	t.Helper()
	token, err := db.WithTx(t.Context(), server.Tx, func(tx pgx.Tx) (string, error) {
		return people.NewLink(t.Context(), tx, server.Account.ID, personID, purpose)
	})
	require.NoError(t, err)
	return token
}

func TestLinks(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	person := dbfactory.Member(t, server.Tx, server.Account.ID, "owner")
	token := linkFor(t, server, person.ID, people.PurposeSetup)
	use := func(token string, body object) *apitest.Response {
		body["token"] = token
		return server.DoAs(t, "", http.MethodPost, "/v1/session/link", body)
	}
	for range 2 {
		looked := apitest.Decode[api.Link](t, server.DoAs(t, "", http.MethodPost, "/v1/session/link/check", object{"token": token}))
		require.Equal(t, "new", looked.Password, "looking at a link does not use it up")
		require.Equal(t, person.Email, looked.Email)
	}
	for _, weak := range []string{"", "short", "Password123", "1111111111", person.Email} {
		require.Contains(t, use(token, object{"password": weak}).WantError(t, http.StatusBadRequest, "invalid_request"), "password")
	}
	reset := linkFor(t, server, person.ID, people.PurposeReset)
	earlier, _ := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
	response := use(token, object{"password": rightPassword, "name": "Jan"})
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Equal(t, "Jan", apitest.Decode[api.Session](t, response).Person.Name)
	require.Equal(t, http.StatusOK, server.DoAs(t, cookieOf(t, response), http.MethodGet, "/v1/session", nil).Status)
	use(token, object{"password": rightPassword}).WantError(t, http.StatusNotFound, "not_found")
	use(reset, object{"password": rightPassword}).WantError(t, http.StatusNotFound, "not_found")
	server.DoAs(t, earlier, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")

	expired := linkFor(t, server, person.ID, people.PurposeSignIn)
	_, err := server.Tx.Exec(t.Context(), "UPDATE login_link SET expires_at = now() WHERE purpose = 'sign-in'")
	require.NoError(t, err)
	use(expired, object{}).WantError(t, http.StatusNotFound, "not_found")
	server.DoAs(t, "", http.MethodPost, "/v1/session/link/check", object{"token": expired}).WantError(t, http.StatusNotFound,
		"not_found")
	require.Equal(t, http.StatusOK, use(linkFor(t, server, person.ID, people.PurposeSignIn), object{}).Status,
		"the operator's link needs no password")
	use("nothing", object{}).WantError(t, http.StatusNotFound, "not_found")
}

// Of two who use a link at the same time one comes in.
func TestALinkIsUsedOnce(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	person := dbfactory.Member(t, server.Tx, server.Account.ID, "owner")
	for range 5 {
		token := linkFor(t, server, person.ID, people.PurposeSignIn)
		statuses := make(chan int, 4)
		var using sync.WaitGroup
		for range cap(statuses) {
			using.Go(func() {
				statuses <- server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": token}).Status
			})
		}
		using.Wait()
		close(statuses)
		in := 0
		for status := range statuses {
			if status == http.StatusOK {
				in++
			} else {
				require.Equal(t, http.StatusNotFound, status)
			}
		}
		require.Equal(t, 1, in)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	person := newPerson(t, server, "viewer")
	session, _ := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
	other, _ := dbfactory.Session(t, server.Tx, server.Account.ID, person.ID)
	change := func(current, next string) *apitest.Response {
		return server.DoAs(t, session, http.MethodPut, "/v1/session/password", object{"current": current, "new": next})
	}
	change("wrong horse battery", "staple horse battery").WantError(t, http.StatusForbidden, "wrong_password")
	require.Contains(t, change(rightPassword, "qwertyuiop").WantError(t, http.StatusBadRequest, "invalid_request"), "new")
	require.Equal(t, http.StatusNoContent, change(rightPassword, "staple horse battery").Status)
	require.Equal(t, http.StatusOK, server.DoAs(t, session, http.MethodGet, "/v1/session", nil).Status)
	server.DoAs(t, other, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
	response, _ := signIn(t, server, "", person.Email, "staple horse battery")
	require.Equal(t, http.StatusOK, response.Status)

	// A reset is mailed, and the answer is the same for everybody.
	for _, email := range []string{person.Email, person.Email, person.Email, person.Email, "nobody@example.com"} {
		require.Equal(t, http.StatusNoContent, server.DoAs(t, "", http.MethodPost, "/v1/session/reset", object{"email": email}).Status)
	}
	var mails int
	var text string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*), min(content->>'text') FROM mail WHERE account_id = $1",
		server.Account.ID).Scan(&mails, &text))
	require.Equal(t, 3, mails)
	_, token, found := strings.Cut(text, "/app/#/setup/")
	require.True(t, found, text)
	token, _, _ = strings.Cut(token, "\n")
	reset := server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": token, "password": "another horse battery"})
	require.Equal(t, http.StatusOK, reset.Status, "%s", reset.Body)
	server.DoAs(t, session, http.MethodGet, "/v1/session", nil).WantError(t, http.StatusUnauthorized, "unauthorized")
}

// TestUnauthenticatedBodies: whoever is not known yet has room for what is asked of them, and no more: each open connection holds its body.
func TestUnauthenticatedBodies(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	large := strings.Repeat("x", 17<<10)
	for path, body := range map[string]object{
		"/v1/session":            {"email": "jan@example.com", "password": large},
		"/v1/session/link/check": {"token": large},
	} {
		server.DoAs(t, "", http.MethodPost, path, body).WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large")
	}
}
