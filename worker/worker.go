// Package worker is what runs unasked: a River client with every queue, the telephone, the supervisor that picks up what
// dead processes left, the sequencer that numbers events and the folder of list counts. It knows jobs, rows, voice and
// providers. It must not know the API: the two talk through rows, jobs and notifications, so they run as one process or
// as fifty.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/sms"
	smslog "github.com/callwright/callwright/providers/sms/log"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/worker/driver"
	"github.com/callwright/callwright/worker/lease"
	"github.com/callwright/callwright/worker/recording"
)

// CollectorPercent is how far the memory of a worker may grow between two collections, as GOGC says it. Live calls leave
// little garbage: less than a third of Go's own choice, 100, saves them a third of their memory for 2 % of their processor
// time.
const CollectorPercent = 30

// Threads is how many threads of a worker may run Go code at a time, as GOMAXPROCS says it, on so many processors. Where
// the clocks that send the sound of the calls have precedence over the others at the kernel, they must not wait because those
// hold all there may be. More threads than that only look for work in vain.
func Threads(processors int) int {
	if media.Precedence() != nil {
		return processors
	}
	return media.Threads(processors)
}

// OwnConns is how many connections to Postgres a worker holds besides its pool: one renews the lease of the process, one
// listens for commands to its calls and for events to number, one for River's jobs.
const OwnConns = 3

// Config is what a worker process needs.
type Config struct {
	Pool      *pgxpool.Pool
	Queues    map[string]int // workers per queue; missing queues are not worked here
	Phone     PhoneConfig
	Carriers  telco.Carriers
	Hook      *hook.Client
	Scanner   scan.Scanner
	Websites  *website.Reader
	Embed     embed.Provider // nil: no embedding model is configured
	Seal      seal.Sealer
	Mail      mail.Sender
	SMS       sms.Sender // of live calls; those of test calls go to the log
	PublicURL string
	Retention maintenance.Retention // where an account has no days of its own
	Drain     time.Duration         // how long live calls go on after Stop
	Version   string                // of the program
	Logger    *slog.Logger
}

// DefaultQueues are the sizes of the queues of one process. Work in them waits for networks, so they are far larger than
// the number of processors. Mails and text messages are in the default queue, whose servers refuse many connections at once; jobs
// that do nothing cost a larger one less (100 workers 95 µs of CPU each, 500 workers 55 µs), but there are no such jobs.
func DefaultQueues() map[string]int {
	return map[string]int{
		queue.Calls: 1000, queue.Schedule: 10_000, queue.Webhooks: 200, queue.Analysis: 50,
		queue.Knowledge: 4, queue.Default: 100,
	}
}

// Worker is a running worker process.
type Worker struct {
	cfg        Config
	river      *river.Client[pgx.Tx]
	phone      *Phone
	lease      *lease.Lease
	clock      *db.Clock
	supervisor *supervisor
	deliverer  *events.Deliverer
	closeJobs  func()
	cancel     context.CancelFunc
	background chan struct{}
}

// Start takes the process's lease, opens the telephone and begins to work. The worker goes on when ctx ends; Stop ends it.
func Start(ctx context.Context, cfg Config) (*Worker, error) {
	processID, err := newProcessID()
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, background: make(chan struct{})}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.cancel = cancel

	if w.lease, err = lease.Acquire(ctx, cfg.Pool, processID, cfg.Version, cfg.Logger); err != nil {
		cancel()
		return nil, err
	}
	if w.clock, err = db.NewClock(ctx, cfg.Pool, cfg.Logger); err == nil {
		w.phone, err = newPhone(ctx, processID, w.lease, w.clock, cfg)
	}
	if err != nil {
		cancel()
		return nil, errors.Join(err, w.lease.Release(ctx, cfg.Pool))
	}
	held := &heldJobs{processID: processID, pool: cfg.Pool, logger: cfg.Logger, held: map[int64]int{}}
	deliver, err := w.openRiver(processID, held)
	if err != nil {
		cancel()
		return nil, errors.Join(err, w.phone.Close(ctx), w.lease.Release(ctx, cfg.Pool))
	}
	w.deliverer = events.NewDeliverer(events.DelivererConfig{
		DB: cfg.Pool, Worker: deliver, Jobs: w.river, ProcessID: processID, Permit: w.lease.Permit, Places: cfg.Queues[queue.Webhooks],
		Logger: cfg.Logger,
	})
	w.supervisor = &supervisor{
		processID: processID, pool: cfg.Pool, phone: w.phone, jobs: w.river, held: held, watch: lease.NewWatch(w.lease),
		logger: cfg.Logger,
	}
	if err := w.river.Start(background); err != nil {
		cancel()
		w.closeJobs()
		return nil, errors.Join(fmt.Errorf("start river: %w", err), w.phone.Close(ctx), w.lease.Release(ctx, cfg.Pool))
	}
	w.phone.open()
	go w.runBackground(background)
	return w, nil
}

func (w *Worker) runBackground(ctx context.Context) {
	defer close(w.background)
	var wg sync.WaitGroup
	wg.Go(func() { w.lease.Run(ctx, w.phone.hangUpAll) })
	wg.Go(func() { w.clock.Follow(ctx, w.cfg.Pool, w.cfg.Logger) })
	numbering := newNumbering(w.cfg.Pool, w.cfg.Logger)
	wg.Go(func() { numbering.run(ctx) })
	notified := &inbox{pool: w.cfg.Pool, phone: w.phone, deliverer: w.deliverer, numbering: numbering, logger: w.cfg.Logger}
	wg.Go(func() { notified.run(ctx) })
	if w.cfg.Queues[queue.Webhooks] > 0 {
		wg.Go(func() { w.deliverer.Run(ctx) })
	}
	wg.Go(func() { w.phone.places.follow(ctx, w.phone.lateness, w.cfg.Logger) })
	wg.Go(func() { foldListCounts(ctx, w.cfg.Pool, w.cfg.Logger) })
	if store := w.cfg.Phone.Files; store != nil {
		wg.Go(func() {
			(&recording.Salvager{Pool: w.cfg.Pool, Files: store, Seal: w.cfg.Seal, Logger: w.cfg.Logger}).Run(ctx)
		})
	}
	w.supervisor.run(ctx)
	wg.Wait()
}

// Stop takes no new work, lets live calls go on for the drain time, then ends them with a goodbye, and returns when all
// work is done and recorded. When ctx ends it stops at once; what is left is picked up by another process.
func (w *Worker) Stop(ctx context.Context) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		w.phone.drain(ctx, w.cfg.Drain)
	}()
	err := w.river.Stop(ctx)
	<-drained
	w.stopDeliveries(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, w.river.StopAndCancel(stopCtx))
	}
	w.cancel()
	<-w.background
	w.closeJobs()
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, w.phone.Close(closeCtx), w.lease.Release(closeCtx, w.cfg.Pool))
}

// stopDeliveries ends deliveries as River ends jobs.
func (w *Worker) stopDeliveries(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, max(w.cfg.Drain, time.Millisecond))
	defer cancel()
	w.deliverer.Stop(ctx)
}

// River is the client, for River UI.
func (w *Worker) River() *river.Client[pgx.Tx] { return w.river }

// Phone is the telephone.
func (w *Worker) Phone() *Phone { return w.phone }

// NewInserter is a River client that only enqueues.
func NewInserter(pool *pgxpool.Pool, logger *slog.Logger) (*river.Client[pgx.Tx], error) {
	settings := Settings(nil, logger)
	settings.PeriodicJobs = nil
	settings.Workers = river.NewWorkers()
	jobs.Register(settings.Workers, &jobs.Services{})
	client, err := river.NewClient(driver.New(pool), settings)
	if err != nil {
		return nil, fmt.Errorf("make river client: %w", err)
	}
	return client, nil
}

// openRiver makes the River client and its workers, and returns the one that delivers events.
func (w *Worker) openRiver(processID string, held *heldJobs) (deliver *events.DeliverEventWorker, err error) {
	cfg, settings := w.cfg, Settings(w.cfg.Queues, w.cfg.Logger)
	settings.ID, settings.Middleware = processID, append(settings.Middleware, held)
	settings.SoftStopTimeout = max(cfg.Drain, time.Millisecond)
	settings.Workers = river.NewWorkers()
	deliver, w.closeJobs = jobs.Register(settings.Workers, &jobs.Services{
		DB: cfg.Pool, Carriers: cfg.Carriers, Dialer: w.phone, Registrant: w.phone, ProcessID: processID, Files: cfg.Phone.Files,
		Hook:    cfg.Hook,
		Scanner: cfg.Scanner, Logger: cfg.Logger, Mail: cfg.Mail, Models: cfg.Phone.Speech, Now: w.clock.Now, PublicURL: cfg.PublicURL,
		Retention: cfg.Retention,
		Seal:      cfg.Seal, Embed: cfg.Embed, SMS: sms.Senders{Live: cfg.SMS, Simulated: smslog.New(cfg.Logger)},
		Websites: cfg.Websites,
	})
	w.river, err = river.NewClient(driver.New(cfg.Pool), settings)
	if err != nil {
		return nil, fmt.Errorf("make river client: %w", err)
	}
	return deliver, nil
}

// Settings are River's settings in every worker process.
func Settings(queues map[string]int, logger *slog.Logger) *river.Config {
	sized := map[string]river.QueueConfig{}
	for name, size := range queues {
		sized[name] = river.QueueConfig{MaxWorkers: size}
	}
	return &river.Config{
		Queues: sized,
		Logger: db.LibraryLogger(logger),
		// A queue works at most MaxWorkers/FetchCooldown jobs a second. When one is to be asked for jobs, package driver says; to
		// poll is for the time in which its listener has no connection.
		FetchCooldown:               5 * time.Millisecond,
		FetchPollInterval:           500 * time.Millisecond,
		JobTimeout:                  time.Minute,
		CompletedJobRetentionPeriod: 6 * time.Hour,
		ReindexerIndexNames: slices.DeleteFunc(river.ReindexerIndexNamesDefault(), func(name string) bool {
			return slices.Contains(db.DroppedRiverIndexes, name)
		}),
		PeriodicJobs: periodicJobs(),
		RetryPolicy:  queue.RetryPolicy{},
		Middleware:   []rivertype.Middleware{&logJobs{logger: logger}},
	}
}

// newProcessID names this process among all that ever worked on the database.
func newProcessID() (string, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return "", fmt.Errorf("make process id: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), id.String()[:8]), nil
}
