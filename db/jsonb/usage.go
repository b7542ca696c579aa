package jsonb

import (
	"cmp"
	"slices"
)

// The types of what a call uses, as servers of this field know them.
const (
	CostTransport   = "transport"
	CostTranscriber = "transcriber"
	CostModel       = "model"
	CostVoice       = "voice"
	CostAnalysis    = "analysis"
	CostKnowledge   = "knowledge-base"
	CostSMS         = "sms"
	CostMail        = "email"
)

// The kinds of prices.
const (
	KindPrompt      = "prompt_tokens"
	KindCached      = "cached_tokens"
	KindCompletion  = "completion_tokens"
	KindEmbedding   = "embedding_tokens"
	KindCharacters  = "characters"
	KindTranscriber = "transcriber_minutes"
	KindOutbound    = "outbound_minutes"
	KindInbound     = "inbound_minutes"
	KindSMS         = "sms"
	KindMail        = "mail"
)

// PriceKinds returns the kinds of prices.
func PriceKinds() []string {
	return []string{KindPrompt, KindCached, KindCompletion, KindEmbedding, KindCharacters, KindTranscriber, KindOutbound,
		KindInbound, KindSMS, KindMail}
}

// Usage is what a call used.
type Usage []UsageItem

// UsageItem is one thing that a call used of one provider, and what it costs. Quantities are tokens, characters, milliseconds and
// messages; a price is for a million tokens or characters, a minute, or a message, in micro-cents as the cost is.
type UsageItem struct {
	Type      string `json:"type"`
	Part      string `json:"part,omitempty"` // of an analysis; "transfer": of transport, a second leg
	Provider  string `json:"provider"`
	Model     string `json:"model,omitempty"`
	Kind      string `json:"kind"`
	Quantity  int64  `json:"quantity"`
	Estimated bool   `json:"estimated,omitempty"`

	// Written with the prices at the start of the call; PriceOf is the model or the first digits of numbers whose price it is.
	Price   *int64 `json:"price,omitempty"`
	PriceOf string `json:"priceOf,omitempty"`
	Cost    int64  `json:"cost,omitempty"`
}

// same reports whether both are of the same thing.
func (i *UsageItem) same(as *UsageItem) bool {
	return i.Type == as.Type && i.Part == as.Part && i.Provider == as.Provider && i.Model == as.Model
}

// stage is 0 of what is used while a call lasts, and greater of what is used later.
func (i *UsageItem) stage() int {
	switch i.Type {
	case CostAnalysis:
		return 1
	case CostSMS, CostMail:
		return 2
	default:
		return 0
	}
}

// mostQuantity is what an item has at most, whatever a server says that it used.
const mostQuantity = 1_000_000_000_000

// Add adds an item to another of the same thing, or as a new one. An item of nothing is left out.
func (u Usage) Add(item UsageItem) Usage {
	if item.Quantity <= 0 {
		return u
	}
	item.Quantity = min(item.Quantity, mostQuantity)
	for i := range u {
		if known := &u[i]; known.same(&item) && known.Kind == item.Kind {
			known.Quantity = min(known.Quantity+item.Quantity, mostQuantity)
			known.Estimated = known.Estimated || item.Estimated
			return u
		}
	}
	return append(u, item)
}

// Cost is what one service of a call cost, in the shape that servers of this field read.
type Cost struct {
	Type             string       `json:"type" enum:"transport,transcriber,model,voice,analysis,knowledge-base,sms,email" doc:"What was used: the telephone line, with an entry of its own for colleagues who were rung to put a caller through, what listens, thinks and speaks in the call, the analysis after it, searches of the knowledge base in it, and messages."`
	AnalysisType     string       `json:"analysisType,omitempty" doc:"Of an analysis: which part of the plan."`
	Carrier          string       `json:"carrier,omitempty" example:"trunk" doc:"Of transport: trunk, which is the operator's; sip-connection, which is yours; or simulated. Of messages: who sent them."`
	Transcriber      *CostService `json:"transcriber,omitempty"`
	Model            *CostService `json:"model,omitempty"`
	Voice            *CostService `json:"voice,omitempty"`
	Minutes          *float64     `json:"minutes,omitempty" doc:"Of a transcriber: the sound that it was sent, which is speech alone."`
	PromptTokens     *int64       `json:"promptTokens,omitempty" doc:"Those that were cached included."`
	CachedTokens     *int64       `json:"cachedPromptTokens,omitempty"`
	CompletionTokens *int64       `json:"completionTokens,omitempty"`
	Characters       *int64       `json:"characters,omitempty" doc:"That were sent to be spoken; what is kept of earlier calls costs nothing."`
	Messages         *int64       `json:"messages,omitempty" doc:"That were sent; a long text counts once for each part of it."`
	Estimated        bool         `json:"estimated" doc:"The provider did not tell all of it: tokens are estimated from the length of texts."`
	Priced           bool         `json:"priced" doc:"Prices are known for all of it; the cost of what has none is 0."`
	Cost             USD          `json:"cost" doc:"US dollars."`
}

// CostService names a service.
type CostService struct {
	Provider string `json:"provider" example:"openai"`
	Model    string `json:"model,omitempty" example:"gpt-4o-mini"`
}

// CostBreakdown sums up the costs of a call, as servers of this field read it.
type CostBreakdown struct {
	Transport           USD   `json:"transport"`
	STT                 USD   `json:"stt"`
	LLM                 USD   `json:"llm"`
	TTS                 USD   `json:"tts"`
	Analysis            USD   `json:"analysis"`
	KnowledgeBase       USD   `json:"knowledgeBase"`
	Messages            USD   `json:"messages" doc:"Text messages and mail."`
	Total               USD   `json:"total"`
	LLMPromptTokens     int64 `json:"llmPromptTokens" doc:"Those that were cached included."`
	LLMCachedTokens     int64 `json:"llmCachedPromptTokens"`
	LLMCompletionTokens int64 `json:"llmCompletionTokens"`
	TTSCharacters       int64 `json:"ttsCharacters"`
}

// Breakdown sums up what was used by type.
func (u Usage) Breakdown() CostBreakdown {
	sum := CostBreakdown{Total: u.Total()}
	into := map[string]*USD{
		CostTransport: &sum.Transport, CostTranscriber: &sum.STT, CostModel: &sum.LLM, CostVoice: &sum.TTS, CostAnalysis: &sum.Analysis,
		CostKnowledge: &sum.KnowledgeBase, CostSMS: &sum.Messages, CostMail: &sum.Messages,
	}
	for _, item := range u {
		if sum := into[item.Type]; sum != nil { // a later version may know more
			*sum += USD(item.Cost)
		}
		switch {
		case item.Type == CostVoice:
			sum.TTSCharacters += item.Quantity
		case item.Type != CostModel:
		case item.Kind == KindCompletion:
			sum.LLMCompletionTokens += item.Quantity
		case item.Kind == KindCached:
			sum.LLMCachedTokens += item.Quantity
			sum.LLMPromptTokens += item.Quantity
		default:
			sum.LLMPromptTokens += item.Quantity
		}
	}
	return sum
}

// Total returns what all of it costs.
func (u Usage) Total() USD {
	var total USD
	for _, item := range u {
		total += USD(item.Cost)
	}
	return total
}

// Costs returns one entry for each service, in the order in which they were first used: what followed from a call is after the call,
// though it is written in front of it.
func (u Usage) Costs() []Cost {
	costs, of := []Cost{}, []*UsageItem{}
	inOrder := slices.Clone(u)
	slices.SortStableFunc(inOrder, func(a, b UsageItem) int { return cmp.Compare(a.stage(), b.stage()) })
	for i := range inOrder {
		item := &inOrder[i]
		at := slices.IndexFunc(of, item.same)
		if at < 0 {
			at, of, costs = len(of), append(of, item), append(costs, newCost(item))
		}
		costs[at].add(item)
	}
	return costs
}

func newCost(of *UsageItem) Cost {
	cost := Cost{Type: of.Type, Priced: true}
	service := &CostService{of.Provider, of.Model}
	switch of.Type { // with what servers of this field require
	case CostTranscriber:
		cost.Transcriber, cost.Minutes = service, new(float64)
	case CostVoice:
		cost.Voice, cost.Characters = service, new(int64)
	case CostModel, CostAnalysis, CostKnowledge:
		if of.Type == CostAnalysis {
			cost.AnalysisType = of.Part
		}
		cost.Model, cost.PromptTokens, cost.CompletionTokens = service, new(int64), new(int64)
	case CostTransport:
		cost.Carrier, cost.Minutes = of.Provider, new(float64)
	default:
		cost.Carrier = of.Provider
	}
	return cost
}

func (c *Cost) add(item *UsageItem) {
	count := func(into **int64) {
		if *into == nil {
			*into = new(int64)
		}
		**into += item.Quantity
	}
	switch item.Kind {
	case KindCached:
		count(&c.CachedTokens)
		count(&c.PromptTokens)
	case KindPrompt, KindEmbedding:
		count(&c.PromptTokens)
	case KindCompletion:
		count(&c.CompletionTokens)
	case KindCharacters:
		count(&c.Characters)
	case KindSMS, KindMail:
		count(&c.Messages)
	default:
		if c.Minutes == nil {
			c.Minutes = new(float64)
		}
		*c.Minutes += float64(item.Quantity) / 60_000
	}
	c.Cost += USD(item.Cost)
	c.Priced = c.Priced && item.Price != nil
	c.Estimated = c.Estimated || item.Estimated
}
