package apifuzz

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

type object = map[string]any

// generator makes values for the document's schemas: most are valid, some are at a limit, some are invalid.
type generator struct {
	*rand.Rand
	document *Document
	id       func(kind string) string // an id of a kind, "" when there is none
	names    []string                 // of fields in examples, to fill free-form objects with
}

// chance is true once in n.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

var (
	strangeTexts = []string{
		"", " ", "a", "null", "0", "-1", "''; DROP TABLE call; --", "%s%n%x", "{{contact_name}}", "{{", "{company_name}", "\\", "\"",
		"<script>", "../../etc/passwd", "\u202eabc", "é\u0301", "日本語", "👩‍👩‍👧‍👦",
		"\x7f", "\t\r\n", "\ufffd", "\ufeff", "http://", "https://[::1", "https://example.com:99999/", "webcal://x", "sip:@",
		"file:///etc/passwd", "00000000-0000-0000-0000-000000000000", "9999-99-99", "24:00", "+", "Infinity",
		strings.Repeat("a", 201), strings.Repeat("é", 256), strings.Repeat("x", 6000), strings.Repeat("y", 60_000),
		strings.Repeat("{{contact_name}}", 1000), strings.Repeat("{{transcript}}", 300),
	}
	sipURIs = []string{
		"sip:desk@example.com", "SIPS:desk@EXAMPLE.com.:5061;transport=tls", "sip:+31201234567@example.com;user=phone",
		"sip:%2B31900123456@[::1]", "sip:01131900123456@127.0.0.1",
		"sip:123456;phone-context=+31900@example.com", "sip:+31900123456:x@example.com", "sip:?+31900123456@example.com",
		"sip:a@b?To=c", "sip:a@b;maddr=127.0.0.1", "sip:%252B31900@a", "sip:a@b\r\nX: y",
	}
	phoneNumbers = []string{"+31612345678", "+31201234567", "+31201234501", "31201234567", "+14155550100", "+442071838750",
		"0031612345678", "+31 6 1234 5678", "+3161234567890123", "tel:+31612345678", "+31201234567;ext=5", "+800"}
	moments = []string{"2026-12-01T10:00:00Z", "2026-12-01T10:00:00+01:00", "2027-02-28T23:59:59.999999999Z",
		"1970-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "0001-01-01T00:00:00Z",
		"2016-12-31T23:59:60Z", "2026-12-01"}
	days      = []string{"2026-11-21", "1970-01-01", "9999-12-31", "0001-01-01", "2026-02-30", "2026-1-1"}
	addresses = []string{"https://example.com/calls", "https://example.com:8443/a?b=c", "http://10.0.0.1/",
		"https://user:pass@example.com/", "ftp://example.com", "https://exämple.com/", "//example.com"}
	clocks       = []string{"09:00", "17:30", "24:00", "00:00", "23:59", "9:00", "25:00"}
	numberValues = []any{0, 1, -1, 2, 7, 100, 101, 255, 65536, 1 << 31, -1 << 31, 1<<53 + 1, 0.5, -0.5, 1e300, -1e300,
		json.Number("1e400"), json.Number("9223372036854775808"), json.Number("-9223372036854775809"), json.Number("1E2"),
		json.Number("1.0"), json.Number("-0")}
)

// text is a text for a field of this name.
func (g *generator) text(name string, schema *huma.Schema) string {
	switch {
	case g.chance(12):
		return pick(g, strangeTexts)
	case len(schema.Enum) > 0:
		text, _ := pick(g, schema.Enum).(string)
		return text
	case BodyKinds[name] != "" || schema.Format == "uuid":
		return g.anyID(BodyKinds[name])
	case schema.Format == "date-time" || name == "from" || name == "to":
		return pick(g, moments)
	case schema.Format == "date":
		return pick(g, days)
	case schema.Pattern != "":
		return pick(g, clocks)
	case name == "sipUri":
		return pick(g, sipURIs)
	case strings.Contains(name, "phone"):
		return g.number()
	case strings.Contains(name, "email"):
		return pick(g, []string{"jan@example.com", "a@b", "Jan <jan@example.com>", "x@exämple.com", strings.Repeat("a", 250) +
			"@example.com"})
	case strings.Contains(name, "url"):
		return pick(g, addresses)
	}
	if len(schema.Examples) > 0 && g.chance(2) {
		if text, ok := pick(g, schema.Examples).(string); ok {
			return text
		}
	}
	most := 40
	if schema.MaxLength != nil {
		most = *schema.MaxLength
		if g.chance(20) {
			return strings.Repeat("z", most+g.IntN(2))
		}
	}
	return g.words(1, min(most, 40))
}

func (g *generator) words(least, most int) string {
	letters := []rune("abcdefghij KLMNO-é0123456789")
	text := make([]rune, least+g.IntN(max(1, most-least)))
	for i := range text {
		text[i] = pick(g, letters)
	}
	return string(text)
}

// number is a phone number, often one that nothing has yet.
func (g *generator) number() string {
	if g.chance(2) {
		return pick(g, phoneNumbers)
	}
	digits := make([]byte, 7)
	for i := range digits {
		digits[i] = byte('0' + g.IntN(10))
	}
	return pick(g, []string{"+3120", "+3170"}) + string(digits)
}

// anyID is an id of a kind, or one that is nothing's.
func (g *generator) anyID(kind string) string {
	if id := g.id(kind); id != "" && !g.chance(10) {
		return id
	}
	var bytes [16]byte
	for i := range bytes {
		bytes[i] = byte(g.IntN(256))
	}
	return uuid.UUID(bytes).String()
}

const deepest = 5

// value is a value of a schema, by and large.
func (g *generator) value(name string, schema *huma.Schema, depth int) any {
	if schema.Ref != "" {
		schema = g.document.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	if choices := slices.Concat(schema.AnyOf, schema.OneOf); len(choices) > 0 {
		return g.value(name, pick(g, choices), depth)
	}
	if schema.Nullable && g.chance(8) || schema.Type == "null" {
		return nil
	}
	switch schema.Type {
	case huma.TypeString:
		return g.text(name, schema)
	case huma.TypeBoolean:
		return g.chance(2)
	case huma.TypeInteger, huma.TypeNumber:
		return g.numeric(schema)
	case huma.TypeArray:
		return g.list(name, schema, depth)
	case huma.TypeObject:
		return g.object(schema, depth)
	}
	return g.anything(depth)
}

func (g *generator) numeric(schema *huma.Schema) any {
	if g.chance(12) {
		return pick(g, numberValues)
	}
	least, most := 0, 100
	if schema.Minimum != nil {
		least = int(*schema.Minimum)
	}
	if schema.Maximum != nil {
		most = int(min(*schema.Maximum, 1e9))
	}
	return pick(g, []int{least, most, least - 1, least + g.IntN(max(1, most-least+1)),
		least + g.IntN(max(1, min(10, most-least+1)))})
}

func (g *generator) list(name string, schema *huma.Schema, depth int) []any {
	most := 3
	if schema.MaxItems != nil && g.chance(30) {
		most = *schema.MaxItems + 2
	}
	list := make([]any, g.IntN(most+1))
	for i := range list {
		list[i] = g.value(strings.TrimSuffix(name, "s"), schema.Items, depth+1)
	}
	return list
}

func (g *generator) object(schema *huma.Schema, depth int) object {
	made := object{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) || g.chance(3) {
			made[name] = g.value(name, schema.Properties[name], depth+1)
		}
	}
	if schema.AdditionalProperties == nil || schema.AdditionalProperties == false {
		return made
	}
	each, _ := schema.AdditionalProperties.(*huma.Schema)
	for range g.IntN(4) {
		name := pick(g, g.names)
		if each != nil && each.Type != "" {
			made[name] = g.value(name, each, depth+1)
			continue
		}
		made[name] = g.anything(depth + 1)
	}
	return made
}

// anything is any JSON value.
func (g *generator) anything(depth int) any {
	most := 7
	if depth > deepest {
		most = 5
	}
	switch g.IntN(most) {
	case 0:
		return nil
	case 1:
		return g.chance(2)
	case 2:
		return pick(g, numberValues)
	case 3:
		return pick(g, strangeTexts)
	case 4:
		return g.words(1, 20)
	case 5:
		return []any{g.anything(depth + 1), g.anything(depth + 1)}[:g.IntN(3)]
	}
	made := object{}
	for range g.IntN(4) {
		made[pick(g, g.names)] = g.anything(depth + 1)
	}
	return made
}

// mutate changes a value somewhere within.
func (g *generator) mutate(value any) any {
	switch value := value.(type) {
	case object:
		names := slices.Sorted(maps.Keys(value))
		if len(names) == 0 || g.chance(8) {
			value[pick(g, g.names)] = g.anything(deepest)
			return value
		}
		name := pick(g, names)
		if g.chance(8) {
			delete(value, name)
			return value
		}
		value[name] = g.mutate(value[name])
		return value
	case []any:
		if len(value) == 0 || g.chance(4) {
			return append(value, g.anything(deepest))
		}
		i := g.IntN(len(value))
		value[i] = g.mutate(value[i])
		return value
	}
	return g.anything(deepest - 1)
}

// garble breaks a text as transport, clients and enemies do.
func (g *generator) garble(text []byte) []byte {
	at := g.IntN(len(text) + 1)
	switch g.IntN(6) {
	case 0:
		return text[:at]
	case 1:
		return slices.Concat(text[:at], []byte{byte(g.IntN(256))}, text[at:])
	case 2:
		return slices.Concat(text, text)
	case 3:
		return slices.Concat([]byte(strings.Repeat(`[`, 10_000)), text)
	case 4:
		return []byte(strings.Replace(string(text), `":"`, `":"\u0000`, 1))
	}
	return []byte(strings.Replace(string(text), `":"`, "\":\"\xff", 1))
}

// fieldNames are the names of all fields in examples, however deep.
func fieldNames(value any, into map[string]bool) {
	switch value := value.(type) {
	case object:
		for name, inner := range value {
			into[name] = true
			fieldNames(inner, into)
		}
	case []any:
		for _, inner := range value {
			fieldNames(inner, into)
		}
	}
}
