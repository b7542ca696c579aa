package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/all"
)

// A server whose list of events has assistant-request is asked, while a call rings, which assistant takes it. It returns
// one of {"assistantId"}, {"assistant": {…}}, {"destination": {"number" or "sipUri", "message"}} and {"error": "words for the
// caller"}, with "assistantOverrides" beside the first two, or nothing: then the linked assistant takes the call, as it does
// when the server fails or nobody answers at the destination. It is asked once. A number without an assistant has nobody
// besides: there a call whose server names nobody is not answered.

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

// ErrInvalidAnswer: the server's answer is none of those that there are, or names what there is not.
var ErrInvalidAnswer = errors.New("the server's answer cannot be used")

var errNoChoice = errors.New("it names no assistant that there is")

// ResolveAssistant asks the server and makes its choice the call's; an assistant that it makes up asks for vendors of the offer
// alone. The call of the result is the one to go on with, also when it fails; it has a configuration unless the number has no
// assistant and the server named nobody. It fails with calls.ErrConflict when the call is no longer processID's.
func ResolveAssistant(ctx context.Context, sender *events.Sender, offer all.Offer, processID string,
	received *calls.Received) (Choice, error) {
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
		return linked, fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
	}
	return answer.take(ctx, sender.DB, offer, processID, linked)
}

// take makes the answer the choice, where it says anything.
func (c *choice) take(ctx context.Context, conn db.Beginner, offer all.Offer, processID string, made Choice) (Choice, error) {
	if c.Error == "" && c.Destination != nil {
		to, err := jsonb.ReadDestination(c.Destination)
		if err != nil {
			return made, fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
		}
		made.Destination = &to
	}
	if c.Error != "" || made.Destination != nil {
		made.Speech = strings.ToValidUTF8(c.Error[:min(len(c.Error), maxSpokenError)], "")
		if made.Call.AssistantConfig != nil {
			return made, nil
		}
		return made.set(ctx, conn, processID, newChoiceParams(made.Call, new(withDefaults(jsonb.Assistant{}))))
	}
	if made.Call.AssistantConfig == nil && c.AssistantID == "" && c.Assistant == nil { // overrides alone are of nobody
		return made, nil
	}
	params, err := c.resolve(ctx, conn, offer, made.Call)
	if err != nil {
		return made, err
	}
	return made.set(ctx, conn, processID, params)
}

// set makes a configuration the call's.
func (c Choice) set(ctx context.Context, conn db.Beginner, processID string,
	params *dbsqlc.InboundCallSetAssistantParams) (Choice, error) {
	params.WorkerID = &processID
	call, err := db.WithTx(ctx, conn, func(tx pgx.Tx) (*dbsqlc.Call, error) {
		if !db.Writes(tx, db.ShortCalls) {
			params.AssistantVersionID = nil
		}
		if params.AssistantVersionID != nil {
			params.AssistantConfig = nil
		}
		return dbsqlc.New().InboundCallSetAssistant(ctx, tx, params)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Choice{Call: c.Call}, calls.ErrConflict
	case err != nil:
		return Choice{Call: c.Call}, fmt.Errorf("choose assistant: %w", err)
	}
	c.Call = call
	return c, calls.LoadConfigurations(ctx, conn, call)
}

func newChoiceParams(call *dbsqlc.Call, config *jsonb.Assistant) *dbsqlc.InboundCallSetAssistantParams {
	return &dbsqlc.InboundCallSetAssistantParams{
		AccountID: call.AccountID, ID: call.ID, AssistantID: call.AssistantID, AssistantName: call.AssistantName,
		AssistantConfig: config, AssistantVersionID: call.AssistantVersionID, Variables: call.Variables,
	}
}

func withDefaults(config jsonb.Assistant) jsonb.Assistant {
	config.SetDefaults()
	return config
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
func (c *choice) resolve(ctx context.Context, tx dbsqlc.DBTX, offer all.Offer,
	call *dbsqlc.Call) (*dbsqlc.InboundCallSetAssistantParams, error) {
	params := newChoiceParams(call, call.AssistantConfig)
	if c.AssistantID != "" {
		row, err := c.stored(ctx, tx, call)
		if err != nil {
			return nil, err
		}
		params.AssistantID, params.AssistantName, params.AssistantConfig = &row.ID, row.Name, &row.Config
		params.AssistantVersionID = row.VersionID
	}
	if c.Assistant != nil {
		params.AssistantConfig, params.AssistantName = &jsonb.Assistant{}, c.name()
	}
	stored := params.AssistantConfig
	for _, changes := range []map[string]any{c.Assistant, c.Overrides} {
		config, err := overridden(params.AssistantConfig, changes, offer)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
		}
		params.AssistantConfig = config
	}
	if c.Assistant != nil || !reflect.DeepEqual(params.AssistantConfig, stored) { // it is the call's alone
		params.AssistantVersionID = nil
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

// stored returns the account's assistant of the id; what a test key made takes no real call.
func (c *choice) stored(ctx context.Context, tx dbsqlc.DBTX, call *dbsqlc.Call) (*dbsqlc.Assistant, error) {
	id, err := uuid.Parse(c.AssistantID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidAnswer, errNoChoice)
	}
	row, err := dbsqlc.New().AssistantGet(ctx, tx, &dbsqlc.AssistantGetParams{AccountID: call.AccountID, ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && row.Assistant.Test && !call.Simulated:
		return nil, fmt.Errorf("%w: %w", ErrInvalidAnswer, errNoChoice)
	case err != nil:
		return nil, fmt.Errorf("get assistant: %w", err)
	}
	return &row.Assistant, nil
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
// camelCase; what assistants do not have is left out. The values ask for vendors of the offer alone.
func overridden(config *jsonb.Assistant, changes map[string]any, offer all.Offer) (*jsonb.Assistant, error) {
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
		return nil, errors.New("it contains a NUL character")
	}
	own, err := json.Marshal(config) // others have the same
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	changed, only := jsonb.Assistant{}, jsonb.Assistant{}
	if err := json.Unmarshal(own, &changed); err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	for _, into := range []*jsonb.Assistant{&changed, &only} {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("read overrides: %w", err)
		}
	}
	var missing error
	calls.CheckVendors(&only, offer, func(path, why string) { missing = fmt.Errorf("%s %s", path, why) })
	return new(withDefaults(changed)), missing
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
