package jsonb

import "fmt"

// The families of services that an assistant names vendors of.
const (
	FamilyTranscriber = "transcriber"
	FamilyModel       = "model"
	FamilyVoice       = "voice"
)

// NamedVendor is a vendor that an assistant asks for by name.
type NamedVendor struct {
	Family string
	Path   string // where it stands, such as model.fallbackModels[0].provider
	Name   string
}

// NamedVendors returns the vendors that the assistant names: those of its services and of what may stand in for them.
func (a *Assistant) NamedVendors() []NamedVendor {
	var named []NamedVendor
	add := func(family, path string, service map[string]any) {
		if name, _ := service["provider"].(string); name != "" {
			named = append(named, NamedVendor{Family: family, Path: path + ".provider", Name: name})
		}
	}
	addAll := func(family, path string, from map[string]any, keys ...string) {
		for _, key := range keys {
			list, _ := from[key].([]any)
			for i, item := range list {
				service, _ := item.(map[string]any)
				add(family, fmt.Sprintf("%s.%s[%d]", path, key, i), service)
			}
		}
	}
	for family, service := range map[string]Object{FamilyTranscriber: a.Transcriber, FamilyModel: a.Model, FamilyVoice: a.Voice} {
		add(family, family, service)
		for _, key := range []string{"fallbackPlan", "fallback_plan"} {
			plan, _ := service[key].(map[string]any)
			addAll(family, family+"."+key, plan, "transcribers", "voices")
		}
		addAll(family, family, service, "fallbackModels", "fallback_models")
	}
	return named
}
