package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/callwright/callwright/cmd/callwright-bench/telephones"
	"github.com/callwright/callwright/voice/media"
)

// voiceOptions choose what voice_calls is like.
type voiceOptions struct {
	calls  int
	talk   time.Duration
	beside bool // a process that uses a processor
}

// voiceCalls holds many calls at once. It prints how many were up, how late their sound left, what a call needs of the
// processor and of memory, and what is left of them.
func voiceCalls(ctx context.Context, b *bench) (err error) {
	if b.voice.beside {
		stop, starting := startBurning(ctx)
		if starting != nil {
			return starting
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	return withVoices(ctx, b, behaviorTalk, 0, b.voice.talk, voiceAssistant(), func(ctx context.Context, r *voiceRun) error {
		if err := r.place(ctx, 10); err != nil { // whatever is made once is made now
			return err
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
		return r.holdAtOnce(ctx, b.voice)
	})
}

func (r *voiceRun) holdAtOnce(ctx context.Context, o voiceOptions) error {
	if err := media.Precedence(); err != nil {
		fmt.Fprintln(os.Stderr, "voice_calls: sound is sent without precedence over other work:", err)
	}
	goroutines := settled(runtime.NumGoroutine())
	calls, err := r.holdRound(ctx, o.talk, func() error { return r.place(ctx, o.calls) })
	if err != nil {
		return err
	}
	report("voice_calls", float64(calls.up), "calls")
	report("voice_kb_per_call", calls.kilobytes, "kB")
	report("voice_leaked_goroutines", float64(max(0, settled(goroutines)-goroutines)), "goroutines")
	return r.reportCalls(ctx, calls.began, calls.spent)
}

// round is what calls took that were held at once.
type round struct {
	began     time.Time
	up        int           // calls, when all were begun
	kilobytes float64       // of memory for each of them
	spent     time.Duration // of processor time, until all were over
}

// holdRound has calls placed that last as long as talk, and waits until they are over.
func (r *voiceRun) holdRound(ctx context.Context, talk time.Duration, place func() error) (calls round, err error) {
	calls.began = time.Now()
	idle := memoryKB()
	spent, err := cpuTime()
	if err != nil {
		return calls, err
	}
	if err := place(); err != nil {
		return calls, err
	}
	if ramp := time.Since(calls.began); ramp > talk/2 {
		return calls, fmt.Errorf("placing the calls took %v: they were not all up at once", ramp)
	}
	time.Sleep(5 * time.Second)
	if err := r.pool.QueryRow(ctx, "SELECT count(*) FROM call WHERE status = 'in-progress'").Scan(&calls.up); err != nil {
		return calls, err
	}
	calls.kilobytes = float64(memoryKB()-idle) / float64(max(calls.up, 1))
	printMemory(calls.up)
	if err := writeMemory(r.memory); err != nil {
		return calls, err
	}
	if err := r.wait(ctx); err != nil {
		return calls, err
	}
	total, err := cpuTime()
	calls.spent = total - spent
	return calls, err
}

// reportCalls prints what became of the calls placed since a time, which took so much of the worker's processor time.
func (r *voiceRun) reportCalls(ctx context.Context, since time.Time, spent time.Duration) error {
	var sent, late, turns int
	var seconds float64
	err := r.pool.QueryRow(ctx,
		`SELECT sum((media->>'packets_sent')::bigint), sum((media->>'packets_sent_late')::bigint), sum((latency->>'turns')::int),
		sum(extract(epoch FROM ended_at - started_at))::float8 FROM call WHERE created_at >= $1`, since).Scan(&sent, &late, &turns,
		&seconds)
	if err != nil {
		return err
	}
	noted, err := r.farEnds.end()
	if err != nil {
		return err
	}
	answers, heard := heardBy(noted)
	fmt.Fprintf(os.Stderr,
		"voice_calls: %d answers were given and %d heard, %d packets sent and %d heard, %d missing, in %.0f s of calls; processor time: "+
			"worker %v, far ends %v\n", turns, answers, sent, heard.Heard, heard.Lost, seconds, spent, r.farEnds.spent())
	report("voice_late_packets_percent", 100*float64(late)/float64(sent), "%")
	if heard.Heard > 0 {
		report("voice_late_heard_percent", 100*float64(heard.Late)/float64(heard.Heard), "%")
	}
	report("voice_cpu_us_per_call_second", float64(spent.Microseconds())/seconds, "us")
	return r.check(ctx)
}

// heardBy is what far ends heard together.
func heardBy(noted map[string]*notes) (answers int, heard telephones.Notes) {
	for _, n := range noted {
		answers += len(n.Answers)
		heard.Heard, heard.Late, heard.Lost = heard.Heard+n.Heard, heard.Late+n.Late, heard.Lost+n.Lost
	}
	return answers, heard
}

// startBurning starts this program as a process that uses all it gets of one processor. It returns what ends that.
func startBurning(ctx context.Context) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, "-burn")
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return func() error { return errors.Join(stdin.Close(), command.Wait()) }, nil
}

// burn is that process. It ends when its standard input does.
func burn() error {
	runtime.GOMAXPROCS(2) // one burns, one waits
	go func() {
		for {
			runtime.KeepAlive(time.Now())
		}
	}()
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
