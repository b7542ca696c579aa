// Package jobs is what happens later: one file per job with its arguments, its kind and its worker, and beside them the
// moves of a call that several rooms make (call.go) and the events that tell of them (event.go). It knows rows and
// providers. It knows no HTTP request, and no telephone: it says what it needs of one (Dialer) and is given it.
//
// A job is an alarm clock. What it works on is a row, which it reads anew and moves by compare-and-set; a job that comes
// twice, or late, or after the row has gone, does nothing.
package jobs

import (
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
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
	Dialer     Dialer
	Embed      embed.Provider // nil: no embedding model is configured
	Files      files.Store
	Hook       *hook.Client
	Logger     *slog.Logger
	Mail       mail.Sender
	Models     Models
	Now        func() time.Time
	ProcessID  string // the owner of the calls and SIP connections that this process claims
	PublicURL  string // where customers reach the API; recordings are named below it
	Registrant Registrant
	Scanner    scan.Scanner
	Seal       Sealer
	SMS        sms.Senders
	Websites   *website.Reader
}

// Register adds every worker. A process that only enqueues registers them too: River refuses, and its leader would
// discard, jobs of a kind it does not know.
func Register(workers *river.Workers, s *Services) {
	sender := &Sender{DB: s.DB, Hook: s.Hook, Seal: s.Seal, Now: s.Now}
	reporter := &Reporter{PublicURL: s.PublicURL, Seal: s.Seal, Now: s.Now}
	carriers := &Carriers{Carriers: s.Carriers, Logger: s.Logger, Now: s.Now}
	documents := &Documents{Files: s.Files, Seal: s.Seal}
	embeds := s.Embed != nil

	river.AddWorker(workers, NewDeliverEventWorker(sender, s.Logger))
	river.AddWorker(workers, &ReplayEventsWorker{DB: s.DB, Now: s.Now})

	river.AddWorker(workers, NewPlaceCallWorker(s.DB, s.Dialer, s.ProcessID))
	river.AddWorker(workers, NewStartScheduledCallWorker(s.DB, s.Dialer, s.ProcessID))
	river.AddWorker(workers, NewFinishCallWorker(s.DB, reporter, Starter{Models: s.Models}.Start))
	river.AddWorker(workers, &WakeWaitingCallsWorker{DB: s.DB})
	river.AddWorker(workers, &DiscardCallWorker{DB: s.DB})
	river.AddWorker(workers, &DiscardRecordingsWorker{DB: s.DB, Files: s.Files})
	river.AddWorker(workers, &ForgetCallWorker{DB: s.DB, Now: s.Now})

	river.AddWorker(workers, &AnalyzeCallWorker{DB: s.DB, Models: s.Models, Reporter: reporter, Now: s.Now})

	river.AddWorker(workers, &SendMailWorker{DB: s.DB, Mail: s.Mail, Logger: s.Logger, Now: s.Now})
	river.AddWorker(workers, &SendSMSWorker{DB: s.DB, SMS: s.SMS, Logger: s.Logger, Now: s.Now})

	river.AddWorker(workers, &CreateVerificationAddressWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &UploadVerificationDocumentWorker{DB: s.DB, Carriers: carriers, Documents: documents, Scanner: s.Scanner})
	river.AddWorker(workers, &DiscardVerificationFileWorker{DB: s.DB, Files: s.Files})
	river.AddWorker(workers, &ReviewVerificationGroupWorker{DB: s.DB, Carriers: carriers, Documents: documents})
	river.AddWorker(workers, &FulfilNumberOrderWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &ReleasePhoneNumberWorker{DB: s.DB, Carriers: carriers})
	river.AddWorker(workers, &RegisterSIPConnectionWorker{DB: s.DB, Registrant: s.Registrant, ProcessID: s.ProcessID})

	river.AddWorker(workers, &IngestKnowledgeWorker{DB: s.DB, Websites: s.Websites, Embeds: embeds})
	river.AddWorker(workers, &EmbedKnowledgeWorker{DB: s.DB, Embed: s.Embed})
	river.AddWorker(workers, &CatchUpEmbeddingsWorker{DB: s.DB, Embed: s.Embed})

	river.AddWorker(workers, &SetUpInstantAgentWorker{DB: s.DB, Websites: s.Websites, Models: s.Models, Embeds: embeds, Logger: s.Logger})

	river.AddWorker(workers, &PruneExpiredWorker{DB: s.DB})
}
