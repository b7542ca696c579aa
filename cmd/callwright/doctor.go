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
	publicFlags
}

// statusNotHealthy is the exit status of doctor where something fails.
const statusNotHealthy = 3

// Run implements the command.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings := c.examine(ctx)
	err := printList(c.outputFlags, findings,
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
		return &statusError{statusNotHealthy, fmt.Sprintf("%d of %d checks fail, %d warn", counts[doctor.Fail], len(findings),
			counts[doctor.Warn])}
	}
	return nil
}

// examine makes all checks that the settings ask for.
func (c *doctorCommand) examine(ctx context.Context) []doctor.Finding {
	var checks []doctor.Check
	box, wrongKeys := c.box()
	if wrongKeys != nil {
		checks = append(checks, doctor.Broken("seal keys", "make one with: callwright seal generate", wrongKeys))
	}
	pool, err := c.open(ctx, 4)
	if err != nil {
		checks = append(checks, doctor.Unreachable(err))
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
	checks = append(checks, c.liveChecks()...)
	speech, end := c.speechChecks()
	defer end()
	checks = append(checks, speech...)
	checks = append(checks, c.messageChecks()...)
	checks = append(checks, c.carrierChecks()...)
	return doctor.Run(ctx, checks)
}

func (c *doctorCommand) fileChecks() []doctor.Check {
	remedy := "correct CALLWRIGHT_FILES_DIR: the folder exists or can be made, and this user writes there"
	if c.S3Endpoint != "" {
		remedy = "correct CALLWRIGHT_S3_ENDPOINT, _BUCKET, _REGION, _KEY_ID and _SECRET: the key may put, get and delete objects"
	}
	checks := []doctor.Check{doctor.Disk(c.FilesDir)}
	store, err := c.store()
	if err != nil {
		return append(checks, doctor.Broken("files", remedy, err))
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
				return doctor.Finding{Status: doctor.Fail, Found: err.Error(), Remedy: "look at the folder CALLWRIGHT_FILES_DIR"}
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
func (c *doctorCommand) liveChecks() []doctor.Check {
	own, err := c.own()
	switch {
	case err != nil:
		return []doctor.Check{doctor.Broken("live calls", "correct that setting: no worker starts with it", err)}
	case own == nil:
		return nil
	}
	listens := doctor.Listens{UDP: own.Listen, TCP: own.TCP, TLS: own.TLS, RTP: own.RTPPorts}
	return append(listens.Ports(), doctor.Trunk(own, c.trunk())...)
}

func (c *doctorCommand) speechChecks() (checks []doctor.Check, end func()) {
	end = func() {}
	if singles, err := c.singles(); err != nil {
		checks = append(checks,
			doctor.Broken("vendors", "correct the variable that is named", err))
	} else {
		checks, end = singleChecks(singles), singles.Close
	}
	embedder, err := c.embedder()
	if err != nil {
		checks = append(checks, doctor.Broken("embeddings", "correct the variables that begin with CALLWRIGHT_EMBED", err))
	} else if embedder != nil {
		checks = append(checks, doctor.Embedder(embedder))
	}
	return append(checks, c.unheard()...), end
}

// singles are the vendors of speech and language, each by itself.
func (c *doctorCommand) singles() (*all.Singles, error) {
	chosen, err := c.speech()
	if err != nil {
		return nil, err
	}
	singles, err := all.NewSingles(chosen, slog.New(slog.DiscardHandler))
	return singles, nameSetting(err)
}

func singleChecks(singles *all.Singles) (checks []doctor.Check) {
	for i, model := range singles.LLM {
		checks = append(checks, doctor.Model(ranked("language model", " ", i), doctor.Speech(ranked("CALLWRIGHT_LLM", "_", i)), model))
	}
	for i, recogniser := range singles.STT {
		checks = append(checks, doctor.Recogniser(ranked("speech recognition", " ", i), doctor.Speech(ranked("CALLWRIGHT_STT", "_", i)),
			recogniser))
	}
	for i, voice := range singles.TTS {
		prefix := ranked("CALLWRIGHT_TTS", "_", i)
		settings := doctor.Speech(prefix)
		settings.Use += " and " + prefix + "_VOICE"
		checks = append(checks, doctor.Voice(ranked("speech synthesis", " ", i), settings, voice))
	}
	return checks
}

// ranked names the choice of a family.
func ranked(name, between string, choice int) string {
	if choice == 0 {
		return name
	}
	return fmt.Sprintf("%s%s%d", name, between, choice+1)
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
		checks = append(checks,
			doctor.Broken("mail", "correct CALLWRIGHT_SMTP_URL and CALLWRIGHT_MAIL_FROM, or say CALLWRIGHT_MAIL=log or none", err))
	} else if account, ok := mailer.(doctor.Accountable); ok {
		settings := doctor.Settings{Key: "the user and password in CALLWRIGHT_SMTP_URL", Use: "CALLWRIGHT_MAIL_FROM",
			Address: "the host and port in CALLWRIGHT_SMTP_URL"}
		checks = append(checks, doctor.Account("mail", settings, account))
	} else {
		checks = append(checks, doctor.Lacking("mail", "give CALLWRIGHT_SMTP_URL and CALLWRIGHT_MAIL_FROM, and CALLWRIGHT_MAIL=smtp",
			"CALLWRIGHT_MAIL="+c.Mail+": nobody receives mail, such as invitations and new passwords"))
	}
	texts, err := c.texts(slog.New(slog.DiscardHandler))
	if err != nil {
		checks = append(checks, doctor.Broken("text messages", "give what is missing, or say CALLWRIGHT_SMS=none", err))
	} else if account, ok := texts.(doctor.Accountable); ok {
		settings := doctor.Settings{Key: "CALLWRIGHT_SMS_KEY", Use: "CALLWRIGHT_SMS_PROFILE", Address: "CALLWRIGHT_SMS_URL"}
		if c.SMS == "twilio" {
			settings.Key, settings.Use = "CALLWRIGHT_SMS_ACCOUNT and CALLWRIGHT_SMS_KEY", "CALLWRIGHT_SMS_ACCOUNT"
		}
		checks = append(checks, doctor.Account("text messages", settings, account))
	}
	return checks
}

func (c *doctorCommand) carrierChecks() []doctor.Check {
	var checks []doctor.Check
	if c.NumberCarrier != "simulated" {
		carriers, err := c.carriers(nil)
		if err != nil {
			checks = append(checks, doctor.Broken("carrier", "give CALLWRIGHT_CARRIER_KEY", err))
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
			logger.WarnContext(ctx, "this deployment is not as it should be", "check", finding.Check, "found", finding.Found, "remedy",
				finding.Remedy)
		}
	}
}
