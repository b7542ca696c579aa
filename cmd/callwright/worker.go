package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/callwright/callwright/cmd/callwright/doctor"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/worker"
)

// workerCommand works the queues.
type workerCommand struct {
	databaseFlags
	sealFlags
	fileFlags
	carrierFlags
	scanFlags
	hookFlags
	mailFlags
	smsFlags
	speechFlags
	embedFlags
	sipFlags
	retentionFlags
	logFlags
	monitorFlags
	traceFlags
	Queues        map[string]int `help:"Queues to work and how many jobs of each at once; the rest is left to other workers. Default: ${queues}." mapsep:"," env:"CALLWRIGHT_QUEUES" placeholder:"NAME=SIZE"`
	PublicURL     string         `help:"Address at which customers reach the API; recordings in events are named below it." default:"http://127.0.0.1:8080" env:"CALLWRIGHT_PUBLIC_URL" placeholder:"URL"`
	RingFor       time.Duration  `help:"How long a call may ring." default:"45s" env:"CALLWRIGHT_RING_FOR"`
	Drain         time.Duration  `help:"How long live calls go on after SIGTERM." default:"30m" env:"CALLWRIGHT_DRAIN"`
	DatabaseConns int32          `help:"Most connections to Postgres, all counted." default:"12" env:"CALLWRIGHT_DATABASE_CONNS"`
}

// Run implements the command.
func (c *workerCommand) Run(ctx context.Context) error {
	settleRuntime()
	logger := c.logger()
	queues, err := parseQueues(c.Queues)
	if err != nil {
		return err
	}
	retention, err := c.retention()
	if err != nil {
		return err
	}
	own, err := c.own()
	if err != nil {
		return err
	}
	box, err := c.box()
	if err != nil {
		return err
	}
	mailer := mail.Sender(mail.Off{}) // where the queue of mail is not worked
	if queues[queue.Default] > 0 {
		if mailer, err = c.sender(logger); err != nil {
			return err
		}
	}
	texts, err := c.texts(logger)
	if err != nil {
		return err
	}
	store, err := c.store()
	if err != nil {
		return err
	}
	speech, err := c.providers(logger)
	if err != nil {
		return err
	}
	c.warnOfSilence(ctx, own != nil, logger)
	embedder, err := c.embedder()
	if err != nil {
		return err
	}
	guarded := c.client()
	websites, err := newWebsites(guarded, true)
	if err != nil {
		return err
	}
	pooled, err := poolSize(c.DatabaseConns, worker.OwnConns)
	if err != nil {
		return err
	}
	pool, err := c.awaitMigrated(ctx, pooled, logger)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := checkDirect(ctx, pool); err != nil {
		return err
	}
	if err := useSealKeys(ctx, pool, box); err != nil {
		return err
	}
	logger = db.LogOutages(pool, logger)
	warnAtStart(ctx, logger, slices.Concat(doctor.Database(pool), doctor.Schema(pool), doctor.Kernel(), []doctor.Check{doctor.Disk(c.FilesDir)})...)
	carriers, err := c.carriers(pool)
	if err != nil {
		return err
	}
	stopTraces, err := c.startTraces(ctx, "worker", logger)
	if err != nil {
		return err
	}
	defer stopTraces()
	monitor, err := c.monitor(ctx, logger)
	if err != nil {
		return err
	}
	running, err := worker.Start(ctx, worker.Config{
		Pool: pool, Queues: queues, Carriers: carriers, Scanner: c.scanner(), Hook: guarded, Seal: box, Mail: mailer, SMS: texts, PublicURL: c.PublicURL, Drain: c.Drain, Version: version, Logger: logger,
		Websites: websites, Embed: embedder, Retention: retention,
		Phone: worker.PhoneConfig{SIP: own, Trunk: c.trunk(), Simulated: simulated(logger), RingFor: c.RingFor, Speech: speech, Files: store,
			RegistrationsPerSecond: c.RegistersPerSecond},
	})
	if err != nil {
		return err
	}
	unwatch := monitor.serve(ctx, running.Ready, running.Collectors()...)
	logger.InfoContext(ctx, "working", "queues", fmt.Sprint(queues))
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain+30*time.Second)
	defer cancel()
	return errors.Join(running.Stop(stopping), unwatch())
}

// warnOfSilence says at the start what callers would find out.
func (f speechFlags) warnOfSilence(ctx context.Context, live bool, logger *slog.Logger) {
	if !live {
		return
	}
	for _, lack := range f.lacking() {
		logger.WarnContext(ctx, "live calls do without something", "what", lack.name, "means", lack.says, "remedy", lack.remedy)
	}
}

// lack is what live calls do without.
type lack struct{ name, says, remedy string }

func (f speechFlags) lacking() []lack {
	var lacks []lack
	if f.STT == (serviceFlags{}) {
		lacks = append(lacks, lack{"speech recognition", "no speech recognition is configured (--stt-provider): nobody understands what is said " +
			"in live calls, and they end as provider-transcriber-failed", "choose one with --stt-provider"})
	}
	if f.LLM == (serviceFlags{}) {
		lacks = append(lacks, lack{"language model", "no language model is configured (--llm-provider): live calls are answered by a script " +
			"that knows no more than the assistant's rules", "choose one with --llm-provider"})
	}
	if f.TTS == (voiceFlags{}) {
		lacks = append(lacks, lack{"speech synthesis", "no speech synthesis is configured (--tts-provider): the assistant speaks with the built-in voice",
			"choose one with --tts-provider"})
	}
	return lacks
}

// simulated is the simulated phone network beside this worker.
func simulated(logger *slog.Logger) *worker.Simulated {
	return &worker.Simulated{TTS: all.FarEndVoice(logger)}
}
