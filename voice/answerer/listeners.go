package answerer

import "strings"

// What is said by machines that listen: call screeners and menus.

// screenerScore adds to what screeners say that they ask for a name and what it is about.
func (s speech) screenerScore() int {
	score := s.score(screenerWords)
	if s.decides() {
		score++
	}
	if s.putsThrough() && s.has(naming) {
		score += 2
	}
	if s.near(commanding, naming, 4) && s.has(filtering) {
		score += 2
	}
	if s.decides() && (s.assistant() || s.standsBefore()) {
		score += 2
	}
	if s.has(automatic) && (s.hasAny(" who ", " whos ", " wer ") || s.hasAny(" wie ") && !s.hasAny(" wie kann ", " wie können ", " wie darf ")) {
		score += 3
	}
	if s.assistant() && s.near(commanding, naming, 1) {
		score += 3
	}
	if s.knowsNoNumber() {
		score += 2
	}
	if s.asksPurpose() || s.exemplifies() { // and not who it is
		score -= 2
	}
	return score
}

// standsBefore reports whether somebody takes calls in the place of another.
func (s speech) standsBefore() bool { return s.near(taking, forOther, 3) }

// assistant reports whether somebody is an assistant for calls, a "belassistent" or a "phone assistant", and not a doctor's.
func (s speech) assistant() bool {
	for i, word := range s.words {
		for _, of := range []string{"assistent", "assistant"} {
			at := strings.Index(word, of)
			if at > 0 && s.callsIn(word[:at]) || at == 0 && s.callsIn(s.word(i-1)) {
				return true
			}
		}
	}
	return false
}

// callsIn reports whether a word begins with one for calls.
func (speech) callsIn(word string) bool {
	for _, call := range []string{"bel", "telefo", "oproep", "spraak", "sprach", "anruf", "phone", "call", "voice"} {
		if strings.HasPrefix(word, call) {
			return true
		}
	}
	return false
}

// knowsNoNumber reports whether somebody is said not to know who calls.
func (s speech) knowsNoNumber() bool {
	return s.near(knowing, numbers, 3) && s.has(denying) || s.near(unknown, numbers, 0)
}

// exemplifies reports whether a machine that is spoken to says what it understands.
func (s speech) exemplifies() bool {
	return s.hasAny(" you can say ", " things like ", " u kunt zeggen ", " u kunt bijvoorbeeld ", " sie können sagen ", " you could say ", " kun je zeggen ", " zum beispiel ", " bijvoorbeeld ",
		" for example ", " such as ")
}

// asksNameAlone reports whether somebody is told to say their name and nothing else, be it behind a tone: whoever takes a message
// asks for more.
func (s speech) asksNameAlone() bool {
	asks := s.near(commanding, ownName, 5) && s.recorder() || s.has(commanding) && s.hasAny(" say your name ", " state your name ",
		" record your name ", " zeg uw naam ", " noem uw naam ", " spreek uw naam ", " sagen sie ihren namen ", " nennen sie ihren namen ")
	return asks && !s.hasAny(" message ", " your number ", " and number ", " phone number ", " back ", " bericht ", " boodschap ",
		" uw nummer ", " je nummer ", " en nummer ", " telefoonnummer ", " terug ", " nachricht ", " ihre nummer ", " und nummer ",
		" telefonnummer ", " zurück ", " department ", " afdeling ", " abteilung ")
}

// menuScore adds to what menus say the keys that they name: pressed, or counted up from one.
func (s speech) menuScore() int {
	score := s.score(menuWords)
	if s.commands() {
		score += s.score(wantedWords)
	}
	if s.has(automatic) {
		score++
	}
	if s.takesBoth() {
		score += 4
	}
	if s.asksPurpose() {
		score += 3
	}
	if s.enumerates() {
		score += 3
	}
	if s.exemplifies() && s.has(commanding) {
		score += 3
	}
	choices := s.choices()
	if choices > 1 {
		score += choices + 1
	}
	next, last, counted := 1, -1, 0
	for i, word := range s.words {
		key, isKey := keys[word]
		if !isKey || word == "een" && !s.names(i) || s.dials(i) { // an article, or a number to call
			continue
		}
		if s.pressed(i) {
			score += 2
			if _, number := keys[s.word(i+1)]; choices == 1 && !number && pressing[s.word(i-1)] { // for something, one key: no telephone number
				score += 2
			}
		}
		if key == next && (last < 0 || i-last > 1) {
			next, last, counted = next+1, i, counted+1
		}
	}
	if counted > 1 {
		score += counted + min(s.offers(), counted) - 1
		if counted > 2 { // nobody counts up between other words otherwise
			score++
		}
	}
	return score
}

// enumerates reports whether somebody says what they can do: one thing or another.
func (s speech) enumerates() bool {
	return s.near(oneself, asking, 0) && s.near(asking, helping, 5) && s.near(helping, either, 4)
}

// dials reports whether word i is one of three digits in a row at least: "in an emergency dial nine one one".
func (s speech) dials(i int) bool {
	isKey := func(i int) bool {
		_, is := keys[s.word(i)]
		return is
	}
	from, to := i, i
	for isKey(from - 1) {
		from--
	}
	for isKey(to + 1) {
		to++
	}
	return to-from >= 2
}

// word returns a word; empty: there is none.
func (s speech) word(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i]
}

// offers returns how often somebody says what a choice is for.
func (s speech) offers() (n int) {
	for _, word := range s.words {
		if offering[word] {
			n++
		}
	}
	return n
}

// pressed reports whether a word shortly before says that word i is a key to press.
func (s speech) pressed(i int) bool {
	for at := max(i-4, 0); at < i; at++ {
		if pressing[s.words[at]] {
			return true
		}
	}
	return false
}

// names reports whether the word before word i makes it a number.
func (s speech) names(i int) bool {
	if i == 0 {
		return false
	}
	switch before := s.words[i-1]; before {
	case "optie", "nummer", "is":
		return true
	case "op", "u":
		return s.pressed(i) && (i+1 == len(s.words) || s.words[i+1] != "toets")
	default:
		return pressing[before] || i > 1 && offering[s.words[max(i-3, 0)]] && (i+1 == len(s.words) || offering[s.words[i+1]])
	}
}
