package turn

import "slices"

// acknowledgementPhrases returns what shows that somebody listens: words of their own, and judgements of what was said, alone or
// in the few frames in which they stand.
func acknowledgementPhrases() []string {
	return slices.Concat(plainAcknowledgements(),
		framed([]string{"", "that's ", "that is ", "sounds ", "that sounds ", "very ", "really ", "that's very ", "oh how "},
			"good", "great", "fine", "nice", "lovely", "wonderful", "perfect", "excellent", "fantastic", "brilliant",
			"amazing", "awesome", "interesting", "clear", "true", "right", "correct", "fair", "helpful", "kind", "okay",
			"funny", "strange", "sad", "neat", "cool", "useful", "impressive", "reasonable", "logical", "terrific",
			"super", "beautiful", "handy", "splendid", "well"),
		framed([]string{"", "dat is ", "is ", "klinkt ", "dat klinkt ", "heel ", "dat is heel ", "erg ", "helemaal ", "o wat ",
			"oh wat "},
			"goed", "prima", "fijn", "mooi", "leuk", "duidelijk", "helder", "logisch", "perfect", "uitstekend",
			"fantastisch", "geweldig", "super", "top", "handig", "interessant", "juist", "correct", "prettig", "aardig",
			"netjes", "knap", "jammer", "vervelend", "vreemd", "grappig", "redelijk", "verstandig", "oké", "lekker",
			"gezellig", "akkoord", "in orde"),
	)
}

func plainAcknowledgements() []string {
	return []string{
		"i understand", "i see", "i got it", "i hear you", "i'm listening", "i'm with you", "okay", "ok", "okey",
		"ok then", "okay then", "sure", "alright", "got it", "understood", "yeah", "yes", "uh-huh", "mm-hmm", "mm",
		"mmm", "hmm", "gotcha", "mhmm", "mhm", "ah", "oh", "ooh", "aah", "of course", "go on", "go ahead", "carry on",
		"thanks", "thank you", "thank you very much", "thank you so much", "thanks a lot", "very well", "wow", "really",
		"exactly", "absolutely", "definitely", "indeed", "certainly", "precisely", "totally", "naturally", "clearly",
		"obviously", "surely", "fair enough", "fair point", "good point", "i know", "i agree", "i get it", "i get that",
		"i follow", "i think so", "i guess so", "i hope so", "yep", "yup", "aha", "uh", "huh", "hm", "um-hum", "ha",
		"haha", "no worries", "makes sense", "that makes sense", "good to know", "good to hear", "nice to hear",
		"glad to hear that", "fine by me", "works for me", "that works", "that will do", "that helps", "noted",
		"goodness", "oh dear", "all right", "all good", "all clear", "you're right", "appreciate it", "quite",
		"quite so", "quite right", "is that so", "is that right", "likewise", "no problem", "no problem at all", "no bother",
		"not a problem", "not bad", "good idea", "great idea", "good plan", "good choice", "good news", "great news", "great stuff",
		"fine with me", "okay with me", "okay by me", "i'm fine with that", "i like that", "love it", "i bet", "i thought so",
		"so i see", "so i heard", "will do", "please do", "you bet", "for sure",
		"no doubt", "copy that", "true that", "right you are", "fair dos", "same here", "me too", "cheers", "righto", "aye",
		"smashing", "mkay", "sure thing", "okie dokie", "okey dokey", "yes indeed", "still here",
		"sounds about right", "sounds like a plan", "would be great", "that would be great", "that would be fine",
		"that would be lovely", "that would be good", "that'll do", "as expected",

		"ja", "ja hoor", "jawel", "jazeker", "oke", "precies", "klopt", "dat klopt", "dat klopt ja", "klopt helemaal",
		"zo", "ik snap het", "snap ik", "begrepen", "ik begrijp het", "ik hoor het", "ik weet het", "ik luister",
		"ik volg het", "zeker", "zeker weten", "natuurlijk", "uhu", "o", "oo", "hm", "nou", "nou ja", "tja", "inderdaad",
		"echt", "echt waar", "wauw", "absoluut", "uiteraard", "vanzelfsprekend", "dat snap ik", "dat begrijp ik",
		"begrijp ik", "dat weet ik", "o ja", "ga door", "gaat u verder", "ga verder", "gaat uw gang", "ga je gang",
		"dank je", "dank u", "dank je wel", "dank u wel", "dankjewel", "dankuwel", "bedankt", "hartelijk dank",
		"geen probleem", //nolint:misspell // Dutch
		"geen dank", "goed om te weten", "fijn om te horen", "leuk om te horen", "goed zo", "goed hoor",
		"prima hoor", "op die manier", "vandaar", "gelukkig", "gelukkig maar", "mooi zo", "dat scheelt", "dat is waar",
		"heel waar", "ik zie het", "ik geloof het", "dat geloof ik", "eens", "mee eens", "lijkt me goed",
		"lijkt me prima", "dat helpt", "dat werkt", "akkoord hoor", "tuurlijk", "zal wel", "geen punt", "niet slecht",
		"niet verkeerd", "goed idee", "goed plan", "mooi plan", "dat lijkt me goed", "dat lijkt me prima", "dat lijkt me fijn",
		"dat lijkt me handig", "lijkt me fijn", "lijkt me handig", "lijkt me wat", "top hoor", "doe maar", "komt goed",
		"komt in orde", "zo is het", "dat zal wel", "dacht ik al", "dat dacht ik al", "daar ben ik blij mee",
		"joh", "jeetje", "goh", "jaja", "jep", "jup", "mja", "tjonge", "juistem", "okido", "oki", "okee", "tof", "helder verhaal",
		"duidelijk verhaal",
		"zoals verwacht", "van harte", "snap het", "volg ik", "dat volg ik",
	}
}

// tailPhrases returns what stands behind an acknowledgement and changes nothing of it: "all right then", "goed om te weten hoor".
func tailPhrases() []string {
	return []string{
		"then", "thing", "thanks", "thank you", "to know", "to hear", "to hear that", "for me", "by me", "with me", "for us", "indeed",
		"anyway", "mate", "love", "dear", "sir", "madam", "man", "yes", "now", "too", "all of it",
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
