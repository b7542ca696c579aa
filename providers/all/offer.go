package all

import (
	"fmt"
	"slices"
	"strings"
)

// Offer is which vendors a deployment has, for those who choose among them: the names and aliases of each family. A family
// without names is not restricted.
type Offer struct{ LLM, STT, TTS []string }

// OfferOf returns what a deployment with these settings has. It needs no vendor's key.
func OfferOf(cfg Speech) (Offer, error) {
	var offer Offer
	var err error
	if offer.LLM, err = offered("LLM", LLMs(), cfg.LLM, localLLMs); err != nil {
		return Offer{}, err
	}
	if offer.STT, err = offered("STT", STTs(), cfg.STT, localSTTs); err != nil {
		return Offer{}, err
	}
	if offer.TTS, err = offered("TTS", TTSs(), cfg.TTS, localTTSs); err != nil {
		return Offer{}, err
	}
	return offer, nil
}

func offered[P any](family string, vendors []Vendor[P], settings []Settings, local []string) ([]string, error) {
	var names []string
	for i, s := range orLocal(settings, local) {
		vendor, err := find(family, i, vendors, s.Provider)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{vendor.Name, vendor.Alias} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// Missing returns why a vendor cannot be asked for, given the names of its family in an Offer; empty: it can.
func Missing(names []string, vendor string) string {
	if len(names) == 0 || slices.Contains(names, vendor) {
		return ""
	}
	return fmt.Sprintf("is %q, which this deployment does not have; it has %s", vendor, strings.Join(names, ", "))
}
