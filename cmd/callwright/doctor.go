package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/callwright/callwright/cmd/callwright/doctor"
	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/files"
)

// doctorCommand takes the settings of an API process and of a worker, and says whether they lead to a deployment that works.
type doctorCommand struct {
	databaseFlags
	sealFlags
	fileFlags
	carrierFlags
	scanFlags
	mailFlags
	smsFlags
	speechFlags
	embedFlags
	sipFlags
	outputFlags
	PublicURL string `help:"Address at which customers reach the API." default:"http://127.0.0.1:8080" env:"CALLWRIGHT_PUBLIC_URL" placeholder:"URL"`
}

// statusNotHealthy is the exit status of doctor where something fails.
const statusNotHealthy = 3

// Run implements the command.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings, err := c.examine(ctx)
	if err != nil {
		return err
	}
	err = printList(c.outputFlags, findings,
		column[doctor.Finding]{"STATUS", func(f doctor.Finding) string { return string(f.Status) }},
		column[doctor.Finding]{"CHECK", func(f doctor.Finding) string { return f.Check }},
		column[doctor.Finding]{"FOUND", func(f doctor.Finding) string { return table.Cell(f.Found) }},
	)
	if err != nil {
		return err
	}
	counts := map[doctor.Status]int{}
	for _, finding := range findings {
		counts[finding.Status]++
		if !c.JSON && finding.Remedy != "" {
			fmt.Printf("\n%s: %s\n  to do: %s\n", finding.Status, finding.Check, finding.Remedy)
		}
	}
	if counts[doctor.Fail] > 0 {
		return &statusError{statusNotHealthy, fmt.Sprintf("%d of %d checks fail, %d warn", counts[doctor.Fail], len(findings), counts[doctor.Warn])}
	}
	return nil
}

// examine makes all checks that the settings ask for.
func (c *doctorCommand) examine(ctx context.Context) ([]doctor.Finding, error) {
	var checks []doctor.Check
	box, wrongKeys := c.box()
	if wrongKeys != nil {
		checks = append(checks, doctor.Broken("seal keys", "make one with: callwright seal generate", wrongKeys))
	}
	pool, err := c.open(ctx, 4)
	if err != nil {
		checks = append(checks, doctor.Broken("database", "start Postgres, or correct DATABASE_URL", err))
	} else {
		defer pool.Close()
		checks = append(checks, doctor.Database(pool)...)
		checks = append(checks, doctor.Schema(pool)...)
		checks = append(checks, doctor.Prices(pool))
		if wrongKeys == nil {
			checks = append(checks, doctor.SealKeys(pool, box))
		}
	}
	checks = append(checks, c.fileChecks()...)
	checks = append(checks, doctor.Kernel()...)
	checks = append(checks, doctor.Names(c.hosts()), doctor.PublicURL(c.PublicURL))
	live, err := c.liveChecks()
	if err != nil {
		return nil, err
	}
	checks = append(checks, live...)
	speech, end, err := c.speechChecks()
	if err != nil {
		return nil, err
	}
	defer end()
	checks = append(checks, speech...)
	checks = append(checks, c.messageChecks()...)
	checks = append(checks, c.carrierChecks()...)
	return doctor.Run(ctx, checks), nil
}

func (c *doctorCommand) fileChecks() []doctor.Check {
	const remedy = "correct --files-dir: the folder exists or can be made, and this user writes there"
	checks := []doctor.Check{doctor.Disk(c.FilesDir)}
	store, err := c.store()
	if err != nil {
		return append(checks, doctor.Broken("files", remedy, err))
	}
	if c.S3Endpoint != "" {
		return append(checks, closing(store, doctor.Files(store, "correct --s3-endpoint, bucket, region and keys: the key may put, get and delete objects")))
	}
	return append(checks, closing(store, doctor.Files(store, remedy)))
}

// closing closes the store after the check.
func closing(store files.Store, check doctor.Check) doctor.Check {
	run := check.Run
	check.Run = func(ctx context.Context) doctor.Finding {
		found := run(ctx)
		if closer, ok := store.(interface{ Close() error }); ok {
			if err := closer.Close(); err != nil && found.Status == doctor.OK {
				return doctor.Finding{Status: doctor.Fail, Found: err.Error(), Remedy: "look at the folder of files"}
			}
		}
		return found
	}
	return check
}

// hosts are the names in the settings.
func (c *doctorCommand) hosts() []string {
	var hosts []string
	addresses := []string{c.PublicURL, c.S3Endpoint, c.SMTPURL, c.NumberCarrierURL, c.SMSURL, c.EmbedBaseURL}
	for _, service := range []serviceFlags{c.LLM, c.LLM2, c.STT, c.STT2, c.TTS.serviceFlags, c.TTS2.serviceFlags} {
		addresses = append(addresses, service.BaseURL)
	}
	for _, address := range addresses {
		if host := doctor.HostOf(address); host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// liveChecks are those of live calls; none where there are none.
func (c *doctorCommand) liveChecks() ([]doctor.Check, error) {
	own, err := c.own()
	if err != nil || own == nil {
		return nil, err
	}
	listens := doctor.Listens{UDP: own.Listen, TCP: own.TCP, TLS: own.TLS, RTP: own.RTPPorts}
	return append(listens.Ports(), doctor.Trunk(own, c.trunk())...), nil
}

func (c *doctorCommand) speechChecks() (checks []doctor.Check, end func(), err error) {
	chosen, err := c.speech()
	if err != nil {
		return nil, nil, err
	}
	singles, err := all.NewSingles(chosen, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	for i, model := range singles.LLM {
		checks = append(checks, doctor.Model(ranked("language model", i), ranked("--llm", i), model))
	}
	for i, recogniser := range singles.STT {
		checks = append(checks, doctor.Recogniser(ranked("speech recognition", i), ranked("--stt", i), recogniser))
	}
	for i, voice := range singles.TTS {
		checks = append(checks, doctor.Voice(ranked("speech synthesis", i), ranked("--tts", i), voice))
	}
	embedder, err := c.embedder()
	if err != nil {
		return append(checks, doctor.Broken("embeddings", "correct --embed-provider and its settings", err)), singles.Close, nil
	}
	if embedder != nil {
		checks = append(checks, doctor.Embedder(embedder))
	}
	return append(checks, c.unheard()...), singles.Close, nil
}

// ranked names the choice of a family, as its flags do.
func ranked(name string, choice int) string {
	switch {
	case choice == 0:
		return name
	case name[0] == '-':
		return fmt.Sprintf("%s-%d", name, choice+1)
	}
	return fmt.Sprintf("%s %d", name, choice+1)
}

// unheard is what live calls lack.
func (c *doctorCommand) unheard() []doctor.Check {
	own, err := c.own()
	if err != nil || own == nil {
		return nil
	}
	var checks []doctor.Check
	for _, lack := range c.lacking() {
		checks = append(checks, doctor.Lacking(lack.name, lack.remedy, lack.says))
	}
	return checks
}

func (c *doctorCommand) messageChecks() []doctor.Check {
	var checks []doctor.Check
	mailer, err := c.sender(slog.New(slog.DiscardHandler))
	if err != nil {
		checks = append(checks, doctor.Broken("mail", "give both, or say --mail=none", err))
	} else if account, ok := mailer.(doctor.Accountable); ok {
		checks = append(checks, doctor.Account("mail", "correct --smtp-url: its host, port, user and password", account))
	}
	texts, err := c.texts(slog.New(slog.DiscardHandler))
	if err != nil {
		checks = append(checks, doctor.Broken("text messages", "give what is missing, or say --sms=none", err))
	} else if account, ok := texts.(doctor.Accountable); ok {
		checks = append(checks, doctor.Account("text messages", "correct --sms-key, --sms-account and --sms-profile", account))
	}
	return checks
}

func (c *doctorCommand) carrierChecks() []doctor.Check {
	var checks []doctor.Check
	if c.NumberCarrier != "simulated" {
		carriers, err := c.carriers(nil)
		if err != nil {
			checks = append(checks, doctor.Broken("carrier", "give what is missing", err))
		} else {
			checks = append(checks, doctor.Carrier(carriers.Live))
		}
	}
	if c.Clamd != "" {
		checks = append(checks, doctor.Scanner(c.scanner()))
	}
	return checks
}

// startLimit is how long a process that starts waits for the checks of its surroundings.
const startLimit = 3 * time.Second

// warnAtStart makes checks that are cheap and logs what is not well: the process works, but not as it should.
func warnAtStart(ctx context.Context, logger *slog.Logger, checks ...doctor.Check) {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for _, finding := range doctor.Run(limited, checks) {
		if finding.Status != doctor.OK {
			logger.WarnContext(ctx, "this deployment is not as it should be", "check", finding.Check, "found", finding.Found, "remedy", finding.Remedy)
		}
	}
}
