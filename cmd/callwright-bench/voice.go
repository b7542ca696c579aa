package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/worker"
)

const (
	turnCalls     = 100
	bargeInCalls  = 50
	echoCalls     = 100
	soakCalls     = 50
	leakKB        = 24 // of memory per call that nothing but a leak explains: connections to the database learn statements meanwhile
	callsPerSec   = 40 // begun, at least
	talkFor       = 40 * time.Second
	settleFor     = 20 * time.Second // goroutines and memory of calls that ended
	voicePatience = 5 * time.Minute
)

// voiceRun is a worker with scripted providers whose calls reach far ends in a process of their own.
type voiceRun struct {
	*bench
	customer *customer
	worker   *worker.Worker
	farEnds  *farEndProcess
	scripted *scripted
	talk     time.Duration // of a call
	placed   int
}

// withVoices runs a measurement of calls in which everybody speaks, that long in addition to the talk of one round of calls.
func withVoices(
	ctx context.Context,
	b *bench,
	behavior string,
	long, talk time.Duration,
	config jsonb.Assistant,
	measure func(context.Context, *voiceRun) error,
) (err error) {
	ctx, cancel := context.WithTimeout(ctx, voicePatience+long+talk)
	defer cancel()
	defer debug.SetGCPercent(debug.SetGCPercent(worker.CollectorPercent)) // as a worker's process does, and so does this:
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(worker.Threads(runtime.GOMAXPROCS(0))))
	text := shortAnswer
	if behavior == behaviorInterrupt {
		text = longAnswer
	}
	answer, err := speech(ctx, text)
	if err != nil {
		return err
	}
	run := &voiceRun{bench: b, talk: talk, scripted: newScripted(answer, behavior == behaviorInterrupt)}
	if run.customer, err = newCustomer(ctx, b.pool, 0, config); err != nil {
		return err
	}
	if run.farEnds, err = startFarEnds(ctx, behavior, talk); err != nil {
		return err
	}
	run.worker, err = startWorker(
		ctx,
		b,
		run.farEnds.address,
		all.Of(responder{run.scripted}, transcriber{run.scripted}, speaker{run.scripted}),
	)
	if err != nil {
		_, ending := run.farEnds.end()
		return errors.Join(err, ending)
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, run.worker)) }()
	return measure(ctx, run)
}

// voiceAssistant answers at once when the words are there, so that a turn lasts as long as our own work and its parts.
func voiceAssistant() jsonb.Assistant {
	return jsonb.Assistant{
		FirstMessageOutbound: "Good morning, how can I help you?", LLMContent: "number {{phone_number}}", MaxDurationSeconds: 3600,
		FirstMessageInterruptionsEnabled: true,
		StartSpeakingPlan: jsonb.Object{
			"waitSeconds":                  0.0,
			"transcriptionEndpointingPlan": map[string]any{"onPunctuationSeconds": 0.0},
		},
		StopSpeakingPlan: jsonb.Object{"numWords": 1.0, "backoffSeconds": 0.0},
	}
}

// place enqueues calls, so many per second that most of the time all of them are up: what a call takes to begin is no part of
// what it takes to be held.
func (r *voiceRun) place(ctx context.Context, calls int) error {
	ticker := time.NewTicker(min(time.Second/callsPerSec, r.talk*2/5/time.Duration(calls)))
	defer ticker.Stop()
	for range calls {
		number := fmt.Sprintf("+316%06d00", r.placed)
		r.placed++
		if err := enqueueCall(ctx, r.bench, r.worker.River(), r.customer, number); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// wait waits until no call is left.
func (r *voiceRun) wait(ctx context.Context) error {
	for {
		var left int
		err := r.pool.QueryRow(ctx, "SELECT count(*) FROM call WHERE ended_at IS NULL").Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d calls left: %w", left, ctx.Err())
		}
	}
}

// check fails when a call did not complete.
func (r *voiceRun) check(ctx context.Context) error {
	var failed int
	var why *string
	err := r.pool.QueryRow(ctx,
		`SELECT count(*), string_agg(DISTINCT concat_ws(' ', status, ended_reason, error), '; ') FROM call WHERE status <> 'completed'`).
		Scan(&failed, &why)
	if err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("%d calls did not complete: %s", failed, *why)
}

// voiceTurns is what we add to a turn: from the end of speech, as detected, to the first packet of the answer at the far
// end, without what the providers took.
func voiceTurns(ctx context.Context, b *bench) error {
	return withVoices(ctx, b, behaviorTalk, 0, talkFor, voiceAssistant(), func(ctx context.Context, r *voiceRun) error {
		noted, err := r.hold(ctx, turnCalls)
		if err != nil {
			return err
		}
		var overheads []time.Duration
		for _, turn := range r.scripted.turns {
			if turn.voiced.IsZero() || turn.paused.IsZero() || noted[turn.number] == nil {
				continue
			}
			if answer, ok := next(noted[turn.number].Answers, turn.voiced); ok && answer.Sub(turn.voiced) < time.Second {
				overheads = append(overheads, answer.Sub(turn.paused)-hearingTime-thinkingTime-voicingTime)
			}
		}
		if len(overheads) < 2*turnCalls {
			return fmt.Errorf("only %d turns of %d calls can be told", len(overheads), turnCalls)
		}
		report("voice_turn_overhead_p50_ms", percentile(overheads, 0.50), "ms")
		report("voice_turn_overhead_p95_ms", percentile(overheads, 0.95), "ms")
		return nil
	})
}

// voiceBargeIn is how long the assistant is still heard after the words that interrupt it were understood.
func voiceBargeIn(ctx context.Context, b *bench) error {
	return withVoices(ctx, b, behaviorInterrupt, 0, talkFor, voiceAssistant(), func(ctx context.Context, r *voiceRun) error {
		noted, err := r.hold(ctx, bargeInCalls)
		if err != nil {
			return err
		}
		var stops []time.Duration
		for _, turn := range r.scripted.turns {
			if turn.interrupt.IsZero() || noted[turn.number] == nil {
				continue
			}
			for _, fall := range noted[turn.number].Falls {
				// The words came while they spoke, and the answer was heard until then: packets are 20 ms apart.
				at := turn.interrupt
				if spoke, silent := time.Unix(0, fall.Spoke), time.Unix(0, fall.Silent); spoke.Before(at) &&
					at.Sub(spoke) < time.Second &&
					at.Sub(silent) < 100*time.Millisecond {
					stops = append(stops, max(0, silent.Sub(at)))
				}
			}
		}
		if len(stops) < bargeInCalls {
			return fmt.Errorf("only %d interruptions of %d calls can be told", len(stops), bargeInCalls)
		}
		report("voice_barge_in_stop_p50_ms", percentile(stops, 0.50), "ms")
		report("voice_barge_in_stop_p95_ms", percentile(stops, 0.95), "ms")
		return nil
	})
}

// voiceEcho counts the assistants that were interrupted by themselves.
func voiceEcho(ctx context.Context, b *bench) error {
	config := voiceAssistant()
	config.StopSpeakingPlan = nil
	return withVoices(ctx, b, behaviorEcho, 0, talkFor/2, config, func(ctx context.Context, r *voiceRun) error {
		if _, err := r.hold(ctx, echoCalls); err != nil {
			return err
		}
		var spoke, interrupted, misheard int
		err := r.pool.QueryRow(ctx,
			`SELECT count(DISTINCT call_id) FILTER (WHERE role = 'assistant'), count(*) FILTER (WHERE interrupted), count(*) FILTER (WHERE role = 'user') FROM call_turn`).
			Scan(&spoke, &interrupted, &misheard)
		if err != nil {
			return err
		}
		if spoke != echoCalls {
			return fmt.Errorf("only %d of %d assistants spoke", spoke, echoCalls)
		}
		report("voice_echo_interruptions", float64(interrupted), "interruptions")
		report("voice_echo_turns", float64(misheard), "turns")
		return nil
	})
}

// voiceSoak holds calls for a long time, one round after the other, and prints what stays behind: the growth of memory and
// of goroutines from the end of the second round to the end of the last. The first leaves what is made once. It is an error
// when so much stays that it could be something of every call.
func voiceSoak(ctx context.Context, b *bench) error {
	return withVoices(ctx, b, behaviorTalk, b.soak, talkFor, voiceAssistant(), func(ctx context.Context, r *voiceRun) error {
		if err := openConnections(ctx, b.pool); err != nil {
			return err
		}
		var memory, live, goroutines []int
		for began := time.Now(); time.Since(began) < b.soak || len(memory) < 3; {
			if err := r.place(ctx, soakCalls); err != nil {
				return err
			}
			if err := r.wait(ctx); err != nil {
				return err
			}
			least := 0 // in the first rounds: nobody knows what is left before all is settled
			if len(goroutines) > 1 {
				least = goroutines[1]
			}
			r.scripted.forget()
			goroutines, live = append(goroutines, settled(least)), append(live, liveKB())
			memory = append(memory, memoryKB())
		}
		if err := writeMemory(b.memory); err != nil {
			return err
		}
		if _, err := r.farEnds.end(); err != nil {
			return err
		}
		last := len(memory) - 1
		fmt.Fprintf(
			os.Stderr,
			"voice_soak: %d calls in %d rounds; memory %v kB, of it live %v kB, goroutines %v\n",
			r.placed,
			len(memory),
			memory,
			live,
			goroutines,
		)
		report("voice_soak_memory_growth_kb", float64(memory[last]-memory[1]), "kB")
		report("voice_soak_live_growth_kb", float64(live[last]-live[1]), "kB")
		report("voice_soak_goroutine_growth", float64(goroutines[last]-goroutines[1]), "goroutines")
		rounds := last - 1
		if goroutines[last]-goroutines[1] >= rounds*soakCalls || live[last]-live[1] >= rounds*soakCalls*leakKB {
			return errors.New("calls leave something behind")
		}
		return r.check(ctx)
	})
}

// hold places calls and waits for them to end.
func (r *voiceRun) hold(ctx context.Context, calls int) (map[string]*notes, error) {
	if err := r.place(ctx, calls); err != nil {
		return nil, err
	}
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	noted, err := r.farEnds.end()
	if err != nil {
		return nil, err
	}
	return noted, r.check(ctx)
}

// next is the first of the moments that is not before t.
func next(moments []int64, t time.Time) (time.Time, bool) {
	i := slices.IndexFunc(moments, func(nano int64) bool { return nano >= t.UnixNano() })
	if i < 0 {
		return time.Time{}, false
	}
	return time.Unix(0, moments[i]), true
}

// settled waits for the number of goroutines to come down to want and returns what it is.
func settled(want int) int {
	for deadline := time.Now().Add(settleFor); time.Now().Before(deadline) && runtime.NumGoroutine() > want; {
		time.Sleep(100 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// writeMemory writes a profile of what is live, right after memoryKB has collected the rest.
func writeMemory(path string) error {
	if path == "" {
		return nil
	}
	var profile bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&profile, 0); err != nil {
		return err
	}
	return os.WriteFile(path, profile.Bytes(), 0o600)
}

// openConnections has a pool open as many connections as it may, but for some that others hold.
func openConnections(ctx context.Context, pool *pgxpool.Pool) error {
	var opened []*pgxpool.Conn
	defer func() {
		for _, connection := range opened {
			connection.Release()
		}
	}()
	for range pool.Config().MaxConns * 3 / 4 {
		connection, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		opened = append(opened, connection)
	}
	return nil
}

// liveKB is what is reachable of the program's memory. What a finalizer frees takes a second collection.
func liveKB() int {
	debug.FreeOSMemory()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc >> 10)
}

// memoryKB is what the process holds of the machine's memory, VmRSS of Linux; elsewhere what Go has of the system.
func memoryKB() int {
	runtime.GC()
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range strings.Lines(string(status)) {
			var kilobytes int
			if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
				return kilobytes
			}
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.Sys >> 10)
}
