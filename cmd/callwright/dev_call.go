package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// devCallee is a number of the simulated network that answers and talks.
const devCallee = "+31612345600"

const firstCallTimeout = 90 * time.Second

// firstCall does what a customer does, over the public API: make an assistant, give it a number, name a server for its
// events, place a call. It shows what arrives at that server, until the call's report.
func (d *dev) firstCall(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, firstCallTimeout, errors.New("the first call did not end in time"))
	defer cancel()
	client := &devClient{url: d.url, key: d.settings.APIKey}
	receiver, err := newDevReceiver(ctx, client)
	if err != nil {
		return err
	}
	d.receiver = receiver
	if receiver.assistantID, err = client.demoAssistant(ctx); err != nil {
		return err
	}
	var call struct {
		CallID string `json:"call_id"`
	}
	err = client.do(ctx, http.MethodPost, "/v1/calls/direct", map[string]any{
		"assistant_id": receiver.assistantID, "contact_phone_number": devCallee, "custom_data": map[string]any{"practice": "Linden Dental"},
	}, &call)
	if err != nil {
		return err
	}
	d.out.step("call", "placed to "+devCallee+" through POST /v1/calls/direct")
	status, err := d.follow(ctx, call.CallID)
	if err != nil {
		return fmt.Errorf("first call: %w", err)
	}
	if status != "completed" {
		return fmt.Errorf("the first call did not complete: %s", status)
	}
	return nil
}

// follow prints the events of a call in their order and answers its final status.
func (d *dev) follow(ctx context.Context, callID string) (string, error) {
	waiting := map[int64]devEvent{}
	var next int64
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case event := <-d.receiver.events:
			if event.Message.Call.ID != callID {
				continue
			}
			waiting[event.Message.Sequence] = event
			if event.Message.CallStatus == "queued" {
				next = event.Message.Sequence
			}
		}
		for event, ok := waiting[next]; ok; event, ok = waiting[next] {
			next++
			d.show(event)
			if event.Message.Type == "end-of-call-report" {
				return event.Message.CallStatus, nil
			}
		}
	}
}

func (d *dev) show(event devEvent) {
	message := event.Message
	switch message.Type {
	case "status-update":
		d.out.step("call", message.CallStatus)
	case "transcript":
		d.out.step(message.Role, message.Transcript)
	case "end-of-call-report":
		d.out.step("report", fmt.Sprintf("%s, %s, %.1f s, %d messages", message.CallStatus, message.EndedReason, message.DurationSeconds, len(message.Messages)))
		if message.RecordingURL != "" {
			d.out.step("report", "recording "+message.RecordingURL)
		}
	}
}

// devEvent is an event as the demo reads it.
type devEvent struct {
	Message struct {
		Type            string  `json:"type"`
		Sequence        int64   `json:"sequence"`
		CallStatus      string  `json:"callStatus"`
		Role            string  `json:"role"`
		Transcript      string  `json:"transcript"`
		EndedReason     string  `json:"endedReason"`
		DurationSeconds float64 `json:"durationSeconds"`
		RecordingURL    string  `json:"recordingUrl"`
		Messages        []any   `json:"messages"`
		Call            struct {
			ID string `json:"id"`
		} `json:"call"`
	} `json:"message"`
}

// devReceiver is the customer's server of the demo: it checks signatures as any receiver should.
type devReceiver struct {
	server      *http.Server
	events      chan devEvent
	assistantID string
}

func newDevReceiver(ctx context.Context, client *devClient) (*devReceiver, error) {
	listener, err := listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open webhook receiver: %w", err)
	}
	secret, err := client.setWebhook(ctx, "http://"+listener.Addr().String()+"/events")
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("use webhook secret: %w", err), listener.Close())
	}
	r := &devReceiver{events: make(chan devEvent, 256)}
	r.server = &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(io.LimitReader(req.Body, 4<<20))
		if err == nil {
			err = verifier.Verify(body, req.Header)
		}
		var event devEvent
		if err == nil {
			err = json.Unmarshal(body, &event)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case r.events <- event:
		default: // nobody follows any more
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = r.server.Serve(listener) }() // ends by close
	return r, nil
}

func (r *devReceiver) close() error {
	if r == nil {
		return nil
	}
	return r.server.Close()
}

// devClient speaks to the public API.
type devClient struct{ url, key string }

func (c *devClient) setWebhook(ctx context.Context, url string) (secret string, err error) {
	settings := map[string]any{"url": url, "enabled": true, "events": []string{"status-update", "transcript", "end-of-call-report"}}
	if err := c.do(ctx, http.MethodPut, "/v1/user/webhook", settings, nil); err != nil {
		return "", err
	}
	var rotated struct {
		Secret string `json:"secret"`
	}
	err = c.do(ctx, http.MethodPost, "/v1/user/webhook/rotate-secret", nil, &rotated)
	return rotated.Secret, err
}

// demoAssistant answers the assistant of an earlier run, or makes one and links the shared number to it.
func (c *devClient) demoAssistant(ctx context.Context) (string, error) {
	var assistants struct {
		Data []struct {
			ID     string  `json:"assistant_id"`
			Name   string  `json:"assistant_name"`
			Number *string `json:"phone_number"`
		} `json:"data"`
	}
	if err := c.do(ctx, http.MethodGet, "/v1/assistants?limit=100", nil, &assistants); err != nil {
		return "", err
	}
	const name = "Demo receptionist"
	for _, assistant := range assistants.Data {
		if assistant.Name == name && assistant.Number != nil {
			return assistant.ID, nil
		}
	}
	var made struct {
		ID string `json:"assistant_id"`
	}
	if err := c.do(ctx, http.MethodPost, "/v1/assistants", demoAssistant(name), &made); err != nil {
		return "", err
	}
	var numbers struct {
		Data []struct {
			ID     string `json:"id"`
			Origin string `json:"origin"`
		} `json:"data"`
	}
	if err := c.do(ctx, http.MethodGet, "/v1/phone-numbers?limit=100", nil, &numbers); err != nil {
		return "", err
	}
	for _, number := range numbers.Data {
		if number.Origin == "default" {
			err := c.do(ctx, http.MethodPost, "/v1/assistants/"+made.ID+"/phone-number", map[string]any{"phone_number_id": number.ID}, nil)
			return made.ID, err
		}
	}
	return "", errors.New("there is no shared number to link")
}

func demoAssistant(name string) map[string]any {
	return map[string]any{
		"assistant_name":         name,
		"first_message_outbound": "Hello, this is {{practice}}. Your check-up is due. Would you like to come in next week?",
		"end_call_message":       "Goodbye, and have a nice day.",
		"model":                  map[string]any{"provider": "scripted", "messages": []any{map[string]any{"role": "system", "content": demoRules}}},
	}
}

// do makes one request and reads its JSON answer into out.
func (c *devClient) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: decode answer: %w", method, path, err)
	}
	return nil
}

// demoRules are what the built-in scripted model needs in place of a language model's instructions.
const demoRules = `You are the receptionist of Linden Dental.
when saturday, opening hours: We are open on Saturday from nine to one. Shall I book Saturday at ten for you?
when moment, yes, speaking: Wonderful. Your check-up takes about twenty minutes. Which day suits you?
when thank, goodbye: You are welcome. Goodbye.
otherwise: I am not sure about that, but I can book an appointment for you. Which day suits you?`
