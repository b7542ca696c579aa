package numbers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// RegisterSIPConnectionArgs asks for a process that keeps a SIP connection registered.
type RegisterSIPConnectionArgs struct {
	SIPConnectionID uuid.UUID `json:"sip_connection_id"`
}

// Kind implements river.JobArgs.
func (RegisterSIPConnectionArgs) Kind() string { return "register_sip_connection" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (RegisterSIPConnectionArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// SIPPasswordContext returns what the sealed password of a SIP connection is bound to.
func SIPPasswordContext(connectionID uuid.UUID) string {
	return "sip_connection.sip_password:" + connectionID.String()
}

// Registrant is the telephone that a register_sip_connection job needs.
type Registrant interface {
	// Registers reports whether connections can be registered here: real ones or those of the simulated network.
	Registers(simulated bool) bool
}

// RegisterSIPConnectionWorker gives a connection that nobody keeps registered to its own process, whose telephone finds it
// among its rows. A process that cannot register it leaves the job to others.
type RegisterSIPConnectionWorker struct {
	river.WorkerDefaults[RegisterSIPConnectionArgs]
	DB         dbsqlc.DBTX
	Registrant Registrant
	ProcessID  string
}

// elsewhere is how long another process gets to take a job that is not for this one.
const elsewhere = time.Second

// Work implements river.Worker.
func (w *RegisterSIPConnectionWorker) Work(ctx context.Context, job *river.Job[RegisterSIPConnectionArgs]) error {
	id, queries := job.Args.SIPConnectionID, dbsqlc.New()
	simulated, err := queries.SIPConnectionGetUnclaimed(ctx, w.DB, &dbsqlc.SIPConnectionGetUnclaimedParams{ID: id})
	if errors.Is(err, pgx.ErrNoRows) { // deleted, or taken
		return nil
	}
	if err != nil {
		return fmt.Errorf("get SIP connection: %w", err)
	}
	if !w.Registrant.Registers(simulated) {
		return river.JobSnooze(elsewhere)
	}
	if _, err := queries.SIPConnectionClaim(ctx, w.DB, &dbsqlc.SIPConnectionClaimParams{ID: id,
		WorkerID: &w.ProcessID}); err != nil {
		return fmt.Errorf("claim SIP connection: %w", err)
	}
	return nil
}

// GiveUpSIPConnections leaves what processID kept registered to other processes.
func GiveUpSIPConnections(ctx context.Context, tx pgx.Tx, in queue.Inserter, processID string) error {
	ids, err := dbsqlc.New().SIPConnectionGiveUp(ctx, tx, &dbsqlc.SIPConnectionGiveUpParams{WorkerID: &processID})
	if err != nil {
		return fmt.Errorf("give up SIP connections: %w", err)
	}
	var params []river.InsertManyParams
	for _, id := range ids {
		params = append(params, river.InsertManyParams{Args: RegisterSIPConnectionArgs{SIPConnectionID: id}})
	}
	return queue.Insert(ctx, tx, in, params)
}
