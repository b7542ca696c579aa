package calls

import (
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/all"
)

// CheckVendors tells wrong of every vendor that an assistant names and that the deployment does not have.
func CheckVendors(config *jsonb.Assistant, offer all.Offer, wrong func(path, why string)) {
	families := map[string][]string{jsonb.FamilyTranscriber: offer.STT, jsonb.FamilyModel: offer.LLM, jsonb.FamilyVoice: offer.TTS}
	for _, vendor := range config.NamedVendors() {
		if why := all.Missing(families[vendor.Family], vendor.Name); why != "" {
			wrong(vendor.Path, why)
		}
	}
}
