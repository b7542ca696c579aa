package embed

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	questionTime = time.Second      // somebody on the telephone waits
	questionRest = 10 * time.Second // of a provider that failed, so that not every question waits for it
)

// Meaning is what a model makes of a text.
type Meaning struct {
	Model  string
	Vector []float32
}

// Questions embeds what callers and customers ask, for whom no answer in time is as good as none. A nil *Questions, of a
// deployment without a model, embeds nothing.
type Questions struct {
	provider Provider
	logger   *slog.Logger
	mu       sync.Mutex
	resting  time.Time // until when
}

// NewQuestions asks provider; without one it is nil.
func NewQuestions(provider Provider, logger *slog.Logger) *Questions {
	if provider == nil {
		return nil
	}
	return &Questions{provider: provider, logger: logger}
}

// Embed is the question's meaning, nil when the provider fails or takes longer than a second: what is asked is then
// looked for by its words alone.
func (q *Questions) Embed(ctx context.Context, question string) *Meaning {
	if q == nil || q.rests() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	vectors, err := q.provider.Embed(limited, []string{question})
	if err != nil {
		if ctx.Err() == nil {
			q.rest()
			q.logger.WarnContext(ctx, "a question is looked for by its words alone", "provider", q.provider.Name(), "error", err)
		}
		return nil
	}
	return &Meaning{Model: q.provider.Model(), Vector: vectors[0]}
}

func (q *Questions) rests() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return time.Now().Before(q.resting)
}

func (q *Questions) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.resting = time.Now().Add(questionRest)
}
