package api

import (
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
)

// ownRules is the metadata key of what asks an operation's own rules, which its schema does not express.
const ownRules = "own_rules"

// withRules has the rules of an input asked before its handler, whatever its schema says: one response then names all that is
// wrong. The input calls brokenRules in its Resolve.
func withRules[I any](op huma.Operation, rules func(*I) error) huma.Operation {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[ownRules] = rules
	return op
}

// brokenRule is a field that breaks a rule. What the schema says of it, or of what it is part of, comes first: the rule read a
// value that is not there.
type brokenRule struct{ huma.ErrorDetail }

// brokenRules returns what is wrong with an input by the rules of its operation. Trouble is left to the handler, which asks
// again.
func brokenRules[I any](ctx huma.Context, in *I) (broken []error) {
	rules, _ := ctx.Operation().Metadata[ownRules].(func(*I) error)
	if rules == nil {
		return nil
	}
	wrong, is := errors.AsType[*apierror.Error](rules(in))
	if !is {
		return nil
	}
	for field, why := range wrong.Body.Details {
		broken = append(broken, &brokenRule{huma.ErrorDetail{Location: "body." + field, Message: why}})
	}
	return broken
}

// addRules adds to a response what breaks rules, where the schema says nothing of it. A rule on several fields, which says one
// thing of each, is not asked where one of them is wrong.
func addRules(response *apierror.Error, errs []error) {
	if response.Body.Details["body"] != "" {
		return
	}
	named, doubtful, rules := map[string]bool{}, map[string]bool{}, map[string]string{}
	for field := range response.Body.Details {
		named[field] = true
	}
	for _, err := range errs {
		if rule, is := errors.AsType[*brokenRule](err); is {
			field := fieldName(rule.Location)
			rules[field] = rule.Message
			doubtful[rule.Message] = doubtful[rule.Message] || isNamed(named, field)
		}
	}
	for field, why := range rules {
		if !doubtful[why] {
			response.With(field, why)
		}
	}
}

// isNamed reports whether a field, what it is part of, or a part of it is among others.
func isNamed(others map[string]bool, field string) bool {
	within := func(part, whole string) bool {
		rest, is := strings.CutPrefix(part, whole)
		return is && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	for other := range others {
		if within(field, other) || within(other, field) {
			return true
		}
	}
	return false
}
