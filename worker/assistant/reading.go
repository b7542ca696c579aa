package assistant

import (
	"regexp"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/spoken"
)

// readingPlan says how sentences are read aloud. Without chunks there is nothing to format.
func readingPlan(chunks map[string]any) spoken.Plan {
	format := object(chunks, "formatPlan", "format_plan")
	plan := spoken.Plan{Off: disabled(chunks) || disabled(format)}
	if above, ok := number(format, "numberToDigitsCutoff", "number_to_digits_cutoff"); ok {
		whole := int(above)
		plan.DigitsAbove = &whole
	}
	if names := texts(format, "formattersEnabled", "formatters_enabled"); names != nil {
		plan.Formatters = make([]spoken.Formatter, len(names))
		for i, name := range names {
			plan.Formatters[i] = spoken.Formatter(name)
		}
	}
	var expressions jsonb.Regexes
	for _, fields := range objects(format, "replacements") {
		if replacement, fine := replacementOf(fields, &expressions); fine {
			plan.Replacements = append(plan.Replacements, replacement)
		}
	}
	return plan
}

func disabled(plan map[string]any) bool {
	enabled, given := plan["enabled"].(bool)
	return given && !enabled
}

// replacementOf leaves out expressions that cannot be read or are too large, which only a server's answer, or the version before,
// can bring.
func replacementOf(fields map[string]any, expressions *jsonb.Regexes) (spoken.Replacement, bool) {
	replacement := spoken.Replacement{Value: text(fields, "value")}
	pattern := text(fields, "regex")
	var err error
	switch text(fields, "type") {
	case "regex":
		replacement.Regex = true
		replacement.Pattern, err = expressions.Compile(pattern, fields["options"])
	default:
		pattern = regexp.QuoteMeta(text(fields, "key"))
		replacement.Once = !flag(fields, "replaceAllEnabled", "replace_all_enabled")
		replacement.Pattern, err = regexp.Compile(pattern)
	}
	return replacement, err == nil && pattern != ""
}
