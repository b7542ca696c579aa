package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/jobs/agents"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

const instantPath = "/instant-agents"

// instantServer is the API on a database of its own, with so much time for an instant agent.
func instantServer(t *testing.T, limit time.Duration) (*apitest.Server, *pgxpool.Pool) {
	t.Helper()
	pool := dbtest.Pool(t)
	return apitest.NewOn(t, pool, func(a *api.API) { a.SetInstantAgentTime(limit) }), pool
}

type noModels struct{}

func (noModels) LLM(string) (llm.Provider, bool) { return scripted.New(), false }

// startWorker works the jobs of a database.
func startWorker(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	client := hook.New(hook.Config{UserAgent: "Callwright/test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	logger, workers := slog.New(slog.DiscardHandler), river.NewWorkers()
	jobs.Register(workers, &jobs.Services{
		DB: pool, Hook: client, Logger: logger, Models: noModels{}, Now: time.Now,
		Websites: website.New(website.Config{HTTP: client.HTTP(), UserAgent: client.UserAgent(), Pages: websitetest.Pages{}}),
	})
	worker, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues: map[string]river.QueueConfig{queue.Default: {MaxWorkers: 4}}, Workers: workers, Logger: logger,
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
	})
	require.NoError(t, err)
	require.NoError(t, worker.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, worker.StopAndCancel(ctx))
	})
}

// leftovers is what an account has besides the records of its requests.
func leftovers(t *testing.T, server *apitest.Server) map[string]string {
	t.Helper()
	digest := accountDigest(t, server, server.Account.ID)
	for _, table := range []string{"instant_agent", "idempotency_key", "audit_entry"} { // what says that it was tried
		require.Contains(t, digest, table)
		delete(digest, table)
	}
	return digest
}

// pendingInstant waits until a request has made its record.
func pendingInstant(t *testing.T, pool *pgxpool.Pool, numberID uuid.UUID) (id uuid.UUID) {
	t.Helper()
	require.Eventually(t, func() bool {
		return pool.QueryRow(t.Context(), "SELECT id FROM instant_agent WHERE phone_number_id = $1 AND status = 'pending'",
			numberID).Scan(&id) == nil
	}, 10*time.Second, 5*time.Millisecond)
	return id
}

func TestInstantAgent(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, 0)
	startWorker(t, pool)
	for _, path := range []string{instantPath, "/v1" + instantPath} {
		number := dbfactory.Number(t, pool, server.Account.ID)
		body := object{"phone_number_id": number.ID, "company_name": " Linden Dental "}
		response := server.Do(t, http.MethodPost, path, body, "Idempotency-Key", path)
		require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
		require.Equal(t, object{
			"success": true, "message": "The agent answers " + number.Number + ".", "phone_number": number.Number,
			"phone_number_id": number.ID.String(),
			"agent_name":      "Linden Dental assistant", "company_name": "Linden Dental",
		}, apitest.Decode[object](t, response))
		again := server.Do(t, http.MethodPost, path, body, "Idempotency-Key", path)
		require.Equal(t, http.StatusCreated, again.Status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.JSONEq(t, string(response.Body), string(again.Body))
		server.WantError(t, http.StatusConflict, "idempotency_conflict", http.MethodPost, path,
			object{"phone_number_id": number.ID, "company_name": "Other"}, "Idempotency-Key", path)
		server.WantError(t, http.StatusBadRequest, "already_in_use", http.MethodPost, path, body)
	}
	assistants := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/assistants", nil)
	require.Len(t, assistants.Data, 2)

	whole := object{
		"phone_number_id": dbfactory.DefaultNumber(t, pool).ID, "company_name": "Linden Dental", "agent_name": "Eva",
		"notification_email": "desk@example.com",
		"website_url":        company(t, companyPage), "additional_context": "We have a car park.", "custom_instructions": "Be brief.",
		"faqs":                  []object{{"question": "Do you treat children?", "answer": "Yes."}},
		"call_transfers":        []object{{"name": "Reception", "phone_number": "+31 20 123 4567", "description": "Urgent pain."}},
		"can_book_appointments": true, "calendar_ics_url": "webcal://example.com/a.ics", "minimum_booking_hours": 2.5,
		"appointment_types": []object{{"name": "Check-up", "duration": 20, "description": "Twice a year."}},
		"sms_message":       "Greetings from {company_name}",
	}
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, instantPath, whole)
	require.Equal(t, "Eva", made["agent_name"])
	assistant := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/assistants", nil).Data[0]
	require.Equal(t, []any{object{"name": "Reception", "phone_number": "+31201234567", "description": "Urgent pain."}},
		assistant["call_transfers"])
	require.Equal(t, made["phone_number"], assistant["phone_number"])
	path := "/v1/assistants/" + assistant["assistant_id"].(string)
	// what was made is what may be stored
	apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"background_sound": "office"}`)
	found := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, "/v1/knowledge-base/query",
		object{"query": "cakes", "assistant_id": assistant["assistant_id"]})
	require.Len(t, found["documents"], 1)
}

func TestInstantAgentsForOneNumber(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, 0)
	number := dbfactory.Number(t, pool, server.Account.ID)
	statuses := make(chan int, 2)
	for range cap(statuses) {
		go func() {
			statuses <- server.Do(t, http.MethodPost, instantPath,
				object{"phone_number_id": number.ID, "company_name": "Linden Dental"}).Status
		}()
	}
	require.Eventually(t, func() bool {
		var waiting int
		err := pool.QueryRow(t.Context(), "SELECT count(*) FROM instant_agent").Scan(&waiting)
		return err == nil && waiting == cap(statuses)
	}, 10*time.Second, 5*time.Millisecond)
	startWorker(t, pool)
	require.ElementsMatch(t, []int{http.StatusCreated, http.StatusBadRequest}, []int{<-statuses, <-statuses})
	require.Len(t, apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/assistants", nil).Data, 1)
}

// The outcome of the job is the response, also to a repetition with the same key.
func TestInstantAgentThatFails(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, 0)
	for failure, want := range map[string]struct {
		status int
		code   string
	}{
		agents.FailureWebsiteFailed:  {http.StatusBadGateway, "upstream_error"},
		agents.FailureWebsiteSlow:    {http.StatusGatewayTimeout, "upstream_timeout"},
		agents.FailureWebsiteRefused: {http.StatusBadRequest, "invalid_request"},
		agents.FailureNumberGone:     {http.StatusNotFound, "not_found"},
		agents.FailureNumberInUse:    {http.StatusBadRequest, "already_in_use"},
		agents.FailureKnowledgeFull:  {http.StatusConflict, "limit_reached"},
	} {
		number := dbfactory.Number(t, pool, server.Account.ID)
		body := object{"phone_number_id": number.ID, "company_name": "Linden Dental", "website_url": "https://example.com"}
		responses := make(chan *apitest.Response)
		go func() { responses <- server.Do(t, http.MethodPost, instantPath, body, "Idempotency-Key", failure) }()
		id := pendingInstant(t, pool, number.ID)
		server.WantError(t, http.StatusConflict, "idempotency_in_progress", http.MethodPost, instantPath, body, "Idempotency-Key",
			failure)
		_, err := pool.Exec(t.Context(),
			"UPDATE instant_agent SET status = 'failed', failure = $2, error = 'It failed.', finished_at = now() WHERE id = $1", id,
			failure)
		require.NoError(t, err)
		response := <-responses
		response.WantError(t, want.status, want.code)
		again := server.Do(t, http.MethodPost, instantPath, body, "Idempotency-Key", failure)
		again.WantError(t, want.status, want.code)
		require.JSONEq(t, string(response.Body), string(again.Body))
		require.Empty(t, response.Header.Get("Idempotent-Replayed"))
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	}
}

func TestInstantAgentThatTakesTooLong(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, 100*time.Millisecond)
	number := dbfactory.Number(t, pool, server.Account.ID)
	before := leftovers(t, server)
	body := object{"phone_number_id": number.ID, "company_name": "Linden Dental", "additional_context": "We have a car park."}
	for range 2 {
		server.WantError(t, http.StatusGatewayTimeout, "upstream_timeout", http.MethodPost, instantPath, body, "Idempotency-Key",
			"slow")
	}
	startWorker(t, pool)
	require.Eventually(t, func() bool {
		var left int
		err := pool.QueryRow(t.Context(),
			"SELECT count(*) FROM river_job WHERE kind = 'set_up_instant_agent' AND state <> 'completed'").Scan(&left)
		return err == nil && left == 0
	}, 10*time.Second, 10*time.Millisecond, "the job comes too late")
	require.Equal(t, before, leftovers(t, server), "nothing is left")
}

// The job and the request that gives up meet at the record: an agent that is made as its time ends is returned as made.
func TestInstantAgentThatIsReadyAtTheLastMoment(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, time.Second)
	number := dbfactory.Number(t, pool, server.Account.ID)
	assistant := dbfactory.Assistant(t, pool, server.Account.ID)
	responses := make(chan *apitest.Response)
	go func() {
		responses <- server.Do(t, http.MethodPost, instantPath, object{"phone_number_id": number.ID, "company_name": "Linden Dental"})
	}()
	id := pendingInstant(t, pool, number.ID)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	ready, err := dbsqlc.New().InstantAgentSetReady(t.Context(), tx,
		&dbsqlc.InstantAgentSetReadyParams{ID: id, AssistantID: assistant.ID})
	require.NoError(t, err)
	require.EqualValues(t, 1, ready)
	require.Eventually(t, func() bool {
		var blocked int
		err := pool.QueryRow(t.Context(),
			`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
			AND query LIKE '%InstantAgentExpire%'`).Scan(&blocked)
		return err == nil && blocked == 1
	}, 10*time.Second, 10*time.Millisecond, "the request gives up")
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, http.StatusCreated, (<-responses).Status)
}

// A client that goes away learns by its key what became of its request.
func TestInstantAgentWhoseClientLeaves(t *testing.T) {
	t.Parallel()

	server, pool := instantServer(t, 0)
	number := dbfactory.Number(t, pool, server.Account.ID)
	body := fmt.Sprintf(`{"phone_number_id": %q, "company_name": "Linden Dental"}`, number.ID)
	ctx, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, instantPath, strings.NewReader(body))
		if err != nil {
			t.Errorf("make request: %v", err)
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+server.Key)
		request.Header.Set("Idempotency-Key", "left")
		server.Handler.ServeHTTP(discardedAnswer{}, request)
	})
	pendingInstant(t, pool, number.ID)
	leave()
	waiting.Wait()
	server.WantError(t, http.StatusConflict, "idempotency_in_progress", http.MethodPost, instantPath, body, "Idempotency-Key",
		"left")
	startWorker(t, pool)
	require.Eventually(t, func() bool {
		return server.Do(t, http.MethodPost, instantPath, body, "Idempotency-Key", "left").Status == http.StatusCreated
	}, 10*time.Second, 20*time.Millisecond)
}

type discardedAnswer struct{}

func (discardedAnswer) Header() http.Header         { return http.Header{} }
func (discardedAnswer) Write(p []byte) (int, error) { return len(p), nil }
func (discardedAnswer) WriteHeader(int)             {}

func TestInstantAgentNumbers(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	foreign, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	linked := dbfactory.Number(t, server.Tx, server.Account.ID)
	dbfactory.Link(t, server.Tx, dbfactory.Assistant(t, server.Tx, server.Account.ID), linked)
	before := accountDigest(t, server, server.Account.ID)
	for name, test := range map[string]struct {
		id     uuid.UUID
		status int
		code   string
	}{
		"Unknown": {uuid.New(), http.StatusNotFound, "not_found"},
		"Foreign": {dbfactory.Number(t, server.Tx, foreign.ID).ID, http.StatusNotFound, "not_found"},
		"InUse":   {linked.ID, http.StatusBadRequest, "already_in_use"},
	} {
		response := server.Do(t, http.MethodPost, instantPath, object{"phone_number_id": test.id, "company_name": "Linden Dental"},
			"Idempotency-Key", name)
		response.WantError(t, test.status, test.code)
		require.Equal(t, before, accountDigest(t, server, server.Account.ID), name)
	}
}

func TestInstantAgentsAtOnce(t *testing.T) {
	t.Parallel()

	server := apitest.New(t, func(a *api.API) { a.SetInstantAgentTime(time.Minute) })
	number := dbfactory.Number(t, server.Tx, server.Account.ID)
	foreign, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	for range 5 {
		_, err := server.Tx.Exec(t.Context(),
			`INSERT INTO instant_agent (id, account_id, phone_number_id, company_name, agent_name, request, expires_at)
			VALUES ($1, $2, $3, 'A', 'A', '{}', now() + interval '1 minute')`, dbfactory.ID(t), server.Account.ID, number.ID)
		require.NoError(t, err)
	}
	response := server.Do(t, http.MethodPost, instantPath, object{"phone_number_id": number.ID, "company_name": "Linden Dental"})
	response.WantError(t, http.StatusTooManyRequests, "rate_limited")
	require.NotEmpty(t, response.Header.Get("Retry-After"))

	server.API.SetInstantAgentTime(time.Millisecond)
	body := object{"phone_number_id": dbfactory.Number(t, server.Tx, foreign.ID).ID, "company_name": "Linden Dental"}
	server.DoAs(t, key, http.MethodPost, instantPath, body).WantError(t, http.StatusGatewayTimeout, "upstream_timeout")
	_, err := server.Tx.Exec(t.Context(), "UPDATE instant_agent SET expires_at = now() - interval '1 s' WHERE account_id = $1",
		server.Account.ID)
	require.NoError(t, err)
	body["phone_number_id"] = number.ID
	server.Do(t, http.MethodPost, instantPath, body).WantError(t, http.StatusGatewayTimeout, "upstream_timeout")
}

func TestInstantAgentBadInput(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	number := dbfactory.Number(t, server.Tx, server.Account.ID).ID.String()
	for name, test := range map[string]struct {
		change object
		fields []string
	}{
		"Nothing": {object{"phone_number_id": nil, "company_name": nil}, []string{"phone_number_id", "company_name"}},
		"Blank":   {object{"company_name": "  "}, []string{"company_name"}},
		"LongNames": {object{"company_name": strings.Repeat("é", 151), "agent_name": strings.Repeat("é", 101)},
			[]string{"company_name", "agent_name"}},
		"NoID":    {object{"phone_number_id": "+31201234567"}, []string{"phone_number_id"}},
		"Unknown": {object{"companyname": "x"}, []string{"companyname"}},
		"NUL":     {object{"company_name": "a\x00b"}, []string{"company_name"}},
		"WrongKinds": {object{"agent_name": 1, "faqs": "a", "can_book_appointments": "yes", "minimum_booking_hours": "2"},
			[]string{"agent_name", "faqs", "can_book_appointments", "minimum_booking_hours"}},
		"Addresses": {
			object{"notification_email": "desk", "website_url": "ftp://example.com", "calendar_ics_url": "calendar"},
			[]string{"notification_email", "website_url", "calendar_ics_url"},
		},
		"Credentials": {object{"website_url": "https://a:b@example.com"}, []string{"website_url"}},
		"FAQs": {object{"faqs": []object{{"question": "", "answer": "a"}, {"question": "a"}}},
			[]string{"faqs[0].question", "faqs[1].answer"}},
		"ManyFAQs": {object{"faqs": make([]object, 51)}, []string{"faqs"}},
		"Transfers": {object{"call_transfers": []object{{"name": "A", "phone_number": "0201234567"},
			{"name": "a", "phone_number": "+31201234567"}}},
			[]string{"call_transfers[0].phone_number", "call_transfers[1].name"}},
		"Hours": {object{"minimum_booking_hours": -1}, []string{"minimum_booking_hours"}},
		"Types": {object{"appointment_types": []object{{"name": "A", "duration": 20}, {"name": "a", "duration": 20}}},
			[]string{"appointment_types[1].name"}},
		"Duration": {
			object{"appointment_types": []object{{"name": "A", "duration": 0}, {"name": "B", "duration": 5000}, {"name": "C"}}},
			[]string{"appointment_types[0].duration", "appointment_types[1].duration", "appointment_types[2].duration"},
		},
		"SMS": {object{"sms_message": strings.Repeat("a", 1001)}, []string{"sms_message"}},
		"FilledSMS": {object{"company_name": strings.Repeat("é", 150), "sms_message": strings.Repeat("{company_name}", 7)},
			[]string{"sms_message"}},
		"LongTexts": {object{"additional_context": strings.Repeat("a", 20_001), "custom_instructions": strings.Repeat("a", 10_001)},
			[]string{"additional_context", "custom_instructions"}},
	} {
		t.Run(name, func(t *testing.T) {
			body := object{"phone_number_id": number, "company_name": "Linden Dental"}
			for field, value := range test.change {
				if body[field] = value; value == nil {
					delete(body, field)
				}
			}
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, instantPath, body)
			for _, field := range test.fields {
				require.Contains(t, details, field)
			}
		})
	}
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, instantPath, "{\"company_name\": \"\xff\"}")
	server.DoAs(t, "", http.MethodPost, instantPath, object{}).WantError(t, http.StatusUnauthorized, "unauthorized")
	var made int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM instant_agent WHERE account_id = $1",
		server.Account.ID).Scan(&made))
	require.Zero(t, made)
}
