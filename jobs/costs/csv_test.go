package costs_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
)

const head = "kind,provider,model,valid_from,usd\n"

// TestReadPrices reads a file as a spreadsheet writes it.
func TestReadPrices(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	const file = "\ufeff# a comment\r\nkind,provider,model,valid_from,usd\r\n" +
		"\"prompt_tokens\",openai, gpt-4o-mini ,2026-11-01,0.15\r\n" +
		"characters,\"a \"\"b\"\", c\",,,150\r\n\r\n" +
		"# another\r\n" +
		"completion_tokens,maker,'@cf/meta/llama,2026-11-01T09:00:00+01:00,0.00000001\r\n" +
		"sms,twilio,31,2026-11-01,0"
	prices, err := costs.ReadPrices(strings.NewReader(file), now)
	require.NoError(t, err)
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, []costs.Price{
		{Kind: jsonb.KindPrompt, Provider: "openai", Model: "gpt-4o-mini", ValidFrom: first, USD: usd(t, "0.15")},
		{Kind: jsonb.KindCharacters, Provider: `a "b", c`, ValidFrom: now, USD: usd(t, "150")},
		{Kind: jsonb.KindCompletion, Provider: "maker", Model: "@cf/meta/llama", ValidFrom: prices[2].ValidFrom, USD: 1},
		{Kind: jsonb.KindSMS, Provider: "twilio", Model: "31", ValidFrom: first},
	}, prices)
	require.Equal(t, first.Add(8*time.Hour), prices[2].ValidFrom.UTC())
}

// TestReadWrongPrices: each refusal names the line and the column.
func TestReadWrongPrices(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                                      "the first line, behind comments, is not kind,provider,model,valid_from,usd",
		"provider,kind,model,valid_from,usd\n":  "the first line, behind comments, is not kind,provider",
		"kind;provider;model;valid_from;usd\n":  "cells are separated by semicolons",
		head + "sms,twilio,31,,0,09\n":          "line 2: there are 6 cells, not 5",
		head + "sms,twilio,31,,\"0,09\"\n":      `line 2: usd: "0,09" is not an amount`,
		head + "sms,a,31,,1\nsms,twilio,31,,\n": `line 3: usd: "" is not an amount`,
		head + "sms,twilio,31,,-1\n":            `line 2: usd: "-1"`,
		head + "sms,twilio,31,,1e-3\n":          `line 2: usd: "1e-3"`,
		head + "sms,twilio,31,,0.000000001\n":   "line 2: usd:",
		head + "sms,twilio,31,,1000001\n":       "line 2: usd: 1000001 is not between 0 and 1000000",
		head + "\n\nsms,twilio,31,01-11-2026,1": "line 4: valid_from: \"01-11-2026\" is neither",
		head + "text,twilio,31,,1\n":            `line 2: kind: "text" is none of prompt_tokens`,
		head + "sms,twilio,+31,,1\n":            `line 2: model: "+31" are not the first digits`,
		head + "sms,twilio,3161234567890123,,1": "line 2: model:",
		head + "characters,a\xe9,,,1\n":         "line 2: provider:",
		head + "sms,\"twilio,31,,1\n":           "line 2",
		head + "sms,t\"wilio,31,,1\n":           "line 2, column 6",
	} {
		prices, err := costs.ReadPrices(strings.NewReader(file), time.Now())
		require.ErrorContains(t, err, want, "%q", file)
		require.Empty(t, prices)
	}
}

// TestPricesThereAndBack writes prices and reads them, those with names that a spreadsheet would take for formulas too.
func TestPricesThereAndBack(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 8, 0, 0, 123456000, time.UTC)
	var prices []costs.Price
	for i, name := range []string{"", "=1+1", "+a", "-1", "@cf/llama", "'quoted", "'=both", "a,b", "a\"b", "a;b", "＝wide",
		"+31612345678"} {
		prices = append(prices, costs.Price{Kind: jsonb.KindPrompt, Provider: name, Model: name, ValidFrom: at, USD: jsonb.USD(i)})
	}
	var file bytes.Buffer
	require.NoError(t, costs.WritePrices(&file, prices))
	for _, formula := range []string{",=", ",+a", ",-", ",@", ",＝"} {
		require.NotContains(t, file.String(), formula)
	}
	read, err := costs.ReadPrices(&file, time.Now())
	require.NoError(t, err)
	require.Equal(t, prices, read)
}

// TestVendorPrices: what is shipped can be imported, is dated, and names its pages.
func TestVendorPrices(t *testing.T) {
	t.Parallel()
	now := time.Now()
	prices, err := costs.ReadPrices(bytes.NewReader(costs.VendorPrices), now)
	require.NoError(t, err)
	require.NotEmpty(t, prices)
	for _, price := range prices {
		require.NotEqual(t, now, price.ValidFrom, "%+v has no date", price)
		require.Positive(t, price.USD)
	}
	require.Contains(t, string(costs.VendorPrices), "# https://")
}
