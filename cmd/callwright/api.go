package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"riverqueue.com/riverui"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/cmd/callwright/doctor"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/health"
	"github.com/callwright/callwright/jobs/overview"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/worker"
)

// apiCommand serves the REST API.
type apiCommand struct {
	databaseFlags
	sealFlags
	fileFlags
	carrierFlags
	carrierHookFlags
	carrierHostFlags
	corsFlags
	hookFlags
	speechFlags
	embedFlags
	retentionFlags
	logFlags
	Listen string `help:"Address and port to serve on; default: ${default}." default:"127.0.0.1:8080" env:"CALLWRIGHT_LISTEN" placeholder:"HOST:PORT"`
	publicFlags
	mailCarrierFlags
	operatorFlags
	monitorFlags
	traceFlags
	DatabaseConns int32         `help:"Most connections to Postgres, all counted." default:"10" env:"CALLWRIGHT_DATABASE_CONNS"`
	Notice        time.Duration `help:"How long requests are served after SIGTERM, while /readyz says that this process stops: a balancer needs that long to leave it out." default:"5s" env:"CALLWRIGHT_NOTICE"`
}

// Run implements the command.
func (c *apiCommand) Run(ctx context.Context) error {
	if err := c.checkPassword(); err != nil {
		return err
	}
	pooled, err := poolSize(c.DatabaseConns, api.OwnConns)
	if err != nil {
		return err
	}
	box, err := c.box()
	if err != nil {
		return err
	}
	served, err := c.configure(box, c.logger())
	if err != nil {
		return err
	}
	pool, err := c.awaitMigrated(ctx, pooled, c.logger())
	if err != nil {
		return err
	}
	defer pool.Close()
	logger := db.LogOutages(pool, c.logger())
	silence, err := untilThere(ctx, logger, func() (func(), error) { return reportProcess(ctx, pool, box, "api") })
	if err != nil {
		return err
	}
	defer silence()
	clock, err := untilThere(ctx, logger, func() (*db.Clock, error) { return db.NewClock(ctx, pool, logger) })
	if err != nil {
		return err
	}
	go clock.Follow(ctx, pool, logger)
	served.Now = clock.Now // rate windows and what ends are by the clock of Postgres
	served.DB, served.Logger, served.Events = pool, logger, api.NewEventListener(pool.Config().ConnConfig, logger)
	if served.Carriers, err = c.carriers(pool); err != nil {
		return err
	}
	warnAtStart(ctx, logger, slices.Concat(doctor.Database(pool), doctor.Schema(pool), []doctor.Check{doctor.Disk(c.FilesDir)})...)
	listener, err := listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	stopTraces, err := c.startTraces(ctx, "api", logger)
	if err != nil {
		return err
	}
	defer stopTraces()
	monitor, err := c.monitor(ctx, logger)
	if err != nil {
		return err
	}
	return c.serve(ctx, pool, listener, monitor, served)
}

// configure returns what the settings make of an API that needs no database: what is wrong with them is said at once, and not when
// Postgres is there.
func (c *apiCommand) configure(box *seal.Box, logger *slog.Logger) (*api.API, error) {
	made := &api.API{
		Seal: box, Version: version, OperatorPassword: c.OperatorPassword,
		TrustedProxies: c.TrustedProxies, Mails: c.mails(),
		Trunk: api.Trunk{Proxy: c.TrunkProxy, Peers: c.TrunkPeers, Allow: c.AllowNetworks},
	}
	err := checkPorts(listening{"--listen (CALLWRIGHT_LISTEN)", "tcp", c.Listen}, c.port())
	if err != nil {
		return nil, err
	}
	if made.PublicURL, err = c.public(); err != nil {
		return nil, err
	}
	if made.Retention, err = c.retention(); err != nil {
		return nil, err
	}
	if made.Files, err = c.store(); err != nil {
		return nil, err
	}
	if made.Model, err = c.LLM.model(logger); err != nil {
		return nil, err
	}
	if made.Vendors, err = c.offer(); err != nil {
		return nil, err
	}
	embedder, err := c.embedder()
	if err != nil {
		return nil, err
	}
	made.Questions = embed.NewQuestions(embedder, logger)
	if made.Telnyx, err = c.webhook(); err != nil {
		return nil, err
	}
	if made.Websites, err = newWebsites(c.client(), false); err != nil {
		return nil, err
	}
	made.CORSOrigins, err = c.origins()
	return made, err
}

// serve answers requests until the notice is over that ctx gives by its end.
func (c *apiCommand) serve(ctx context.Context, pool *pgxpool.Pool, listener net.Listener, monitor *monitor,
	served *api.API) error {
	serving, cancel := outlive(ctx, c.Notice)
	defer cancel()
	client, err := worker.NewInserter(pool, served.Logger)
	if err != nil {
		return err
	}
	served.Jobs = client
	if served.Ops, err = newOps(serving, client, served.Logger); err != nil {
		return err
	}
	go served.Events.Run(serving)
	served.Ready = func(asked context.Context) error {
		if ctx.Err() != nil {
			return &health.Problem{Words: "this process stops"}
		}
		return db.Ready(asked, pool)
	}
	deployment := &overview.Reader{DB: pool, Now: time.Now}
	collectors := append(metrics.Pool(pool), deployment)
	served.Overview, served.Metrics = deployment, metrics.Handler(served.Logger, collectors...)
	handler := api.New(served)
	defer served.Close()
	stop := monitor.serve(ctx, served.Ready, collectors...)
	served.Logger.InfoContext(ctx, "serving", "address", listener.Addr().String())
	return errors.Join(serve(serving, listener, closeAfter(ctx, handler)), stop())
}

// outlive returns a context that ends when the notice is over which ctx gives by its end.
func outlive(ctx context.Context, notice time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(notice, cancel) })
	return later, func() {
		stop()
		cancel()
	}
}

// closeAfter has each response after the end of ctx close its connection. Whoever keeps connections, as balancers do, would send
// a request on one that closes at this moment, and could not tell whether it was read.
func closeAfter(ctx context.Context, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, req)
	})
}

// serve handles requests until ctx ends, then lets those in progress finish.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second, // an upload of 20 MiB included
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newOps is River UI; the API puts the operator's password before it. Its services end with ctx, which must be before the
// client's pool closes.
func newOps(ctx context.Context, client *river.Client[pgx.Tx], logger *slog.Logger) (http.Handler, error) {
	handler, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints:                riverui.NewEndpoints(client, nil),
		JobListHideArgsByDefault: true,
		Logger:                   db.LibraryLogger(logger),
		Prefix:                   "/ops",
	})
	if err != nil {
		return nil, fmt.Errorf("make River UI: %w", err)
	}
	if err := handler.Start(ctx); err != nil {
		return nil, fmt.Errorf("start River UI: %w", err)
	}
	return handler, nil
}
