package embed

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	questionTime     = time.Second      // a caller waits
	questionCooldown = 10 * time.Second // of a provider that failed, so that not every question waits for it
)

// Meaning is the embedding of a text.
type Meaning struct {
	Model  string
	Vector []float32
}

// Questions embeds questions of callers and customers, for which a late result is useless. A nil *Questions, for
// deployments without a model, embeds nothing.
type Questions struct {
	provider Provider
	logger   *slog.Logger
	mu       sync.Mutex
	cooldown time.Time // end of the cooldown
}

// NewQuestions returns the questions of provider, or nil if provider is nil.
func NewQuestions(provider Provider, logger *slog.Logger) *Questions {
	if provider == nil {
		return nil
	}
	return &Questions{provider: provider, logger: logger}
}

// Embed returns the meaning of a question, or nil if the provider fails or takes longer than a second: the question is
// then searched for by its words only.
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
			q.logger.WarnContext(ctx, "a question is searched for by its words only", "provider", q.provider.Name(), "error", err)
		}
		return nil
	}
	return &Meaning{Model: q.provider.Model(), Vector: vectors[0]}
}

func (q *Questions) rests() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return time.Now().Before(q.cooldown)
}

func (q *Questions) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cooldown = time.Now().Add(questionCooldown)
}
