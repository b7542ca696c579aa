package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/costs"
)

// talk is a call and what was said in it.
type talk struct {
	call  *dbsqlc.Call
	turns []*dbsqlc.CallTurn
}

// load returns the talks by the jobs that analyze them. A job without an entry has no call any more.
func (w *AnalyzeCallWorker) load(ctx context.Context, jobs []*AnalyzeCallArgs) (map[*AnalyzeCallArgs]*talk, error) {
	ids := make([]uuid.UUID, len(jobs))
	for i, job := range jobs {
		ids[i] = job.CallID
	}
	found, err := dbsqlc.New().CallListByID(ctx, w.db, &dbsqlc.CallListByIDParams{Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("list calls: %w", err)
	}
	if err := calls.LoadConfigurations(ctx, w.db, found...); err != nil {
		return nil, err
	}
	turns, err := calls.ListTurns(ctx, w.db, ids)
	if err != nil {
		return nil, err
	}
	talks := make(map[*AnalyzeCallArgs]*talk, len(jobs))
	for _, job := range jobs {
		if i := slices.IndexFunc(found, func(call *dbsqlc.Call) bool { return call.ID == job.CallID }); i >= 0 {
			talks[job] = &talk{found[i], turns[job.CallID]}
		}
	}
	return talks, nil
}

// finding is what is to be written of a call's analysis. CallSaveAnalyses names its columns.
type finding struct {
	ID                  uuid.UUID       `json:"id"`
	Analysis            string          `json:"analysis"`
	AnalysisError       *string         `json:"analysis_error"`
	Summary             *string         `json:"summary"`
	SuccessEvaluation   *string         `json:"success_evaluation"`
	StructuredData      json.RawMessage `json:"structured_data,omitempty"`
	StructuredDataMulti json.RawMessage `json:"structured_data_multi,omitempty"`

	usage jsonb.Usage
	again bool // another attempt follows: the call is not reported yet
}

func newFinding(id uuid.UUID, found Result, failures []Failure, again bool) *finding {
	f := &finding{
		ID: id, Analysis: analysisDone, Summary: found.Summary, SuccessEvaluation: found.SuccessEvaluation,
		StructuredData: found.StructuredData, StructuredDataMulti: found.StructuredDataMulti, usage: found.Usage, again: again,
	}
	if len(failures) > 0 {
		f.Analysis, f.AnalysisError = analysisFailed, new(describe(failures))
	}
	if again {
		f.Analysis = calls.AnalysisPending
	}
	return f
}

// save adds what is known to the records of calls. Those that will not be asked about again are reported with it.
func (w *AnalyzeCallWorker) save(ctx context.Context, findings []*finding) (map[*finding]struct{}, error) {
	encoded, err := json.Marshal(findings)
	if err != nil {
		return nil, fmt.Errorf("encode analyses: %w", err)
	}
	var uses []costs.Use
	again := map[uuid.UUID]bool{}
	for _, one := range findings {
		uses = append(uses, costs.Use{CallID: one.ID, Usage: one.usage})
		again[one.ID] = one.again
	}
	in := river.ClientFromContext[pgx.Tx](ctx)
	return nil, db.InTx(ctx, db.PlanOnce(w.db), func(tx pgx.Tx) error {
		if err := costs.AddAllLater(ctx, tx, uses...); err != nil { // it was spent, whatever comes of it
			return err
		}
		// Without those of which another attempt was first, or the call is deleted.
		saved, err := dbsqlc.New().CallSaveAnalyses(ctx, tx, &dbsqlc.CallSaveAnalysesParams{Found: encoded})
		if err != nil {
			return fmt.Errorf("save analyses: %w", err)
		}
		over := slices.DeleteFunc(saved, func(call *dbsqlc.Call) bool { return again[call.ID] })
		if len(over) == 0 {
			return nil
		}
		if err := calls.LoadConfigurations(ctx, tx, over...); err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(over))
		for i, call := range over {
			ids[i] = call.ID
		}
		turns, err := calls.ListTurns(ctx, tx, ids)
		if err != nil {
			return err
		}
		return w.reporter.Report(ctx, tx, in, over, turns)
	})
}
