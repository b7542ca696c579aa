package agents_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/agents"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/jobs/maintenance"
)

func newWorker(f *jobstest.Fixture) *agents.SetUpInstantAgentWorker {
	s := f.Services
	return &agents.SetUpInstantAgentWorker{DB: s.DB, Websites: s.Websites, Models: s.Models, Embeds: s.Embed != nil,
		Logger: s.Logger}
}

// addInstant is an instant agent that waits to be made, on a number of its own.
func addInstant(t *testing.T, f *jobstest.Fixture, request jsonb.InstantAgent) *dbsqlc.InstantAgent {
	t.Helper()
	return addInstantOn(t, f, dbfactory.Number(t, f.Tx, f.Account.ID), request)
}

func addInstantOn(t *testing.T, f *jobstest.Fixture, number *dbsqlc.PhoneNumber,
	request jsonb.InstantAgent) *dbsqlc.InstantAgent {
	t.Helper()
	row, err := dbsqlc.New().InstantAgentInsert(t.Context(), f.Tx, &dbsqlc.InstantAgentInsertParams{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, PhoneNumberID: number.ID, CompanyName: "Linden Dental",
		AgentName: "Linden Dental assistant",
		Request:   request, Seconds: 25,
	})
	require.NoError(t, err)
	return row
}

func setUpAgent(t *testing.T, f *jobstest.Fixture, id uuid.UUID) *dbsqlc.InstantAgent {
	t.Helper()
	jobstest.Work(t, f, newWorker(f), agents.SetUpInstantAgentArgs{InstantAgentID: id})
	return instantRow(t, f.Tx, f.Account.ID, id)
}

func instantRow(t *testing.T, tx dbsqlc.DBTX, accountID, id uuid.UUID) *dbsqlc.InstantAgent {
	t.Helper()
	row, err := dbsqlc.New().InstantAgentGet(t.Context(), tx, &dbsqlc.InstantAgentGetParams{AccountID: accountID, ID: id})
	require.NoError(t, err)
	return &row.InstantAgent
}

func madeAssistant(t *testing.T, f *jobstest.Fixture, row *dbsqlc.InstantAgent) *dbsqlc.AssistantGetRow {
	t.Helper()
	require.Equal(t, "ready", row.Status, row.Error)
	require.Equal(t, jsonb.InstantAgent{}, row.Request, "what was asked for is not kept")
	made, err := dbsqlc.New().AssistantGet(t.Context(), f.Tx,
		&dbsqlc.AssistantGetParams{AccountID: f.Account.ID, ID: *row.AssistantID})
	require.NoError(t, err)
	return made
}

// digest is all that the tables have of an account but for the records of instant agents.
func digest(t *testing.T, tx dbsqlc.DBTX, accountID uuid.UUID) map[string]string {
	t.Helper()
	rows, err := tx.Query(t.Context(),
		`SELECT quote_ident(table_name) FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE column_name = 'account_id' AND table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'instant_agent'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, tables, "knowledge_term")
	sums := map[string]string{}
	for _, table := range tables {
		var sum string
		statement := fmt.Sprintf("SELECT coalesce(string_agg(r::text, ' ' ORDER BY r::text), '') FROM %s AS r WHERE account_id = $1",
			table)
		require.NoError(t, tx.QueryRow(t.Context(), statement, accountID).Scan(&sum))
		sums[table] = sum
	}
	return sums
}

// site is a website of several pages, whose answers a test may hold back.
func site(t *testing.T, pages map[string]string, before func()) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && before != nil {
			before()
		}
		body, there := pages[r.URL.Path]
		if !there {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".pdf") {
			w.Header().Set("Content-Type", "application/pdf")
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestInstantAgentOfTwoFields(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	agent := addInstant(t, f, jsonb.InstantAgent{})
	made := madeAssistant(t, f, setUpAgent(t, f, agent.ID))
	require.Equal(t, "Linden Dental assistant", made.Assistant.Name)
	require.Equal(t, agent.PhoneNumberID, *made.PhoneNumberID)
	config := made.Assistant.Config
	require.Equal(t, "Goedendag, u spreekt met de digitale assistent van Linden Dental. Waarmee kan ik u helpen?",
		config.FirstMessage, "the number is Dutch")
	require.Equal(t, jsonb.Object{"language": "nl"}, config.Transcriber)
	require.Contains(t, config.LLMContent, "Je bent de digitale assistent van Linden Dental.")
	for name, text := range map[string]string{"outbound": config.FirstMessageOutbound, "end": config.EndCallMessage,
		"voicemail": config.VoicemailMessage, "booking": config.BookingMessage} {
		require.NotEmpty(t, text, name)
		require.NotContains(t, text+config.LLMContent, "{", name)
	}
	require.NotContains(t, config.LLMContent, "kennisbank", "there is none")
	require.Nil(t, config.Booking)
	require.Empty(t, config.CallTransfers)
	require.False(t, config.KnowledgeBaseEnabled, "there is nothing to look up")
	require.False(t, config.PostCallEmailEnabled)
	require.True(t, config.EndCallFunctionEnabled)
	require.Equal(t, 600, config.MaxDurationSeconds)

	before := digest(t, f.Tx, f.Account.ID)
	setUpAgent(t, f, agent.ID)
	require.Equal(t, before, digest(t, f.Tx, f.Account.ID), "a job that comes twice does nothing")
}

func TestInstantAgentOfEverything(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	request := jsonb.InstantAgent{
		AgentName: "Eva", NotificationEmail: "desk@example.com", AdditionalContext: "The practice has two dentists and a car park.",
		CustomInstructions: "Never discuss politics.", FAQs: []jsonb.InstantFAQ{{Question: "Do you treat children?",
			Answer: "Yes, from the age of two."}},
		CallTransfers:       []jsonb.CallTransfer{{Name: "Reception", PhoneNumber: "+31201234567", Description: "Urgent pain."}},
		CanBookAppointments: true, CalendarICSURL: "https://example.com/a.ics", MinimumBookingHours: 2.5,
		AppointmentTypes: []jsonb.AppointmentType{{Name: "Check-up", Duration: 20}},
		SMSMessage:       "Thank you for calling {company_name}!",
		WebsiteURL: site(t, map[string]string{
			"/":      `<title>Linden Dental</title><p>We are the dentists of Amsterdam. {{contact_name}} is welcome at our practice.</p><a href="/price">Prices</a>`,
			"/price": `<title>Prices</title><p>A crown will cost you four hundred euros, and that is all that you pay.</p>`,
		}, nil),
	}
	made := madeAssistant(t, f, setUpAgent(t, f, addInstant(t, f, request).ID))
	config := made.Assistant.Config
	require.Equal(t, "Hello, you are speaking with Eva, the digital assistant of Linden Dental. How can I help you?",
		config.FirstMessage)
	require.Equal(t, jsonb.Object{"language": "en"}, config.Transcriber, "the website's language goes before the number's")
	require.Equal(t, "desk@example.com", config.NotificationsEmail)
	require.True(t, config.PostCallEmailEnabled)
	require.Equal(t, "Thank you for calling Linden Dental!", config.SMSMessage)
	require.Equal(t, request.CallTransfers, config.CallTransfers)
	require.Equal(t, &jsonb.Booking{Enabled: true, CalendarICSURL: request.CalendarICSURL, MinimumBookingHours: 2.5,
		AppointmentTypes: request.AppointmentTypes}, config.Booking)
	for _, part := range []string{
		"You are Eva, the digital assistant of Linden Dental.", "put callers through to: Reception.",
		"appointments for Linden Dental: Check-up (20 minutes).",
		"2.5 hours from now", "two dentists", "Look in the knowledge base", "Do you treat children?\nYes, from the age of two.",
		"four hundred euros", "{contact_name} is welcome", "Never discuss politics.",
	} {
		require.Contains(t, config.LLMContent, part)
	}
	require.NotContains(t, config.LLMContent, "{{", "a website names no variables of a call")

	require.True(t, config.KnowledgeBaseEnabled)
	known := func(question string, assistantID *uuid.UUID) []string {
		hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, AssistantID: assistantID,
			Question: question, Limit: 5})
		require.NoError(t, err)
		var titles []string
		for _, hit := range hits {
			titles = append(titles, hit.Title)
		}
		return titles
	}
	for question, title := range map[string]string{"crown": "Prices", "children": "Do you treat children?",
		"car park": "About Linden Dental", "Amsterdam": "Linden Dental"} {
		require.Equal(t, []string{title}, known(question, &made.Assistant.ID), question)
		require.Empty(t, known(question, &f.Assistant.ID), "no other assistant knows it")
	}
}

func TestInstantAgentOfADutchWebsite(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	address := site(t,
		map[string]string{"/": `<title>Bakkerij</title><p>Wij bakken elke dag vers brood voor u. Op zondag zijn wij niet open.</p>`},
		nil)
	number := dbfactory.Number(t, f.Tx, f.Account.ID, func(p *dbsqlc.PhoneNumberInsertParams) { p.Number = "+1202" + p.Number[5:] })
	config := madeAssistant(t, f, setUpAgent(t, f, addInstantOn(t, f, number,
		jsonb.InstantAgent{WebsiteURL: address}).ID)).Assistant.Config
	require.Contains(t, config.FirstMessage, "Goedendag")
	require.Contains(t, config.LLMContent, "Op zondag zijn wij niet open.")
	require.Equal(t, jsonb.Object{"language": "nl"}, config.Transcriber)
}

func TestInstantAgentOfAWebsiteWithAPDF(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.ReadPDFs(jobstest.FakePDFs{})
	madeAssistant(t, f, setUpAgent(t, f, addInstant(t, f, jsonb.InstantAgent{WebsiteURL: site(t, map[string]string{
		"/":               `<p>Welcome to our practice, which is open on all days.</p><a href="/price-list.pdf">What it costs</a>`,
		"/price-list.pdf": "A crown is 600 euros.",
	}, nil)}).ID))
	hits := f.SearchFor(t, "What is the price of a crown?")
	require.Equal(t, "price list", hits[0].Title)
	require.Equal(t, "A crown is 600 euros.", hits[0].Content)
}

func TestInstantAgentThatFails(t *testing.T) {
	t.Parallel()

	status := func(code int) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
			t.Cleanup(server.Close)
			return server.URL
		}
	}
	hangs := func(t *testing.T) string {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		t.Cleanup(server.Close)
		return server.URL
	}
	address := func(text string) func(*testing.T) string { return func(*testing.T) string { return text } }
	for name, test := range map[string]struct {
		address         func(*testing.T) string
		failure, reason string
	}{
		"Down":    {address("http://127.0.0.1:1/"), agents.FailureWebsiteFailed, "The website could not be reached."},
		"Broken":  {status(http.StatusInternalServerError), agents.FailureWebsiteFailed, "The website answered 500."},
		"Gone":    {status(http.StatusNotFound), agents.FailureWebsiteRefused, "The website answered 404."},
		"Private": {address("http://10.0.0.1/"), agents.FailureWebsiteRefused, "The address may not be read."},
		"Hangs":   {hangs, agents.FailureWebsiteSlow, "The website did not answer in time."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			agent := addInstant(t, f, jsonb.InstantAgent{WebsiteURL: test.address(t), AdditionalContext: "We sell bread."})
			before := digest(t, f.Tx, f.Account.ID)
			worker := newWorker(f)
			if test.failure == agents.FailureWebsiteSlow {
				worker.SiteTime = 100 * time.Millisecond
			}
			jobstest.Work(t, f, worker, agents.SetUpInstantAgentArgs{InstantAgentID: agent.ID})
			row := instantRow(t, f.Tx, f.Account.ID, agent.ID)
			require.Equal(t, "failed", row.Status)
			require.Equal(t, test.failure, *row.Failure)
			require.Equal(t, test.reason, *row.Error)
			require.Equal(t, before, digest(t, f.Tx, f.Account.ID), "nothing is left")
		})
	}
}

func TestInstantAgentWithoutRoomForItsKnowledge(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.SetKnowledgeLimit(t, f.Tx, 1)
	agent := addInstant(t, f, jsonb.InstantAgent{AdditionalContext: "We sell bread.",
		FAQs: []jsonb.InstantFAQ{{Question: "Are you open?", Answer: "Yes."}}})
	before := digest(t, f.Tx, f.Account.ID)
	row := setUpAgent(t, f, agent.ID)
	require.Equal(t, "failed", row.Status)
	require.Equal(t, agents.FailureKnowledgeFull, *row.Failure)
	require.Equal(t, "Your knowledge base has room for 1 document: delete one first, or ask for more room.", *row.Error)
	require.Equal(t, before, digest(t, f.Tx, f.Account.ID), "nothing is left")
}

func TestInstantAgentOfANumberThatIsGone(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change  func(t *testing.T, f *jobstest.Fixture, number *dbsqlc.PhoneNumber)
		failure string
	}{
		"InUse": {func(t *testing.T, f *jobstest.Fixture, number *dbsqlc.PhoneNumber) {
			t.Helper()
			dbfactory.Link(t, f.Tx, dbfactory.Assistant(t, f.Tx, f.Account.ID), number)
		}, agents.FailureNumberInUse},
		"Released": {func(t *testing.T, f *jobstest.Fixture, number *dbsqlc.PhoneNumber) {
			t.Helper()
			_, err := f.Tx.Exec(t.Context(), "UPDATE phone_number SET status = 'released' WHERE id = $1", number.ID)
			require.NoError(t, err)
		}, agents.FailureNumberGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			number := dbfactory.Number(t, f.Tx, f.Account.ID)
			agent := addInstantOn(t, f, number, jsonb.InstantAgent{AdditionalContext: "We sell bread."})
			test.change(t, f, number)
			before := digest(t, f.Tx, f.Account.ID)
			row := setUpAgent(t, f, agent.ID)
			require.Equal(t, "failed", row.Status)
			require.Equal(t, test.failure, *row.Failure)
			require.Equal(t, before, digest(t, f.Tx, f.Account.ID), "nothing is left")
		})
	}
}

func TestInstantAgentThatComesTooLate(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	agent := addInstant(t, f, jsonb.InstantAgent{})
	before := digest(t, f.Tx, f.Account.ID)
	makeOverdue(t, f, agent.ID)
	require.Equal(t, "expired", setUpAgent(t, f, agent.ID).Status)
	setUpAgent(t, f, agent.ID)
	require.Equal(t, before, digest(t, f.Tx, f.Account.ID))
	jobstest.Work(t, f, newWorker(f), agents.SetUpInstantAgentArgs{InstantAgentID: dbfactory.ID(t)}) // of a record that is not there

	// Its time is over while the website is read.
	var late *dbsqlc.InstantAgent
	address := site(t, map[string]string{"/": "<p>Hello</p>"}, func() { makeOverdue(t, f, late.ID) })
	late = addInstant(t, f, jsonb.InstantAgent{WebsiteURL: address})
	before = digest(t, f.Tx, f.Account.ID)
	require.Equal(t, "expired", setUpAgent(t, f, late.ID).Status)
	require.Equal(t, before, digest(t, f.Tx, f.Account.ID))
}

func makeOverdue(t *testing.T, f *jobstest.Fixture, id uuid.UUID) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(), "UPDATE instant_agent SET expires_at = clock_timestamp() - interval '1 ms' WHERE id = $1", id)
	require.NoError(t, err)
}

// Agents of one number, and one agent made by two workers, at once: one assistant.
func TestInstantAgentsAtOnce(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	number, shared := dbfactory.Number(t, f.Tx, f.Account.ID), dbfactory.DefaultNumber(t, f.Tx)
	request := jsonb.InstantAgent{AdditionalContext: "We sell bread.",
		FAQs: []jsonb.InstantFAQ{{Question: "Is there cake?", Answer: "On order."}}}
	one, other := addInstantOn(t, f, number, request), addInstantOn(t, f, number, request)
	first, second := addInstantOn(t, f, shared, request), addInstantOn(t, f, shared, request)
	require.NoError(t, f.Tx.Commit(t.Context()))

	worker := newWorker(f)
	var working sync.WaitGroup
	for _, agent := range []*dbsqlc.InstantAgent{one, one, one, other, other, first, first, second} {
		working.Go(func() {
			job := &river.Job[agents.SetUpInstantAgentArgs]{JobRow: &rivertype.JobRow{Attempt: 1},
				Args: agents.SetUpInstantAgentArgs{InstantAgentID: agent.ID}}
			if err := worker.Work(t.Context(), job); err != nil {
				t.Errorf("work: %v", err)
			}
		})
	}
	working.Wait()
	states := map[string]int{}
	for _, agent := range []*dbsqlc.InstantAgent{one, other} {
		states[instantRow(t, pool, f.Account.ID, agent.ID).Status]++
	}
	require.Equal(t, map[string]int{"ready": 1, "failed": 1}, states)
	for _, agent := range []*dbsqlc.InstantAgent{first, second} {
		require.Equal(t, "ready", instantRow(t, pool, f.Account.ID, agent.ID).Status)
	}
	require.Equal(t, 4, count(t, pool, "SELECT count(*) FROM assistant WHERE account_id = $1", f.Account.ID),
		"the fixture's and three")
	require.Equal(t, 6, count(t, pool, "SELECT count(*) FROM knowledge_document WHERE account_id = $1", f.Account.ID))
	require.Equal(t, 1, count(t, pool, "SELECT count(*) FROM phone_number_link WHERE account_id = $1 AND origin = 'default'",
		f.Account.ID))
}

func count(t *testing.T, tx dbsqlc.DBTX, statement string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), statement, args...).Scan(&n))
	return n
}

func TestInstantAgentsArePruned(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	old, young := addInstant(t, f, jsonb.InstantAgent{}), addInstant(t, f, jsonb.InstantAgent{})
	_, err := f.Tx.Exec(t.Context(), "UPDATE instant_agent SET created_at = now() - interval '25 hours' WHERE id = $1", old.ID)
	require.NoError(t, err)
	jobstest.Work(t, f, &maintenance.PruneExpiredWorker{DB: f.Services.DB}, maintenance.PruneExpiredArgs{})
	require.Equal(t, "pending", instantRow(t, f.Tx, f.Account.ID, young.ID).Status)
	require.Zero(t, jobstest.Work(t, f, newWorker(f), agents.SetUpInstantAgentArgs{InstantAgentID: old.ID}))
	require.Equal(t, 1, count(t, f.Tx, "SELECT count(*) FROM instant_agent WHERE account_id = $1", f.Account.ID))
	require.Equal(t, 1, count(t, f.Tx, "SELECT count(*) FROM assistant WHERE account_id = $1", f.Account.ID), "the fixture's")
}
