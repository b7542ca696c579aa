package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/analysis"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
)

const (
	maxObjectBytes       = 32 << 10
	defaultServerTimeout = 7 // seconds
	maxServerHeaders     = 50
	maxHeaderBytes       = 4 << 10
)

// earlierOnly are the fields that only the earlier form of an update has.
var earlierOnly = []string{"llm_content", "functions", "phone_number_id", "voice_id"}

// assistantAsRead are the fields of an assistant that an update cannot change.
var assistantAsRead = []string{"assistant_id", "phone_number", "phone_number_type", "phone_number_locality", "created_at",
	"updated_at"}

// isWholeAssistant reports whether a body replaces the assistant. A text of the earlier form that is empty does not count: that
// is how an assistant without it is read.
func isWholeAssistant(body map[string]any) bool {
	for _, field := range earlierOnly {
		value, named := body[field]
		if named && value != "" && (value != nil || field == "phone_number_id") {
			return false
		}
	}
	_, named := body["assistant_name"]
	return named
}

// takeAsRead takes out of a body what an assistant is read with and what cannot be changed by it, and refuses it where it differs
// from the assistant. The number that is linked counts as read, of whatever origin it is.
func (p assistantPut) takeAsRead(shown *Assistant) error {
	sent, wrong := map[string]any{}, apierror.Invalid()
	for _, field := range assistantAsRead {
		if value, named := p[field]; named {
			sent[field] = value
			delete(p, field)
		}
	}
	if err := refuseChanges(wrong, sent, shown); err != nil {
		return err
	}
	if value, named := p["phone_number_id"]; named && sameID(value, shown.PhoneNumberID) {
		delete(p, "phone_number_id")
	}
	return wrong.OrNil()
}

func sameID(value any, id *uuid.UUID) bool {
	text, _ := value.(string)
	given, err := uuid.Parse(text)
	return id == nil && value == nil || id != nil && err == nil && given == *id
}

// patched returns an assistant after a JSON merge patch (RFC 7396). Null for what is not there changes nothing, but what is the
// name of no field is refused all the same.
func (a *API) patched(b *assistantBody, patch map[string]any) (*assistantBody, error) {
	var targets [2]jsonb.Object
	text, err := json.Marshal(b)
	for i := range targets {
		if err == nil {
			err = json.Unmarshal(text, &targets[i])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("copy assistant: %w", err)
	}
	if _, err := checkedAssistant(mergePatch(targets[0], patch,
		func(target map[string]any, name string) { target[name] = nil })); err != nil {
		return nil, err
	}
	return a.decodeAssistant(mergePatch(targets[1], patch, func(map[string]any, string) {}))
}

// mergePatch applies a patch to a target. Null deletes a field that the target has, and calls absent for any other.
func mergePatch(target, patch map[string]any, absent func(target map[string]any, name string)) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for name, value := range patch {
		old, has := target[name]
		switch value := value.(type) {
		case nil:
			if delete(target, name); !has {
				absent(target, name)
			}
		case map[string]any:
			inner, _ := old.(map[string]any)
			target[name] = mergePatch(inner, value, absent)
		default:
			target[name] = value
		}
	}
	return target
}

// assistantSchema is the schema of a whole assistant, for bodies that are free-form objects to Huma because what they
// may hold depends on the stored assistant.
type assistantSchema struct {
	registry huma.Registry
	schema   *huma.Schema
}

var wholeAssistant = sync.OnceValue(newAssistantSchema)

func newAssistantSchema() assistantSchema {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	return assistantSchema{registry: registry, schema: registry.Schema(reflect.TypeFor[assistantBody](), true, "assistant")}
}

func (s assistantSchema) check(body map[string]any) []error {
	result := &huma.ValidateResult{}
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(s.registry, s.schema, path, huma.ModeWriteToServer, body, result)
	return result.Errors
}

// checkedAssistant validates a body as Huma validates that of a creation, and returns it in JSON.
func checkedAssistant(body map[string]any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode assistant: %w", err)
	}
	var plain map[string]any // Huma knows no json.Number
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("decode assistant: %w", err)
	}
	if errs := wholeAssistant().check(plain); len(errs) > 0 {
		return nil, newError(400, "", errs)
	}
	return text, nil
}

// decodeAssistant validates a body, and decodes it.
func (a *API) decodeAssistant(body map[string]any) (*assistantBody, error) {
	text, err := checkedAssistant(body)
	if err != nil {
		return nil, err
	}
	assistant := &assistantBody{}
	if err := decodeBody(text, assistant); err != nil {
		return nil, newError(400, "", []error{err})
	}
	return assistant, a.checkAssistant(assistant)
}

// checkAssistant checks what the schema does not express, and fills in the defaults.
func (a *API) checkAssistant(body *assistantBody) error {
	wrong := apierror.Invalid()
	if strings.TrimSpace(body.AssistantName) == "" {
		wrong.With("assistant_name", "is blank")
	}
	checkSizes(wrong, &body.Assistant)
	checkPlans(wrong, &body.Assistant)
	calls.CheckVendors(&body.Assistant, a.Vendors, func(path, why string) { wrong.With(path, why) })
	checkTools(wrong, &body.Assistant)
	checkTransfers(wrong, body.CallTransfers)
	if body.NotificationsEmail != "" && !validEmail(body.NotificationsEmail) {
		wrong.With("notifications_email", "is not an e-mail address")
	}
	for i, address := range body.PostCallEmails {
		if !validEmail(address) {
			wrong.With(fmt.Sprintf("post_call_emails[%d]", i), "is not an e-mail address")
		}
	}
	if sound := body.BackgroundSound; sound != "" && sound != "off" && sound != "office" && !validServerURL(sound) {
		wrong.With("background_sound", "is not off, office or a URL")
	}
	if body.Booking != nil {
		checkBooking(wrong, body.Booking)
	}
	if body.Server != nil {
		checkServer(wrong, body.Server)
	}
	if len(wrong.Body.Details) > 0 {
		return wrong
	}
	body.SetDefaults()
	return nil
}

// checkSizes refuses objects that are too large, and takes them out: what is in them would cost more to read than it is worth.
func checkSizes(wrong *apierror.Error, config *jsonb.Assistant) {
	for name, object := range map[string]*jsonb.Object{
		"analysis_plan": &config.AnalysisPlan, "message_plan": &config.MessagePlan, "compliance_plan": &config.CompliancePlan,
		"start_speaking_plan": &config.StartSpeakingPlan, "stop_speaking_plan": &config.StopSpeakingPlan,
		"keypad_input_plan": &config.KeypadInputPlan,
		"transcriber":       &config.Transcriber, "model": &config.Model, "voice": &config.Voice, "metadata": &config.Metadata,
	} {
		limit := maxObjectBytes
		if name == "model" {
			limit = 4 * maxObjectBytes // its messages are instructions
		}
		if isLarger(*object, limit) {
			wrong.With(name, fmt.Sprintf("is larger than %d KiB", limit>>10))
			*object = nil
		}
	}
	if isLarger(config.VoicemailDetection, maxObjectBytes) {
		wrong.With("voicemail_detection", fmt.Sprintf("is larger than %d KiB", maxObjectBytes>>10))
		config.VoicemailDetection = nil
	}
}

func isLarger(value any, limit int) bool {
	text, err := json.Marshal(value)
	return err != nil || len(text) > limit
}

func checkTools(wrong *apierror.Error, config *jsonb.Assistant) {
	for _, tool := range config.Tools(func(path, why string) { wrong.With(path, why) }) {
		var schema map[string]any
		if tool.Kind != jsonb.ToolFunction || json.Unmarshal(tool.Parameters, &schema) != nil {
			continue
		}
		if _, err := analysis.CompileSchema(schema); err != nil {
			wrong.With(tool.Path+".parameters", err.Error())
		}
	}
}

// checkTransfers checks phone numbers and puts them into E.164.
func checkTransfers(wrong *apierror.Error, transfers []jsonb.CallTransfer) {
	names := map[string]bool{}
	for i, to := range transfers {
		field := fmt.Sprintf("call_transfers[%d]", i)
		transfers[i].PhoneNumber = requireNumber(wrong, field+".phone_number", to.PhoneNumber)
		if name := strings.ToLower(strings.TrimSpace(to.Name)); name == "" || names[name] {
			wrong.With(field+".name", "is empty or the name of another one")
		} else {
			names[name] = true
		}
	}
}

// headerName matches a field name (RFC 9110, section 5.1).
var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

func checkServer(wrong *apierror.Error, server *assistantServerIn) {
	if !validServerURL(server.URL) {
		wrong.With("server.url", "is not an absolute http or https URL")
	}
	server.Events.check(wrong, "server.events")
	if len(server.Headers) > maxServerHeaders {
		wrong.With("server.headers", fmt.Sprintf("are more than %d", maxServerHeaders))
	}
	for name, value := range server.Headers {
		if !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) || len(name)+len(value) > maxHeaderBytes {
			wrong.With("server.headers", fmt.Sprintf("%q is not a header", name))
		}
	}
}

func validServerURL(text string) bool {
	target, err := url.Parse(text)
	return err == nil && (target.Scheme == "https" || target.Scheme == "http") && target.Host != "" && target.User == nil
}

// putAssistantServer stores where the assistant's events go; nil: to the account's webhook. Without a new secret the
// stored one stays.
func (a *API) putAssistantServer(ctx context.Context, tx pgx.Tx, assistantID uuid.UUID, server *assistantServerIn) error {
	if server == nil {
		return deleteAssistantServer(ctx, tx, assistantID)
	}
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	headers := server.Headers
	if headers == nil {
		headers = jsonb.Strings{}
	}
	row, err := queries.WebhookEndpointPutForAssistant(ctx, tx, &dbsqlc.WebhookEndpointPutForAssistantParams{
		ID: newID(), AccountID: who.AccountID, AssistantID: &assistantID, URL: &server.URL, Headers: headers,
		TimeoutSeconds: cmp.Or(server.TimeoutSeconds, defaultServerTimeout), Events: server.Events.orDefault(),
	})
	if err != nil {
		return fmt.Errorf("store assistant's server: %w", err)
	}
	if server.Secret == "" {
		return nil
	}
	sealed := a.Seal.Seal(signingSecret(server.Secret), events.SecretContext(row.ID))
	err = queries.WebhookEndpointSetSecret(ctx, tx, &dbsqlc.WebhookEndpointSetSecretParams{AccountID: who.AccountID, ID: row.ID,
		Secret: &sealed})
	if err != nil {
		return fmt.Errorf("store assistant's server secret: %w", err)
	}
	return nil
}

// signingSecret returns a secret of any kind in the format of Standard Webhooks.
func signingSecret(text string) string {
	if encoded, found := strings.CutPrefix(text, "whsec_"); found {
		if _, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return text
		}
	}
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(text))
}

func deleteAssistantServer(ctx context.Context, tx pgx.Tx, assistantID uuid.UUID) error {
	err := dbsqlc.New().WebhookEndpointDeleteForAssistant(ctx, tx, &dbsqlc.WebhookEndpointDeleteForAssistantParams{
		AccountID: middleware.CallerOf(ctx).AccountID, AssistantID: &assistantID,
	})
	if err != nil {
		return fmt.Errorf("delete assistant's server: %w", err)
	}
	return nil
}
