package turn

import "slices"

// acknowledgementPhrases returns what shows that somebody listens: words of their own, that it was understood, that
// the other may go on, and judgements of what was said.
func acknowledgementPhrases() []string {
	return slices.Concat(plainAcknowledgements(), understanding(), goingOn(), judgements())
}

// judgements returns those of what was said, in the frames in which they stand.
func judgements() []string {
	return slices.Concat(
		framed([]string{"", "that's ", "that is ", "sounds ", "that sounds ", "very ", "really ", "that's very ", "oh how ", "seems ",
			"that seems ", "that'd be ", "that would be ", "that'll be ", "would be ", "looks ", "that looks ", "all "},
			"good", "great", "fine", "nice", "lovely", "wonderful", "perfect", "excellent", "fantastic", "brilliant",
			"amazing", "awesome", "interesting", "clear", "true", "right", "correct", "fair", "helpful", "kind", "okay",
			"funny", "strange", "sad", "neat", "cool", "useful", "impressive", "reasonable", "logical", "terrific",
			"super", "beautiful", "handy", "splendid", "well", "understandable", "reassuring", "sensible", "generous",
			"convenient", "surprising", "unfortunate", "better", "easy", "simple", "sweet", "thoughtful", "exciting", "promising",
			"manageable", "doable", "acceptable", "alright", "all right", "appreciated", "delightful", "marvellous", "ideal"),
		framed([]string{"", "dat is ", "is ", "klinkt ", "dat klinkt ", "heel ", "dat is heel ", "erg ", "helemaal ", "o wat ",
			"oh wat ", "lijkt me ", "lijkt mij ", "dat lijkt me ", "dat lijkt mij ", "dat is me ", "dat is mij ", "da's ",
			"vind ik ", "dat vind ik ", "mij ", "alles ", "ziet er ", "dat ziet er "},
			"goed", "prima", "fijn", "mooi", "leuk", "duidelijk", "helder", "logisch", "perfect", "uitstekend",
			"fantastisch", "geweldig", "super", "top", "handig", "interessant", "juist", "correct", "prettig", "aardig",
			"netjes", "knap", "jammer", "vervelend", "vreemd", "grappig", "redelijk", "verstandig", "oké", "lekker",
			"gezellig", "akkoord", "in orde", "vriendelijk", "begrijpelijk", "eerlijk", "geruststellend",
			"gunstig", "schappelijk", "ideaal", "spannend", "bijzonder", "opmerkelijk", "verrassend", "nuttig", "informatief", "beter", //nolint:misspell // Dutch
			"afgesproken", "geregeld", "prachtig", "heerlijk", "zonde", "mooi meegenomen", "makkelijk", "simpel", "eenvoudig", "lief",
			"attent", "bekend"),
		framed([]string{"that's ", "that is ", "sounds like ", "that sounds like "}, "a relief", "a shame", "a pity", "a good idea",
			"a great idea", "a good point", "a fair point", "a good plan", "a fair price", "a good price", "good news", "great news",
			"new to me", "news to me", "the plan", "what i thought", "what i expected", "what i wanted to hear", "what i needed to know"),
		framed([]string{"dat is ", "is ", "dat klinkt als "}, "een opluchting", "een goed idee", "een goed plan", "een goede tip",
			"een mooie prijs", "een goede prijs", "goed nieuws", "nieuw voor mij", "wat ik dacht"),
	)
}

// understanding returns that somebody has understood, agrees or is thankful, and what.
func understanding() []string {
	return slices.Concat(
		framed([]string{"i understand ", "i see ", "i get ", "i hear ", "i follow ", "i appreciate ",
			"i know "},
			"", "it", "that", "this", "you", "what you mean", "what you're saying", "where you're coming from", "your point",
			"the idea", "the problem"),
		framed([]string{"i agree ", "i'm glad ", "i'm happy ", "i'm pleased ", "glad ", "happy ", "good ", "nice ", "great ",
			"pleased "},
			"with that", "with you", "to hear", "to hear that", "to hear it", "to know", "about that"),
		framed([]string{"makes ", "that makes "}, "sense", "perfect sense", "total sense", "a lot of sense"),
		framed([]string{"that "}, "helps", "works", "clarifies it", "explains it", "explains a lot"),
		framed([]string{"you're ", "you are "}, "right", "correct", "welcome", "very kind", "too kind"),
		framed([]string{"ik begrijp ", "ik snap ", "ik zie ", "ik hoor ", "ik volg ", "ik waardeer ", "ik merk ", "ik herken ",
			"ik onthoud ", "ik noteer ", "ik weet "},
			"het", "dat", "u", "je", "'t", "wat u bedoelt", "wat je bedoelt", "wat u zegt", "wat je zegt", "uw punt", "je punt"),
		framed([]string{"dat begrijp ik ", "dat snap ik ", "dat zie ik ", "dat hoor ik ", "dat volg ik ", "dat geloof ik ",
			"dat waardeer ik ", "dat herken ik ", "dat onthoud ik ", "dat noteer ik ", "dat hoop ik ", "dat denk ik ",
			"dat vermoedde ik ", "dat dacht ik "},
			"", "al", "wel", "ook", "graag", "goed", "van u", "van je"),
		framed([]string{"dat spreekt ", "dat verklaart ", "dat scheelt ", "dat komt ", "komt ", "dat klopt ", "klopt "},
			"voor zich", "vanzelf", "het", "veel", "een hoop", "goed uit", "mooi uit", "goed", "in orde", "wel"),
		framed([]string{"u hebt ", "u heeft "}, "gelijk", "groot gelijk", "helemaal gelijk"),
	)
}

// goingOn returns what asks somebody to go on.
func goingOn() []string {
	return slices.Concat(
		framed([]string{"yes ", "sure "}, "go on", "go ahead", "continue", "carry on", "proceed"),
		framed([]string{"ga ", "gaat u ", "vertel ", "vertelt u "}, "verder", "door", "maar", "maar verder", "maar door", "gerust",
			"gerust verder", "gerust door", "rustig verder", "rustig door", "vooral verder", "vooral door"),
	)
}

// plainAcknowledgements returns those with which no others are made.
func plainAcknowledgements() []string {
	return []string{
		"i understand", "i see", "i got it", "i hear you", "i'm listening", "i'm with you", "okay", "ok", "okey",
		"ok then", "okay then", "sure", "alright", "got it", "understood", "yeah", "yes", "uh-huh", "mm-hmm", "mm",
		"mmm", "hmm", "gotcha", "mhmm", "mhm", "ah", "oh", "ooh", "aah", "of course", "go on", "go ahead", "carry on",
		"thanks", "thank you", "thank you very much", "thank you so much", "thanks a lot", "very well", "wow", "really",
		"exactly", "absolutely", "definitely", "indeed", "certainly", "precisely", "totally", "naturally", "clearly",
		"obviously", "surely", "fair enough", "fair point", "good point", "i know", "i agree", "i get it", "i get that",
		"i follow", "i guess so", "i hope so", "yep", "yup", "aha", "uh", "huh", "hm", "um-hum", "ha",
		"haha", "no worries", "makes sense", "that makes sense", "good to know", "good to hear", "nice to hear",
		"glad to hear that", "fine by me", "works for me", "that works", "that will do", "that helps", "noted",
		"goodness", "oh dear", "all right", "all good", "all clear", "you're right", "appreciate it", "quite",
		"quite so", "quite right", "likewise", "no problem", "no problem at all", "no bother",
		"not a problem", "not bad", "good idea", "great idea", "good plan", "good choice", "good news", "great news", "great stuff",
		"fine with me", "okay with me", "okay by me", "i'm fine with that", "i like that", "love it", "i bet", "i thought so",
		"will do", "please do", "you bet", "for sure",
		"no doubt", "copy that", "true that", "right you are", "fair dos", "same here", "me too", "cheers", "righto", "aye",
		"smashing", "mkay", "sure thing", "okie dokie", "okey dokey", "yes indeed", "still here",
		"i figured", "i imagine", "i suppose", "i suppose so", "i believe so", "i believe you", "i gathered", "i expected that",
		"point taken", "continue", "proceed", "keep going", "message received", "roger", "roger that", "deal", "agreed", "granted",
		"by all means", "not at all", "good thinking", "good call", "good job", "nice one", "no rush", "no hurry",
		"no objection", "no objections", "no kidding", "too bad", "phew", "gosh", "oh my goodness", "aw",
		"aww", "ooh", "hooray", "yay", "as i thought", "as i expected", "i'm all ears", "i'm following",
		"consider it done", "done", "correct", "affirmative", "that's it", "that's right", "right", "many thanks",
		"much appreciated", "that's all right", "no trouble", "no trouble at all", "sounds like it",
		"sounds about right", "sounds like a plan", "would be great", "that would be great", "that would be fine",
		"that would be lovely", "that would be good", "that'll do", "as expected",

		"ja", "ja hoor", "jawel", "jazeker", "oke", "precies", "klopt", "dat klopt", "dat klopt ja", "klopt helemaal",
		"zo", "ik snap het", "snap ik", "begrepen", "ik begrijp het", "ik hoor het", "ik weet het", "ik luister",
		"ik volg het", "zeker", "zeker weten", "natuurlijk", "uhu", "o", "oo", "hm", "nou", "nou ja", "tja", "inderdaad",
		"echt", "echt waar", "wauw", "absoluut", "uiteraard", "vanzelfsprekend", "dat snap ik", "dat begrijp ik",
		"begrijp ik", "o ja", "ga door", "gaat u verder", "ga verder", "gaat uw gang", "ga je gang",
		"dank je", "dank u", "dank je wel", "dank u wel", "dankjewel", "dankuwel", "bedankt", "hartelijk dank",
		"geen probleem", //nolint:misspell // Dutch
		"geen dank", "goed om te weten", "fijn om te horen", "leuk om te horen", "goed zo", "goed hoor",
		"prima hoor", "op die manier", "vandaar", "gelukkig", "gelukkig maar", "mooi zo", "dat scheelt", "dat is waar",
		"heel waar", "ik zie het", "dat geloof ik", "eens", "mee eens", "lijkt me goed",
		"lijkt me prima", "dat helpt", "dat werkt", "akkoord hoor", "tuurlijk", "zal wel", "geen punt", "niet slecht",
		"niet verkeerd", "goed idee", "goed plan", "mooi plan", "dat lijkt me goed", "dat lijkt me prima", "dat lijkt me fijn",
		"dat lijkt me handig", "lijkt me fijn", "lijkt me handig", "lijkt me wat", "top hoor", "doe maar", "komt goed",
		"komt in orde", "zo is het", "dat zal wel", "dacht ik al", "dat dacht ik al", "daar ben ik blij mee",
		"joh", "jeetje", "goh", "jaja", "jep", "jup", "mja", "tjonge", "juistem", "okido", "oki", "okee", "tof", "helder verhaal",
		"duidelijk verhaal",
		"mij best", "mij goed", "prima geregeld", "goed geregeld", "mooi geregeld", "goed bezig", "ik zie wat u bedoelt",
		"dat komt goed", "volkomen gelijk", "goede vraag", "goed punt", "goeie", "goede zaak",
		"zit wel goed", "dat zit wel goed", "is in orde", "dat is een goede", "afgesproken", "genoteerd", "staat genoteerd",
		"zoals ik dacht", "zoals ik al dacht", "precies zo", "juist ja", "zo is dat", "nou en of", "reken maar", "gerust",
		"doet u maar", "doe dat maar", "heel graag", "graag", "graag gedaan", "allicht", "dat mag", "geeft niks", "geeft niets",
		"maakt niet uit", "dat maakt niet uit", "oei", "ach", "tsja", "gut", "nee maar", "gossie", "hè hè", "poeh", "allemachtig",
		"zoals verwacht", "van harte", "snap het", "volg ik", "dat volg ik",
	}
}

// tailPhrases returns what stands behind an acknowledgement and changes nothing of it: "all right then", "goed om te weten hoor".
func tailPhrases() []string {
	return []string{
		"then", "thing", "thanks", "thank you", "to know", "to hear", "to hear that", "for me", "by me", "with me", "for us", "indeed",
		"to me", "with us", "for now", "of course", "so far", "a lot", "a bunch", "so much", "very much", "again",
		"for that", "for this", "for letting me know", "for telling me", "for explaining", "for explaining that", "for checking",
		"for the information", "for the explanation", "for your help", "about that", "what you mean", "on that",
		"anyway", "mate", "love", "dear", "sir", "madam", "man", "yes", "now", "too", "all of it",
		"voor ons", "voor nu", "tot zover", "tot nu toe", "zo te horen", "natuurlijk", "wel degelijk", "voor de informatie", //nolint:misspell // Dutch
		"voor de uitleg", "voor uw hulp", "voor je hulp", "voor het uitleggen", "zegt u", "uit", "ermee", "met u", "met je",
		"dan", "hoor", "ja", "inderdaad", "nou", "ook", "wel", "zo", "om te weten", "om te horen", "voor mij", "wat mij betreft",
		"meneer", "mevrouw", "zeg", "joh", "hè", "dank je", "dank u", "bedankt", "allemaal",
	}
}

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
		"truly", "heel", "erg", "helemaal", "zeker", "echt", "zeer", "volkomen", "absoluut", "volledig", "ontzettend", "hartstikke",
	}
}
