// Command callwright-bench measures the program on the machine at hand, with everything on it: a private Postgres that
// writes to disk, the API, a worker and the far ends. Each figure is one line, "bench NAME VALUE UNIT"; ratios compare
// two alternatives taken in turn within one run, so that they mean something on a machine whose speed drifts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/cmd/callwright-bench/conversation"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/worker/gateways"
)

// bench is what the measurements share.
type bench struct {
	pool    *pgxpool.Pool
	logger  *slog.Logger
	seconds int
	soak    time.Duration
	memory  string        // file for a profile of the memory; empty: none
	scratch string        // folder for files
	sip     string        // where a worker listens for SIP; empty: anywhere
	web     *gateways.Web // where a worker takes web calls; nil: nowhere
	seed    uint64        // of what is random
	secrets *seal.Box     // as sealBox has made it

	statements *statements

	listed    bool // call_life prints its statements
	listCalls int  // of the account whose lists are read
	listHold  bool // and kept
	voice     voiceOptions

	conversation conversationOptions
}

// figure measures something and prints its lines.
type figure struct {
	name string
	run  func(ctx context.Context, b *bench) error
	bare bool // it needs no database

	settings map[string]string // of Postgres
}

var figures = []figure{
	{name: "first_call_seconds", run: firstCallSeconds},
	{name: "api_direct_call", run: apiDirectCall},
	{name: "api_scheduled_call", run: apiScheduledCall},
	{name: "api_contact", run: apiContact},
	{name: "api_one_account", run: apiOneAccount},
	{name: "mix", run: mix},
	{name: "workers_idle", run: workersIdle},
	{name: "jobs_per_second", run: jobsPerSecond},
	{name: "enqueue_to_invite", run: enqueueToInvite},
	{name: "call_life", run: callLife, settings: lifeSettings},
	{name: "schedule_lateness", run: scheduleLateness},
	{name: "list_p95", run: listsP95},
	{name: "knowledge_query", run: knowledgeQuery},
	{name: "voice_calls", run: voiceCalls},
	{name: "web_calls", run: webCalls},
	{name: "voice_turns", run: voiceTurns},
	{name: "voice_barge_in", run: voiceBargeIn},
	{name: "voice_echo", run: voiceEcho},
	{name: "voice_soak", run: voiceSoak},
	{name: "live_command", run: liveCommand},
	{name: "inbound_burst", run: inboundBurst},
	{name: "takeover_seconds", run: takeoverSeconds},
	{name: "liveness", run: liveness},
	{name: "queue_heads", run: queueHeads},
	{name: "flite_realtime_factor", run: fliteRealtimeFactor, bare: true},
	{name: "conversation", run: conversations, bare: true},
	{name: "webhooks", run: webhooks},
	{name: "webhooks_beside_silence", run: webhooksBesideSilence},
}

func main() {
	seconds := flag.Int("seconds", 4, "length of each timed phase")
	only := flag.String("only", "", "comma-separated figures; default all")
	mixSeed := flag.Uint64("seed", 1, "of mix: which requests are made, in which order")
	against := flag.String("against", "",
		"a revision of git: measure its program too, in turn with this one, and print the ratios of this one to it")
	soak := flag.Duration("soak", 3*time.Minute, "length of voice_soak")
	profile := flag.String("cpuprofile", "", "file for a CPU profile of this process")
	memory := flag.String(
		"memprofile",
		"",
		"file for a profile of this process's live memory while voice_calls has all calls up, and at the end of voice_soak",
	)
	var voice voiceOptions
	flag.IntVar(&voice.calls, "voice-calls", 500, "how many calls voice_calls holds at once")
	flag.DurationVar(&voice.talk, "voice-talk", talkFor, "how long each of them lasts")
	flag.BoolVar(&voice.beside, "voice-beside", false, "hold them beside a process that uses all it gets of one processor")
	burns := flag.Bool("burn", false, "used by this program itself: be that process")
	behavior := flag.String("far-ends", "", "used by this program itself: be the far ends, which do this")
	talk := flag.Duration("talk", 0, "used by this program itself: how long they talk")
	corpus := flag.String("corpus", "all", "of the conversations: dev, closing or all")
	calls := flag.String("corpus-calls", "", "of the conversations: those whose names begin with this")
	seed := flag.Uint64("corpus-seed", 0, "of the conversations: other pauses, rooms and voices for the same texts")
	texts := flag.String("corpus-texts", "", "of the conversations: a file of texts in place of the corpus's own")
	misses := flag.Bool("corpus-misses", false, "print each check of the conversations")
	pauses := flag.String("corpus-pauses", "",
		"of the conversations: wait each pause out and write what was known at it to this file")
	late := flag.Bool("corpus-late", false, "of the conversations: words are recognised 150 to 400 ms late, as real vendors do")
	rough := flag.Bool("corpus-rough", false, "of the conversations: callers hesitate and repeat words; without marks or capitals, numbers\n"+
		"in digits, and of some words the first letters alone while they are spoken")
	listCalls := flag.Int("list-calls", 1_000_000, "how many calls the account has whose lists list_p95 reads")
	listHold := flag.Bool("list-hold", false, "of list_p95: load the lists, say where they are, and keep them for others to read")
	listed := flag.Bool("statements", false, "print the statements of call_life")
	found := flag.String("corpus-found", "",
		"used by this program itself: play the conversations and write what was found to this file")
	waits := flag.Bool("corpus-waits", false, "used by this program itself: wait each pause out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	half, err := conversation.ParseHalf(*corpus)
	part := conversation.Part{Half: half, Calls: *calls, Seed: *seed, Texts: *texts, Waits: *waits || *pauses != "", Late: *late, Rough: *rough}
	switch {
	case err != nil:
	case *burns:
		err = burn()
	case *behavior != "":
		err = runFarEnds(ctx, *behavior, *talk)
	case *against != "":
		err = compareRevisions(ctx, *against, *only, *seconds)
	case *found != "":
		err = conversation.Main(ctx, part, corpusFolder(), *found)
	default:
		err = profiled(*profile, func() error {
			common := bench{seconds: *seconds, soak: *soak, memory: *memory, seed: *mixSeed, listed: *listed,
				listCalls: *listCalls, listHold: *listHold,
				voice: voice}
			common.conversation = conversationOptions{part, *misses, *pauses}
			return run(ctx, common, *only)
		})
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "callwright-bench:", err)
		os.Exit(1)
	}
}

func profiled(path string, run func() error) (err error) {
	if path == "" {
		return run()
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return run()
}

func run(ctx context.Context, common bench, only string) error {
	for _, fig := range figures {
		if only != "" && !slices.Contains(strings.Split(only, ","), fig.name) {
			continue
		}
		if err := measure(ctx, fig, common); err != nil {
			return fmt.Errorf("%s: %w", fig.name, err)
		}
	}
	return nil
}

// measure runs one figure on a database of its own, so that none inherits the tables of another.
func measure(ctx context.Context, fig figure, b bench) (err error) {
	if fig.bare {
		return fig.run(ctx, &b)
	}
	dir, err := os.MkdirTemp("", "callwright-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // the server runs as an unprivileged user
		return err
	}
	server, err := embedded.Start(ctx, embedded.Config{Dir: filepath.Join(dir, "postgres"), Settings: fig.settings})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopServer(server)) }()
	b.statements = &statements{}
	if b.pool, err = db.Open(ctx, server.DSN(), 60, b.statements); err != nil {
		return err
	}
	defer b.pool.Close()
	if err := db.Migrate(ctx, b.pool); err != nil {
		return err
	}
	b.scratch = filepath.Join(dir, "files")
	b.logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return fig.run(ctx, &b)
}

func stopServer(server *embedded.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return server.Stop(ctx)
}

func report(name string, value float64, unit string) {
	fmt.Printf("bench %s %.4g %s\n", name, value, unit)
}

// percentile of durations, in milliseconds.
func percentile(durations []time.Duration, quantile float64) float64 {
	if len(durations) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(durations))
	return float64(sorted[min(len(sorted)-1, int(quantile*float64(len(sorted))))]) / float64(time.Millisecond)
}
