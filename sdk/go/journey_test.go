package callwright_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	callwright "github.com/callwright/callwright/sdk/go"
	"github.com/callwright/callwright/sdk/go/api"
)

const (
	secret   = "what the front desk knows"
	patience = time.Minute
)

// journey is a customer on the way.
type journey struct {
	*callwright.Client
	t   *testing.T
	url string
}

// From an assistant to the report of the call that it made, with a whole product at CALLWRIGHT_URL.
func TestJourney(t *testing.T) {
	url := os.Getenv("CALLWRIGHT_URL")
	if url == "" {
		t.Skip("CALLWRIGHT_URL does not say where a product runs")
	}
	client, err := callwright.New(callwright.Config{URL: url, Key: os.Getenv("CALLWRIGHT_API_KEY")})
	require.NoError(t, err)
	j := &journey{client, t, url}
	receiver, received := j.receive()
	assistant := j.makeAssistant(receiver)
	contacts := j.makeContacts("+31612340705", "+31612340805", "+31612340905")
	call := j.call(assistant, contacts[0])
	j.awaitReport(received, call)
	j.lookBack(call)
	j.schedule(assistant, contacts[0])
	j.mistakes()
	j.leave(assistant, contacts)
}

// receive runs a server that verifies the webhooks that it gets.
func (j *journey) receive() (url string, received <-chan any) {
	j.t.Helper()
	messages := make(chan any, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			j.t.Errorf("read webhook: %v", err)
		}
		if _, err := callwright.VerifyWebhook(body, r.Header, "another secret"); !errors.Is(err, callwright.ErrWebhook) {
			j.t.Errorf("verified with another secret: %v", err)
		}
		message, err := callwright.VerifyWebhook(body, r.Header, secret)
		if err != nil {
			j.t.Errorf("verify webhook: %v", err)
		}
		messages <- message
		w.WriteHeader(http.StatusNoContent)
	}))
	j.t.Cleanup(server.Close)
	return server.URL + "/calls", messages
}

func (j *journey) makeAssistant(receiver string) uuid.UUID {
	j.t.Helper()
	made, err := j.CreateAssistantWithResponse(j.t.Context(), nil, api.AssistantInput{
		AssistantName: "Ava", FirstMessageOutbound: new("Hello, this is Ava."), EndCallMessage: new("Goodbye."),
		MaxDurationSeconds: new(int64(30)),
		Server: &api.AssistantServerInput{Url: receiver, Secret: new(secret),
			Events: &[]api.AssistantServerInputEvents{"status-update", "end-of-call-report"}},
	})
	require.NoError(j.t, err)
	id := made.JSON201.AssistantId
	for number, err := range j.AllPhoneNumbers(j.t.Context(), nil) {
		require.NoError(j.t, err)
		linked, err := j.LinkAssistantPhoneNumberWithResponse(j.t.Context(), id, nil,
			api.PhoneNumberLinkInput{PhoneNumberId: number.Id})
		require.NoError(j.t, err)
		require.Equal(j.t, number.Number, linked.JSON200.Data.PhoneNumber.Number)
		break
	}
	patched, err := j.PatchAssistantWithResponse(j.t.Context(), id,
		api.PatchAssistantJSONRequestBody{FirstMessage: new("Good day.")})
	require.NoError(j.t, err)
	require.NotNil(j.t, patched.JSON200.PhoneNumber)
	return id
}

func (j *journey) makeContacts(numbers ...string) (made []uuid.UUID) {
	j.t.Helper()
	for _, number := range numbers {
		for range 2 {
			contact, err := j.CreateContactWithResponse(j.t.Context(), &api.CreateContactParams{IdempotencyKey: new("go-" + number)},
				api.ContactInput{PhoneNumber: number, FullName: new("Jan Jansen")})
			require.NoError(j.t, err)
			made = append(made, contact.JSON201.ContactId)
		}
	}
	made = slices.Compact(made)
	require.Len(j.t, made, len(numbers), "sent twice, made once")
	var listed []uuid.UUID
	for contact, err := range j.AllContacts(j.t.Context(), &api.ListContactsParams{Limit: new(int64(1))}) {
		require.NoError(j.t, err)
		listed = append(listed, contact.ContactId)
	}
	require.Subset(j.t, listed, made)
	return made
}

// call places a call and reads the stream of events until its report.
func (j *journey) call(assistant, contact uuid.UUID) uuid.UUID {
	j.t.Helper()
	before, err := j.ListEventsWithResponse(j.t.Context(), &api.ListEventsParams{Limit: new(int64(1))})
	require.NoError(j.t, err)
	placed, err := j.CreateDirectCallWithResponse(j.t.Context(), nil, api.DirectCallInput{
		AssistantId: assistant, ContactId: &contact, CustomData: &map[string]any{"order": 1017},
	})
	require.NoError(j.t, err)
	id := placed.JSON201.CallId
	var types []string
	for event, err := range j.Events(j.t.Context(), &api.StreamEventsParams{After: &before.JSON200.Pagination.Total, CallId: &id}) {
		require.NoError(j.t, err)
		types = append(types, event.Type)
		if report, is := event.Message.(*api.WebhookEndOfCallReport); is {
			require.Equal(j.t, id, report.Call.Id)
			break
		}
	}
	require.Equal(j.t, "status-update", types[0])
	return id
}

func (j *journey) awaitReport(received <-chan any, call uuid.UUID) {
	j.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case message := <-received:
			if report, is := message.(*api.WebhookEndOfCallReport); is {
				require.Equal(j.t, call, report.Call.Id)
				require.NotEmpty(j.t, report.Messages)
				return
			}
			require.IsType(j.t, &api.WebhookStatusUpdate{}, message)
		case <-deadline:
			require.Fail(j.t, "no report arrived")
		}
	}
}

func (j *journey) lookBack(call uuid.UUID) {
	j.t.Helper()
	shown, err := j.GetCallWithResponse(j.t.Context(), call)
	require.NoError(j.t, err)
	require.EqualValues(j.t, "completed", shown.JSON200.CallStatus)
	require.NotEmpty(j.t, shown.JSON200.Transcript)
	recording, err := j.GetCallRecordingWithResponse(j.t.Context(), call)
	require.NoError(j.t, err)
	require.Equal(j.t, "RIFF", string(recording.Body[:4]))
}

func (j *journey) schedule(assistant, contact uuid.UUID) {
	j.t.Helper()
	at := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	made, err := j.CreateScheduledCallWithResponse(j.t.Context(), nil, api.ScheduledCallInput{
		AssistantId: assistant, ContactId: contact, ScheduledTime: at, Variables: &map[string]string{"day": "Monday"},
		Retry: &api.RetryPlan{On: []api.RetryPlanOn{"busy", "no-answer"}, MaxAttempts: 2, DelaySeconds: 60},
	})
	require.NoError(j.t, err)
	require.True(j.t, at.Equal(made.JSON201.ScheduledTime))
	_, err = j.DeleteScheduledCallWithResponse(j.t.Context(), made.JSON201.Id)
	require.NoError(j.t, err)
}

// mistakes has the server refuse what a customer gets wrong.
func (j *journey) mistakes() {
	j.t.Helper()
	_, err := j.CreateAssistantWithBodyWithResponse(j.t.Context(), nil, "application/json",
		strings.NewReader(`{"assistant_name": "Ava", "assistant_nme": "Ava", "max_duration_seconds": "long"}`))
	details := j.requireRefused(err, "invalid_request", http.StatusBadRequest).Details
	require.Contains(j.t, details, "assistant_nme")
	require.Contains(j.t, details, "max_duration_seconds")
	_, err = j.GetCallWithResponse(j.t.Context(), uuid.New())
	j.requireRefused(err, "not_found", http.StatusNotFound)

	stranger, err := callwright.New(callwright.Config{URL: j.url, Key: "cw_test_" + strings.Repeat("x", 32)})
	require.NoError(j.t, err)
	for _, err := range stranger.AllCalls(j.t.Context(), nil) {
		j.requireRefused(err, "unauthorized", http.StatusUnauthorized)
	}
	for _, err := range stranger.Events(j.t.Context(), nil) {
		j.requireRefused(err, "unauthorized", http.StatusUnauthorized)
	}
	nowhere, err := callwright.New(callwright.Config{URL: "http://127.0.0.1:1", MaxRetries: new(1)})
	require.NoError(j.t, err)
	_, err = nowhere.GetProfileWithResponse(j.t.Context())
	var lost *callwright.ConnectionError
	require.ErrorAs(j.t, err, &lost)
}

func (j *journey) requireRefused(err error, code string, status int) *callwright.APIError {
	j.t.Helper()
	var refused *callwright.APIError
	require.ErrorAs(j.t, err, &refused)
	require.Equal(j.t, code, refused.Code)
	require.Equal(j.t, status, refused.Status)
	require.NotEmpty(j.t, refused.RequestID)
	return refused
}

func (j *journey) leave(assistant uuid.UUID, contacts []uuid.UUID) {
	j.t.Helper()
	for _, contact := range contacts {
		_, err := j.DeleteContactWithResponse(j.t.Context(), contact, nil)
		require.NoError(j.t, err)
	}
	_, err := j.DeleteAssistantWithResponse(j.t.Context(), assistant)
	require.NoError(j.t, err)
}
