package worker

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/appointments"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/calendar"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/worker/assistant"
	"github.com/callwright/callwright/worker/gateways"
	"github.com/callwright/callwright/worker/lease"
	"github.com/callwright/callwright/worker/listening"
	"github.com/callwright/callwright/worker/recording"
)

// PhoneConfig is what the telephone of a worker needs.
type PhoneConfig struct {
	Gateways gateways.Config
	RingFor  time.Duration
	Speech   *all.Providers // who thinks, listens and speaks
	Files    files.Store    // nil: of a process that holds no calls
}

// Phone places calls and holds their conversations. It implements calls.Dialer.
type Phone struct {
	processID string
	lease     *lease.Lease
	clock     *db.Clock
	cfg       PhoneConfig
	pool      *pgxpool.Pool
	seal      seal.Sealer
	jobs      queue.Inserter
	sender    *events.Sender // asks customers' servers what calls need to know
	tools     *assistant.Tools
	logger    *slog.Logger
	gateways  *gateways.Set
	listening *listening.Host
	routes    *db.Batcher[*dbsqlc.Call, callRoute]
	records
	places   *places
	stopping chan struct{} // closed under mu, when no calls are taken any more

	connections *gateways.Connections

	live    context.Context // of the calls that came in; ends when they must
	cut     context.CancelCauseFunc
	running sync.WaitGroup // calls that came in; Add only while not stopping
	asking  sync.WaitGroup // what calls wait for from outside; Add only while a call runs
	orphans sync.WaitGroup // calls of dead processes that are being hung up; Add only while the supervisor runs
	sounds  *assistant.Backgrounds

	writers recording.Writers // of recordings
	loops   *voice.Loops      // of all calls

	mu    sync.Mutex
	calls map[uuid.UUID]*liveCall
	ready bool // calls that come in are taken
}

func newPhone(ctx context.Context, processID string, held *lease.Lease, clock *db.Clock, cfg Config) (*Phone, error) {
	phone := &Phone{
		processID: processID, lease: held, clock: clock, cfg: cfg.Phone, pool: cfg.Pool, seal: cfg.Seal, logger: cfg.Logger,
		calls:  map[uuid.UUID]*liveCall{},
		places: newPlaces(cfg.Queues[queue.Calls]), stopping: make(chan struct{}),
	}
	phone.live, phone.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	phone.sounds = assistant.NewBackgrounds(cfg.Hook.HTTP())
	phone.keepRecords()
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	phone.sender = &events.Sender{DB: cfg.Pool, Hook: cfg.Hook, Seal: cfg.Seal, Now: clock.Now}
	var err error
	if phone.jobs, err = NewInserter(cfg.Pool, cfg.Logger); err != nil {
		return nil, err
	}
	phone.tools = &assistant.Tools{
		DB: cfg.Pool, Jobs: phone.jobs, Questions: embed.NewQuestions(cfg.Embed, cfg.Logger), Sender: phone.sender,
		ProcessID: processID,
		Planner:   &appointments.Planner{DB: cfg.Pool, Calendar: calendar.NewReader(cfg.Hook.HTTP()), Now: clock.Now},
		Live:      phone.live, Asking: &phone.asking, Logger: cfg.Logger,
	}
	if phone.gateways, err = gateways.Open(ctx, cfg.Phone.Gateways, cfg.Hook.Guard(), phone, cfg.Logger); err != nil {
		return nil, err
	}
	phone.listening = &listening.Host{ProcessID: processID, Pool: cfg.Pool, Web: phone.gateways.Web, Now: clock.Now}
	phone.loops = voice.NewLoops(min(runtime.NumCPU(), runtime.GOMAXPROCS(0)), cap(phone.places.taken))
	phone.connections = phone.gateways.Connections(processID, cfg.Pool, cfg.Seal)
	return phone, nil
}

// open begins to take calls that come in.
func (p *Phone) open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = true
}

// drain takes no more calls. It lets those that came in go on for a while, then ends them with a goodbye, and returns
// when they are recorded. When ctx ends it waits no longer.
func (p *Phone) drain(ctx context.Context, patience time.Duration) {
	p.mu.Lock()
	close(p.stopping)
	p.ready = false
	p.mu.Unlock()
	p.gateways.Refuse()
	p.logger.InfoContext(ctx, "stopping; live calls go on", "for", patience)
	ended := make(chan struct{})
	go func() {
		p.running.Wait()
		close(ended)
	}()
	if err := p.connections.Leave(ctx, p.jobs); err != nil {
		p.logger.ErrorContext(ctx, "SIP connections not given up; they move when this process has ended", "error", err)
	}
	enough := time.AfterFunc(patience, func() { p.cut(errStopping) })
	defer enough.Stop()
	select {
	case <-ended:
	case <-ctx.Done():
		p.cut(errStopping)
	}
}

var errStopping = errors.New("the worker stops")

// Close closes the telephone gateways. The calls on them have ended before, and the supervisor has stopped.
func (p *Phone) Close(ctx context.Context) error {
	p.cut(errStopping)
	p.asking.Wait()
	p.orphans.Wait()
	err := p.gateways.Close(ctx)
	p.connections.Close()
	p.routes.Close()
	p.loops.Close()
	p.closeRecords()
	return err
}

// Stopping implements calls.Dialer.
func (p *Phone) Stopping() <-chan struct{} { return p.stopping }
