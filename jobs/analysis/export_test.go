package analysis

import (
	"context"

	"github.com/google/uuid"
)

// What the tests of this package see of it.
const AnalysisAttempts = analysisAttempts

// Saved is what an attempt writes.
type Saved = finding

// Found is an attempt's outcome: a summary, or no answer, after which another attempt follows.
func Found(callID uuid.UUID, summary string, failures ...Failure) *Saved {
	if len(failures) > 0 {
		return newFinding(callID, Result{}, failures, true)
	}
	return newFinding(callID, Result{Summary: &summary}, nil, false)
}

// SaveTogether writes the outcomes of several calls in one batch.
func (w *AnalyzeCallWorker) SaveTogether(ctx context.Context, findings ...*Saved) error {
	_, err := w.save(ctx, findings)
	return err
}
