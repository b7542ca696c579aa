// Package served tells whoever made a request which vendor really served it, and which did not: behind a chain of providers
// that is not known before something has come.
//
// It knows the families of providers. It must not know what is made of what it tells.
package served

import "context"

// Family is a family of providers.
type Family string

// The families.
const (
	STT Family = "transcriber"
	LLM Family = "model"
	TTS Family = "voice"

	// Answerer is a model that is asked who has answered a call, and is no reply.
	Answerer Family = "answering-detection"

	// Embeddings have no stand-ins: vectors of two models cannot be compared.
	Embeddings Family = "embeddings"
)

// By is who served a request.
type By struct {
	Vendor  string
	StandIn bool // for another vendor, which was to serve it
}

type key struct{}

// Report returns a context with which requests are made whose vendors are to be known. report is called once for each request
// that was served: when a recogniser was opened, and with the first of what a model or a voice produced. It may be called by
// several goroutines at once. It takes the place of the report of ctx.
func Report(ctx context.Context, report func(Family, By)) context.Context {
	return context.WithValue(ctx, key{}, report)
}

// Tell reports that a request with ctx was served.
func Tell(ctx context.Context, family Family, by By) {
	if report, ok := ctx.Value(key{}).(func(Family, By)); ok {
		report(family, by)
	}
}
