package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
)

// Usage is what calls used in a time, in groups.
type Usage struct {
	Since    time.Time    `json:"since"`
	Before   time.Time    `json:"before" doc:"Itself not included."`
	TimeZone string       `json:"time_zone" doc:"Of days." example:"Europe/Amsterdam"`
	GroupBy  string       `json:"group_by" enum:"day,assistant,number"`
	Groups   []UsageGroup `json:"groups" nullable:"false" doc:"Those with calls, in the order of their keys."`
	Total    UsageSum     `json:"total" doc:"Of all groups."`
}

// UsageGroup is what the calls of a day, an assistant or a number used.
type UsageGroup struct {
	Key  string `json:"key" doc:"The day, the id of the assistant, empty where your server made it up or named none, or the number of yours." example:"2026-11-01"`
	Name string `json:"name" doc:"Of an assistant; of other groups empty."`
	UsageSum
}

// UsageSum is what calls used.
type UsageSum struct {
	Calls              int64     `json:"calls" doc:"Calls that were answered, or cost something."`
	Cost               jsonb.USD `json:"cost" doc:"US dollars: the sum of the calls' costs, digit by digit." example:"12.4075"`
	UnpricedCalls      int64     `json:"unpriced_calls" doc:"Calls that used something without a price, which is not in the cost."`
	OutboundMinutes    float64   `json:"outbound_minutes" doc:"From the answers to the ends of calls."`
	InboundMinutes     float64   `json:"inbound_minutes"`
	TranscriberMinutes float64   `json:"transcriber_minutes" doc:"Sound that was transcribed."`
	PromptTokens       int64     `json:"prompt_tokens" doc:"Those that were cached included."`
	CachedPromptTokens int64     `json:"cached_prompt_tokens"`
	CompletionTokens   int64     `json:"completion_tokens"`
	EmbeddingTokens    int64     `json:"embedding_tokens"`
	Characters         int64     `json:"characters" doc:"That were sent to be spoken."`
	SMS                int64     `json:"sms" doc:"Parts of text messages that were sent."`
	Emails             int64     `json:"emails"`
}

// maxUsageDays is how many days are summed up at once.
const maxUsageDays = 400

type usageInput struct {
	From     ISOTime `query:"from" required:"true" doc:"Calls that were answered from then on; a day begins in the time zone." example:"2026-11-01"`
	To       ISOTime `query:"to" required:"true" doc:"Calls that were answered before; at most 400 days behind from." example:"2026-12-01"`
	GroupBy  string  `query:"group_by" enum:"day,assistant,number" default:"day" doc:"What to sum up by."`
	TimeZone string  `query:"tz" maxLength:"64" doc:"IANA time zone of days; absent: your account's, which your budget shows." example:"Europe/Amsterdam"`
	Format   string  `query:"format" enum:"json,csv" doc:"csv, as Accept: text/csv, for a line for each group; absent: as Accept says."`
	Accept   string  `header:"Accept" hidden:"true"`
}

type usageOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        []byte
}

func (a *API) registerUsage(to huma.API) {
	usage := operation(http.MethodGet, "/v1/usage", "get-usage", tagUser, "Get your usage",
		"What your calls used and cost, by day, by assistant or by number of yours. A call counts when it is over, at the time at which it was answered, at the prices of that time; one that was not answered at its end. "+
			"Each thing that a call used is rounded by itself to a hundred-millionth of a dollar, and nothing is rounded after that: the sums are those of the calls. Calls that were deleted stay in them.")
	usage.Responses = map[string]*huma.Response{"200": {Description: "What calls used.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Usage](), true, "")},
		"text/csv": {Schema: &huma.Schema{Type: huma.TypeString,
			Description: "The fields of the groups: key, name and what they are sums of."}},
	}}}
	handle(a, to, usage, a.usageGet)
}

func (a *API) usageGet(ctx context.Context, in *usageInput) (*usageOutput, error) {
	usage, err := a.sumUsage(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Format == "csv" || in.Format == "" && prefersCSV(in.Accept) {
		text, err := usage.csv()
		return &usageOutput{ContentType: "text/csv; charset=utf-8", Body: text}, err
	}
	text, err := json.Marshal(usage)
	if err != nil {
		return nil, fmt.Errorf("encode usage: %w", err)
	}
	return &usageOutput{ContentType: "application/json", Body: text}, nil
}

// prefersCSV reports whether the first type of an Accept header that we have is CSV.
func prefersCSV(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		switch mediaType, _, _ := mime.ParseMediaType(strings.TrimSpace(part)); mediaType {
		case "text/csv":
			return true
		case "application/json", "application/*", "*/*":
			return false
		}
	}
	return false
}

func (a *API) sumUsage(ctx context.Context, in *usageInput) (*Usage, error) {
	accountID := middleware.CallerOf(ctx).AccountID
	zone, wrong := in.TimeZone, apierror.Invalid()
	if zone == "" {
		budget, err := costs.GetBudget(ctx, a.DB, accountID)
		if err != nil {
			return nil, apierror.FromDB("user", err)
		}
		zone = budget.TimeZone
	}
	location, err := time.LoadLocation(zone)
	if err != nil || !validZone(zone) {
		return nil, wrong.With("tz", unknownZone)
	}
	usage := &Usage{Since: readIn(wrong, "from", in.From, location), Before: readIn(wrong, "to", in.To, location), TimeZone: zone,
		GroupBy: in.GroupBy, Groups: []UsageGroup{}}
	if len(wrong.Body.Details) == 0 && (usage.Before.Before(usage.Since) ||
		usage.Before.Sub(usage.Since) > maxUsageDays*24*time.Hour) {
		wrong.With("to", fmt.Sprintf("is not behind from, or more than %d days", maxUsageDays))
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	rows, err := dbsqlc.New().CallUsageSum(ctx, db.PlanEach(a.DB), &dbsqlc.CallUsageSumParams{
		AccountID: accountID, GroupBy: in.GroupBy, TimeZone: zone, Since: usage.Since, Before: usage.Before,
	})
	if isUnknownZone(err) {
		return nil, wrong.With("tz", unknownZone)
	}
	if err != nil {
		return nil, apierror.FromDB("usage", err)
	}
	total := &dbsqlc.CallUsageSumRow{}
	for _, row := range rows {
		usage.Groups = append(usage.Groups, UsageGroup{Key: row.Key, Name: row.AssistantName, UsageSum: renderUsage(row)})
		addUsage(total, row)
	}
	usage.Total = renderUsage(total)
	return usage, nil
}

// readIn is readTime with days of a time zone, in UTC.
func readIn(wrong *apierror.Error, field string, text ISOTime, zone *time.Location) time.Time {
	if day, err := time.ParseInLocation(time.DateOnly, string(text), zone); err == nil {
		return day.UTC()
	}
	return readTime(wrong, field, text).UTC()
}

// addUsage adds integers, so that the total is exact.
func addUsage(total, row *dbsqlc.CallUsageSumRow) {
	into, from := reflect.ValueOf(total).Elem(), reflect.ValueOf(row).Elem()
	for i := range into.NumField() {
		if field := into.Field(i); field.CanInt() {
			field.SetInt(field.Int() + from.Field(i).Int())
		}
	}
}

func renderUsage(row *dbsqlc.CallUsageSumRow) UsageSum {
	minutes := func(ms int64) float64 { return float64(ms) / float64(time.Minute.Milliseconds()) }
	return UsageSum{
		Calls: row.Calls, Cost: jsonb.USD(row.Cost), UnpricedCalls: row.UnpricedCalls, OutboundMinutes: minutes(row.OutboundMS),
		InboundMinutes:     minutes(row.InboundMS),
		TranscriberMinutes: minutes(row.TranscriberMS), PromptTokens: row.PromptTokens, CachedPromptTokens: row.CachedTokens,
		CompletionTokens: row.CompletionTokens,
		EmbeddingTokens:  row.EmbeddingTokens, Characters: row.Characters, SMS: row.SMS, Emails: row.Mail,
	}
}

// csv returns a line for each group, behind one of titles, and none for the total, which a table would count twice.
func (u *Usage) csv() ([]byte, error) {
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	titles := []string{"key", "name", "calls", "cost", "unpriced_calls", "outbound_minutes", "inbound_minutes",
		"transcriber_minutes", "prompt_tokens",
		"cached_prompt_tokens", "completion_tokens", "embedding_tokens", "characters", "sms", "emails"}
	lines := [][]string{titles}
	for _, group := range u.Groups {
		count := func(n int64) string { return strconv.FormatInt(n, 10) }
		minutes := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
		lines = append(lines, []string{costs.Cell(group.Key), costs.Cell(group.Name), count(group.Calls), group.Cost.String(),
			count(group.UnpricedCalls), minutes(group.OutboundMinutes), minutes(group.InboundMinutes),
			minutes(group.TranscriberMinutes), count(group.PromptTokens), count(group.CachedPromptTokens), count(group.CompletionTokens),
			count(group.EmbeddingTokens), count(group.Characters), count(group.SMS), count(group.Emails)})
	}
	if err := out.WriteAll(lines); err != nil {
		return nil, fmt.Errorf("write usage: %w", err)
	}
	return text.Bytes(), nil
}
