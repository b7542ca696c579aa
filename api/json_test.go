package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestCheckJSONRefuses(t *testing.T) {
	t.Parallel()
	deepName := strings.Repeat(`{"a":`, 40) + `{"b":1,"b":2}` + strings.Repeat("}", 40)
	for name, test := range map[string]struct{ body, field, message string }{
		"duplicate name":              {`{"a":1,"b":2,"a":3}`, "a", "has a name twice"},
		"duplicate name, escaped":     {`{"a":1,"\u0061":3}`, "a", "has a name twice"},
		"duplicate name in an object": {`{"plan":{"steps":{"x":1,"x":2}}}`, "plan.steps.x", "has a name twice"},
		"duplicate name in a list":    {`{"faqs":[{"q":"a"},{"q":"a","q":"b"}]}`, "faqs[1].q", "has a name twice"},
		"duplicate name at depth":     {deepName, strings.Repeat("a.", 40) + "b", "has a name twice"},
		"duplicate empty name":        {`{"":1,"":2}`, "body", "has a name twice"},
		"NUL in a string":             {`{"name":"A\u0000B"}`, "name", "contains a NUL character"},
		"NUL in a list":               {`{"tags":["x",["\u0000"]]}`, "tags[1][0]", "contains a NUL character"},
		"NUL in a name":               {`{"plan":{"a\u0000":1}}`, "plan.a\x00", "contains a NUL character"},
		"NUL alone":                   {`"\u0000"`, "body", "contains a NUL character"},
		"unescaped NUL": {"{\"a\":\"\x00\"}", "body",
			"is not valid JSON: invalid character '\\x00' in string (expecting non-control character)"},
		"invalid UTF-8 in a string": {"{\"a\":\"\xff\"}", "body", "is not valid UTF-8"},
		"invalid UTF-8 in a name":   {"{\"\xc3\":1}", "body", "is not valid UTF-8"},
		"overlong UTF-8":            {"{\"a\":\"\xc0\x80\"}", "body", "is not valid UTF-8"},
		"surrogate in UTF-8":        {"{\"a\":\"\xed\xa0\x80\"}", "body", "is not valid UTF-8"},
		"half a surrogate pair":     {`{"a":"\ud800"}`, "body", "is not valid JSON: invalid surrogate pair `\\ud800\"}` in string"},
		"too deep":                  {nested(maxJSONDepth + 1), "body", "is nested deeper than 64 levels"},
		"too many values":           {"[0" + strings.Repeat(",0", maxJSONTokens) + "]", "body", "holds more than 50000 names and values"},
		"too many objects": {`{"a":[{}` + strings.Repeat(",{}", maxJSONTokens/2) + "]}", "body",
			"holds more than 50000 names and values"},
		"10,000 deep":                  {nested(10_000), "body", "is nested deeper than 64 levels"},
		"10,000 deep and never closed": {strings.Repeat(`{"a":`, 10_000), "body", "is nested deeper than 64 levels"},
		"empty":                        {"", "body", "is not valid JSON: it ends too early"},
		"blank":                        {" \n", "body", "is not valid JSON: it ends too early"},
		"cut in an object":             {`{"a":1`, "body", "is not valid JSON: it ends too early"},
		"cut in a string":              {`{"a":"x`, "body", "is not valid JSON: it ends too early"},
		"cut in a word":                {`{"a":tru`, "body", "is not valid JSON: it ends too early"},
		"cut after a name":             {`{"a"`, "body", "is not valid JSON: it ends too early"},
		"garbage after the end":        {`{"a":1} x`, "body", "is not valid JSON: something follows its end"},
		"another value after the end":  {`{"a":1} {"a":2}`, "body", "is not valid JSON: something follows its end"},
		"a brace too many":             {`{"a":1}}`, "body", "is not valid JSON: something follows its end"},
		"trailing comma":               {`{"a":1,}`, "body", "is not valid JSON: invalid character ',' at start of value"},
		"comment":                      {`{/**/}`, "body", "is not valid JSON: invalid character '/' at start of value"},
		"byte order mark":              {"\ufeff{}", "body", "is not valid JSON: invalid character '\\ufeff' at start of value"},
		"not a number":                 {`{"a":NaN}`, "body", "is not valid JSON: invalid character 'N' at start of value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var problem *jsonProblem
			require.ErrorAs(t, checkJSON([]byte(test.body)), &problem)
			require.Equal(t, test.field, problem.Field)
			require.Equal(t, test.message, problem.Message)
		})
	}
}

func TestCheckJSONAccepts(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, ` null `, `[]`, `"x"`, `1e5`, `{"a":{"a":{"a":1}},"b":{"a":1}}`, `[{"a":1},{"a":1}]`, `{"a":"\\u0000"}`,
		`{"a":"😀\ud83d\ude00"}`,
		nested(maxJSONDepth), `{"0":["0"]}`, "{\"a\":\"\u2028\"}\r\n\t",
	} {
		require.NoError(t, checkJSON([]byte(body)), body)
	}
}

// What the two readers make of a body must not differ: whatever the check lets pass, encoding/json reads.
func FuzzCheckJSON(f *testing.F) {
	for _, body := range []string{`{}`, `{"a":[1,2,{"b":"\u0000"}]}`, `{"a":1,"a":2}`, `{"a":1} x`, `"\ud800"`, "{\"\xff\":1}",
		`[1e400]`, `-`, ``} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		err := checkJSON(body)
		if err == nil && !json.Valid(body) {
			t.Fatalf("%q passed", body)
		}
		var problem *jsonProblem
		if err != nil && !errors.As(err, &problem) {
			t.Fatalf("%q: %T", body, err)
		}
	})
}

// The messages of encoding/json name Go types, which clients must not see.
func TestUnmarshalJSONNamesNoTypes(t *testing.T) {
	t.Parallel()
	type inner struct {
		Count int `json:"count"`
	}
	type body struct {
		Inner  inner       `json:"inner"`
		List   []inner     `json:"list"`
		Opt    Opt[int]    `json:"opt"`
		Small  int32       `json:"small"`
		Time   time.Time   `json:"time"`
		Struct Opt[*inner] `json:"struct"`
	}
	for text, want := range map[string]jsonProblem{
		`{"inner":{"count":1.5}}`: {"inner.count", "takes no such number"},
		`{"inner":{"count":"x"}}`: {"inner.count", "takes no such string"},
		`{"small":3000000000}`:    {"small", "takes no such number"},
		`{"time":"tomorrow"}`:     {"body", "holds a value that cannot be read"},
		`{"opt":1.5}`:             {"opt", "takes no such number"},
		`{"time":1}`:              {"body", "holds a value that cannot be read"},
		`[]`:                      {"body", "takes no such array"},
	} {
		var into body
		var problem *jsonProblem
		require.ErrorAs(t, unmarshalJSON([]byte(text), &into), &problem, text)
		require.Equal(t, want, *problem, text)
	}
	var whole body
	require.NoError(t, unmarshalJSON([]byte(`{"inner":{"count":1e3},"opt":600.0,"small":-0.0}`), &whole))
	require.Equal(t, []int{1000, 600, 0}, []int{whole.Inner.Count, whole.Opt.Value, int(whole.Small)})
	var parsed any
	var problem *jsonProblem
	require.ErrorAs(t, unmarshalJSON([]byte(`{"a":1e400}`), &parsed), &problem)
	require.Equal(t, jsonProblem{"a", "is a larger number than any that is taken"}, *problem)
	require.NoError(t, unmarshalJSON([]byte(`{"a":1}`), &parsed))
	require.Equal(t, map[string]any{"a": 1.0}, parsed)
}
