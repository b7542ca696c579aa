package turn

import "slices"

// dutchAcknowledgements is englishAcknowledgements in Dutch.
//
//nolint:misspell // Dutch
func dutchAcknowledgements() []string {
	return slices.Concat(plainDutch(), dutchJudgements(),
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
		framed([]string{"ga ", "gaat u ", "vertel ", "vertelt u "}, "verder", "door", "maar", "maar verder", "maar door",
			"gerust",
			"gerust verder", "gerust door", "rustig verder", "rustig door", "vooral verder", "vooral door"),
	)
}

// dutchJudgements returns those of what was said, in the frames in which they stand.
//
//nolint:misspell // Dutch
func dutchJudgements() []string {
	return slices.Concat(
		framed([]string{"", "dat is ", "is ", "klinkt ", "dat klinkt ", "heel ", "dat is heel ", "erg ", "helemaal ", "o wat ",
			"oh wat ", "lijkt me ", "lijkt mij ", "dat lijkt me ", "dat lijkt mij ", "dat is me ", "dat is mij ", "da's ",
			"het is ", "'t is ", "het klinkt ", "dat is zo ", "vind ik ", "dat vind ik ", "mij ", "alles ", "ziet er ",
			"dat ziet er "},
			"goed", "prima", "fijn", "mooi", "leuk", "duidelijk", "helder", "logisch", "perfect", "uitstekend",
			"fantastisch", "geweldig", "super", "top", "handig", "interessant", "juist", "correct", "prettig", "aardig",
			"netjes", "knap", "jammer", "vervelend", "vreemd", "grappig", "redelijk", "verstandig", "oké", "lekker",
			"gezellig", "akkoord", "in orde", "vriendelijk", "begrijpelijk", "eerlijk", "geruststellend",
			"gunstig", "schappelijk", "ideaal", "spannend", "bijzonder", "opmerkelijk", "verrassend", "nuttig", "informatief",
			"beter",
			"afgesproken", "geregeld", "prachtig", "heerlijk", "zonde", "mooi meegenomen", "makkelijk", "simpel", "eenvoudig",
			"lief",
			"attent", "bekend", "slim", "heel wat", "keurig", "puik", "formidabel", "toevallig"),
		framed([]string{"dat is ", "is ", "dat klinkt als "}, "een opluchting", "een goed idee", "een goed plan", "een goede tip",
			"een mooie prijs", "een goede prijs", "goed nieuws", "nieuw voor mij", "wat ik dacht"),
		framed(framed([]string{"", "dat is een ", "da's een ", "het is een ", "klinkt als een ", "dat klinkt als een ",
			"lijkt me een ",
			"dat lijkt me een "},
			"goed ", "goede ", "prima ", "mooi ", "mooie ", "leuk ", "leuke ", "fijn ", "fijne ", "slim ", "slimme ",
			"uitstekend ", "handige "),
			"idee", "plan", "punt", "prijs", "tip", "gedachte", "keuze", "oplossing", "service", "vraag", "aanbod", "voorstel",
			"nieuws",
			"verrassing", "zaak"),
		framed([]string{"", "dat is ", "da's ", "het is "}, "niet slecht", "niet gek", "niet verkeerd", "niet erg",
			"geen slecht idee",
			"geen gek idee", "geen slechte prijs", "geen probleem", "geen enkel probleem", "geen punt", "geen ramp"),
		framed([]string{"dat wist ik ", "o dat wist ik ", "oh dat wist ik "}, "niet", "nog niet", "helemaal niet"),
		framed([]string{"u bent ", "je bent "}, "vriendelijk", "aardig", "lief", "attent", "behulpzaam", "een schat"),
		[]string{"o ik had geen idee", "oh ik had geen idee", "valt mee", "dat valt mee", "dat wil ik wel geloven", "meent u dat",
			"meen je dat", "daar ben ik het mee eens"},
	)
}

// plainDutch returns those with which no others are made.
//
//nolint:misspell // Dutch
func plainDutch() []string {
	return []string{
		"ja", "ja hoor", "jawel", "jazeker", "oke", "precies", "klopt", "dat klopt", "dat klopt ja", "klopt helemaal",
		"zo", "ik snap het", "snap ik", "begrepen", "ik begrijp het", "ik hoor het", "ik weet het", "ik luister",
		"ik volg het", "zeker", "zeker weten", "natuurlijk", "uhu", "o", "oo", "hm", "nou", "nou ja", "tja", "inderdaad",
		"echt", "echt waar", "wauw", "absoluut", "uiteraard", "vanzelfsprekend", "dat snap ik", "dat begrijp ik",
		"begrijp ik", "o ja", "ga door", "gaat u verder", "ga verder", "gaat uw gang", "ga je gang",
		"dank je", "dank u", "dank je wel", "dank u wel", "dankjewel", "dankuwel", "bedankt", "hartelijk dank",
		"geen probleem",
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
		"maakt niet uit", "dat maakt niet uit", "oei", "ach", "tsja", "gut", "gossie", "hè hè", "poeh", "allemachtig",
		"zoals verwacht", "van harte", "snap het", "volg ik", "dat volg ik",
	}
}

// dutchTails returns what stands behind an acknowledgement and changes nothing of it: "goed om te weten hoor".
//
//nolint:misspell // Dutch
func dutchTails() []string {
	return []string{
		"voor ons", "voor nu", "tot zover", "tot nu toe", "zo te horen", "natuurlijk", "wel degelijk", "voor de informatie",
		"voor de uitleg", "voor uw hulp", "voor je hulp", "voor het uitleggen", "zegt u", "uit", "ermee", "met u", "met je",
		"dan", "hoor", "ja", "inderdaad", "nou", "ook", "wel", "zo", "om te weten", "om te horen", "voor mij", "wat mij betreft",
		"meneer", "mevrouw", "zeg", "joh", "hè", "dank je", "dank u", "bedankt", "allemaal",
	}
}
