package main

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/people"
	"github.com/callwright/callwright/voice/audio"
)

// platform is Callwright as an operator runs it: a database, an API process and workers, all real, and a customer with
// an account, an assistant on the shared number, and a server that receives its events.
type platform struct {
	*client
	admin       *client // with a live key, whatever that of client is
	t           *testing.T
	env         []string
	api         *process
	server      *eventServer
	account     string
	assistantID string
}

// startPlatform makes an account with a key and a number, and serves it. test chooses the kind of key.
func startPlatform(t *testing.T, dsn string, test bool) *platform {
	t.Helper()
	return startPlatformBehind(t, dsn, dsn, test)
}

// startPlatformBehind is startPlatform with an API process that reaches the database at another URL.
func startPlatformBehind(t *testing.T, dsn, pooled string, test bool) *platform {
	t.Helper()
	p := newPlatform(t, dsn)
	p.fill(dsn, test)
	p.serve(pooled)
	return p
}

// newPlatform has settings, and nothing that runs.
func newPlatform(t *testing.T, dsn string) *platform {
	t.Helper()
	p := &platform{t: t, client: &client{t: t}}
	p.env = []string{
		"DATABASE_URL=" + dsn, "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_OPERATOR_PASSWORD=operator-password",
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_LISTEN=127.0.0.1:0", "CALLWRIGHT_ALLOW_NETWORKS=127.0.0.0/8",
		"CALLWRIGHT_LOG_LEVEL=debug", "CALLWRIGHT_MAIL=log", "CALLWRIGHT_NOTICE=0s",
	}
	return p
}

const (
	ownerEmail   = "owner@example.com"
	sharedNumber = "+31850000000"
)

// fillByCommands runs the operator's commands in the order of the README.
func (p *platform) fillByCommands() {
	p.t.Helper()
	p.run("migrate")
	p.account = find(p.t, `account\s+(\S+)`, p.run("account", "create", ownerEmail))
	create := []string{"key", "create", p.account, "--requests-per-minute=1000000"}
	p.admin = &client{t: p.t, key: find(p.t, `key\s+(\S+)`, p.run(create...))}
	p.key = find(p.t, `key\s+(\S+)`, p.run(append(create, "--test")...))
	p.run("number", "add", sharedNumber)
	p.run("number", "owner", sharedNumber, p.account)
}

// fill leaves behind what fillByCommands does, without starting a process for each.
func (p *platform) fill(dsn string, test bool) {
	p.t.Helper()
	pool, err := db.Open(p.t.Context(), dsn, 2)
	require.NoError(p.t, err)
	defer pool.Close()
	require.NoError(p.t, db.Migrate(p.t.Context(), pool))
	box, err := sealFlags{SealKeys: strings.TrimPrefix(p.env[1], "CALLWRIGHT_SEAL_KEYS=")}.box()
	require.NoError(p.t, err)
	require.NoError(p.t, useSealKeys(p.t.Context(), pool, box))
	account, err := createAccount(p.t.Context(), pool, box, ownerEmail, ownerEmail)
	require.NoError(p.t, err)
	p.account = account.ID.String()
	_, err = ownerLink(p.t.Context(), pool, account, people.PurposeSetup)
	require.NoError(p.t, err)
	key := func(test bool) string {
		key := middleware.NewKey(test)
		require.NoError(p.t, db.InTx(p.t.Context(), pool, func(tx pgx.Tx) error {
			_, err := insertKey(p.t.Context(), tx, key, &dbsqlc.APIKeyInsertParams{AccountID: account.ID, Name: "key", Scope: "admin",
				RequestsPerMinute: 1_000_000})
			return err
		}))
		return key.Text
	}
	p.key, p.admin = key(test), p.client
	if test { // whose keys set no webhook
		p.admin = &client{t: p.t, key: key(false)}
	}
	require.NoError(p.t, dbsqlc.New().PhoneNumberInsertDefault(p.t.Context(), pool,
		&dbsqlc.PhoneNumberInsertDefaultParams{ID: uuid.Must(uuid.NewV7()), Number: sharedNumber, Type: new("national")}))
	_, err = dbsqlc.New().PhoneNumberSetInboundAccount(p.t.Context(), pool,
		&dbsqlc.PhoneNumberSetInboundAccountParams{Number: sharedNumber, InboundAccountID: &account.ID})
	require.NoError(p.t, err)
}

// serve starts an API process that reaches the database at dsn, and makes what a customer makes.
func (p *platform) serve(dsn string) {
	p.t.Helper()
	p.api = start(p.t, append(slices.Clip(p.env), "DATABASE_URL="+dsn), "api")
	p.url = "http://" + p.api.waitFor(`"serving","address":"([^"]+)"`)
	p.admin.url = p.url
	p.server = newEventServer(p.t, p.admin)
	p.assistantID = p.makeAssistant()
}

// run runs a command of the operator, which must succeed.
func (p *platform) run(args ...string) string {
	p.t.Helper()
	output, status := runOnce(p.t, p.env, args...)
	require.Zero(p.t, status, "callwright %v: %s", args, output)
	return output
}

func (p *platform) startWorker(args ...string) *process {
	p.t.Helper()
	worker := start(p.t, p.env, append([]string{"worker", "--drain=2s"}, args...)...)
	worker.waitFor(`"working"`)
	return worker
}

func (p *platform) makeAssistant() string {
	p.t.Helper()
	var assistant struct {
		ID string `json:"assistant_id"`
	}
	p.call(http.MethodPost, "/v1/assistants", demoAssistant("Receptionist"), http.StatusCreated, &assistant)
	var numbers struct {
		Data []struct{ ID string }
	}
	p.call(http.MethodGet, "/v1/phone-numbers", nil, http.StatusOK, &numbers)
	require.Len(p.t, numbers.Data, 1)
	p.call(http.MethodPost, "/v1/assistants/"+assistant.ID+"/phone-number", map[string]any{"phone_number_id": numbers.Data[0].ID},
		http.StatusOK, nil)
	return assistant.ID
}

// callRecord is a call as the API shows it.
type callRecord struct {
	CallID      string `json:"call_id"`
	Status      string `json:"call_status"`
	Explanation string
	Error       string
	EndedReason string `json:"ended_reason"`
	EndedFault  string `json:"ended_fault"`
	SIPCode     int    `json:"sip_code"`
	ContactID   string `json:"contact_id"`
	AssistantID string `json:"assistant_id"`

	StartedAt       time.Time `json:"started_at"`
	EndedAt         time.Time `json:"ended_at"`
	DurationSeconds float64   `json:"duration_seconds"`

	ContactPhoneNumber string `json:"contact_phone_number"`
	PhoneNumber        string `json:"phone_number"`
	Transcript         []struct{ Role, Text string }
	Media              struct {
		Codec           string
		Encrypted       bool
		PacketsSent     uint64 `json:"packets_sent"`
		PacketsReceived uint64 `json:"packets_received"`
	}
	Providers jsonb.Providers
	Costs     []jsonb.Cost
	Timeline  []struct{ Status, Destination string }
}

func (p *platform) direct(number string) string {
	p.t.Helper()
	var call callRecord
	p.call(http.MethodPost, "/v1/calls/direct", map[string]any{"assistant_id": p.assistantID, "contact_phone_number": number},
		http.StatusCreated, &call)
	require.Equal(p.t, "queued", call.Status)
	return call.CallID
}

func (p *platform) get(callID string) callRecord {
	p.t.Helper()
	var call callRecord
	p.call(http.MethodGet, "/v1/calls/"+callID, nil, http.StatusOK, &call)
	return call
}

// waitStatus waits until the call has one of the states.
func (p *platform) waitStatus(callID string, states ...string) callRecord {
	p.t.Helper()
	var call callRecord
	require.Eventually(p.t, func() bool {
		call = p.get(callID)
		return slices.Contains(states, call.Status)
	}, patience, 100*time.Millisecond, "call never became %v", states)
	return call
}

func find(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found, "%q in %s", pattern, text)
	return found[1]
}

// TestMainJob is the product in one test: an operator sets it up, a customer places a direct call and a scheduled one,
// both cross SIP, and the customer's server is told everything.
func TestMainJob(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	p := newPlatform(t, dsn)
	p.fillByCommands()
	p.serve(dsn)
	worker := p.startWorker()

	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": "+31612345600", "full_name": "Jan Jansen"},
		http.StatusCreated, &contact)
	var scheduled struct {
		ID        string
		Processed bool
		CallID    string `json:"call_id"`
	}
	p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{
		"assistant_id": p.assistantID, "contact_id": contact.ID, "scheduled_time": time.Now().Add(2 * time.Second),
	}, http.StatusCreated, &scheduled)
	require.False(t, scheduled.Processed)
	direct, wideband := p.direct("+31612345611"), p.direct("+31612345613")

	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.Processed
	}, time.Minute, 20*time.Millisecond)
	for _, id := range []string{direct, scheduled.CallID, wideband} {
		call := p.waitStatus(id, "completed", "failed")
		require.Equal(t, "completed", call.Status, "%+v", call)
		require.NotEmpty(t, call.Transcript)
		require.Equal(t, map[bool]string{false: "PCMU", true: "G722"}[id == wideband], call.Media.Codec)
		require.Positive(t, call.Media.PacketsSent)
		require.Positive(t, call.Media.PacketsReceived)
		require.Equal(t, "captions", call.Providers.Transcriber[0].Provider)
		require.Equal(t, "scripted", call.Providers.Model[0].Provider)
		require.Equal(t, "flite", call.Providers.Voice[0].Provider)
		report := p.server.waitReport(t, id)
		require.Equal(t, call.EndedReason, report.Message.EndedReason)
		var states []string
		for _, event := range p.server.of(id, "status-update") {
			states = append(states, event.Message.CallStatus)
		}
		require.Equal(t, []string{"queued", "ringing", "in-progress", "completed"}, states)
		require.Len(t, p.server.of(id, "transcript"), len(call.Transcript))
		status, recording := p.try(http.MethodGet, "/v1/calls/"+id+"/recording", nil)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "RIFF", string(recording[:4]))
		require.Equal(t, recording, p.linked(report.Message.Artifact.RecordingURL), "the report's link opens without a key")
	}
	_, recording := p.try(http.MethodGet, "/v1/calls/"+wideband+"/recording", nil)
	wav, err := audio.ReadWAV(bytes.NewReader(recording))
	require.NoError(t, err)
	require.Equal(t, audio.Wide.Rate(), wav.Rate)
	worker.stop()
	p.api.stop()
}
