package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
)

// A server whose list of events has assistant-request is asked, while a call rings, which assistant takes it. It returns
// one of {"assistantId"}, {"assistant": {…}}, {"destination": {"number" or "sipUri", "message"}} and {"error": "words for the
// caller"}, with "assistantOverrides" beside the first two, or nothing: then the linked assistant takes the call, as it does
// when the server fails or nobody answers at the destination. It is asked once.

// assistantRequestTimeout is how long a caller may hear it ring for that, and assistantRequestExtra what the database may
// take besides.
const (
	assistantRequestTimeout = 7500 * time.Millisecond
	assistantRequestExtra   = 2 * time.Second
)

// unnamedAssistant is the name in the record of a call that an assistant took which the server made up without a name.
const unnamedAssistant = "Assistant of your server"

// maxSpokenError bounds the words for a caller, in bytes.
const maxSpokenError = 1000

// Choice is what a server wants of a call.
type Choice struct {
	Call   *dbsqlc.Call // with the configuration that takes it
	Speech string       // words for the caller in place of a conversation

	Destination *jsonb.ToolDestination // where the caller is transferred as soon as the call is answered; nil: nowhere
}

// errNoChoice: the answer is none of those that there are.
var errNoChoice = errors.New("the server named no assistant that there is")

// ResolveAssistant asks the server and makes its choice the call's. The call of the result is the one to go on with, also when
// it fails. It fails with ErrConflict when the call is no longer processID's.
func ResolveAssistant(ctx context.Context, sender *events.Sender, processID string, received *Received) (Choice, error) {
	ctx, cancel := context.WithTimeout(ctx, assistantRequestTimeout+assistantRequestExtra)
	defer cancel()
	linked := Choice{Call: received.Call}
	body, err := sender.Ask(ctx, events.Question{
		Event: events.DeliverEventArgs{EventID: received.Request, AccountID: received.Call.AccountID}, Timeout: assistantRequestTimeout,
	})
	if err != nil {
		return linked, fmt.Errorf("ask for assistant: %w", err)
	}
	answer, err := readChoice(body)
	if err != nil {
		return linked, fmt.Errorf("read answer to assistant request: %w", err)
	}
	if answer.Error != "" {
		return Choice{Call: received.Call, Speech: strings.ToValidUTF8(answer.Error[:min(len(answer.Error), maxSpokenError)], "")}, nil
	}
	if answer.Destination != nil {
		to, err := jsonb.ReadDestination(answer.Destination)
		if err != nil {
			return linked, fmt.Errorf("read answer to assistant request: %w", err)
		}
		return Choice{Call: received.Call, Destination: &to}, nil
	}
	params, err := answer.resolve(ctx, sender.DB, received.Call)
	if err != nil {
		return linked, err
	}
	params.WorkerID = &processID
	call, err := dbsqlc.New().InboundCallSetAssistant(ctx, sender.DB, params)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return linked, ErrConflict
	case err != nil:
		return linked, fmt.Errorf("choose assistant: %w", err)
	}
	return Choice{Call: call}, nil
}

// choice is the answer of a server.
type choice struct {
	AssistantID string         `json:"assistantId"`
	Assistant   map[string]any `json:"assistant"`
	Overrides   map[string]any `json:"assistantOverrides"`
	Destination map[string]any `json:"destination"`
	Error       string         `json:"error"`
}

// readChoice takes the answer bare or, as some libraries of this field send it, in messageResponse.
func readChoice(body []byte) (*choice, error) {
	var answer struct {
		choice
		MessageResponse *choice `json:"messageResponse"`
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		return &choice{}, nil
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.MessageResponse != nil {
		return answer.MessageResponse, nil
	}
	return &answer.choice, nil
}

// resolve reads the assistant that the answer names, and lays its overrides over it.
func (c *choice) resolve(ctx context.Context, tx dbsqlc.DBTX, call *dbsqlc.Call) (*dbsqlc.InboundCallSetAssistantParams, error) {
	params := &dbsqlc.InboundCallSetAssistantParams{
		AccountID: call.AccountID, ID: call.ID, AssistantID: call.AssistantID, AssistantName: call.AssistantName,
		AssistantConfig: call.AssistantConfig, Variables: call.Variables,
	}
	if c.AssistantID != "" {
		id, err := uuid.Parse(c.AssistantID)
		if err != nil {
			return nil, errNoChoice
		}
		row, err := dbsqlc.New().AssistantGet(ctx, tx, &dbsqlc.AssistantGetParams{AccountID: call.AccountID, ID: id})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, errNoChoice
		}
		if err != nil {
			return nil, fmt.Errorf("get assistant: %w", err)
		}
		params.AssistantID, params.AssistantName, params.AssistantConfig = row.Assistant.ID, row.Assistant.Name, &row.Assistant.Config
	}
	if c.Assistant != nil {
		params.AssistantConfig, params.AssistantName = &jsonb.Assistant{}, c.name()
	}
	for _, changes := range []map[string]any{c.Assistant, c.Overrides} {
		config, err := overridden(params.AssistantConfig, changes)
		if err != nil {
			return nil, err
		}
		params.AssistantConfig = config
	}
	if values, ok := c.Overrides["variableValues"].(map[string]any); ok {
		params.Variables = maps.Clone(params.Variables)
		if params.Variables == nil {
			params.Variables = jsonb.Strings{}
		}
		for name, value := range values {
			params.Variables[name] = fmt.Sprint(value)
		}
	}
	return params, nil
}

// name is what the server calls the assistant that it made up.
func (c *choice) name() string {
	for _, field := range []string{"name", "assistantName", "assistant_name"} {
		if name, ok := c.Assistant[field].(string); ok {
			return name
		}
	}
	return unnamedAssistant
}

// overridden returns a configuration in which some fields have other values. Fields are named as assistants name them, or in
// camelCase; what assistants do not have is left out.
func overridden(config *jsonb.Assistant, changes map[string]any) (*jsonb.Assistant, error) {
	named := make(map[string]any, len(changes))
	for name, value := range changes {
		if value != nil {
			named[snakeCase(name)] = value
		}
	}
	text, err := json.Marshal(named)
	if err != nil {
		return nil, fmt.Errorf("encode overrides: %w", err)
	}
	if strings.Contains(string(text), `\u0000`) {
		return nil, errors.New("the server's answer contains a NUL character")
	}
	changed := *config
	if err := json.Unmarshal(text, &changed); err != nil {
		return nil, fmt.Errorf("read overrides: %w", err)
	}
	changed.SetDefaults()
	return &changed, nil
}

func snakeCase(name string) string {
	var snake strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(r))
	}
	return snake.String()
}
