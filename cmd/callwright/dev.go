package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/hook"
	maillog "github.com/callwright/callwright/providers/mail/log"
	"github.com/callwright/callwright/providers/scan"
	smslog "github.com/callwright/callwright/providers/sms/log"
	"github.com/callwright/callwright/worker"
)

// devCommand runs everything in one process and shows a first call.
type devCommand struct {
	logFlags
	speechFlags
	embedFlags
	DatabaseURL string        `help:"Postgres to work on; without it a private one is started." env:"DATABASE_URL" placeholder:"URL"`
	DataDir     string        `help:"Folder for the private Postgres, recordings and keys." default:"${state_dir}" placeholder:"DIR" type:"path"`
	Listen      string        `help:"Address and port to serve on." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Once        bool          `help:"End after the first call: status 0 when it completed."`
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
	postgres *embedded.Server // nil: DATABASE_URL
	pool     *pgxpool.Pool
	seal     *seal.Box
	settings devSettings
	account  *dbsqlc.Account
	worker   *worker.Worker
	url      string
	receiver *devReceiver
}

// Run implements the command.
func (c *devCommand) Run(ctx context.Context) (err error) {
	if c.LogLevel == "info" { // the conversation is the output here
		c.LogLevel = "warn"
	}
	d := &dev{cmd: c, out: newProgress(os.Stdout)}
	listener, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreClosed(listener.Close())) }()
	d.url = "http://" + listener.Addr().String()
	if err := d.openDatabase(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.closeDatabase()) }()
	if err := d.seed(ctx); err != nil {
		return err
	}
	return d.serve(ctx, listener)
}

func (d *dev) openDatabase(ctx context.Context) error {
	dataDir := d.cmd.DataDir
	if err := os.MkdirAll(dataDir, 0o755); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	dsn := d.cmd.DatabaseURL
	if dsn == "" {
		d.out.step("database", "starting a private Postgres in "+dataDir)
		server, err := embedded.Start(ctx, embedded.Config{
			Dir: filepath.Join(dataDir, "postgres"), Progress: func(message string) { d.out.step("database", message) },
		})
		if err != nil {
			return err
		}
		d.postgres, dsn = server, server.DSN()
	}
	pool, err := db.Open(ctx, dsn, 40)
	if err != nil {
		return errors.Join(err, d.closeDatabase())
	}
	d.pool = pool
	d.out.step("migration", "bringing the database to this version")
	if err := db.Migrate(ctx, pool); err != nil {
		return errors.Join(err, d.closeDatabase())
	}
	d.settings.DatabaseURL = dsn
	return nil
}

func (d *dev) closeDatabase() error {
	if d.pool != nil {
		d.pool.Close()
	}
	if d.postgres == nil {
		return nil
	}
	d.out.step("database", "stopping")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return d.postgres.Stop(ctx)
}

// seed makes sure of the demo account, its key and a shared number, reusing what an earlier run left.
func (d *dev) seed(ctx context.Context) error {
	earlier, err := readDevSettings(d.settingsFile())
	if err != nil {
		return err
	}
	d.settings = devSettings{
		DatabaseURL: d.settings.DatabaseURL, URL: d.url, APIKey: earlier.APIKey, SealKeys: earlier.SealKeys,
		OperatorPassword: earlier.OperatorPassword, FilesDir: filepath.Join(d.cmd.DataDir, "files"),
	}
	if d.settings.SealKeys == "" {
		d.settings.SealKeys = newSealKey()
	}
	if d.settings.OperatorPassword == "" {
		d.settings.OperatorPassword = rand.Text()
	}
	if d.seal, err = (sealFlags{SealKeys: d.settings.SealKeys}).box(); err != nil {
		return fmt.Errorf("%s: %w", d.settingsFile(), err)
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
	if err := d.seedCredits(ctx); err != nil {
		return err
	}
	if err := d.seedKey(ctx); err != nil {
		return err
	}
	return d.settings.write(d.settingsFile())
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
		_, err := dbsqlc.New().APIKeyGetByHash(ctx, d.pool, &dbsqlc.APIKeyGetByHashParams{
			AccountID: d.account.ID, Hash: api.HashKey(d.settings.APIKey),
		})
		if err == nil {
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look up key: %w", err)
		}
	}
	text, _, err := createKey(ctx, d.pool, true, &dbsqlc.APIKeyInsertParams{
		AccountID: d.account.ID, Name: "demo", RequestsPerMinute: 1000,
	})
	if err != nil {
		return fmt.Errorf("seed key: %w", err)
	}
	d.settings.APIKey = text
	return nil
}

func (d *dev) settingsFile() string { return filepath.Join(d.cmd.DataDir, "dev.env") }

// serve runs the API and a worker, places the first call, and goes on until ctx ends.
func (d *dev) serve(ctx context.Context, listener net.Listener) (err error) {
	logger := d.cmd.logger()
	store, err := dir.Open(d.settings.FilesDir)
	if err != nil {
		return err
	}
	speech, err := d.cmd.providers(logger)
	if err != nil {
		return err
	}
	model, err := d.cmd.LLM.model(logger)
	if err != nil {
		return err
	}
	embedder, err := d.cmd.embedder()
	if err != nil {
		return err
	}
	pdfs, err := newPDFReader()
	if err != nil {
		return err
	}
	d.out.step("worker", "starting the queues and the simulated phone network")
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	guarded := hook.New(hook.Config{Allow: loopback, UserAgent: "Callwright/" + version})
	carriers, err := carrierFlags{}.carriers(d.pool)
	if err != nil {
		return err
	}
	said := logFlags{LogLevel: "info", LogFormat: d.cmd.LogFormat}.logger()
	d.worker, err = worker.Start(ctx, worker.Config{
		Pool: d.pool, Queues: worker.DefaultQueues(), Carriers: carriers, Scanner: scan.None{}, Hook: guarded,
		Seal: d.seal, Mail: maillog.New(said), SMS: smslog.New(said), PublicURL: d.url, Drain: d.cmd.Drain, Logger: logger,
		PDF: pdfs, Embed: embedder,
		Phone: worker.PhoneConfig{Simulated: simulated(logger), RingFor: 30 * time.Second, Speech: speech, Files: store},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stopWorker()) }()
	ops, err := newOps(ctx, d.worker.River(), logger)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	feed := api.NewEventFeed(d.pool.Config().ConnConfig, logger)
	go feed.Run(serving)
	handler := api.New(&api.API{
		DB: d.pool, Jobs: d.worker.River(), Seal: d.seal, Files: store, Carriers: carriers, Events: feed, Logger: logger, Now: time.Now, Version: version,
		Ready: readiness(d.pool), Ops: ops, OperatorPassword: d.settings.OperatorPassword,
		Questions: embed.NewQuestions(embedder, logger), Model: model, Websites: websiteReader(guarded),
	})
	served := make(chan error, 1)
	go func() { served <- serve(serving, listener, handler) }()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	d.out.step("api", "serving at "+d.url)
	if err := d.firstCall(ctx); err != nil || d.cmd.Once {
		return err
	}
	d.out.print(d.farewell())
	<-ctx.Done()
	return nil
}

func (d *dev) stopWorker() error {
	d.out.step("worker", "stopping")
	ctx, cancel := context.WithTimeout(context.Background(), d.cmd.Drain+20*time.Second)
	defer cancel()
	return errors.Join(d.worker.Stop(ctx), d.receiver.close())
}

// farewell is what a newcomer needs next; every command works when pasted.
func (d *dev) farewell() string {
	auth := fmt.Sprintf(`-H "Authorization: Bearer %s"`, d.settings.APIKey)
	return fmt.Sprintf(`
  Docs       %[1]s/docs
  River UI   %[1]s/ops/   user operator, password %[2]s
  Settings   %[3]s

  Your key   %[4]s

  curl -s %[5]s %[1]s/v1/assistants
  curl -s %[5]s "%[1]s/v1/calls?limit=1"
  curl -s %[5]s -H "Content-Type: application/json" %[1]s/v1/calls/direct -d '{"assistant_id": "%[6]s", "contact_phone_number": "%[7]s"}'

  Ctrl-C ends it.
`, d.url, d.settings.OperatorPassword, d.settingsFile(), d.settings.APIKey, auth, d.receiver.assistantID, devCallee)
}

// devSettings is what dev.env holds: what other commands and a newcomer's own programs need.
type devSettings struct {
	URL, APIKey, DatabaseURL, SealKeys, OperatorPassword, FilesDir string
}

func (s *devSettings) fields() map[string]*string {
	return map[string]*string{
		"CALLWRIGHT_URL": &s.URL, "CALLWRIGHT_API_KEY": &s.APIKey, "DATABASE_URL": &s.DatabaseURL, "CALLWRIGHT_SEAL_KEYS": &s.SealKeys,
		"CALLWRIGHT_OPERATOR_PASSWORD": &s.OperatorPassword, "CALLWRIGHT_FILES_DIR": &s.FilesDir,
	}
}

func readDevSettings(path string) (devSettings, error) {
	var settings devSettings
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return settings, nil
	}
	if err != nil {
		return settings, fmt.Errorf("read settings of an earlier run: %w", err)
	}
	values, err := parseEnvFile(strings.NewReader(string(text)))
	if err != nil {
		return settings, fmt.Errorf("%s: %w", path, err)
	}
	for name, field := range settings.fields() {
		*field = values[name]
	}
	return settings, nil
}

// write replaces the file as a whole; it holds keys, so only its owner reads it.
func (s *devSettings) write(path string) error {
	var text strings.Builder
	for _, name := range []string{"CALLWRIGHT_URL", "CALLWRIGHT_API_KEY", "DATABASE_URL", "CALLWRIGHT_SEAL_KEYS", "CALLWRIGHT_OPERATOR_PASSWORD", "CALLWRIGHT_FILES_DIR"} {
		fmt.Fprintf(&text, "%s='%s'\n", name, *s.fields()[name])
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
