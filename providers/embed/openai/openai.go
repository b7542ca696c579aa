// Package openai embeds texts with servers of OpenAI's embeddings interface: OpenAI, Ollama, vLLM, Text Embeddings
// Inference, LocalAI and others.
//
// It knows the wire format and validates responses. It must not know what the texts are.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/usage"
)

const (
	defaultModel = "text-embedding-3-small"
	defaultWait  = 30 * time.Second
	maxNumber    = 26 // bytes of one number of a vector, with its separator
)

// Config is an account on a server.
type Config struct {
	Name       string        // in logs and faults; empty: "openai"
	BaseURL    string        // with the version; empty: OpenAI's own
	APIKey     string        // empty: none is sent
	Model      string        // empty: "text-embedding-3-small"
	Dimensions int           // of the vectors, if the model has a choice; 0: the model's default
	Wait       time.Duration // for a whole response; 0: 30 s
	HTTP       *http.Client  // nil: a new one
}

// Provider is an embed.Provider.
type Provider struct {
	cfg      Config
	endpoint openaihttp.Endpoint
}

// New returns a Provider with the defaults of cfg filled in.
func New(cfg Config) *Provider {
	cfg.Model = cmp.Or(cfg.Model, defaultModel)
	if cfg.Wait <= 0 {
		cfg.Wait = defaultWait
	}
	return &Provider{cfg: cfg, endpoint: openaihttp.NewEndpoint(cfg.Name, cfg.BaseURL, cfg.APIKey, cfg.HTTP)}
}

// Name returns the configured name.
func (p *Provider) Name() string { return p.endpoint.Provider }

// Model returns the configured model, with the dimensions if they are configured: vectors of other lengths are not
// comparable.
func (p *Provider) Model() string {
	if p.cfg.Dimensions == 0 {
		return p.cfg.Model
	}
	return fmt.Sprintf("%s/%d", p.cfg.Model, p.cfg.Dimensions)
}

// Embed embeds all texts with one request.
func (p *Provider) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	request := map[string]any{"model": p.cfg.Model, "input": texts, "encoding_format": "float"}
	if p.cfg.Dimensions > 0 {
		request["dimensions"] = p.cfg.Dimensions
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Refused, Provider: p.endpoint.Provider, Message: "request cannot be written", Err: err}
	}
	reply, err := p.endpoint.Post(ctx, openaihttp.Request{
		Path: "/embeddings", ContentType: "application/json", Body: body,
		Wait: p.cfg.Wait, MaxBytes: int64(len(texts)+1) * embed.MaxDimensions * maxNumber,
	})
	if err != nil {
		return nil, err
	}
	defer reply.Close()
	response, err := io.ReadAll(reply)
	if err != nil {
		return nil, err
	}
	vectors, err := p.read(response, len(texts))
	usage.Count(ctx, p.use(response, texts))
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unavailable, Provider: p.endpoint.Provider, Message: "response cannot be used", Err: err}
	}
	return vectors, nil
}

// use returns what a request took: as the server says, or else by the lengths of the texts.
func (p *Provider) use(response []byte, texts []string) usage.Use {
	use := usage.Use{Family: served.Embeddings, Vendor: p.Name(), Model: p.cfg.Model}
	var told struct {
		Usage struct {
			PromptTokens int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(response, &told); err == nil && told.Usage.PromptTokens > 0 {
		use.Embedding = told.Usage.PromptTokens
		return use
	}
	for _, text := range texts {
		use.Embedding += usage.EstimateTokens(len(text))
	}
	use.Estimated = true
	return use
}

// read returns the vectors in the order of the texts. It validates them: a wrong one would be stored with its text.
func (p *Provider) read(response []byte, texts int) ([][]float32, error) {
	var read struct {
		Data []struct {
			Index     *int      `json:"index"` // left out by some servers
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(response, &read); err != nil {
		return nil, err
	}
	if len(read.Data) != texts {
		return nil, fmt.Errorf("%d vectors for %d texts", len(read.Data), texts)
	}
	vectors := make([][]float32, texts)
	for i, item := range read.Data {
		if item.Index != nil {
			i = *item.Index
		}
		if i < 0 || i >= texts || vectors[i] != nil {
			return nil, errors.New("vectors that belong to no text, or to the same")
		}
		if err := p.check(item.Embedding, read.Data[0].Embedding); err != nil {
			return nil, err
		}
		vectors[i] = item.Embedding
	}
	return vectors, nil
}

func (p *Provider) check(vector, first []float32) error {
	switch {
	case len(vector) == 0 || len(vector) > embed.MaxDimensions || len(vector) != len(first),
		p.cfg.Dimensions > 0 && len(vector) != p.cfg.Dimensions:
		return fmt.Errorf("a vector of %d dimensions", len(vector))
	case !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }):
		return errors.New("a vector that points nowhere")
	}
	return nil
}
