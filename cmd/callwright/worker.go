package main

import (
	"cmp"
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
	"github.com/callwright/callwright/worker/gateways"
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
	webFlags
	retentionFlags
	logFlags
	monitorFlags
	traceFlags
	Queues map[string]int `help:"Queues to work and how many jobs of each at once; the rest is left to other workers. Default: ${queues}." mapsep:"," env:"CALLWRIGHT_QUEUES" placeholder:"NAME=SIZE"`
	publicFlags
	RingFor       time.Duration `help:"How long a call may ring." default:"45s" env:"CALLWRIGHT_RING_FOR"`
	Drain         time.Duration `help:"How long live calls go on after SIGTERM." default:"30m" env:"CALLWRIGHT_DRAIN"`
	DatabaseConns int32         `help:"Most connections to Postgres, all counted." default:"12" env:"CALLWRIGHT_DATABASE_CONNS"`
}

// Run implements the command.
func (c *workerCommand) Run(ctx context.Context) error {
	settleRuntime()
	logger := c.logger()
	box, err := c.box()
	if err != nil {
		return err
	}
	config, err := c.configure(ctx, logger)
	if err != nil {
		return err
	}
	config.Seal = box
	pooled, err := poolSize(c.DatabaseConns, worker.OwnConns)
	if err != nil {
		return err
	}
	pool, err := c.awaitMigrated(ctx, pooled, logger)
	if err != nil {
		return err
	}
	defer pool.Close()
	logger = db.LogOutages(pool, logger)
	config.Pool, config.Logger = pool, logger
	config.Phone.Gateways.Simulated = simulated(logger)
	silence, err := untilThere(ctx, logger, func() (func(), error) {
		if err := checkDirect(ctx, pool); err != nil {
			return nil, err
		}
		return reportProcess(ctx, pool, box, "worker")
	})
	if err != nil {
		return err
	}
	defer silence()
	warnAtStart(ctx, logger, slices.Concat(doctor.Database(pool), doctor.Schema(pool), doctor.Kernel(),
		[]doctor.Check{doctor.Disk(c.FilesDir)})...)
	if config.Carriers, err = c.carriers(pool); err != nil {
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
	running, err := untilThere(ctx, logger, func() (*worker.Worker, error) { return worker.Start(ctx, config) })
	if err != nil {
		return c.namePort(err)
	}
	unwatch := monitor.serve(ctx, running.Ready, running.Collectors()...)
	logger.InfoContext(ctx, "working", "queues", fmt.Sprint(config.Queues))
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain+30*time.Second)
	defer cancel()
	return errors.Join(running.Stop(stopping), unwatch())
}

// configure returns what the settings make of a worker that needs no database.
func (c *workerCommand) configure(ctx context.Context, logger *slog.Logger) (worker.Config, error) {
	// where the queue of mail is not worked
	made := worker.Config{Drain: c.Drain, Version: version, Scanner: c.scanner(), Mail: mail.Off{}}
	var err error
	if made.PublicURL, err = c.public(); err != nil {
		return made, err
	}
	if made.Queues, err = parseQueues(c.Queues); err != nil {
		return made, err
	}
	if made.Retention, err = c.retention(); err != nil {
		return made, err
	}
	if made.Queues[queue.Default] > 0 {
		if made.Mail, err = c.sender(logger); err != nil {
			return made, err
		}
	}
	if made.SMS, err = c.texts(logger); err != nil {
		return made, err
	}
	if made.Embed, err = c.embedder(); err != nil {
		return made, err
	}
	made.Hook = c.client()
	if made.Websites, err = newWebsites(made.Hook, true); err != nil {
		return made, err
	}
	made.Phone, err = c.phone(ctx, logger)
	return made, err
}

// ports are those that calls come in at.
func (c *workerCommand) ports() []listening {
	return []listening{
		{"--sip-listen (CALLWRIGHT_SIP_LISTEN)", "udp", cmp.Or(c.SIPListen, defaultSIPListen)},
		{"--sip-tcp-listen (CALLWRIGHT_SIP_TCP_LISTEN)", "tcp", c.SIPTCPListen},
		{"--sip-tls-listen (CALLWRIGHT_SIP_TLS_LISTEN)", "tcp", c.SIPTLSListen},
		{"--web-listen (CALLWRIGHT_WEB_LISTEN)", "udp", c.WebListen},
		{"--web-tcp-listen (CALLWRIGHT_WEB_TCP_LISTEN)", "tcp", c.WebTCPListen},
	}
}

// namePort has the error of a port that could not be taken begin with its flag.
func (c *workerCommand) namePort(err error) error {
	for _, port := range c.ports() {
		if port.is(err) {
			return port.failed(err)
		}
	}
	return err
}

// phone returns what live calls are held by.
func (c *workerCommand) phone(ctx context.Context, logger *slog.Logger) (worker.PhoneConfig, error) {
	made := worker.PhoneConfig{
		Gateways: gateways.Config{Trunk: c.trunk(), Web: c.web(c.PublicIP.Addr), RegistrationsPerSecond: c.RegistersPerSecond},
		RingFor:  c.RingFor,
	}
	err := checkPorts(append(c.ports(), c.port())...)
	if err != nil {
		return made, err
	}
	if made.Gateways.SIP, err = c.own(); err != nil {
		return made, err
	}
	if made.Files, err = c.store(); err != nil {
		return made, err
	}
	if made.Speech, err = c.providers(logger); err != nil {
		return made, err
	}
	c.warnOfSilence(ctx, made.Gateways.SIP != nil, logger)
	return made, nil
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
		lacks = append(lacks,
			lack{"speech recognition", "no speech recognition is configured (--stt-provider): nobody understands what is said " +
				"in live calls, and they end as provider-transcriber-failed", "choose one with CALLWRIGHT_STT_PROVIDER"})
	}
	if f.LLM == (serviceFlags{}) {
		lacks = append(lacks,
			lack{"language model", "no language model is configured (--llm-provider): live calls are answered by a script " +
				"that knows no more than the assistant's rules", "choose one with CALLWRIGHT_LLM_PROVIDER"})
	}
	if f.TTS == (voiceFlags{}) {
		lacks = append(lacks,
			lack{"speech synthesis", "no speech synthesis is configured (--tts-provider): the assistant speaks with the built-in voice",
				"choose one with CALLWRIGHT_TTS_PROVIDER"})
	}
	return lacks
}

// simulated is the simulated phone network beside this worker.
func simulated(logger *slog.Logger) *gateways.Simulated {
	return &gateways.Simulated{TTS: all.FarEndVoice(logger)}
}
