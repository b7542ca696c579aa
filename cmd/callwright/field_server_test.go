package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// fieldServer is a server as the public examples of this field are written: one route, a switch on message.type, and the
// fields that each branch reads. It knows nothing of Callwright, and fails on what it does not expect.
type fieldServer struct {
	mu        sync.Mutex
	statuses  []string
	said      []string
	speech    []string
	others    []string
	sequences []int64
	report    *fieldReport
	problems  []string
}

type fieldMessage struct {
	Type      string `json:"type"`
	Timestamp int64  `json:"timestamp"`
	Sequence  int64  `json:"sequence"`
	Call      struct {
		ID       string `json:"id"`
		OrgID    string `json:"orgId"`
		Type     string `json:"type"`
		Status   string `json:"status"`
		Provider string `json:"phoneCallTransport"`
	} `json:"call"`
	Assistant struct {
		Name string `json:"name"`
	} `json:"assistant"`
	Customer struct {
		Number string `json:"number"`
	} `json:"customer"`
	PhoneNumber struct {
		Number string `json:"number"`
	} `json:"phoneNumber"`
	Status         string `json:"status"`
	Role           string `json:"role"`
	TranscriptType string `json:"transcriptType"`
	Transcript     string `json:"transcript"`
	fieldReport
}

type fieldReport struct {
	EndedReason     string  `json:"endedReason"`
	DurationSeconds float64 `json:"durationSeconds"`
	Artifact        struct {
		Transcript   string `json:"transcript"`
		RecordingURL string `json:"recordingUrl"`
		Messages     []struct {
			Role             string  `json:"role"`
			Message          string  `json:"message"`
			Time             int64   `json:"time"`
			SecondsFromStart float64 `json:"secondsFromStart"`
		} `json:"messages"`
		OpenAI []struct{ Role, Content string } `json:"messagesOpenAIFormatted"`
	} `json:"artifact"`
}

func (s *fieldServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Message fieldMessage }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := body.Message
	if m.Timestamp < 1_600_000_000_000 || m.Call.ID == "" || m.Call.OrgID == "" || m.Call.Type != "outboundPhoneCall" ||
		m.Call.Provider != "sip" ||
		m.Assistant.Name == "" || m.Customer.Number == "" || m.PhoneNumber.Number == "" {
		s.problems = append(s.problems, fmt.Sprintf("incomplete: %+v", m))
	}
	s.sequences = append(s.sequences, m.Sequence)
	switch m.Type {
	case "status-update":
		if !slices.Contains([]string{"scheduled", "queued", "ringing", "in-progress", "forwarding", "ended"}, m.Status) {
			s.problems = append(s.problems, "status "+m.Status)
		}
		s.statuses = append(s.statuses, m.Status)
	case "transcript":
		if m.TranscriptType != "final" {
			s.problems = append(s.problems, "transcriptType "+m.TranscriptType)
		}
		s.said = append(s.said, m.Role)
	case "speech-update":
		s.speech = append(s.speech, m.Role+" "+m.Status)
	case "end-of-call-report":
		s.report = &m.fieldReport
	case "user-interrupted", "hang", "transfer-update":
		s.others = append(s.others, m.Type)
	default:
		s.problems = append(s.problems, "type "+m.Type)
	}
	w.WriteHeader(http.StatusOK)
}

// TestServersOfThisFieldUnderstand has such a server follow a call in which the caller interrupts.
func TestServersOfThisFieldUnderstand(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	field := &fieldServer{}
	server := httptest.NewServer(keepEvents(t, documented(t, field)))
	t.Cleanup(server.Close)
	p.admin.call(http.MethodPut, "/v1/user/webhook", map[string]any{"url": server.URL, "events": []string{
		"status-update", "end-of-call-report", "transcript", "speech-update", "user-interrupted", "hang", "transfer-update",
	}}, http.StatusOK, nil)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"max_duration_seconds": 10, "first_message_interruptions_enabled": true,
		"first_message_outbound": strings.Repeat("I have much to tell you today. ", 3),
	}, http.StatusOK, nil)
	p.startWorker()
	call := p.direct("+31612345609")
	p.waitStatus(call, "completed")
	require.Eventually(t, func() bool {
		field.mu.Lock()
		defer field.mu.Unlock()
		return field.report != nil && len(field.statuses) == 4 && len(field.others) > 0
	}, time.Minute, 20*time.Millisecond, "%+v", field)

	field.mu.Lock()
	defer field.mu.Unlock()
	require.Empty(t, field.problems)
	require.Equal(t, []string{"queued", "ringing", "in-progress", "ended"}, field.statuses)
	require.True(t, slices.IsSorted(field.sequences), "a healthy receiver gets a call's events in their order: %v", field.sequences)
	require.Contains(t, field.said, "user")
	require.Contains(t, field.said, "assistant")
	for _, speech := range []string{"user started", "user stopped", "assistant started", "assistant stopped"} {
		require.Contains(t, field.speech, speech)
	}
	require.Contains(t, field.others, "user-interrupted")
	report := field.report
	require.NotEmpty(t, report.EndedReason)
	require.Positive(t, report.DurationSeconds)
	require.Contains(t, report.Artifact.Transcript, "AI: ")
	require.Contains(t, report.Artifact.Transcript, "User: ")
	require.NotEmpty(t, report.Artifact.RecordingURL)
	require.Len(t, report.Artifact.OpenAI, len(report.Artifact.Messages))
	for _, message := range report.Artifact.Messages {
		require.Contains(t, []string{"bot", "user"}, message.Role)
		require.NotEmpty(t, message.Message)
		require.Greater(t, message.Time, int64(1_600_000_000_000))
	}
}
