package jsonb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
)

// What was used later is written in front: costs are listed in the order in which they arose all the same.
func TestCostsInOrder(t *testing.T) {
	t.Parallel()
	item := func(kind string, part string) jsonb.UsageItem {
		return jsonb.UsageItem{Type: kind, Part: part, Provider: "maker", Kind: jsonb.KindPrompt, Quantity: 1}
	}
	written := jsonb.Usage{
		item(jsonb.CostSMS, ""), item(jsonb.CostAnalysis, "successEvaluation"), item(jsonb.CostAnalysis, "summary"),
		item(jsonb.CostTransport, ""), item(jsonb.CostTranscriber, ""), item(jsonb.CostModel, ""),
	}
	var types []string
	for _, cost := range written.Costs() {
		types = append(types, cost.Type+cost.AnalysisType)
	}
	require.Equal(t, []string{"transport", "transcriber", "model", "analysissuccessEvaluation", "analysissummary", "sms"}, types)
	require.Equal(t, jsonb.CostSMS, written[0].Type, "what was given is as it was")
}
