package api_test

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

var (
	seed     = flag.Uint64("seed", 1, "what the generated requests follow from; 0: another each time")
	requests = flag.Int("requests", 20_000, "how many requests to generate")
)

const (
	fuzzWorkers   = 4                      // two of each of two accounts, so that the requests of one account meet
	workerlessFor = 100 * time.Millisecond // what waits for a worker waits so long: there is none here
)

// waitingOperations respond only when a worker has done its part.
var waitingOperations = []string{"test-sip-connection", "create-instant-agent", "create-web-call"}

// Requests that the document admits, and others that come near them, in sequences over the resources of two accounts: no
// answer is a failure of ours, every one is as the document says, what the document does not admit is not taken, and
// nothing is done to another account's resources.
func TestNothingBreaksTheAPI(t *testing.T) {
	t.Parallel()

	if *seed == 0 {
		*seed = rand.Uint64()
	}
	count := *requests
	if testing.Short() {
		count /= 20
	}
	t.Logf("go test ./api -run %s -seed %d -requests %d", t.Name(), *seed, count)
	errorLog := &errorLog{}
	server := apitest.NewOn(t, dbtest.Pool(t), func(a *api.API) { a.Logger, a.Websites = errorLog.logger(), oneSiteReader() })
	document, err := apifuzz.Read()
	require.NoError(t, err)
	one := newFuzzTenant(t, server, server.Account.ID, server.Key)
	account, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	two := newFuzzTenant(t, server, account.ID, key)

	var fuzzers []*apifuzz.Fuzzer
	var workers sync.WaitGroup
	for i := range fuzzWorkers {
		owner, other := one, two
		if i%2 == 1 {
			owner, other = two, one
		}
		fuzzer := newFuzzer(t, server, document, owner, other, rand.New(rand.NewPCG(*seed, uint64(i))))
		fuzzers = append(fuzzers, fuzzer)
		workers.Go(func() {
			for done := 0; done < count/fuzzWorkers && !t.Failed(); {
				n, err := fuzzer.Sequence()
				if err != nil {
					t.Errorf("%v\nlog: %s", err, errorLog)
				}
				done += n
			}
		})
	}
	workers.Wait()
	if !t.Failed() {
		requireReached(t, fuzzers)
	}
}

// oneSite is what every address leads to.
type oneSite struct{}

func oneSiteReader() *website.Reader {
	return website.New(website.Config{HTTP: &http.Client{Transport: oneSite{}}, UserAgent: "Callwright/test",
		Pages: websitetest.Pages{}})
}

// RoundTrip implements http.RoundTripper.
func (oneSite) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/robots.txt" {
		recorder.Code = http.StatusNotFound
	}
	_, err := recorder.WriteString("<title>Linden</title><h2>When are you open?</h2><p>From nine to five on every weekday.</p>")
	response := recorder.Result()
	response.Request = r
	return response, err
}

// fuzzTenant is an account with a row of each kind and means to order numbers.
type fuzzTenant struct {
	*tenant
	live string // a call to speak into
}

func newFuzzTenant(t *testing.T, server *apitest.Server, account uuid.UUID, key string) *fuzzTenant {
	t.Helper()
	made := &fuzzTenant{tenant: &tenant{account, key, map[string]string{}}}
	for kind := range usedKinds() {
		if kind != "event" && kind != "verification_document" {
			made.id(t, server, kind)
		}
	}
	body, contentType := documentForm(t)
	response := server.DoAs(t, key, http.MethodPost, groupsPath+"/"+made.ids["verification_group"]+"/documents", body,
		"Content-Type", contentType)
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	made.ids["verification_document"] = apitest.Decode[object](t, response)["document_id"].(string)
	dbfactory.Credits(t, server.Tx, account, 100_000)
	dbfactory.DefaultNumber(t, server.Tx)
	decideGroup(t, server, made.ids["verification_group"], "approved")
	other := &tenant{account, key, maps.Clone(made.ids)}
	delete(other.ids, "call")
	made.live = other.id(t, server, "call")
	for statement, id := range map[string]any{
		"UPDATE account SET subscription_status = 'active' WHERE id = $1":                                  account,
		"UPDATE call SET status = 'in-progress', worker_id = 'worker', recording_key = NULL WHERE id = $1": made.live,
		"UPDATE verification_group SET simulated = false WHERE account_id = $1":                            account,
		"UPDATE call SET started_at = created_at, ended_at = now() WHERE id = $1":                          made.ids["call"],
	} {
		_, err := server.Tx.Exec(t.Context(), statement, id)
		require.NoError(t, err)
	}
	putRecording(t, server, made.ids["call"], account.String()+".wav")
	response = server.DoAs(t, key, http.MethodPut, "/v1/assistants/"+made.ids["assistant"], apifuzz.WholeAssistant())
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	response = server.DoAs(t, key, http.MethodPost, "/v1/contacts", object{"phone_number": "+31201234567"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	response = server.DoAs(t, key, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": made.ids["assistant"], "contact_phone_number": "+31201234567"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	require.NoError(t, events.Number(t.Context(), server.Tx, account))
	events := apitest.Decode[listAnswer](t, server.DoAs(t, key, http.MethodGet, "/v1/events", nil)).Data
	require.NotEmpty(t, events)
	made.ids["event"] = events[0]["id"].(string)
	return made
}

// newFuzzer makes requests of the owner's.
func newFuzzer(t *testing.T, server *apitest.Server, document *apifuzz.Document, owner, other *fuzzTenant,
	source *rand.Rand) *apifuzz.Fuzzer {
	t.Helper()
	fuzzer, err := apifuzz.New(apifuzz.Config{
		Document: document, Random: source, Key: owner.key, IDs: owner.ids,
		Foreign: func(kind string) string { return other.ids[kind] },
		Send:    func(request *apifuzz.Request) *apifuzz.Answer { return sendTo(t.Context(), server, request) },
		Session: func() (cookie string) { // a new one each time: requests end them, and may have had the member leave
			require.NoError(t, db.InTx(t.Context(), server.Tx, func(tx pgx.Tx) error {
				member := uuid.MustParse(owner.ids["member"])
				_, err := tx.Exec(t.Context(),
					`INSERT INTO membership (account_id, person_id, role, joined_at) VALUES ($1, $2, 'viewer', now())
					ON CONFLICT (account_id, person_id) DO UPDATE SET updated_at = now()`, owner.account, member) // nobody removes it meanwhile
				require.NoError(t, err)
				text, _ := dbfactory.Session(t, tx, owner.account, member)
				cookie = "callwright_session=" + text
				return nil
			}))
			return cookie
		},
	})
	require.NoError(t, err)
	fuzzer.Keep("call", owner.live)
	return fuzzer
}

// sendTo calls the handler. It returns nil if the client disconnected before the response.
func sendTo(ctx context.Context, server *apitest.Server, request *apifuzz.Request) *apifuzz.Answer {
	if slices.Contains(waitingOperations, request.Operation.OperationID) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, workerlessFor)
		defer cancel()
	}
	made := httptest.NewRequestWithContext(ctx, request.Operation.Method, request.Target, bytes.NewReader(request.Body))
	made.Header = request.Header
	recorder := httptest.NewRecorder()
	server.Handler.ServeHTTP(recorder, made)
	if ctx.Err() != nil && recorder.Code != http.StatusGatewayTimeout {
		return nil
	}
	return &apifuzz.Answer{Status: recorder.Code, Header: recorder.Result().Header, Body: recorder.Body.Bytes()}
}

// requireReached fails when the requests were refused by and large: then they have tested little.
func requireReached(t *testing.T, fuzzers []*apifuzz.Fuzzer) {
	t.Helper()
	total, succeeded := 0, 0
	for _, fuzzer := range fuzzers {
		for operation, counts := range fuzzer.Statuses() {
			for status, n := range counts {
				total += n
				if status < 300 {
					succeeded += n
				}
			}
			t.Logf("%s %v", operation, counts)
		}
	}
	t.Logf("%d requests, %d succeeded", total, succeeded)
	require.Greater(t, succeeded, total/5)
}
