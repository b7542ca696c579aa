package vapi

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What this deployment refuses of a body it names by its path, such as model.tools[1].function.name. An assistant without that is
// better than none: what is refused is taken out, and said.

// ofVendor are the fields of a service that mean something to its vendor alone.
var ofVendor = map[string][]string{
	"transcriber": {"provider", "model"}, "model": {"provider", "model", "url"}, "voice": {"provider", "model", "voiceId"},
}

// whole are the lists of which what is refused goes as a whole: a function without its name is none.
var whole = regexp.MustCompile(`^(model\.tools\[\d+\]|call_transfers\[\d+\]|(transcriber|voice)\.fallbackPlan\.\w+\[\d+\]|model\.fallbackModels\[\d+\])`)

// repair takes out of the body what was refused, and reports whether there was anything.
func repair(body map[string]any, refused map[string]string, said *report) bool {
	repaired := false
	for _, path := range slices.Sorted(maps.Keys(refused)) {
		family, field, _ := strings.Cut(path, ".")
		if fields := ofVendor[family]; fields != nil && field == "provider" {
			service := object(body[family])
			for _, field := range fields {
				delete(service, field)
			}
			said.say(path, Changed, refused[path]+"; the deployment's own is asked")
			repaired = true
			continue
		}
		target := path
		if found := whole.FindString(path); found != "" {
			target = found
		}
		if path != "assistant_name" && remove(body, target) {
			why := refused[path]
			if target != path {
				why = strings.TrimPrefix(path, target+".") + " " + why
			}
			said.say(target, Dropped, why)
			repaired = true
		}
	}
	compact(body)
	return repaired
}

var step = regexp.MustCompile(`([^.\[\]]+)|\[(\d+)\]`)

// remove takes out what stands at a path, or the nearest that holds it. Of a list it leaves nil, so that its other elements keep
// their paths; compact removes those.
func remove(body map[string]any, path string) bool {
	var holder any = body
	var undo func()
	for _, found := range step.FindAllStringSubmatch(path, -1) {
		name, index := found[1], -1
		if name == "" {
			index, _ = strconv.Atoi(found[2]) //nolint:errcheck // digits
		}
		switch inside := holder.(type) {
		case map[string]any:
			if _, there := inside[name]; !there {
				return did(undo)
			}
			holder, undo = inside[name], func() { delete(inside, name) }
		case []any:
			if index < 0 || index >= len(inside) || inside[index] == nil {
				return did(undo)
			}
			holder, undo = inside[index], func() { inside[index] = nil }
		default:
			return did(undo)
		}
	}
	return did(undo)
}

func did(undo func()) bool {
	if undo == nil {
		return false
	}
	undo()
	return true
}

// compact removes the nil elements of lists.
func compact(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name := range value {
			value[name] = compact(value[name])
		}
	case []any:
		left := slices.DeleteFunc(value, func(item any) bool { return item == nil })
		for i := range left {
			left[i] = compact(left[i])
		}
		return left
	}
	return value
}

// because says why a request was refused, in one line.
func (r *Refused) because() string {
	why := []string{r.Message}
	for _, path := range slices.Sorted(maps.Keys(r.Details)) {
		why = append(why, path+" "+r.Details[path])
	}
	return strings.Join(why, "; ")
}
