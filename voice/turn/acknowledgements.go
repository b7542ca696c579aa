package turn

import (
	"slices"
	"strings"
	"unicode"
)

// acknowledgementsIn returns what shows in a language that somebody listens.
func acknowledgementsIn() map[string][]string {
	return map[string][]string{"en": englishAcknowledgements(), "nl": dutchAcknowledgements(), "de": germanAcknowledgements()}
}

func tailPhrases() []string { return slices.Concat(englishTails(), dutchTails(), germanTails()) }

// framed returns each of the words in each of the frames.
func framed(frames []string, words ...string) []string {
	all := make([]string, 0, len(frames)*len(words))
	for _, frame := range frames {
		for _, word := range words {
			all = append(all, frame+word)
		}
	}
	return all
}

// intensifiers returns words that change nothing of an acknowledgement, wherever they stand in it: "I completely understand".
func intensifiers() []string {
	return []string{
		"very", "really", "quite", "completely", "totally", "fully", "absolutely", "perfectly", "definitely", "certainly", "entirely",
		"truly", "extremely", "incredibly", "heel", "erg", "helemaal", "zeker", "echt", "zeer", "volkomen", "absoluut", "volledig",
		"ontzettend", "hartstikke", "best", "enorm", "reuze", "buitengewoon", "sehr", "wirklich", "ganz", "völlig", "total", "richtig",
		"absolut", "durchaus", "vollkommen",
	}
}

// judges returns how many words a judgement in one word has that said begins with, whatever the word: "that's reassuring". What stands
// there in a correction or a complaint is not one.
func judges(said []string) int {
	for n := min(longestFrame, len(said)-1); n > 0; n-- {
		if _, found := slices.BinarySearch(frameSet, strings.Join(said[:n], " ")); found {
			if _, other := slices.BinarySearch(otherSet, said[n]); other || strings.ContainsFunc(said[n], unicode.IsDigit) {
				return 0
			}
			return n + 1
		}
	}
	return 0
}

const longestFrame = 3 // words

// judgementFrames returns what a judgement stands behind.
func judgementFrames() []string {
	return []string{
		"that's", "that is", "it's", "it is", "that sounds", "it sounds", "sounds", "that looks",
		"dat is", "het is", "'t is", "dat klinkt", "het klinkt", "klinkt", "dat lijkt me", "dat lijkt mij", "lijkt me", "dat vind ik",
		"das ist", "es ist", "das klingt", "klingt", "das finde ich",
	}
}

// wholeWords returns words that are likely meant where longer ones of acknowledgements begin with them.
func wholeWords() []string {
	return strings.Fields(`
		do does did can could will would he she we are was were has have had go get let may should does am im be see say sorry hello
		ja ik kan kunt mag we wij is was heeft heb hebt wil zou moet ga gaat doe hij ze zij zo hallo
		ja kann können ich wir ist war hat habe haben will soll muss geh sie er hallo`)
}

// noJudgements returns words that follow there and judge nothing, or are no reason to listen on.
func noJudgements() []string {
	return strings.Fields(`
		not no never too so the a an my your our his her their its what why how where when who which because for from in on at to of with
		about as if or and but than by all just only still already also even nothing something everything everyone nobody me him us them
		it this that there here now then one two three four five six seven eight nine ten mine yours ours theirs being been going
		getting taking
		enough wrong incorrect false expensive late early far bad terrible awful impossible ridiculous nonsense stupid crazy absurd
		unacceptable old different cheap cheaper more less much many dangerous unfair rude urgent important private confidential broken
		missing hard difficult closed full gone over out off like me
		monday tuesday wednesday thursday friday saturday sunday tomorrow today yesterday tonight

		niet geen nooit te de het een mijn uw jouw je ons onze zijn haar hun wat waarom hoe waar wanneer wie welke omdat voor van in op aan
		bij tot met over uit als of en maar dan alles alleen nog al ook wel toch juist nu toen iets iemand niemand niets niks ik mij hem
		ze zij hij u jij we wij dat dit daar hier die deze zo meer minder veel weinig genoeg
		fout onjuist verkeerd duur laat vroeg ver slecht vreselijk onmogelijk belachelijk onzin raar dom absurd onacceptabel oud anders
		hetzelfde goedkoop goedkoper gevaarlijk oneerlijk dringend belangrijk privé kapot weg dicht vol voorbij moeilijk lastig
		maandag dinsdag woensdag donderdag vrijdag zaterdag zondag morgen vandaag gisteren vanavond vanmiddag

		nicht kein keine nie zu der die das den dem ein eine einen einem mein meine ihr ihre sein seine was warum wie wo wann wer welche weil
		für von in auf an bei bis mit über aus als ob oder und aber alles nur noch schon auch doch ja jetzt etwas jemand niemand nichts
		ich mich mir ihn ihm sie uns es dies hier da dort mehr weniger viel wenig genug
		falsch teuer spät früh weit schlecht schrecklich unmöglich lächerlich quatsch unsinn dumm absurd inakzeptabel alt anders dasselbe
		billig billiger gefährlich unfair dringend wichtig privat kaputt weg zu voll vorbei schwierig schwer
		montag dienstag mittwoch donnerstag freitag samstag sonntag morgen heute gestern`)
}
