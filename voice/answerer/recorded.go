package answerer

import "strings"

// What tells that words were recorded for somebody who hears them later, whatever they are about.
var (
	ourselvesNow = wordsOf("i im ive we were weve ik we wij ich wir")
	guessed      = wordsOf("probably likely presumably either waarschijnlijk vermoedelijk wahrscheinlich vermutlich entweder")

	matters = wordsOf("what why that wat waarom waarvoor dat was warum weshalb dass")
	caller  = wordsOf("you u je jij jullie du ihr sie")
	past    = wordsOf("wanted called rang phoned tried wilde wilden wou belde gebeld wolltest wolltet wollten angerufen gewollt")

	from  = wordsOf("from between van tussen von zwischen")
	until = wordsOf("until till to through and tot en bis und")
	hours = wordsOf("one two three four five six seven eight nine ten eleven twelve noon midnight een één twee drie vier vijf zes " +
		"zeven acht negen tien elf twaalf eins zwei drei fünf sechs sieben neun zehn zwölf mittags 7 8 9 10 11 12 1 2 3 4 5 6 " +
		"monday tuesday wednesday thursday friday saturday sunday maandag dinsdag woensdag donderdag vrijdag zaterdag zondag montag " +
		"dienstag mittwoch donnerstag freitag samstag sonntag")

	leave = wordsOf("leave holiday holidays vacation away gone back verlof vakantie weg vrij terug urlaub ferien zurück")
	till  = wordsOf("until till tot bis")

	trying = wordsOf("try ring call probeer probeert bel belt versuch versuchs versucht versuchen ruf rufen")
	again  = wordsOf("later again after instead straks na nog nach später nochmal noch")

	nobody    = wordsOf("nobody noone none niemand keiner keine")
	having    = wordsOf("have youve heeft hebt hebben haben habt hast")
	connected = wordsOf("reached rung called phoned dialed dialled bereikt gebeld gekozen gedraaid erreicht angerufen gewählt")
	devices   = wordsOf("postvak postfach inbox answerphone ansaphone answermachine recording recorder recordings opname bandje gerät anrufbeantworter mailbox")
	knowing   = wordsOf("know knows recognise recognize recognises recognizes ken kent herken herkent kenne kennt kennen")
	beeping   = wordsOf("beep beeps bleep piep piept piepts piepje pieptoon bliep piepton signalton")
	full      = wordsOf("full vol voll")
	// what callers know to do with machines: "you know the deal"
	knowingHow = wordsOf("know weet kent weißt wisst kennst kennt")
	known      = wordsOf("drill deal score routine rest rules procedure what how hoe wat wel het das was wie es")
	unknown    = wordsOf("unknown unfamiliar onbekend onbekende unbekannte unbekannten")
	numbers    = wordsOf("number numbers caller callers nummer nummers beller bellers rufnummer rufnummern anrufer anrufern")

	hails = wordsOf("hi hello hey hiya good this its my thank thanks welcome youve youre you met hallo hoi hé dag goedemorgen " +
		"goedemiddag goedenavond goeiemorgen goeiedag welkom bedankt u je dit mijn guten moin grüß hier willkommen danke vielen sie servus mein")
	stating = wordsOf("closed gone away out cant cannot not no nobody only can may be will gesloten dicht weg niet geen kan kunt kunnen " +
		"alleen zijn geschlossen weg nicht kein kann können nur")
	happening = wordsOf("wait sec second minute momentje wacht ogenblik ogenblikje kurz warten warte augenblick hear " +
		"hoor versta verstaan höre verstehe verstanden okay ok oké bad slecht schlecht buy sell")
	justNow = wordsOf("was thought been just wollte dachte war stond dacht zat kwam had hatte")

	ownName  = wordsOf("name naam namen")
	refusing = wordsOf("no nee nein wrong verkeerd falsch verwählt interest interested interesse already")
)

// standIns are what is said of those who do the work meanwhile, and farewells are how words end behind which nothing is expected.
var (
	standIns = []string{" is covering ", " are covering ", " covers for ", " in the meantime ", " neemt waar ", " nemen waar ",
		" waarnemer ", " waarneming ", " waarnemend ", " dienstdoende ", " übernimmt ", " vertritt ", " vertreten "}
	farewells = []string{" bye ", " goodbye ", " have a nice ", " have a good ", " have a great ", " have a lovely ", " take care ",
		" tot gauw ", " tot snel ", " tot ziens ", " tot horens ", " doei ", " doeg ", " fijne dag ", " fijne avond ",
		" prettige dag ", " groetjes ", " bis bald ", " tschüss ", " tschüs ", " ciao ", " schönen tag ", " schönen abend ",
		" wiederhören ", " liebe grüße ", " cheers "}
	untilLater = []string{" talk later ", " talk soon ", " me later ", " you later ", " you soon ", " speak soon ", " chat soon ",
		" tot later ", " tot dan ", " spreek je ", " spreek u ", " bis später ", " bis dann "}
	untilThen = wordsOf("you tot bis") // and then a day
	days      = wordsOf("tomorrow monday tuesday wednesday thursday friday saturday sunday morgen maandag dinsdag woensdag donderdag " +
		"vrijdag zaterdag zondag montag dienstag mittwoch donnerstag freitag samstag sonntag")
	hailing = wordsOf("hi hello hey hiya its this here met hallo hoi hé hier dit")
)

// elsewhere is what words say that were recorded to be heard later: of where their speaker may be by then, of a call that has been,
// of hours and of who stands in, with a farewell before anything was asked.
func (s speech) elsewhere(asks bool) int {
	score := 0
	for _, sign := range []struct {
		found  bool
		weight int
	}{
		{s.near(ourselvesNow, guessed, 2) || s.near(guessed, ourselvesNow, 1), 3}, // who is there knows where
		{!asks && s.near(matters, caller, 0) && s.near(caller, past, 2), 2},
		{s.opens(), 2},
		{s.near(leave, till, 3), 2},
		{s.near(trying, again, 2), 1},
		{s.near(denying, phones, 1), 1},
		{s.hasAny(standIns...), 2},
		{s.near(nobody, present, 5) || s.hasAny(" no one ", " none of us ", " er is niemand ", " es ist niemand "), 1},
		{s.first(4).has(having) && s.near(having, connected, 7), 1},
		{s.has(devices), 2},
		{s.has(beeping), 4},
		{s.near(devices, full, 8), 2},
		{!asks && s.near(caller, knowingHow, 0) && s.near(knowingHow, known, 1), 4},
		{!asks && s.takesLeave(), 3},
		{!asks && s.putsOff(), 4},
	} {
		if sign.found {
			score += sign.weight
		}
	}
	return score
}

// opens reports whether hours are named: "from nine until five".
func (s speech) opens() bool {
	for i, word := range s.words {
		rest := speech{words: s.words[i:min(i+6, len(s.words))]}
		if from[word] && rest.near(hours, until, 1) && rest.near(until, hours, 0) {
			return true
		}
	}
	return false
}

// takesLeave reports whether a first utterance of some words ends with a farewell, and refuses nothing.
func (s speech) takesLeave() bool {
	end := s.last(4)
	return len(s.words) > fewest && !s.has(refusing) && (end.hasAny(farewells...) || end.near(untilThen, days, 1) && !end.has(leave))
}

// putsOff reports whether somebody says who they are, and then no more than that it will be later. Who cannot talk says "later"
// as well, but not their name first.
func (s speech) putsOff() bool {
	return len(s.words) > fewest && !s.has(refusing) && s.beginsWith(hailing, 3) &&
		(s.last(4).hasAny(untilLater...) || s.last(8).near(trying, again, 2))
}

// fewest is how many words a greeting that ends with a farewell is longer than.
const fewest = 5

// first returns the first so many words.
func (s speech) first(count int) speech {
	return newSpeech(strings.Join(s.words[:min(count, len(s.words))], " "))
}

// last returns the last so many words.
func (s speech) last(count int) speech {
	return newSpeech(strings.Join(s.words[max(len(s.words)-count, 0):], " "))
}

// recites reports whether several sentences state something, as nobody does who waits for an answer: people greet, name
// themselves, ask, or speak of what goes on.
func (s speech) recites(text string) bool {
	const least, told = 9, 5
	if len(s.words) < least || strings.Contains(text, "?") || s.has(refusing) || s.has(happening) || s.hasAny(somebodyElse...) ||
		s.near(ourselvesNow, justNow, 1) {
		return false
	}
	all, words := 0, 0
	for said := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '.' || r == '!' }) {
		all++
		if sentence := newSpeech(said); !sentence.introduces() {
			words += len(sentence.words)
		}
	}
	return all > 1 && words >= told
}

// introduces reports whether a sentence greets or names somebody, and does nothing else.
func (s speech) introduces() bool {
	return len(s.words) <= 3 || s.beginsWith(hails, 1) && len(s.words) <= 10 && !s.has(stating)
}
