package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
)

// SIPConnection is an account of the customer at a SIP provider, which brings a number.
type SIPConnection struct {
	ID              uuid.UUID  `json:"id"`
	PhoneNumber     string     `json:"phone_number" example:"+31201234567"`
	PhoneNumberID   uuid.UUID  `json:"phone_number_id" doc:"The custom number that came with the connection; link it to an assistant."`
	SIPUsername     string     `json:"sip_username"`
	SIPProxy        string     `json:"sip_proxy" example:"sip.provider.example:5060"`
	ProviderName    string     `json:"provider_name"`
	Transfer        string     `json:"transfer" enum:"auto,refer,bridge" doc:"How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both, auto does so where the provider refuses."`
	Status          string     `json:"status" enum:"registering,registered,failed,stopped" doc:"A failed registration is tried again, every hour at last; one that has failed for a day is stopped, and tried again when you test it."`
	LastError       *string    `json:"last_error" doc:"Why the latest registration failed."`
	SIPCode         *int32     `json:"sip_code" doc:"The provider's response to it; 408 if there was none."`
	RegisteredUntil *time.Time `json:"registered_until" doc:"It is renewed before that."`
	CreatedAt       time.Time  `json:"created_at"`
}

type sipConnectionCreateInput struct {
	middleware.Idempotency
	Body struct {
		PhoneNumber  string `json:"phone_number" maxLength:"64" doc:"E.164, with or without +." example:"31201234567"`
		SIPUsername  string `json:"sip_username" minLength:"1" maxLength:"128" doc:"User name at the provider, without the domain." example:"31201234567"`
		SIPPassword  string `json:"sip_password" minLength:"1" maxLength:"256" writeOnly:"true" doc:"Stored encrypted and never returned."`
		SIPProxy     string `json:"sip_proxy" minLength:"1" maxLength:"255" doc:"The provider's proxy: a host name or an IP address, with a port if it is not 5060. SIP travels over UDP." example:"sip.provider.example"`
		ProviderName string `json:"provider_name" minLength:"1" maxLength:"200" doc:"What you call the provider."`
		Transfer     string `json:"transfer,omitempty" enum:"auto,refer,bridge" default:"auto" doc:"How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both, auto does so where the provider refuses. Who is announced is rung by us in any case."`
	}
}

// Resolve implements huma.Resolver.
func (in *sipConnectionCreateInput) Resolve(ctx huma.Context) []error {
	return append(in.Idempotency.Resolve(ctx), brokenRules(ctx, in)...)
}

// read reads what the schema does not express.
func (in *sipConnectionCreateInput) read() (number, proxy string, err error) {
	wrong, body := apierror.Invalid(), &in.Body
	number = requireNumber(wrong, "phone_number", withPlus(body.PhoneNumber))
	checkSIPAccount(wrong, body.SIPUsername, body.SIPPassword)
	proxy = requireSIPProxy(wrong, "sip_proxy", body.SIPProxy)
	return number, proxy, wrong.OrNil()
}

type SIPConnectionPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the SIP connection."`
}

type sipConnectionTestInput struct {
	middleware.Idempotency
	SIPConnectionPath
}

type sipConnectionPatchInput struct {
	SIPConnectionPath
	Body struct {
		Transfer *string `json:"transfer,omitempty" enum:"auto,refer,bridge" doc:"How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both, auto does so where the provider refuses." example:"bridge"`
	}
}

type sipConnectionListInput struct{ middleware.Page }

type sipConnectionOutput struct{ Body SIPConnection }

func (a *API) registerSIPConnections(to huma.API) {
	const path = "/v1/sip-connections"
	handle(a, to, operation(http.MethodGet, path, "list-sip-connections", tagSIPConnections, "List SIP connections",
		"Your connections, newest first."), a.sipConnectionList)
	create := creates(path, "create-sip-connection", tagSIPConnections, "Create a SIP connection",
		"Makes your number known as a custom number and registers the account at its provider, which is kept registered from then on. "+
			"Calls from the number leave and calls to it arrive over this connection. The number is yours once the proxy has registered it: until then its status is `pending`, it takes no calls, "+
			"and the first account whose proxy registers it gets it. 409 `conflict` when the number is in use; 409 `limit_reached` when you have 20 connections, or 5 at this proxy. "+
			"Refused and unanswered registrations are tried again after ever longer pauses, up to an hour, and stop after a day with a `sip-connection-stopped` event. "+
			"Connections made with a test key register at the simulated network.")
	handle(a, to, withRules(create, func(in *sipConnectionCreateInput) error {
		_, _, err := in.read()
		return err
	}), a.sipConnectionCreate)
	handle(a, to, operation(http.MethodGet, path+"/{id}", "get-sip-connection", tagSIPConnections, "Get a SIP connection",
		"One connection.", http.StatusNotFound), a.sipConnectionGet)
	handle(a, to, operation(http.MethodPatch, path+"/{id}", "patch-sip-connection", tagSIPConnections, "Update a SIP connection",
		"Changes the fields that the body names: how callers are put through, from the next transfer on.", http.StatusNotFound),
		a.sipConnectionPatch)
	test := creates(path+"/{id}/test", "test-sip-connection", tagSIPConnections, "Test a SIP connection",
		"Registers again and returns the outcome: `status` is `registered`, or `failed` with the provider's `sip_code`. 502 `upstream_error` when the provider has trouble, 504 `upstream_timeout` when it does not answer within 20 seconds.",
		http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout)
	test.DefaultStatus = http.StatusOK
	handle(a, to, test, a.sipConnectionTest)
	remove := operation(http.MethodDelete, path+"/{id}", "delete-sip-connection", tagSIPConnections, "Delete a SIP connection",
		"Ends the registration and removes the number; past calls keep it. 409 `conflict` while an assistant is linked to the number.",
		http.StatusNotFound, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.sipConnectionDelete)
}

func (a *API) sipConnectionList(ctx context.Context, in *sipConnectionListInput) (*middleware.List[SIPConnection], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	total, err := queries.SIPConnectionCount(ctx, a.DB, &dbsqlc.SIPConnectionCountParams{AccountID: who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("SIP connection", err)
	}
	rows, err := queries.SIPConnectionList(ctx, a.DB, &dbsqlc.SIPConnectionListParams{AccountID: who.AccountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("SIP connection", err)
	}
	render := func(row *dbsqlc.SIPConnectionListRow) SIPConnection {
		return renderSIPConnection(&row.SIPConnection, row.Number)
	}
	where := func(row *dbsqlc.SIPConnectionListRow) middleware.Position {
		return middleware.Position{ID: row.SIPConnection.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

func (a *API) sipConnectionCreate(ctx context.Context,
	in *sipConnectionCreateInput) (*middleware.Response[SIPConnection], error) {
	body := &in.Body
	number, proxy, err := in.read()
	if err != nil {
		return nil, err
	}
	if err := a.Trunk.refuse(ctx, proxy); err != nil {
		return nil, err
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[SIPConnection], error) {
		who, queries, id := middleware.CallerOf(ctx), dbsqlc.New(), newID()
		if err := makeRoomForConnection(ctx, tx, proxy); err != nil {
			return nil, err
		}
		row, err := insertPendingNumber(ctx, tx, number)
		if err != nil {
			return nil, err
		}
		err = queries.SIPConnectionInsert(ctx, tx, &dbsqlc.SIPConnectionInsertParams{
			ID: id, AccountID: who.AccountID, PhoneNumberID: row.ID, Simulated: who.Simulated, SIPUsername: body.SIPUsername,
			SIPPassword: a.Seal.Seal(body.SIPPassword, numbers.SIPPasswordContext(id)), SIPProxy: proxy, ProviderName: body.ProviderName,
			Transfer: body.Transfer,
		})
		if err != nil {
			return nil, apierror.FromDB("SIP connection", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.RegisterSIPConnectionArgs{SIPConnectionID: id}, nil); err != nil {
			return nil, fmt.Errorf("enqueue registration: %w", err)
		}
		shown, err := sipConnectionShow(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusCreated, shown.SIPConnection), nil
	})
}

// makeRoomForConnection returns an error if the account has as many connections as it may, at all or at the proxy. It locks the
// account, so that two requests cannot both take the last one.
func makeRoomForConnection(ctx context.Context, tx pgx.Tx, proxy string) error {
	queries, accountID := dbsqlc.New(), middleware.CallerOf(ctx).AccountID
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	proxies, err := queries.SIPConnectionListProxies(ctx, tx, &dbsqlc.SIPConnectionListProxiesParams{AccountID: accountID})
	if err != nil {
		return fmt.Errorf("list SIP connections: %w", err)
	}
	there := 0
	for _, other := range proxies {
		if proxyHost(other) == proxyHost(proxy) {
			there++
		}
	}
	switch {
	case len(proxies) >= maxConnections:
		return limitReached(fmt.Sprintf("An account has at most %d SIP connections.", maxConnections))
	case there >= maxConnectionsAtProxy:
		return limitReached(fmt.Sprintf("An account has at most %d SIP connections at one proxy.", maxConnectionsAtProxy))
	}
	return nil
}

// proxyHost returns a proxy without its port.
func proxyHost(proxy string) string {
	if host, _, err := net.SplitHostPort(proxy); err == nil {
		return host
	}
	return strings.Trim(proxy, "[]")
}

// insertPendingNumber makes a number that becomes the account's when its proxy registers it.
func insertPendingNumber(ctx context.Context, tx pgx.Tx, number string) (*dbsqlc.PhoneNumber, error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	used, err := queries.PhoneNumberInUse(ctx, tx, &dbsqlc.PhoneNumberInUseParams{Number: number, Simulated: who.Simulated})
	if err != nil {
		return nil, fmt.Errorf("look for number: %w", err)
	}
	if used {
		return nil, numberInUse()
	}
	row, err := queries.PhoneNumberInsert(ctx, tx, &dbsqlc.PhoneNumberInsertParams{
		ID: newID(), AccountID: &who.AccountID, Number: number, Origin: "custom", Simulated: who.Simulated, Status: "pending",
	})
	if apierror.Violates(err, "phone_number_pending_key") {
		return nil, numberInUse()
	}
	return row, apierror.FromDB("phone number", err)
}

func numberInUse() error {
	return apierror.Conflict("This phone number is in use.").With("phone_number", "is in use")
}

func (a *API) sipConnectionGet(ctx context.Context, in *SIPConnectionPath) (*sipConnectionOutput, error) {
	shown, err := sipConnectionShow(ctx, a.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &sipConnectionOutput{Body: shown.SIPConnection}, nil
}

func (a *API) sipConnectionPatch(ctx context.Context, in *sipConnectionPatchInput) (*sipConnectionOutput, error) {
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*sipConnectionOutput, error) {
		if in.Body.Transfer != nil {
			_, err := dbsqlc.New().SIPConnectionSetTransfer(ctx, tx, &dbsqlc.SIPConnectionSetTransferParams{
				AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID, Transfer: *in.Body.Transfer,
			})
			if err != nil {
				return nil, fmt.Errorf("set transfer: %w", err)
			}
		}
		shown, err := sipConnectionShow(ctx, tx, in.ID) // not found, where nothing was set
		if err != nil {
			return nil, err
		}
		return &sipConnectionOutput{Body: shown.SIPConnection}, nil
	})
}

func (a *API) sipConnectionDelete(ctx context.Context, in *SIPConnectionPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		numberID, err := queries.SIPConnectionDelete(ctx, tx, &dbsqlc.SIPConnectionDeleteParams{AccountID: who.AccountID, ID: in.ID})
		if err != nil {
			return apierror.FromDB("SIP connection", err)
		}
		err = queries.SIPConnectionReleaseNumber(ctx, tx, &dbsqlc.SIPConnectionReleaseNumberParams{AccountID: &who.AccountID,
			PhoneNumberID: numberID})
		if err != nil {
			return fmt.Errorf("release number: %w", err)
		}
		linked, err := queries.SIPConnectionNumberLinked(ctx, tx, &dbsqlc.SIPConnectionNumberLinkedParams{PhoneNumberID: numberID})
		if err != nil {
			return fmt.Errorf("look for a link: %w", err)
		}
		if linked {
			return apierror.Conflict("An assistant is linked to the connection's number; unlink it first.")
		}
		return nil
	})
}

const (
	maxConnections        = 20 // of an account
	maxConnectionsAtProxy = 5
)

const (
	sipTestTimeout = 20 * time.Second
	sipTestPoll    = 100 * time.Millisecond
)

// sipTestAsked is what a test stores under its idempotency key: the registration that it requested.
type sipTestAsked struct {
	Wanted int32 `json:"wanted"`
}

// sipConnectionTest requests a registration from the process that keeps the connection registered, and waits until its
// outcome is in the row.
func (a *API) sipConnectionTest(ctx context.Context, in *sipConnectionTestInput) (*middleware.Response[SIPConnection], error) {
	asked, err := middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[sipTestAsked], error) {
		wanted, err := dbsqlc.New().SIPConnectionTest(ctx, tx,
			&dbsqlc.SIPConnectionTestParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
		if err != nil {
			return nil, apierror.FromDB("SIP connection", err)
		}
		// where it was stopped
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.RegisterSIPConnectionArgs{SIPConnectionID: in.ID}, nil); err != nil {
			return nil, fmt.Errorf("enqueue registration: %w", err)
		}
		return middleware.Respond(http.StatusOK, sipTestAsked{Wanted: wanted}), nil
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sipTestTimeout)
	defer cancel()
	poll := time.NewTicker(sipTestPoll)
	defer poll.Stop()
	for {
		shown, err := sipConnectionShow(ctx, a.DB, in.ID)
		switch {
		case ctx.Err() != nil:
			return nil, apierror.FromFault(context.DeadlineExceeded)
		case err != nil:
			return nil, err
		case shown.done >= asked.Body.Wanted:
			return shown.outcome(asked.Replayed)
		}
		select {
		case <-ctx.Done():
			return nil, apierror.FromFault(context.DeadlineExceeded)
		case <-poll.C:
		}
	}
}

// sipConnectionShown is a connection with the registration that its state is the outcome of.
type sipConnectionShown struct {
	SIPConnection
	done int32
}

// outcome returns the connection if the provider responded to the registration, and an error otherwise.
func (s *sipConnectionShown) outcome(replayed string) (*middleware.Response[SIPConnection], error) {
	if s.Status == "failed" && s.SIPCode != nil {
		switch code := *s.SIPCode; {
		case code == http.StatusRequestTimeout:
			return nil, apierror.FromFault(context.DeadlineExceeded)
		case code >= 500 && code < 600:
			return nil, apierror.New(http.StatusBadGateway, "upstream_error", "The SIP provider failed.").With("sip_code",
				fmt.Sprint(code))
		}
	}
	return &middleware.Response[SIPConnection]{Status: http.StatusOK, Replayed: replayed, Body: s.SIPConnection}, nil
}

func sipConnectionShow(ctx context.Context, tx dbsqlc.DBTX, id uuid.UUID) (*sipConnectionShown, error) {
	row, err := dbsqlc.New().SIPConnectionGet(ctx, tx, &dbsqlc.SIPConnectionGetParams{AccountID: middleware.CallerOf(ctx).AccountID,
		ID: id})
	if err != nil {
		return nil, apierror.FromDB("SIP connection", err)
	}
	return &sipConnectionShown{renderSIPConnection(&row.SIPConnection, row.Number), row.SIPConnection.Done}, nil
}

func renderSIPConnection(row *dbsqlc.SIPConnection, number string) SIPConnection {
	return SIPConnection{
		ID: row.ID, PhoneNumber: number, PhoneNumberID: row.PhoneNumberID, SIPUsername: row.SIPUsername, SIPProxy: row.SIPProxy,
		ProviderName: row.ProviderName, Transfer: row.Transfer, Status: row.Status, LastError: row.LastError, SIPCode: row.SIPCode,
		RegisteredUntil: utc(row.RegisteredUntil), CreatedAt: row.CreatedAt.UTC(),
	}
}
