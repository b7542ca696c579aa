package answerer

import "strings"

// What people say who are there, as opposed to who recorded words for somebody else to hear.
var (
	particles = wordsOf("actually hoor zeker toch nou tja uh eh uhm ehm äh ähm oh huh hè hä dear love mate ugh oh ach schat lieverd " +
		"eigentlich anymore")
	firstOnes = wordsOf("i i'm im i've ik ich nee nein")
	absent    = wordsOf("away asleep left slaapt weg vertrokken weggegangen schläft unterwegs")
)

// somebodyElse are the words with which people speak of others, whose greeting a machine would have in their own words.
var somebodyElse = []string{" hes ", " shes ", " he ", " she is ", " hij ", " die is ", " zij is ", " ze is ", " er ist ",
	" sie ist ",
	" my mum ", " my mom ", " my dad ", " mama ", " papa ",
	" my husband ", " my wife ", " mijn man ", " mijn vrouw ", " mein mann ", " meine frau "}

// whose relatives answer a call for somebody else.
var (
	whose     = wordsOf("her his haar zijn z'n hun ihre seine die der ihr sein")
	relatives = wordsOf("mum mom mother dad father wife husband son daughter brother sister roommate colleague assistant moeder vader vrouw man " +
		"zoon dochter broer zus collega huisgenoot mutter vater frau mann sohn tochter bruder schwester kollege kollegin mitbewohner")
)

// Who is about to do something is there.
var (
	obliged = wordsOf("must gotta moet muss")
	hurries = []string{" i have to ", " i need to ", " im about to ", " im just about ", " sta op het punt ", " bin gleich ", " komm gleich "}
)

// purposeOfYours is what people say of the call that they have just taken, and oblige what they are sorry to say to the caller.
var (
	purposeOfYours = []string{" if this is about ", " if it's about ", " als het om ", " als het over ", " als dit over ", " wenn es um "}
	oblige         = []string{" moet ik u ", " moet ik je ", " muss ich sie ", " muss ich ihnen ", " muss ich dich ", " i have to ask you ",
		" i must ask you ", " leg u even neer ", " leg je even neer ", " put you on hold "}
)

// live is what the build of words says for a person: who offers to do something asks whether they may, speaks of others
// who are not there, uses the small words of a conversation, or begins in the middle of it, without a greeting or a name.
func (s speech) live(text string) int {
	score := 0
	if (strings.Contains(text, "?") || s.asksUnmarked(text)) && !s.has(automatic) && s.near(asking, oneself, 0) {
		score += 5
	}
	if s.hasAny(somebodyElse...) && (s.has(denying) || s.has(absent)) {
		score += 3
	}
	if s.near(oneself, obliged, 0) || s.hasAny(hurries...) {
		score += 2
	}
	if s.near(whose, relatives, 0) {
		score += 2
	}
	if s.has(particles) {
		score += 2
	}
	if s.beginsWith(firstOnes, 1) && s.score(recording) == 0 {
		score += 2
	}
	if s.hasAny(purposeOfYours...) {
		score++
	}
	if s.hasAny(oblige...) {
		score += 2
	}
	return score
}

// What questions begin with, also where a recogniser writes no marks, and what the same words stand behind in statements.
var (
	inverted = wordsOf("are do did can could may shall should would is was whats whos hows kan mag zal bent kann darf soll sind")
	asked    = wordsOf("i you your it this that she he we wrong up ik u je jij het dit ich sie das es")
	fronted  = wordsOf("dan nu momenteel dann jetzt leider helaas niet nicht if that this it so as als wenn dass dat die")
)

// asksUnmarked reports whether words without any marks end with a question.
func (s speech) asksUnmarked(text string) bool {
	const end = 10
	if strings.ContainsAny(text, ".,!?") || len(s.words) < 4 {
		return false
	}
	for i := max(len(s.words)-end, 1); i+1 < len(s.words); i++ {
		rest := speech{words: s.words[i:min(i+6, len(s.words))]}
		if inverted[s.words[i]] && asked[s.words[i+1]] && !fronted[s.words[i-1]] && !rest.has(denying) {
			return true
		}
	}
	return false
}

// hasAny reports whether one of the phrases, padded, occurs.
func (s speech) hasAny(phrases ...string) bool {
	for _, phrase := range phrases {
		if strings.Contains(s.padded, phrase) {
			return true
		}
	}
	return false
}
