// Package clients is a customer who has nothing but the OpenAPI document: the client beside this file is generated from
// it. It knows none of the product's packages.
package clients

import (
	"bufio"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"
	"github.com/stretchr/testify/require"
)

var program = flag.String("callwright", "", "the callwright program")

const patience = 2 * time.Minute

// startDev runs the whole product and answers where it is and the key to it.
func startDev(t *testing.T) (url, key string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "clients-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) // the user that Postgres runs as goes in
	dev := exec.Command(*program, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
	dev.Stderr = os.Stderr
	output, err := dev.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, dev.Start())
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "Ctrl-C ends it") { // its own first call, which uses the shared number, is over
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, dev.Process.Signal(syscall.SIGINT))
		<-ended
		require.NoError(t, dev.Wait())
	})
	select {
	case <-ready:
	case <-ended:
		require.Fail(t, "dev ended before it was ready")
	case <-time.After(patience):
		require.Fail(t, "dev is not ready")
	}
	settings := readSettings(t, filepath.Join(dir, "dev.env"))
	return settings["CALLWRIGHT_URL"], settings["CALLWRIGHT_API_KEY"]
}

func readSettings(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	settings := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] = strings.Trim(value, "'")
	}
	return settings
}

// journey is a customer on the way.
type journey struct {
	*ClientWithResponses
	t *testing.T
}

// From an assistant to what is known of the call that it made.
func TestJourney(t *testing.T) {
	url, key := startDev(t)
	client, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	require.NoError(t, err)
	j := &journey{client, t}
	assistant := j.makeAssistant()
	contact := j.makeContact()
	call := j.call(assistant, contact)
	j.hearOfIt(call)
	j.schedule(assistant, contact)
	j.refusals(contact)
	j.leave(assistant, contact)
}

func (j *journey) makeAssistant() openapi_types.UUID {
	j.t.Helper()
	made, err := j.CreateAssistantWithResponse(j.t.Context(), nil, AssistantInput{
		AssistantName: "Ava", FirstMessageOutbound: new("Hello, this is Ava."), EndCallMessage: new("Goodbye."), MaxDurationSeconds: new(int64(30)),
		Metadata: &map[string]any{"team": "front desk"},
	})
	require.NoError(j.t, err)
	require.NotNil(j.t, made.JSON201, "%s", made.Body)
	id := made.JSON201.AssistantId
	require.Equal(j.t, "Ava", made.JSON201.AssistantName)
	require.Nil(j.t, made.JSON201.PhoneNumber)

	numbers, err := j.ListPhoneNumbersWithResponse(j.t.Context(), nil)
	require.NoError(j.t, err)
	require.NotNil(j.t, numbers.JSON200, "%s", numbers.Body)
	require.NotEmpty(j.t, numbers.JSON200.Data)
	number := numbers.JSON200.Data[0]
	linked, err := j.LinkAssistantPhoneNumberWithResponse(j.t.Context(), id, nil, PhoneNumberLinkInput{PhoneNumberId: number.Id})
	require.NoError(j.t, err)
	require.NotNil(j.t, linked.JSON200, "%s", linked.Body)
	require.Equal(j.t, number.Number, linked.JSON200.Data.PhoneNumber.Number)

	patched, err := j.PatchAssistantWithResponse(j.t.Context(), id, PatchAssistantJSONRequestBody{FirstMessage: new("Good day.")})
	require.NoError(j.t, err)
	require.NotNil(j.t, patched.JSON200, "%s", patched.Body)
	require.Equal(j.t, number.Number, *patched.JSON200.PhoneNumber)
	return id
}

func (j *journey) makeContact() openapi_types.UUID {
	j.t.Helper()
	body := ContactInput{PhoneNumber: "+31612345605", FullName: new("Jan Jansen")}
	made, err := j.CreateContactWithResponse(j.t.Context(), &CreateContactParams{IdempotencyKey: new("contact-1")}, body)
	require.NoError(j.t, err)
	require.NotNil(j.t, made.JSON201, "%s", made.Body)
	again, err := j.CreateContactWithResponse(j.t.Context(), &CreateContactParams{IdempotencyKey: new("contact-1")}, body)
	require.NoError(j.t, err)
	require.Equal(j.t, made.JSON201.ContactId, again.JSON201.ContactId, "sent twice, made once")
	return made.JSON201.ContactId
}

// call places a call and waits for its end.
func (j *journey) call(assistant, contact openapi_types.UUID) openapi_types.UUID {
	j.t.Helper()
	placed, err := j.CreateDirectCallWithResponse(j.t.Context(), nil, DirectCallInput{
		AssistantId: assistant, ContactId: &contact, CustomData: &map[string]any{"order": 1017},
	})
	require.NoError(j.t, err)
	require.NotNil(j.t, placed.JSON201, "%s", placed.Body)
	id := placed.JSON201.CallId
	require.Eventually(j.t, func() bool {
		shown, err := j.GetCallWithResponse(j.t.Context(), id)
		require.NoError(j.t, err)
		require.NotNil(j.t, shown.JSON200, "%s", shown.Body)
		return shown.JSON200.EndedAt != nil
	}, patience, 200*time.Millisecond)
	shown, err := j.GetCallWithResponse(j.t.Context(), id)
	require.NoError(j.t, err)
	require.EqualValues(j.t, "completed", shown.JSON200.CallStatus, "%s", shown.Body)
	require.NotEmpty(j.t, shown.JSON200.Transcript)
	require.Equal(j.t, "Jan Jansen", *shown.JSON200.ContactName)

	recording, err := j.GetCallRecording(j.t.Context(), id)
	require.NoError(j.t, err)
	audio, err := io.ReadAll(recording.Body)
	require.NoError(j.t, err)
	require.NoError(j.t, recording.Body.Close())
	require.Equal(j.t, http.StatusOK, recording.StatusCode)
	require.Equal(j.t, "RIFF", string(audio[:4]))
	return id
}

// hearOfIt reads what happened in the call.
func (j *journey) hearOfIt(call openapi_types.UUID) {
	j.t.Helper()
	var types []string
	require.Eventually(j.t, func() bool {
		types = nil
		events, err := j.ListEventsWithResponse(j.t.Context(), &ListEventsParams{CallId: &call, Limit: new(int64(100))})
		require.NoError(j.t, err)
		require.NotNil(j.t, events.JSON200, "%s", events.Body)
		for _, event := range events.JSON200.Data {
			types = append(types, event.Type)
		}
		return len(types) > 0 && strings.Contains(strings.Join(types, " "), "end-of-call-report")
	}, patience, 200*time.Millisecond)
	require.Contains(j.t, types, "status-update")
}

func (j *journey) schedule(assistant, contact openapi_types.UUID) {
	j.t.Helper()
	at := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	made, err := j.CreateScheduledCallWithResponse(j.t.Context(), nil, ScheduledCallInput{
		AssistantId: assistant, ContactId: contact, ScheduledTime: at, Variables: &map[string]string{"day": "Monday"},
		Retry: &RetryPlan{On: []RetryPlanOn{"busy", "no-answer"}, MaxAttempts: 2, DelaySeconds: 60},
	})
	require.NoError(j.t, err)
	require.NotNil(j.t, made.JSON201, "%s", made.Body)
	require.True(j.t, at.Equal(made.JSON201.ScheduledTime))
	require.EqualValues(j.t, 2, made.JSON201.Retry.MaxAttempts)
	gone, err := j.DeleteScheduledCallWithResponse(j.t.Context(), made.JSON201.Id)
	require.NoError(j.t, err)
	require.Equal(j.t, http.StatusNoContent, gone.StatusCode())
}

// refusals are answers that the client knows the shape of.
func (j *journey) refusals(contact openapi_types.UUID) {
	j.t.Helper()
	shown, err := j.GetContactWithResponse(j.t.Context(), contact)
	require.NoError(j.t, err)
	taken, err := j.CreateContactWithResponse(j.t.Context(), nil, ContactInput{PhoneNumber: shown.JSON200.PhoneNumber})
	require.NoError(j.t, err)
	require.NotNil(j.t, taken.JSON409, "%s", taken.Body)
	require.Equal(j.t, "conflict", taken.JSON409.Error.Code)
	wrong, err := j.CreateContactWithResponse(j.t.Context(), nil, ContactInput{PhoneNumber: "12", Email: new("nobody")})
	require.NoError(j.t, err)
	require.NotNil(j.t, wrong.JSON400, "%s", wrong.Body)
	require.Len(j.t, wrong.JSON400.Error.Details, 2)
}

func (j *journey) leave(assistant, contact openapi_types.UUID) {
	j.t.Helper()
	unlinked, err := j.UnlinkAssistantPhoneNumberWithResponse(j.t.Context(), assistant)
	require.NoError(j.t, err)
	require.NotNil(j.t, unlinked.JSON200, "%s", unlinked.Body)
	gone, err := j.DeleteContactWithResponse(j.t.Context(), contact, nil)
	require.NoError(j.t, err)
	require.Equal(j.t, http.StatusNoContent, gone.StatusCode())
	removed, err := j.DeleteAssistantWithResponse(j.t.Context(), assistant)
	require.NoError(j.t, err)
	require.Equal(j.t, http.StatusNoContent, removed.StatusCode())
	missing, err := j.GetAssistantWithResponse(j.t.Context(), assistant)
	require.NoError(j.t, err)
	require.NotNil(j.t, missing.JSON404, "%s", missing.Body)
	require.Equal(j.t, "not_found", missing.JSON404.Error.Code)
}
