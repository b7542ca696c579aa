// Package jobs is what happens later: one file per job with its arguments, its kind and its worker, and beside them the
// moves of a call that several rooms make (call.go) and the events that tell of them (event.go). It knows rows and
// providers. It knows no HTTP request, and no telephone: it says what it needs of one (Dialer) and is given it.
//
// A job is an alarm clock. What it works on is a row, which it reads anew and moves by compare-and-set; a job that comes
// twice, or late, or after the row has gone, does nothing.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/sms"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/website"
)

// The queues. Their sizes per worker process are the operator's to set.
const (
	QueueCalls     = "calls"            // calls in progress: a job here lasts as long as its call; its size bounds all calls of a process
	QueueSchedule  = "schedule"         // scheduled calls falling due; a job here lasts as long as its call too
	QueueWebhooks  = "webhooks"         // deliveries to customers' servers
	QueueAnalysis  = "analysis"         // what language models say of ended calls
	QueueKnowledge = "knowledge"        // texts that an embedding model embeds
	QueueDefault   = river.QueueDefault // everything else
)

// maxAttempts of a job that must happen: troubles of ours, such as a database that is away or a key that is missing, are
// mended by somebody some day, and until then the job waits. What the world refuses ends a job by its own rules.
const maxAttempts = 1000

// lowestPriority is River's: jobs of it are fetched when no others wait.
const lowestPriority = 4

// RetryPolicy implements river.ClientRetryPolicy for all jobs: they fail of trouble of ours, such as a database that
// restarts, while customers wait. What others refuse is each job's own affair.
type RetryPolicy struct{}

// NextRetry implements river.ClientRetryPolicy.
func (RetryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return retryAt(time.Now(), job.Attempt)
}

// retryAt is after 1, 2, 4, … seconds, at most five minutes.
func retryAt(now time.Time, attempt int) time.Time {
	return now.Add(min(time.Second<<min(max(attempt-1, 0), 10), 5*time.Minute))
}

// Inserter enqueues jobs in a transaction. *river.Client[pgx.Tx] is one.
type Inserter interface {
	InsertTx(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	InsertManyTx(ctx context.Context, tx pgx.Tx, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
}

// Dialer is the telephone that jobs place calls with.
type Dialer interface {
	// ProcessID names the process whose telephone it is; it owns the calls that it claims.
	ProcessID() string
	// Book takes a line for a call before the call is claimed. It waits for one for at most wait, and answers false when
	// there is none or the process takes no new calls. Dial gives the line back; so does Unbook, when no call was claimed.
	Book(ctx context.Context, wait time.Duration) bool
	Unbook()
	// Expect announces claimed calls before the claim commits, so that they are never taken for lost. forget takes that
	// back when the claim fails.
	Expect(callIDs []uuid.UUID) (forget func())
	// Dial rings the claimed call's number, not before at, holds the conversation and returns when the end of the call is
	// recorded.
	Dial(ctx context.Context, call *dbsqlc.Call, at time.Time)
	// Stopping is closed when the process begins to stop: it takes no new calls and lets live ones go on.
	Stopping() <-chan struct{}
}

// Opener opens what db/seal sealed.
type Opener interface {
	Open(sealed, context string) (string, error)
}

// Sealer seals what Opener opens. *seal.Box is one.
type Sealer interface {
	Opener
	Seal(plaintext, context string) string
}

// Deps is all that the workers work with.
type Deps struct {
	DB         db.Beginner
	Calendar   Calendar
	Carriers   telco.Carriers
	Dialer     Dialer
	Embed      embed.Provider // nil: no embedding model is configured
	Files      files.Store
	Hook       *hook.Client
	Logger     *slog.Logger
	Mail       mail.Sender
	Models     Models
	Now        func() time.Time
	PDF        website.PDFReader
	PublicURL  string // where customers reach the API; recordings are named below it
	Registrant Registrant
	Scanner    scan.Scanner
	Seal       Sealer
	SMS        sms.Senders
}

// websites reads what customers name, PDFs too.
func (d *Deps) websites() *website.Reader {
	return website.New(website.Config{HTTP: d.Hook.HTTP(), UserAgent: d.Hook.UserAgent(), PDFs: d.PDF})
}

// learner adds texts to knowledge bases from within a job.
func (d *Deps) learner(ctx context.Context) Learner {
	if d.Embed == nil {
		return Learner{}
	}
	return Learner{Jobs: river.ClientFromContext[pgx.Tx](ctx), Embeds: true}
}

// Register adds every worker. A process that only enqueues registers them too: River refuses, and its leader would
// discard, jobs of a kind it does not know.
func Register(workers *river.Workers, deps *Deps) {
	river.AddWorker(workers, &AnalyzeCallWorker{Deps: deps})
	river.AddWorker(workers, &CatchUpEmbeddingsWorker{Deps: deps})
	river.AddWorker(workers, &CreateVerificationAddressWorker{Deps: deps})
	river.AddWorker(workers, newDeliverEventWorker(deps))
	river.AddWorker(workers, &DiscardVerificationFileWorker{Deps: deps})
	river.AddWorker(workers, &DiscardCallWorker{Deps: deps})
	river.AddWorker(workers, &DiscardRecordingsWorker{Deps: deps})
	river.AddWorker(workers, &EmbedKnowledgeWorker{Deps: deps})
	river.AddWorker(workers, newFinishCallWorker(deps))
	river.AddWorker(workers, &ForgetCallWorker{Deps: deps})
	river.AddWorker(workers, &FulfilNumberOrderWorker{Deps: deps})
	river.AddWorker(workers, &IngestKnowledgeWorker{Deps: deps})
	river.AddWorker(workers, newPlaceCallWorker(deps))
	river.AddWorker(workers, &PruneExpiredWorker{Deps: deps})
	river.AddWorker(workers, &RegisterSIPConnectionWorker{Deps: deps})
	river.AddWorker(workers, &ReplayEventsWorker{Deps: deps})
	river.AddWorker(workers, &SendMailWorker{Deps: deps})
	river.AddWorker(workers, &SendSMSWorker{Deps: deps})
	river.AddWorker(workers, newSetUpInstantAgentWorker(deps))
	river.AddWorker(workers, &ReleasePhoneNumberWorker{Deps: deps})
	river.AddWorker(workers, &ReviewVerificationGroupWorker{Deps: deps})
	river.AddWorker(workers, newStartScheduledCallWorker(deps))
	river.AddWorker(workers, &UploadVerificationDocumentWorker{Deps: deps})
	river.AddWorker(workers, &WakeWaitingCallsWorker{Deps: deps})
}
