package agents

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/jobs/knowledge"
)

// The languages in which instant agents speak.
const (
	dutch   = "nl"
	english = "en"
)

// commonWords are words that every text of a language is full of, and that the other language does not have.
var commonWords = map[string][]string{
	dutch: strings.Fields(`aan als bij bent dan dat de deze die dit een en er geen heeft het hier hoe ik ja je jij jouw kan kunt kunnen maar met
		mijn moet naar nee niet nog om ons onze ook op te tot uit uw van veel vanaf voor waar wat welke wij wilt worden zijn zo zonder`),
	english: strings.Fields(`a about all also an and any are as been but by can do does for from get has have how i if it its more my no not
		offer on our out please that the their there these they this to us what when where which who will with you your`),
}

const (
	languageSample = 20_000 // bytes that are looked at
	languageSure   = 3      // common words that say something; below that a text says nothing
)

// languageOf returns the language of a text, empty when it is too short to say.
func languageOf(text string) string {
	counts := map[string]int{}
	for _, word := range knowledge.Words(text[:min(len(text), languageSample)]) {
		counts[word]++
	}
	score := func(language string) (sum int) {
		for _, word := range commonWords[language] {
			sum += counts[word]
		}
		return sum
	}
	nl, en := score(dutch), score(english)
	switch {
	case max(nl, en) < languageSure || nl == en:
		return ""
	case nl > en:
		return dutch
	}
	return english
}

// languageOfNumber returns what callers of a number most likely speak.
func languageOfNumber(number string) string {
	parsed, err := phonenumbers.Parse(number, "")
	if err != nil {
		return english
	}
	switch phonenumbers.GetRegionCodeForNumber(parsed) {
	case "NL", "BE", "SR":
		return dutch
	}
	return english
}
