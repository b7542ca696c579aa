package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/spending"
)

// Limits are what an account may use and how much of it is in use.
type Limits struct {
	ConcurrentCalls    ConcurrentCalls        `json:"concurrent_calls"`
	Credits            int32                  `json:"credits" doc:"The balance." example:"90"`
	KnowledgeDocuments KnowledgeDocuments     `json:"knowledge_documents"`
	Destinations       Destinations           `json:"destinations"`
	CallsPerNumber     CallsPerNumber         `json:"calls_per_number"`
	DailyMinutes       DailyMinutes           `json:"daily_minutes"`
	DailyTexts         DailyTexts             `json:"daily_texts"`
	Retention          Retention              `json:"retention"`
	RefusedToday       map[string]int64       `json:"refused_today" doc:"How many calls, transfers and texts each rule refused since midnight in UTC, by its name." nullable:"false"`
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

// Destinations are the numbers that an account may call, transfer calls to and write to, also with a test key.
type Destinations struct {
	Countries    []string `json:"countries" nullable:"false" doc:"Countries (ISO 3166) that may be called and written to. A number of a SIP connection may call its own country, too. Others are refused with 403 destination_not_allowed, reason country." example:"[\"BE\",\"DE\",\"NL\"]"`
	Default      bool     `json:"default" doc:"They are the default: the countries of the European Union and the European Economic Area, and those of the numbers that you have from the operator."`
	RefusedTypes []string `json:"refused_types" nullable:"false" doc:"Types of numbers that are never called; reason number_type. Your own numbers and the shared ones are not called either; reason own_number." enum:"premium,shared-cost,satellite,personal"`
}

// CallsPerNumber is how often one number is called.
type CallsPerNumber struct {
	Limit *int32 `json:"limit" doc:"Calls to one number within an hour, transfers included; null: no limit. One more is refused with 403 destination_not_allowed, reason calls_per_number. Test calls do not count." example:"20"`
}

// DailyMinutes are the minutes of outbound calls in a day in UTC.
type DailyMinutes struct {
	Limit    *int32  `json:"limit" doc:"null: no limit. When less than one minute is left, calls are refused with 403 destination_not_allowed, reason daily_minutes, and a queued one ends as failed. Test calls do not count." example:"1440"`
	Used     float64 `json:"used" doc:"Of calls that have ended today." example:"12.5"`
	Reserved float64 `json:"reserved" doc:"What live calls may last at most. A call lasts no longer than what was left when it was dialed." example:"10"`
}

// Retention is for how long things are kept.
type Retention struct {
	TranscriptsDays *int32 `json:"transcripts_days" doc:"Days after a call for which what was said in it is kept; null: as long as the call. Summary and recording have their own." example:"30"`
	RecordingsDays  *int32 `json:"recordings_days" doc:"Days after a call for which its recording is kept; null: as long as the call." example:"30"`
	EventsDays      *int32 `json:"events_days" doc:"Days for which events and their deliveries are kept; null: for ever. A cursor from before goes on with the oldest that is left." example:"90"`
	CallsDays       *int32 `json:"calls_days" doc:"Days for which a call is kept, with all that belongs to it; null: for ever." example:"365"`
}

// DailyTexts are the texts in a day in UTC.
type DailyTexts struct {
	Limit *int32 `json:"limit" doc:"null: no limit. One number gets one text a day. Texts of test calls do not count." example:"200"`
	Used  int64  `json:"used" example:"3"`
}

type limitsOutput struct{ Body Limits }

func (a *API) registerLimits(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/limits", "get-limits", tagUser, "Get your limits",
		"How many calls run at once and how many wait, your credits, how many documents your knowledge base may have, which numbers you may reach, how often, and for how much of a day, for how long things are kept, what was refused today, and the rate limit of this key."), a.limitsGet)
}

func (a *API) limitsGet(ctx context.Context, _ *struct{}) (*limitsOutput, error) {
	who := middleware.CallerOf(ctx)
	row, err := dbsqlc.New().AccountGetUse(ctx, a.DB, &dbsqlc.AccountGetUseParams{ID: who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	used, err := spending.Today(ctx, a.DB, who.AccountID)
	if err != nil {
		return nil, err
	}
	countries, err := spending.AllowedCountries(ctx, a.DB, who.AccountID, row.AllowedCountries)
	if err != nil {
		return nil, err
	}
	return &limitsOutput{Body: Limits{
		ConcurrentCalls: ConcurrentCalls{
			Limit: row.MaxConcurrentCalls, ReservedInbound: row.ReservedInboundCalls, Used: row.Used, Waiting: row.Waiting,
		},
		Credits: row.Credits, KnowledgeDocuments: KnowledgeDocuments{Limit: row.MaxKnowledgeDocuments, Used: row.KnowledgeDocuments},
		RequestRate:    who.Rate,
		Destinations:   Destinations{Countries: countries, Default: row.AllowedCountries == nil, RefusedTypes: spending.RefusedTypes()},
		CallsPerNumber: CallsPerNumber{Limit: row.MaxCallsPerNumber},
		DailyMinutes: DailyMinutes{Limit: row.MaxDailyMinutes, Used: float64(used.CallSeconds) / 60,
			Reserved: float64(row.ReservedSeconds) / 60},
		DailyTexts: DailyTexts{Limit: row.MaxDailyTexts, Used: used.Texts}, RefusedToday: used.Refused,
		Retention: renderRetention(a.Retention.Of(row.KeepTranscripts, row.KeepRecordings, row.KeepEvents, row.KeepCalls)),
	}}, nil
}

func renderRetention(kept maintenance.Retention) Retention {
	days := func(n int32) *int32 {
		if n == 0 {
			return nil
		}
		return &n
	}
	return Retention{TranscriptsDays: days(kept.Transcripts), RecordingsDays: days(kept.Recordings), EventsDays: days(kept.Events),
		CallsDays: days(kept.Calls)}
}
