package main

import (
	"context"
	"errors"
	"net/http"
)

// devCallee is a number of the simulated network, where demoCallee answers.
const devCallee = "+31612345611"

// demoCallee is who answers the first call: as all others in the simulated network, but quickly and in few words. It lets
// the assistant greet first: on a machine that stalls, a greeting of its own may last as long as one of voicemail.
const demoCallee = `
scripts:
  "11":
    answer_after: 100ms
    steps:
      - listen:
      - say: Hello. Are you open on Saturday?
      - listen:
      - say: Yes, please. Thank you. Goodbye.
      - listen: 8s
`

func demoAssistant(name string) map[string]any {
	return map[string]any{
		"assistant_name":         name,
		"first_message_outbound": "Hello, this is Linden Dental.",
		"end_call_message":       "Goodbye, and have a nice day.",
		"model":                  map[string]any{"messages": []any{map[string]any{"role": "system", "content": demoRules}}},
	}
}

// demoRules are what the built-in scripted model needs in place of a language model's instructions.
const demoRules = `You are the receptionist of Linden Dental.
when saturday, opening hours: Yes, from nine to one. Shall I book ten o'clock?
when thank, goodbye: You are welcome. Goodbye.
when moment, yes, speaking: Wonderful. Your check-up takes about twenty minutes. Which day suits you?
otherwise: I am not sure about that, but I can book an appointment for you. Which day suits you?`

// devAssistant is an assistant as the demo reads it.
type devAssistant struct {
	ID     string  `json:"assistant_id"`
	Number *string `json:"phone_number"`
}

// devNumber is a phone number as the demo reads it.
type devNumber struct {
	ID          string  `json:"id"`
	Number      string  `json:"number"`
	AssistantID *string `json:"assistant_id"`
}

// prepareAssistant makes sure of the demo's assistant, that of an earlier run if it is still there, and of its number.
// Another assistant may have the number: giveBack links it there again.
func (f *firstCall) prepareAssistant(ctx context.Context) (giveBack func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	assistant, err := f.assistant(ctx)
	if err != nil || assistant.Number != nil {
		return nothing, err
	}
	number, err := f.number(ctx)
	if err != nil {
		return nil, err
	}
	link := func(ctx context.Context, assistantID string) error {
		return f.client.do(ctx, http.MethodPost, "/v1/assistants/"+assistantID+"/phone-number",
			map[string]any{"phone_number_id": number.ID}, nil)
	}
	if err := link(ctx, assistant.ID); err != nil || number.AssistantID == nil {
		return nothing, err
	}
	return func(ctx context.Context) error { return link(ctx, *number.AssistantID) }, nil
}

// assistant returns that of an earlier run, or makes one.
func (f *firstCall) assistant(ctx context.Context) (assistant devAssistant, err error) {
	if f.settings.AssistantID != "" {
		err := f.client.do(ctx, http.MethodGet, "/v1/assistants/"+f.settings.AssistantID, nil, &assistant)
		if err == nil || !isNotFound(err) {
			return assistant, err
		}
	}
	if err := f.client.do(ctx, http.MethodPost, "/v1/assistants", demoAssistant("Demo receptionist"), &assistant); err != nil {
		return assistant, err
	}
	f.settings.AssistantID = assistant.ID
	return assistant, f.settings.write(f.file)
}

func (f *firstCall) number(ctx context.Context) (devNumber, error) {
	var numbers struct {
		Data []devNumber `json:"data"`
	}
	if err := f.client.do(ctx, http.MethodGet, "/v1/phone-numbers?limit=100", nil, &numbers); err != nil {
		return devNumber{}, err
	}
	for _, number := range numbers.Data {
		if number.Number == devDefaultNumber {
			return number, nil
		}
	}
	return devNumber{}, errors.New("its number " + devDefaultNumber + " is not there")
}
