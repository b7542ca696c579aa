// Package jobs is what happens later, and what is done in the same transaction: one package per subject, one file per job
// with its arguments, its kind and its worker. Register lists all kinds. It knows rows and providers. It knows no HTTP request
// and no telephone.
//
// A job is an alarm clock. What it works on is a row, which it reads anew and moves by compare-and-set; a job that comes
// twice, or late, or after the row has gone, does nothing.
//
// A subject imports only subjects further down; a test of the program holds it to that:
//
//	analysis  agents
//	   |        |  \
//	   |   numbers  knowledge   appointments  people  maintenance
//	   |                             |         |
//	 calls                           |         |
//	   |                             |         |
//	 costs                           |         |
//	   |                             |         |
//	 events                          |         |
//	   |                             |         |
//	messages  <----------------------+---------+
//	   |
//	 queue, below all
//
// Maintenance stands above calls, events and numbers, whose files it knows by their keys. Messages stand below events, because
// the owner of a webhook that is disabled gets mail.
package jobs

import (
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/agents"
	"github.com/callwright/callwright/jobs/analysis"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/sms"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/website"
)

// Services is what a process lends its workers. Register hands each of them the few that it needs.
type Services struct {
	DB         db.Beginner
	Carriers   telco.Carriers
	Dialer     calls.Dialer
	Embed      embed.Provider // nil: no embedding model is configured
	Files      files.Store
	Hook       *hook.Client
	Logger     *slog.Logger
	Mail       mail.Sender
	Models     analysis.Models
	Now        func() time.Time      // by the clock of Postgres
	ProcessID  string                // the owner of the calls and SIP connections that this process claims
	Retention  maintenance.Retention // where an account has no days of its own
	PublicURL  string                // where customers reach the API; recordings are named below it
	Registrant numbers.Registrant
	Scanner    scan.Scanner
	Seal       seal.Sealer
	SMS        sms.Senders
	Websites   *website.Reader
}

// Register adds every worker, and returns the one that delivers events and what closes them all when nothing is worked any more.
// A process that only enqueues registers them too, and has nothing to close: River refuses, and its leader would discard, jobs
// of a kind it does not know.
func Register(workers *river.Workers, s *Services) (deliver *events.DeliverEventWorker, closeWorkers func()) {
	sender := &events.Sender{DB: s.DB, Hook: s.Hook, Seal: s.Seal, Now: s.Now}
	reporter := &calls.Reporter{PublicURL: s.PublicURL, Seal: s.Seal, Now: s.Now}
	carriers := &numbers.Carriers{Carriers: s.Carriers, Logger: s.Logger, Now: s.Now}
	documents := &numbers.Documents{Files: s.Files, Seal: s.Seal}
	embeds := s.Embed != nil
	deliver = events.NewDeliverEventWorker(sender, s.Logger)
	place := calls.NewPlaceCallWorker(s.DB, s.Dialer, s.ProcessID)
	start := calls.NewStartScheduledCallWorker(s.DB, s.Dialer, s.ProcessID)
	finish := calls.NewFinishCallWorker(s.DB, reporter, analysis.Starter{Models: s.Models}.Start)
	analyze := analysis.NewAnalyzeCallWorker(s.DB, s.Models, reporter, s.Now)

	river.AddWorker(workers, deliver)
	river.AddWorker(workers, &events.ReplayEventsWorker{DB: s.DB, Now: s.Now})
	river.AddWorker(workers, &events.WakeDeliveriesWorker{DB: s.DB})

	river.AddWorker(workers, place)
	river.AddWorker(workers, start)
	river.AddWorker(workers, finish)
	river.AddWorker(workers, &calls.WakeWaitingCallsWorker{DB: s.DB})
	river.AddWorker(workers, &erasure.DiscardCallWorker{DB: s.DB})
	river.AddWorker(workers, &erasure.DiscardRecordingsWorker{Files: s.Files})
	river.AddWorker(workers, &erasure.ForgetCallWorker{DB: s.DB, Now: s.Now})

	river.AddWorker(workers, analyze)

	river.AddWorker(workers, &messages.SendMailWorker{DB: s.DB, Mail: s.Mail, Sent: costs.AddLater, Logger: s.Logger, Now: s.Now})
	river.AddWorker(workers, &messages.SendSMSWorker{DB: s.DB, SMS: s.SMS, Sent: costs.AddLater, Logger: s.Logger, Now: s.Now})

	river.AddWorker(workers, &numbers.CreateVerificationAddressWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &numbers.UploadVerificationDocumentWorker{DB: s.DB, Carriers: carriers, Documents: documents,
		Scanner: s.Scanner})
	river.AddWorker(workers, &numbers.DiscardVerificationFileWorker{DB: s.DB, Files: s.Files})
	river.AddWorker(workers, &numbers.ReviewVerificationGroupWorker{DB: s.DB, Carriers: carriers, Documents: documents})
	river.AddWorker(workers, &numbers.FulfilNumberOrderWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &numbers.ReleasePhoneNumberWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &numbers.RegisterSIPConnectionWorker{DB: s.DB, Registrant: s.Registrant, ProcessID: s.ProcessID})

	river.AddWorker(workers, &knowledge.IngestKnowledgeWorker{DB: s.DB, Websites: s.Websites, Embeds: embeds})
	river.AddWorker(workers, &knowledge.EmbedKnowledgeWorker{DB: s.DB, Embed: s.Embed})
	river.AddWorker(workers, &knowledge.CatchUpEmbeddingsWorker{DB: s.DB, Embed: s.Embed})

	river.AddWorker(workers, &agents.SetUpInstantAgentWorker{DB: s.DB, Websites: s.Websites, Models: s.Models, Embeds: embeds,
		Logger: s.Logger})

	river.AddWorker(workers, &maintenance.PruneExpiredWorker{DB: s.DB})
	river.AddWorker(workers, &maintenance.EnforceRetentionWorker{DB: s.DB, Default: s.Retention, Now: s.Now})
	river.AddWorker(workers, &maintenance.MakePartitionsWorker{DB: s.DB, Now: s.Now})
	river.AddWorker(workers, &maintenance.CheckFilesWorker{DB: s.DB, Files: s.Files, Logger: s.Logger, Now: s.earliest})

	return deliver, func() {
		deliver.Close()
		place.Close()
		start.Close()
		finish.Close()
		analyze.Close()
	}
}

// earliest is the earlier of what Postgres's clock and that of this machine show. Files are stamped by one of them, or by their
// store's: none is to be taken for older than it is.
func (s *Services) earliest() time.Time {
	if here := time.Now(); here.Before(s.Now()) {
		return here
	}
	return s.Now()
}
