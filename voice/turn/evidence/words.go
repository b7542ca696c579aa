package evidence

import (
	"slices"
	"strings"

	"github.com/callwright/callwright/voice/sentence"
)

// set is words or phrases that mean something where they stand.
type set map[string]bool

func words(list string) set {
	s := set{}
	for word := range strings.FieldsSeq(list) {
		s[word] = true
	}
	return s
}

func (s set) has(word string) bool { return s[word] }

// phrases are several words each.
type phrases [][]string

func phrasesOf(list ...string) phrases {
	var p phrases
	for _, phrase := range list {
		p = append(p, sentence.Words(phrase))
	}
	return p
}

// end reports whether said ends with one of them.
func (p phrases) end(said []string) bool {
	return slices.ContainsFunc(p, func(phrase []string) bool {
		return len(said) >= len(phrase) && slices.Equal(said[len(said)-len(phrase):], phrase)
	})
}

// within reports whether one of them occurs in said.
func (p phrases) within(said []string) bool {
	return slices.ContainsFunc(p, func(phrase []string) bool {
		for at := range len(said) - len(phrase) + 1 {
			if slices.Equal(said[at:at+len(phrase)], phrase) {
				return true
			}
		}
		return false
	})
}

// covers reports whether said is nothing but these, one after the other.
func (p phrases) covers(said []string) bool {
	for len(said) > 0 {
		longest := 0
		for _, phrase := range p {
			if len(phrase) > longest && len(said) >= len(phrase) && slices.Equal(said[:len(phrase)], phrase) {
				longest = len(phrase)
			}
		}
		if longest == 0 {
			return false
		}
		said = said[longest:]
	}
	return true
}

// vocabulary is what a language says of itself.
type vocabulary struct {
	neverLast    set // words that end no clause
	rarelyLast   set // words that seldom do
	dangling     set // words that join another clause where they end a long one
	danglesBy    set // but not behind these
	auxiliary    set // verbs that seldom end a clause, and then fall
	subjects     set // words that begin a clause behind joins, and may end one
	joins        set
	stranded     set // words before a noun that end a clause where strandedBy stands in place of it
	strandedBy   set
	requests     set // words that ask somebody to do something, before you
	you          set
	particles    set // words that belong to a verb where they end a clause, behind carriers
	carriers     set
	verbsLast    set      // those of them that end a clause which another one depends on
	openings     phrases  // ends of clauses that want something behind them
	tags         phrases  // words behind a clause, whatever they end with
	closers      phrases  // what most say last, to be polite
	modals       set      // verbs with another one at the end of their clause
	infinitives  set      // such verbs, of those that end no other clause
	hanging      set      // words that begin a clause of two words at least
	stands       set      // words that make one of it alone
	relative     set      // words within a sentence that begin a clause with the verb at its end
	articles     set      // words before a noun
	adjectives   set      // words between both
	inflected    bool     // adjectives there end with an e
	participles  []string // what a participle begins with, which ends a clause
	hedges       set      // words before a proposal
	whole        phrases  // answers that need no more
	denials      set      // words between a modal and its verb
	verdicts     phrases  // behind yes or no, what makes a sentence of it
	askers       set      // words that begin a question
	askPreps     set      // words before those of them that ask for a thing: "with whom", "tot hoe laat"
	leads        phrases  // before a question
	connectors   set      // between two clauses
	questionEnds set      // words that seldom end other clauses
	wordAsks     set      // those of them that begin other clauses, too, before pronouns
	asksAfter    set      // what a question of such a word may end with
	pronouns     set
	yesNo        set // first words of an answer to a yes-or-no question
	whether      set // words that begin what is asked within a question
	conditions   set // words that begin a clause which needs another one
	orders       set // verbs that ask for something to be done
	polite       set // words before them
	main         set // words that show that the other one has begun

	digits      map[string]int // how many digits a number word stands for
	tens        []string       // ends of number words that stand for two digits
	centuries   []string       // what years begin with, written as one word
	ordinals    []string       // ends of the days of a month
	numberGlue  set            // words between numbers
	months      set
	mailAt      set // words for @
	mailDot     set // words for a dot
	askMail     phrases
	askPhone    phrases
	askDate     phrases
	askNumber   phrases
	askSpelling phrases
	askName     phrases
	lastName    phrases // for one word of it
	askTime     phrases
	askPlace    phrases
	askCount    phrases
	inTowns     set // words before the name of a town
	days        set // of a week, and parts of one
	askWhy      phrases
	askStory    phrases
	askYesNo    set // first words of a question that yes or no answers
}

// fluent returns words without hesitations among them, and without those said twice in a row because of one. At the end a hesitation
// stays: it asks for time. Of a language that is not known it returns all.
func (v *vocabulary) fluent(said []string) []string {
	if v == nil {
		return said
	}
	var out []string
	for i, word := range said {
		last := i == len(said)-1
		again := len(out) > 0 && word == out[len(out)-1] && len(word) > 1 && v.digitsOf(word) == 0 && !v.yesNo.has(word)
		if !again && (last || !hesitations.has(word)) {
			out = append(out, word)
		}
	}
	return out
}

// hesitations are sounds that recognisers write as words.
var hesitations = words(`uh uhm um erm eh ehm euh äh ähm öhm hmm`)

// opens reports whether said stops where no clause ends.
func (v *vocabulary) opens(said []string) bool {
	last := said[len(said)-1]
	switch {
	case v.tagged(said), v.endsVerbs(said), v.stranded.has(last) && v.hasStranded(said), v.governed(said):
		return false
	case v.neverLast.has(last), v.openings.end(said), v.dangles(said):
		return true
	}
	return len(said) > 1 && v.hanging.has(said[len(said)-2]) && !v.stands.has(last)
}

// dangles reports whether said ends with a word behind a clause from which something follows: "the engine stopped, so".
func (v *vocabulary) dangles(said []string) bool {
	last := len(said) - 1
	return last >= usualWords/2 && v.dangling.has(said[last]) && !v.danglesBy.has(said[last-1])
}

// seldomEnds reports whether said stops behind a word with which clauses seldom end.
func (v *vocabulary) seldomEnds(said []string) bool {
	last, before := said[len(said)-1], ""
	if len(said) > 1 {
		before = said[len(said)-2]
	}
	switch {
	case v.tagged(said), v.stranded.has(last) && v.hasStranded(said), v.particles.has(last) && v.carriers.has(before),
		v.endsVerbs(said), v.governed(said), v.separates(said):
		return false
	case v.subjects.has(last):
		return v.joins.has(before)
	}
	return v.rarelyLast.has(last)
}

// endsVerbs reports whether said ends with the verbs of a clause that another one depends on: "die ik gekocht heb".
func (v *vocabulary) endsVerbs(said []string) bool {
	last := len(said) - 1
	return v.verbsLast.has(said[last]) && (v.depends(said) || last > 2 && v.participle(said[last-1]))
}

// participle reports whether a word is one, by its form.
func (v *vocabulary) participle(word string) bool {
	begins := func(first string) bool { return strings.HasPrefix(word, first) }
	return len(word) > 5 && strings.IndexAny(word[len(word)-1:], "dtn") == 0 && slices.ContainsFunc(v.participles, begins)
}

// separates reports whether said ends with a part of its verb, behind an object: "zit het ontbijt bij de prijs in".
func (v *vocabulary) separates(said []string) bool {
	last := len(said) - 1
	return len(v.participles) > 0 && last > 2 && v.particles.has(said[last]) && v.articles.has(said[last-2])
}

// governed reports whether said ends with a verb that belongs to one before it.
func (v *vocabulary) governed(said []string) bool {
	last := len(said) - 1
	return last > 2 && v.infinitives.has(said[last]) && slices.ContainsFunc(said[:last-1], v.modals.has)
}

// hasStranded reports whether a word stands for the noun that would follow the last one.
func (v *vocabulary) hasStranded(said []string) bool {
	return slices.ContainsFunc(said[:max(len(said)-2, 0)], v.strandedBy.has)
}

// tagged reports whether said ends with words that may stand behind any clause.
func (v *vocabulary) tagged(said []string) bool { return len(said) > tagWords && v.tags.end(said) }

// tagWords is how many words are a clause with such a tag behind it at the least, less one.
const tagWords = 3

// closes reports whether said ends as most polite requests do. Of a language that is not known it does not.
func (v *vocabulary) closes(said []string) bool {
	return v != nil && len(said) > tagWords && v.closers.end(said)
}

// tells reports whether said answers a question for more than a word or a sentence, by no other question. In a language that is
// not known nothing does.
func (v *vocabulary) tells(asked string, said []string) bool {
	return v != nil && v.askStory.within(lastQuestion(asked)) && !v.asks(said) && !v.reasons(asked, said)
}

// reasons reports whether said is a whole reason that was asked for.
func (v *vocabulary) reasons(asked string, said []string) bool {
	return len(said) > 2*shortestClause && v.conditions.has(said[0]) && v.askWhy.within(lastQuestion(asked))
}

// depends reports whether said ends with a clause in which the verb comes last.
func (v *vocabulary) depends(said []string) bool {
	for n, word := range said[:max(len(said)-2, 0)] {
		if v.hanging.has(word) || n > 0 && v.relative.has(word) {
			return true
		}
	}
	return false
}

// lacksVerb reports whether said ends before the verb of its clause: behind "she does not want to" in languages that say "she wants
// not", or in a clause with the verb at its end.
func (v *vocabulary) lacksVerb(said []string) bool {
	last := len(said) - 1
	if last < 2 || len(v.participles) == 0 {
		return false
	}
	if v.denials.has(said[last]) {
		return v.modals.has(said[last-1]) && v.main.has(said[last-2])
	}
	for n := last - shortestClause; n > 0; n-- {
		if v.hanging.has(said[n]) {
			return !v.verbsLast.has(said[last]) && !strings.ContainsAny(said[last][len(said[last])-1:], "dten") && !v.tagged(said)
		}
	}
	return false
}

// lacksNoun reports whether said ends between an article and its noun.
func (v *vocabulary) lacksNoun(asked string, said []string) bool {
	last := len(said) - 1
	if last < 1 || !v.articles.has(said[last-1]) || v.askName.within(lastQuestion(asked)) { // "de Wit" is a name

		return false
	}
	word := said[last]
	if v.dayOfMonth(said) && v.askTime.within(lastQuestion(asked)) {
		return false
	}
	return v.adjectives.has(word) || v.inflected && len(word) > 4 && strings.HasSuffix(word, "e")
}

// asks reports whether said is a question, or a request that is put as one.
func (v *vocabulary) asks(said []string) bool {
	said = v.withoutLead(said)
	if len(said) > 2 && v.askPreps.has(said[0]) && v.askers.has(said[1]) && !v.pronouns.has(said[2]) {
		return v.wordAsks.has(said[1]) || strings.HasPrefix(said[1], "w")
	}
	// "when I came home" asks nothing
	return v.askers.has(said[0]) && (len(said) == 1 || !v.wordAsks.has(said[0]) || !v.pronouns.has(said[1]))
}

// endsQuestion reports whether a question may end with a word that other clauses seldom end with: "how long does it take".
func (v *vocabulary) endsQuestion(said []string) bool {
	said = v.withoutLead(said)
	last := said[len(said)-1]
	return len(said) > placeWords && v.questionEnds.has(last) || v.asksAll(said)
}

// asksAll reports whether said is a short question that asks for all there is to know: "how much is it".
func (v *vocabulary) asksAll(said []string) bool {
	said = v.withoutLead(said)
	return len(said) > 2 && len(said) <= placeWords && v.wordAsks.has(said[0]) && v.asksAfter.has(said[len(said)-1])
}

// asksOfNothing reports whether said is a verb and whom or what it is about, without more: "does the price".
func (v *vocabulary) asksOfNothing(said []string) bool {
	said = v.withoutLead(said)
	return len(said) < 3 || len(said) == 3 && v.articles.has(said[1]) && !v.wordAsks.has(said[0])
}

// withoutLead returns said without words before a question, if there is one behind them.
func (v *vocabulary) withoutLead(said []string) []string {
	if len(said) > 2 && v.yesNo.has(said[0]) {
		return said[1:]
	}
	for _, lead := range v.leads {
		if len(said) > len(lead)+1 && slices.Equal(said[:len(lead)], lead) {
			return said[len(lead):]
		}
	}
	return said
}

// joinsClauses reports whether said has a second clause behind the first.
func (v *vocabulary) joinsClauses(said []string) bool {
	return v != nil && len(said) > 2*least && slices.ContainsFunc(said[least:len(said)-least], v.connectors.has)
}

// least is how many words a clause has on either side of what connects it.
const least = 2

// confirms reports whether said is yes or no with a verb, to which nothing needs to be added: "yes, it is".
func (v *vocabulary) confirms(said []string) bool {
	return len(said) > 1 && v.yesNo.has(said[0]) && (v.whole.covers(said) || v.verdicts.covers(said[1:]))
}

// leavesOpen reports whether said asks whether something is so and has not come to what: a subject and a verb at least.
func (v *vocabulary) leavesOpen(said []string) bool {
	for n, word := range slices.Backward(said) {
		if v.whether.has(word) {
			return n > 1 && len(said)-1-n < shortestClause
		}
	}
	return false
}

// waitsForMain reports whether said is a condition without what follows from it. A reason that was asked for is an answer.
func (v *vocabulary) waitsForMain(asked string, said []string) bool {
	if question := lastQuestion(asked); len(said) > shortestClause && v.askWhy.within(question) || v.answersSince(question, said) {
		return false
	}
	return v.conditions.has(said[0]) && !slices.ContainsFunc(said[min(shortestClause, len(said)):], v.main.has)
}

// answersSince reports whether said is a time, behind a word that begins conditions elsewhere: "since last Thursday".
func (v *vocabulary) answersSince(question, said []string) bool {
	return v.askTime.within(question) && v.days.has(said[len(said)-1])
}

// wantsObject reports whether said asks for something to be done and has not come to what.
func (v *vocabulary) wantsObject(said []string) bool {
	last := len(said) - 1
	if last > 0 && (v.polite.has(said[last-1]) || v.yesNo.has(said[last-1])) || last == 0 {
		return v.orders.has(said[last])
	}
	return false
}

// shortestClause is how many words a condition has at least.
const shortestClause = 3

// shortAnswer is how many words answer a question that asks for little.
const shortAnswer = 4

// answers reports whether said is what was asked for.
func (v *vocabulary) answers(asked string, said []string) bool {
	question := lastQuestion(asked)
	if len(question) == 0 {
		return false
	}
	switch {
	case v.yesNo.has(said[0]) && len(said) <= shortAnswer:
		return v.askYesNo.has(question[0])
	case v.names(asked, said):
		return true
	case v.askCount.within(question):
		return len(said) <= shortAnswer && v.digitsOf(said[len(said)-1]) > 0
	case v.askTime.within(question):
		return len(said) >= 3 && len(said) <= 7 && !v.hedges.has(said[0])
	}
	return false
}

// names reports whether said is a name that was asked for.
func (v *vocabulary) names(asked string, said []string) bool {
	question := lastQuestion(asked)
	return len(said) >= 2 && len(said) <= 7 && v.askName.within(question) || len(said) == 1 && v.lastName.within(question)
}

// placed reports whether said is a place that was asked for, down to where it is: a name of a word or two behind "in".
func (v *vocabulary) placed(asked string, said []string) bool {
	if len(said) < placeWords || !v.askPlace.within(lastQuestion(asked)) {
		return false
	}
	return slices.ContainsFunc(said[len(said)-3:len(said)-1], v.inTowns.has)
}

// timed reports whether said is a time that was asked for, with a day or a part of one at its end.
func (v *vocabulary) timed(asked string, said []string) bool {
	return (v.days.has(said[len(said)-1]) || v.dayOfMonth(said)) && v.askTime.within(lastQuestion(asked)) &&
		!slices.ContainsFunc(said, v.hedges.has)
}

// dayOfMonth reports whether said ends with one: "the twentieth".
func (v *vocabulary) dayOfMonth(said []string) bool {
	last := len(said) - 1
	if last < 1 || !v.articles.has(said[last-1]) {
		return false
	}
	ends := func(ordinal string) bool { return strings.HasSuffix(said[last], ordinal) }
	return said[last] != "month" && slices.ContainsFunc(v.ordinals, ends)
}

// proposes reports whether said is one of several times that would do, where a time was asked for: a preference often follows.
func (v *vocabulary) proposes(asked string, said []string) bool {
	return v.hedges.has(said[0]) && len(said) < usualWords && v.askTime.within(lastQuestion(asked))
}

// lastQuestion returns the words of the last sentence of a text.
func lastQuestion(asked string) []string {
	sentences := sentence.Split(asked)
	if len(sentences) == 0 {
		return nil
	}
	return sentence.Words(sentences[len(sentences)-1])
}
