// Package api is the REST API, its OpenAPI document and its documentation, a file for each resource, named like its
// path. A handler parses its input by its struct, works in one transaction and returns the rendered rows; longer work
// it leaves to a job that it enqueues in the same transaction.
//
// Package api knows the database, jobs and providers. It must not know package worker or package voice: a live call is
// reached through rows, jobs and notifications.
package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/overview"
	"github.com/callwright/callwright/jobs/people"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/telco/telnyx"
	"github.com/callwright/callwright/providers/website"
)

// API is what the handlers work with. Every field without a comment is required.
type API struct {
	DB      db.Beginner
	Jobs    queue.Inserter
	Seal    seal.Sealer
	Files   files.Store
	Logger  *slog.Logger
	Now     func() time.Time
	Events  *EventListener
	Version string
	Ready   func(ctx context.Context) error // returns nil if this process can serve; nil: always ready

	Carriers  telco.Carriers
	Trunk     Trunk
	Telnyx    *telnyx.Webhook // nil: webhooks of Telnyx are not accepted
	Model     llm.Provider    // default model of the deployment; nil: none is configured
	Websites  *website.Reader
	Retention maintenance.Retention // where an account has no days of its own
	Vendors   all.Offer             // whom assistants may ask for; the zero value: anybody

	Questions *embed.Questions // nil: no embedding model is configured

	Ops              http.Handler     // River UI; nil: no page of the operator is served
	Overview         *overview.Reader // nil: River UI is the operator's first page
	Metrics          http.Handler     // of the process, for the operator; nil: not served
	OperatorPassword string
	TrustedProxies   []netip.Prefix // whose X-Forwarded-For names the client
	Mails            bool           // mail reaches people; else whoever invites hands the link on
	// where browsers reach the dashboard, without a slash at its end; https has them send its cookie over https alone
	PublicURL string

	SimulatedOnly bool // calls and orders of live keys stay on the simulated network too

	CORSOrigins []string // origins whose pages may call the API

	responses *middleware.Responses
	numbering *telco.Dutch
	passwords *people.Passwords
	close     []func()

	directCalls       *middleware.Group[*calls.DirectCall, Call]
	newScheduledCalls *middleware.Group[*calls.ScheduledCall, ScheduledCall]
	newContacts       *middleware.Group[*newContact, Contact]

	instantAgentTime time.Duration // 0: the default
}

// New returns the handler of everything that is served. Close ends it.
func New(a *API) http.Handler {
	a.responses, a.numbering = &middleware.Responses{DB: a.DB, Seal: a.Seal}, telco.NewDutch()
	a.directCalls = middleware.NewGroup(a.responses, "direct_call", a.makeDirectCalls)
	a.newScheduledCalls = middleware.NewGroup(a.responses, "scheduled_call", a.makeScheduledCalls)
	a.newContacts = middleware.NewGroup(a.responses, "contact", a.makeContacts)
	a.passwords = people.NewPasswords()
	authenticate, stop := middleware.Authenticate(middleware.Authenticator{
		DB: a.DB, Now: a.Now, Simulated: a.SimulatedOnly, Cookies: a.cookies(), Proxies: a.TrustedProxies, Refuse: a.writeError,
	})
	a.close = []func(){stop, a.directCalls.Close, a.newScheduledCalls.Close, a.newContacts.Close}
	router := chi.NewRouter()
	router.NotFound(middleware.NotFound)
	router.MethodNotAllowed(middleware.MethodNotAllowed(router))
	document := newHuma(router, a.Version)
	document.UseMiddleware(authenticate, middleware.CheckRequest(a.writeError))
	a.register(document)
	a.registerPages(router, document)

	root := chi.NewRouter()
	a.registerTools(document, root)
	root.NotFound(middleware.NotFound)
	root.MethodNotAllowed(middleware.MethodNotAllowed(router))
	root.Use(middleware.WithRequestID, middleware.LogRequests(a.Logger), middleware.RecoverPanics(a.Logger))
	root.Use(func(next http.Handler) http.Handler { return middleware.AllowPages(isWebCallPath, next) })
	if len(a.CORSOrigins) > 0 {
		root.Use(middleware.AllowOrigins(a.CORSOrigins))
	}
	if a.Ops != nil && a.OperatorPassword != "" {
		operator := &middleware.Operator{DB: a.DB, Password: a.OperatorPassword, Proxies: a.TrustedProxies, Logger: a.Logger}
		root.Mount("/ops", operator.Only(a.operatorPages()))
		if a.Metrics != nil {
			root.Get("/metrics", operator.Only(a.Metrics).ServeHTTP)
		}
	}
	root.Mount("/", middleware.LimitBodies(maxJSONBody, maxUploadBody,
		takeSDP(middleware.WithoutTracking(middleware.Unprefixed(router,
			middleware.FingerprintRequests(middleware.HeadAsGet(router)))))))
	return root
}

// Close ends what requests that are over have left running. It is called before the pool is closed.
func (a *API) Close() {
	for _, end := range a.close {
		end()
	}
}

// OpenAPIYAML returns the OpenAPI document. It needs no database.
func OpenAPIYAML() ([]byte, error) { return Document().YAML() }

// Document returns the OpenAPI document.
func Document() *huma.OpenAPI {
	a := &API{Logger: slog.New(slog.DiscardHandler), Now: time.Now}
	document := newHuma(chi.NewRouter(), "1")
	a.register(document)
	return document.OpenAPI()
}

func newHuma(router chi.Router, _ string) huma.API {
	installErrors()
	config := huma.DefaultConfig("Callwright", "1.0.0")
	config.Info.Description = apiDescription
	config.Info.Contact = &huma.Contact{Name: "Callwright", URL: "https://github.com/callwright/callwright"}
	config.Info.License = &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"}
	config.Servers = []*huma.Server{{URL: "/", Description: "This server"}}
	config.Tags = tags
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		securityName: {Type: "http", Scheme: "bearer", Description: keyDescription},
		middleware.CookieSecurity: {Type: "apiKey", In: "cookie", Name: middleware.Cookies{Secure: true}.Name(),
			Description: cookieDescription},
	}
	config.CreateHooks = nil // no $schema in responses
	config.Transformers = nil
	config.DocsPath = ""
	config.OpenAPIPath = ""
	config.SchemasPath = ""
	config.RejectUnknownQueryParameters = true
	config.Formats = map[string]huma.Format{
		"application/json": {Marshal: marshalJSON, Unmarshal: unmarshalJSON},
		"json":             {Marshal: marshalJSON, Unmarshal: unmarshalJSON},
	}
	config.Security = []map[string][]string{{securityName: {}}}
	config.Components.Schemas = huma.NewMapRegistry(componentSchema, schemaName)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[jsonb.USD](), reflect.TypeFor[float64]())
	config.Components.Headers, config.Components.Responses = documentedHeaders(), documentedResponses()
	config.OnAddOperation = append(config.OnAddOperation, describe)
	return humachi.New(router, config)
}

func marshalJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// The tags, in the order of the contract.
const (
	tagAssistants     = "Assistants"
	tagCalls          = "Calls"
	tagContacts       = "Contacts"
	tagScheduledCalls = "Scheduled calls"
	tagPhoneNumbers   = "Phone numbers"
	tagSIPConnections = "SIP connections"
	tagVerification   = "Verification"
	tagUser           = "User"
	tagMembers        = "Members"
	tagSession        = "Session"
	tagEvents         = "Events"
	tagKnowledge      = "Knowledge base"
)

var tags = []*huma.Tag{
	{Name: tagAssistants, Description: "AI phone assistants and their numbers."},
	{Name: tagCalls, Description: "Calls, past and present, and calls placed now."},
	{Name: tagContacts, Description: "People who are called."},
	{Name: tagScheduledCalls, Description: "Calls placed later."},
	{Name: tagPhoneNumbers, Description: "Shared default numbers and numbers of your own."},
	{Name: tagSIPConnections, Description: "Numbers that you bring: your own accounts at SIP providers."},
	{Name: tagVerification, Description: "Proof of who orders numbers: a business, its address and its documents."},
	{Name: tagUser, Description: "Your profile and where your events go."},
	{Name: tagMembers, Description: "The people of an account, what they may do, and who changed what."},
	{Name: tagSession, Description: "Signing in to the dashboard. Programs use API keys."},
	{Name: tagEvents,
		Description: "All events and their deliveries. `assistant-request`, `tool-calls` and `call.endpointing.request` are questions: they are sent once, while a call waits for the response, " +
			"and they are logged like deliveries and never sent again. A `tool-calls` message has `toolCallList` [{id, type, name, parameters, function: {name, arguments}}] and `toolWithToolCallList`; " +
			"it goes to the tool's own server, else to the assistant's, else to your webhook, whether that names the type or not. The response is {results: [{toolCallId, result or error}]}, " +
			"at most 64 KiB, within the server's time; any other JSON is taken as the result itself."},
	{Name: tagKnowledge, Description: "What assistants can look up."},
}

const apiDescription = `Callwright runs AI phone assistants that answer and place real calls.

Every request carries an API key: ` + "`Authorization: Bearer <API_KEY>`" + `. Each path is served without the prefix ` +
	"`/v1`" + ` too.
Errors have one shape, ` + "`{\"error\": {\"code\", \"message\", \"details\"}}`" + `, where ` + "`details`" +
	` names every wrong field. Lists take
` + "`limit` and `offset`" + `, or the ` + "`next_cursor`" + ` of the page before as ` + "`cursor`" +
	`, and are newest first. Times are RFC 3339 in UTC; phone numbers are E.164.
In a body, null for an optional field is the same as leaving it out, unless the field says otherwise.`

// keyDescription says what keys may do.
const keyDescription = "An API key: cw_live_… or cw_test_…. A key has one of three scopes, which each operation names: `read`, `write`, which contains it, and `admin`, which contains both. " +
	"A key without it gets 403 `insufficient_scope`. Calls, orders and registrations of a test key stay on the simulated phone network. A test key changes nothing real: " +
	"of what has an id only what test keys made, and no webhook, key or profile (403 `test_key`); its assistants take no real calls from outside. " +
	"All keys of an account together may make ten times the requests of the one that may make most."

// register adds every operation.
func (a *API) register(to huma.API) {
	a.registerAssistants(to)
	a.registerNumberLink(to)
	a.registerInstantAgents(to)
	a.registerCalls(to)
	a.registerCallCommands(to)
	a.registerWebCalls(to)
	a.registerCallListeners(to)
	a.registerWebTokens(to)
	a.registerContacts(to)
	a.registerScheduledCalls(to)
	a.registerPhoneNumbers(to)
	a.registerSIPConnections(to)
	a.registerAvailableNumbers(to)
	a.registerNumberOrders(to)
	a.registerVerificationGroups(to)
	a.registerVerificationDocuments(to)
	a.registerProfile(to)
	a.registerLimits(to)
	a.registerUsage(to)
	a.registerBudget(to)
	a.registerCredits(to)
	a.registerSession(to)
	a.registerSessionLinks(to)
	a.registerSessions(to)
	a.registerMembers(to)
	a.registerAudit(to)
	a.registerAPIKeys(to)
	a.registerWebhook(to)
	a.registerEvents(to)
	a.registerKnowledge(to)
	a.registerFAQs(to)
	completeDocument(to.OpenAPI())
}

// securityName is the name of the security scheme in the document.
const securityName = "bearerAuth"

// operation returns an operation of the document. errors are the statuses that it can return besides those that every
// operation can return.
func operation(method, path, id, tag, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Tags: []string{tag}, Summary: summary, Description: description,
		DefaultStatus: http.StatusOK, Security: []map[string][]string{{securityName: {}}, {middleware.CookieSecurity: {}}},
		MaxBodyBytes: maxJSONBody,
		Errors:       errors,
	}
}

// creates returns an operation that responds with 201.
func creates(path, id, tag, summary, description string, errors ...int) huma.Operation {
	op := operation(http.MethodPost, path, id, tag, summary, description, append(errors, http.StatusConflict)...)
	op.DefaultStatus = http.StatusCreated
	return op
}

// maxJSONBody is the limit of a body of JSON, in bytes.
const maxJSONBody = 1 << 20

// handlerTimeout is longer than anything that a request waits for, and shorter than clients wait.
const handlerTimeout = 30 * time.Second

// handle registers a handler whose errors become error responses.
func handle[I, O any](a *API, to huma.API, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	handleFor(a, to, op, handlerTimeout, handler)
}

// handleFor is handle with another timeout.
func handleFor[I, O any](a *API, to huma.API, op huma.Operation, timeout time.Duration,
	handler func(context.Context, *I) (*O, error)) {
	declareAccess(&op)
	huma.Register(to, op, func(ctx context.Context, in *I) (*O, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		output, err := handler(ctx, in)
		if err != nil {
			return nil, a.asError(ctx, err)
		}
		return output, nil
	})
}

// writeError responds to a request that a Huma middleware refuses.
func (a *API) writeError(ctx huma.Context, err error) {
	response := a.asError(ctx.Context(), err)
	for name, values := range response.GetHeaders() {
		for _, value := range values {
			ctx.SetHeader(name, value)
		}
	}
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(response.GetStatus())
	if err := json.NewEncoder(ctx.BodyWriter()).Encode(response); err != nil {
		a.Logger.DebugContext(ctx.Context(), "response not written", "error", err)
	}
}

var _ huma.StatusError = (*apierror.Error)(nil)
