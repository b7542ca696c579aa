package analysis

import (
	"encoding/json"
	"fmt"
)

// rubric is a scale for the success of a call.
type rubric struct {
	says   string // to the model
	schema *Schema
	unit   string // behind a number
}

// rubricNamed returns a scale by its name in this field.
func rubricNamed(name string) (*rubric, error) {
	var says, unit string
	var evaluation map[string]any
	switch name {
	case "NumericScale":
		says, evaluation = "a number from 1 (failed) to 10 (perfect).", wholeNumber(1, 10)
	case "DescriptiveScale":
		says, evaluation = "Excellent, Good, Fair or Poor.", oneOf("Excellent", "Good", "Fair", "Poor")
	case "Checklist":
		says = "a checklist of the criteria that the call had to meet, each met or not."
		evaluation = listOf("met", map[string]any{"type": "boolean"})
	case "Matrix":
		says = "a matrix of several criteria, each at the level Excellent, Good, Fair or Poor."
		evaluation = listOf("level", oneOf("Excellent", "Good", "Fair", "Poor"))
	case "PercentageScale":
		says, evaluation, unit = "a percentage from 0 (failed) to 100 (perfect).", wholeNumber(0, 100), "%"
	case "LikertScale":
		says = "how far you agree that the call was a success, from Strongly Agree to Strongly Disagree."
		evaluation = oneOf("Strongly Agree", "Agree", "Neutral", "Disagree", "Strongly Disagree")
	case "AutomaticRubric":
		says = "criteria of your own choice that fit the call, each with a score from 1 (failed) to 10 (perfect)."
		evaluation = listOf("score", wholeNumber(1, 10))
	case "PassFail":
		says, evaluation = "true when the call was a success, false when it was not.", map[string]any{"type": "boolean"}
	default:
		return nil, fmt.Errorf("there is no rubric %q", name)
	}
	schema, err := CompileSchema(map[string]any{
		"type": "object", "properties": map[string]any{"evaluation": evaluation}, "required": []any{"evaluation"},
		"additionalProperties": false,
	})
	if err != nil {
		return nil, fmt.Errorf("compile rubric %s: %w", name, err)
	}
	return &rubric{says: says, schema: schema, unit: unit}, nil
}

// text returns an evaluation as records and reports have it: a word, a number, or a list as JSON text.
func (r *rubric) text(evaluation any) (string, error) {
	switch value := evaluation.(type) {
	case string:
		return value, nil
	case json.Number:
		whole, err := value.Float64() // 8.0 is a whole number too
		return fmt.Sprintf("%.0f%s", whole, r.unit), err
	}
	text, err := json.Marshal(evaluation)
	return string(text), err
}

func wholeNumber(least, most int) map[string]any {
	return map[string]any{"type": "integer", "minimum": float64(least), "maximum": float64(most)}
}

func oneOf(words ...string) map[string]any {
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}
	return map[string]any{"type": "string", "enum": list}
}

// listOf returns a list of criteria with a verdict each.
func listOf(verdict string, of map[string]any) map[string]any {
	return map[string]any{
		"type": "array", "minItems": 1.0, "maxItems": 20.0,
		"items": map[string]any{
			"type":       "object",
			"properties": map[string]any{"criterion": map[string]any{"type": "string"}, verdict: of},
			"required":   []any{"criterion", verdict}, "additionalProperties": false,
		},
	}
}
