package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Limits are what an account may use and how much of it is in use.
type Limits struct {
	ConcurrentCalls    ConcurrentCalls        `json:"concurrent_calls"`
	Credits            int32                  `json:"credits" doc:"The balance." example:"90"`
	KnowledgeDocuments KnowledgeDocuments     `json:"knowledge_documents"`
	RequestRate        middleware.RequestRate `json:"request_rate"`
}

// ConcurrentCalls are the calls that an account runs at once.
type ConcurrentCalls struct {
	Limit           int32 `json:"limit" doc:"More calls wait as queued and start in order." example:"10"`
	ReservedInbound int32 `json:"reserved_inbound" doc:"How many of them are kept for inbound calls." example:"0"`
	Used            int64 `json:"used" example:"3"`
	Waiting         int64 `json:"waiting" doc:"Queued calls." example:"0"`
}

// KnowledgeDocuments are the documents of an account's knowledge base.
type KnowledgeDocuments struct {
	Limit int32 `json:"limit" doc:"One more is refused with 409 limit_reached." example:"1000"`
	Used  int64 `json:"used" example:"12"`
}

type limitsOutput struct{ Body Limits }

func (a *API) registerLimits(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/limits", "get-limits", tagUser, "Get your limits",
		"How many calls run at once and how many wait, your credits, how many documents your knowledge base may have, and the rate limit of this key."), a.limitsGet)
}

func (a *API) limitsGet(ctx context.Context, _ *struct{}) (*limitsOutput, error) {
	who := middleware.CallerOf(ctx)
	row, err := dbsqlc.New().AccountGetUse(ctx, a.DB, &dbsqlc.AccountGetUseParams{ID: who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	return &limitsOutput{Body: Limits{
		ConcurrentCalls: ConcurrentCalls{
			Limit: row.MaxConcurrentCalls, ReservedInbound: row.ReservedInboundCalls, Used: row.Used, Waiting: row.Waiting,
		},
		Credits: row.Credits, KnowledgeDocuments: KnowledgeDocuments{Limit: row.MaxKnowledgeDocuments, Used: row.KnowledgeDocuments}, RequestRate: who.Rate,
	}}, nil
}
