// Package usage tells whoever made requests what vendors charge for them: tokens, characters and seconds of sound. Packages that
// stand directly before a vendor count, and of embeddings the vendor's own; requests that were given up count as far as they
// came, because they are charged too.
//
// It knows units. It must not know prices, nor whose request it was.
package usage

import (
	"context"
	"time"

	"github.com/callwright/callwright/providers/served"
)

// Use is what one request took of a vendor. Fields of other families are zero.
type Use struct {
	Family     served.Family
	Vendor     string
	Model      string // empty: the vendor has one alone, or it is not known
	Prompt     int    // tokens, without those that are Cached
	Cached     int    // tokens of the prompt that the model had in its cache
	Completion int    // tokens
	Embedding  int    // tokens
	Characters int
	Sound      time.Duration // that was transcribed
	Estimated  bool          // the vendor did not tell: tokens are estimated from the length of texts
}

type key struct{}

// Meter returns a context with which requests are made that are to be counted. count may be called by several goroutines at once,
// and after the request is over for whoever made it. It takes the place of the meter of ctx.
func Meter(ctx context.Context, count func(Use)) context.Context {
	return context.WithValue(ctx, key{}, count)
}

// Count counts what a request with ctx took.
func Count(ctx context.Context, use Use) {
	if count, ok := ctx.Value(key{}).(func(Use)); ok {
		count(use)
	}
}

// bytesPerToken is what models make of European languages, roughly.
const bytesPerToken = 4

// EstimateTokens returns how many tokens a text has, by its length in bytes.
func EstimateTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
