package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/overview"
	"github.com/callwright/callwright/jobs/people"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/hook"
	maillog "github.com/callwright/callwright/providers/mail/log"
	"github.com/callwright/callwright/providers/scan"
	smslog "github.com/callwright/callwright/providers/sms/log"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/worker"
	"github.com/callwright/callwright/worker/gateways"
)

// devCommand runs everything in one process and shows a first call.
type devCommand struct {
	logFlags
	speechFlags
	embedFlags
	DatabaseURL string        `help:"Postgres to work on; without it a private one is started." env:"DATABASE_URL" placeholder:"URL"`
	DataDir     string        `help:"Folder for the private Postgres, recordings and keys; default: ${default}." default:"${state_dir}" placeholder:"DIR" type:"path"`
	Listen      string        `help:"Address and port to serve on; port 0 takes any that is free. Without 127.0.0.1 on this machine, [::1] takes its place. Default: ${default}." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Once        bool          `help:"End after the first call: status 0 when it completed, 1 when it did not."`
	Drain       time.Duration `help:"How long live calls go on after Ctrl-C." default:"5s"`
}

const (
	devAccountEmail  = "demo@callwright.local"
	devDefaultNumber = "+31850000000"
	devCredits       = 100
)

// dev is a development server that runs.
type dev struct {
	cmd      *devCommand
	out      *progress
	folder   *devFolder
	postgres *embedded.Server // nil: DATABASE_URL
	pool     *pgxpool.Pool
	seal     *seal.Box
	settings devSettings
	account  *dbsqlc.Account
	files    files.Store
	carriers telco.Carriers
	embedder embed.Provider
	guarded  *hook.Client
	worker   *worker.Worker
	url      string
	signIn   string // link that signs in to the dashboard, once
	silence  func() // takes back that this process runs; nil: it has not said so
}

// Run implements the command.
func (c *devCommand) Run(ctx context.Context) error {
	if c.LogLevel == "info" { // the conversation is the output here
		c.LogLevel = "warn"
	}
	// Whoever reads the output may go, as when it is piped into head; the server stays.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return explainFolder(c.DataDir, c.run(ctx))
}

func (c *devCommand) run(ctx context.Context) (err error) {
	d := &dev{cmd: c, out: newProgress(os.Stdout)}
	if d.folder, err = openDevFolder(c.DataDir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.folder.close()) }()
	listener, err := d.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreClosed(listener.Close())) }()
	if err := d.folder.announce(d.url); err != nil {
		return err
	}
	if err := d.openDatabase(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.closeDatabase()) }()
	defer func() {
		if d.silence != nil {
			d.silence()
		}
	}()
	if err := d.seed(ctx); err != nil {
		return err
	}
	if err := d.startWorker(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stopWorker()) }()
	return d.serve(ctx, listener)
}

// listen takes the port and finds out under which URL programs of this machine reach it.
func (d *dev) listen(ctx context.Context) (net.Listener, error) {
	address, local := d.cmd.Listen, gateways.Loopback()
	if host, port, err := net.SplitHostPort(address); err == nil && host == "127.0.0.1" && local != host {
		address = net.JoinHostPort(local, port)
		d.out.step("api", "this machine has no 127.0.0.1: "+address+" takes its place")
	}
	listener, err := listen(ctx, "--listen", address)
	if err != nil {
		return nil, err
	}
	at := listener.Addr().(*net.TCPAddr)
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = local
	}
	d.url = fmt.Sprintf("http://%s", net.JoinHostPort(host, fmt.Sprint(at.Port)))
	return listener, nil
}

// seed makes sure of the demo account, its key and a shared number, reusing what an earlier run left. The keys are on disk
// before the database holds anything under them: whatever ends this process, the next one can open it.
func (d *dev) seed(ctx context.Context) (err error) {
	if err := d.prepareSettings(); err != nil {
		return err
	}
	if d.seal, err = (sealFlags{SealKeys: d.settings.SealKeys}).box(); err != nil {
		return fmt.Errorf("%s: %w", d.folder.settings(), err)
	}
	if d.silence, err = reportProcess(ctx, d.pool, d.seal, "dev"); err != nil {
		return fmt.Errorf("CALLWRIGHT_SEAL_KEYS in %s: %w", d.folder.settings(), err)
	}
	d.account, err = dbsqlc.New().AccountGetByEmail(ctx, d.pool, &dbsqlc.AccountGetByEmailParams{Email: devAccountEmail})
	if errors.Is(err, pgx.ErrNoRows) {
		d.account, err = createAccount(ctx, d.pool, d.seal, devAccountEmail, "Demo")
	}
	if err != nil {
		return fmt.Errorf("seed account: %w", err)
	}
	err = dbsqlc.New().PhoneNumberInsertDefault(ctx, d.pool, &dbsqlc.PhoneNumberInsertDefaultParams{
		ID: uuid.Must(uuid.NewV7()), Number: devDefaultNumber, Type: new("national"),
	})
	if err != nil {
		return fmt.Errorf("seed phone number: %w", err)
	}
	_, err = dbsqlc.New().PhoneNumberSetInboundAccount(ctx, d.pool, &dbsqlc.PhoneNumberSetInboundAccountParams{
		Number: devDefaultNumber, InboundAccountID: &d.account.ID,
	})
	if err != nil {
		return fmt.Errorf("seed owner of inbound calls: %w", err)
	}
	if err := d.seedCredits(ctx); err != nil {
		return err
	}
	token, err := ownerLink(ctx, d.pool, d.account, people.PurposeSignIn)
	if err != nil {
		return err
	}
	d.signIn = people.URL(d.url, token)
	return d.seedKey(ctx)
}

// seedCredits gives the demo account enough for a few numbers, once, and the subscription that ordering one asks for.
func (d *dev) seedCredits(ctx context.Context) error {
	if d.account.CreditEntries > 0 {
		return nil
	}
	if _, err := setSubscription(ctx, d.pool, d.account.ID, "active"); err != nil {
		return err
	}
	_, err := grantCredits(ctx, d.pool, d.account.ID, devCredits, "Demo credits")
	return err
}

// seedKey keeps the key of an earlier run while it still works.
func (d *dev) seedKey(ctx context.Context) error {
	if d.settings.APIKey != "" {
		key, err := dbsqlc.New().APIKeyGetByHash(ctx, d.pool, &dbsqlc.APIKeyGetByHashParams{
			AccountID: d.account.ID, Hash: middleware.HashKey(d.settings.APIKey),
		})
		if err == nil && key.Mode == middleware.KeyModeLive {
			return nil
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look up key: %w", err)
		}
	}
	key := middleware.NewKey(false) // it may try everything: there is no other network here than the simulated one
	params := &dbsqlc.APIKeyInsertParams{AccountID: d.account.ID, Name: "demo", Scope: string(middleware.ScopeAdmin),
		RequestsPerMinute: 1000}
	err := db.InTx(ctx, d.pool, func(tx pgx.Tx) error {
		_, err := insertKey(ctx, tx, key, params)
		return err
	})
	if err != nil {
		return fmt.Errorf("seed key: %w", err)
	}
	d.settings.APIKey = key.Text
	return d.settings.write(d.folder.settings())
}

// startWorker starts a worker with a simulated phone network, in which the callee of the first call lives too.
func (d *dev) startWorker(ctx context.Context) (err error) {
	logger := db.LogOutages(d.pool, d.cmd.logger())
	if d.files, err = dir.Open(d.settings.FilesDir); err != nil {
		return err
	}
	speech, err := d.cmd.providers(logger)
	if err != nil {
		return err
	}
	if d.embedder, err = d.cmd.embedder(); err != nil {
		return err
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	d.guarded = hook.New(hook.Config{Allow: loopback, UserAgent: userAgent()})
	websites, err := newWebsites(d.guarded, true)
	if err != nil {
		return err
	}
	if d.carriers, err = (carrierFlags{}).carriers(d.pool); err != nil {
		return err
	}
	network := simulated(logger)
	if network.Scripts, err = simnet.ParseScripts([]byte(demoCallee)); err != nil {
		return err
	}
	d.out.step("worker", "starting the queues and the simulated phone network")
	anyPort := net.JoinHostPort(gateways.Loopback(), "0")
	said := logFlags{LogLevel: "info", LogFormat: d.cmd.LogFormat}.logger()
	d.worker, err = worker.Start(ctx, worker.Config{
		Pool: d.pool, Queues: worker.DefaultQueues(), Carriers: d.carriers, Scanner: scan.None{}, Hook: d.guarded,
		Seal: d.seal, Mail: maillog.New(said), SMS: smslog.New(said), PublicURL: d.url, Drain: d.cmd.Drain, Version: version,
		Logger:   logger,
		Websites: websites, Embed: d.embedder,
		Phone: worker.PhoneConfig{
			Gateways: gateways.Config{Simulated: network, Web: &gateways.Web{Listen: anyPort, TCP: anyPort, Beside: true}},
			RingFor:  30 * time.Second, Speech: speech, Files: d.files,
		},
	})
	return err
}

func (d *dev) stopWorker() error {
	d.out.step("worker", "stopping")
	ctx, cancel := context.WithTimeout(context.Background(), d.cmd.Drain+20*time.Second)
	defer cancel()
	return d.worker.Stop(ctx)
}

// serve runs the API, places the first call, and goes on until ctx ends. What it starts ends before it returns.
func (d *dev) serve(ctx context.Context, listener net.Listener) (err error) {
	serving, stop := context.WithCancel(ctx)
	feed := api.NewEventListener(d.pool.Config().ConnConfig, db.LogOutages(d.pool, d.cmd.logger()))
	requests, err := d.api(serving, feed)
	if err != nil {
		stop()
		return err
	}
	fed, served := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(fed)
		feed.Run(serving)
	}()
	go func() { served <- serve(serving, listener, api.New(requests)) }()
	defer func() {
		stop()
		<-fed
		err = errors.Join(err, <-served)
		requests.Close()
	}()
	d.out.step("api", "serving at "+d.url)
	call := &firstCall{out: d.out, client: &devClient{url: d.url, key: d.settings.APIKey}, settings: &d.settings,
		file: d.folder.settings()}
	failure := call.place(ctx)
	if d.cmd.Once {
		return failure
	}
	if failure != nil && ctx.Err() == nil {
		d.out.step("call", fmt.Sprintf("%v; serving goes on", failure))
	}
	if ctx.Err() == nil {
		d.out.print(d.farewell())
	}
	<-ctx.Done()
	return nil
}

// api is what requests are served with; the services of its River UI end with ctx, before the pool that they use closes.
func (d *dev) api(ctx context.Context, feed *api.EventListener) (*api.API, error) {
	logger := db.LogOutages(d.pool, d.cmd.logger())
	model, err := d.cmd.LLM.model(logger)
	if err != nil {
		return nil, err
	}
	vendors, err := d.cmd.offer()
	if err != nil {
		return nil, err
	}
	ops, err := newOps(ctx, d.worker.River(), logger)
	if err != nil {
		return nil, err
	}
	websites, err := newWebsites(d.guarded, false)
	if err != nil {
		return nil, err
	}
	deployment := &overview.Reader{DB: d.pool, Now: time.Now}
	return &api.API{
		DB: d.pool, Jobs: d.worker.River(), Seal: d.seal, Files: d.files, Carriers: d.carriers, Events: feed, Logger: logger,
		Now: time.Now, Version: version, SimulatedOnly: true,
		Ready: func(ctx context.Context) error { return db.Ready(ctx, d.pool) }, Overview: deployment,
		Metrics: metrics.Handler(logger, append(d.worker.Collectors(), deployment)...), Ops: ops,
		OperatorPassword: d.settings.OperatorPassword,
		Questions:        embed.NewQuestions(d.embedder, logger), Model: model, Websites: websites, Vendors: vendors, PublicURL: d.url,
	}, nil
}

// farewell is what a newcomer needs next; every command works when pasted.
func (d *dev) farewell() string {
	auth := fmt.Sprintf(`-H "Authorization: Bearer %s"`, d.settings.APIKey)
	text := fmt.Sprintf(`
  Dashboard  %[6]s
  Docs       %[1]s/docs
  Overview   %[1]s/ops/   user operator, password %[2]s
  Settings   %[3]s

  Your key   %[4]s

  curl -s %[5]s %[1]s/v1/assistants
  curl -s %[5]s "%[1]s/v1/calls?limit=1"
`, d.url, d.settings.OperatorPassword, d.folder.settings(), d.settings.APIKey, auth, d.signIn)
	if d.settings.AssistantID != "" { // else the first call failed before there was one
		text += fmt.Sprintf(`  curl -s %s -H "Content-Type: application/json" %s/v1/calls/direct \
    -d '{"assistant_id": "%s", "contact_phone_number": "%s"}'
`, auth, d.url, d.settings.AssistantID, devCallee)
	}
	return text + "\n  Ctrl-C ends it.\n"
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
