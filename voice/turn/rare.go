package turn

import "slices"

// rareAcknowledgements returns those that begin like much that interrupts: "is that so", "dat kan ik me voorstellen". The
// assistant stops at their first word and goes on where they turn out to be complete.
func rareAcknowledgements() []string {
	return slices.Concat(
		framed([]string{"no "}, "that's fine", "that is fine", "that's good", "that's great", "that's okay", "that's all right",
			"that's right", "that makes sense", "it's fine", "it's okay", "it's all right", "it's good", "of course",
			"of course not",
			"i understand", "i see", "i agree", "not at all", "absolutely", "exactly", "sure", "fine"),
		framed([]string{"i didn't know ", "i did not know ", "i had no idea ", "i never knew ", "i didn't realise ",
			"i didn't realize ",
			"i wasn't aware ", "i hadn't thought ", "i had forgotten "}, "", "that", "of that", "about that", "it"),
		framed([]string{"what a ", "a ", "not a "}, "good idea", "great idea", "bad idea", "relief", "shame", "pity",
			"good point", "fair point",
			"nice idea", "bad price", "bad plan", "good plan", "nice surprise", "good question"),
		framed([]string{"how "}, "nice", "lovely", "kind", "wonderful", "interesting", "strange", "funny", "good", "convenient"),
		[]string{"is that so", "is that right", "that's the plan", "that's the spirit", "that's the idea", "is it really",
			"is it", "did they", "did they really", "do you really",
			"not so bad",
			"you don't say", "i couldn't agree more", "couldn't agree more", "i thought as much", "i figured as much",
			"who would have thought",
			"i wouldn't have thought so", "what do you know", "don't worry", "don't mention it"},

		framed([]string{"nee "}, "dat is goed", "dat is prima", "dat is fijn", "dat is oké", "dat is logisch", "dat is waar",
			"dat klopt", "dat begrijp ik", "dat snap ik", "ik begrijp het", "ik snap het", "natuurlijk", "natuurlijk niet",
			"precies", "oké",
			"uiteraard", "is goed", "prima", "goed"),
		framed([]string{"dat kan ik me ", "dat kan ik mij ", "kan ik me ", "kan ik mij "}, "voorstellen", "goed voorstellen",
			"indenken"),
		framed([]string{"dat had ik ", "had ik "}, "niet gedacht", "niet verwacht", "al gedacht", "al verwacht", "niet geweten"),
		framed([]string{"wat "}, "fijn", "leuk", "mooi", "goed", "jammer", "vervelend", "handig", "aardig", "lief",
			"een goed idee",
			"een opluchting", "een mooie prijs", "zonde", "interessant"),
		[]string{"is dat zo", "nee maar", "dat weet ik", "dat ken ik", "dat hoorde ik", "dat zag ik", "dat las ik", "is het echt",
			"is het heus", "ik had geen idee", "wist ik niet", "een goed idee",
			"een goed plan", "een goed punt",
			"ik ben het met u eens", "ik ben het met je eens", "ik ben het ermee eens", "wie had dat gedacht",
			"ik had het al gedacht"},

		framed([]string{"nein "}, "das ist gut", "das ist in ordnung", "das ist okay", "das ist klar", "das verstehe ich",
			"das stimmt", "natürlich", "natürlich nicht", "kein problem", "genau", "klar", "alles gut", "schon gut"),
		framed([]string{"das kann ich mir ", "kann ich mir ", "das kann ich "}, "vorstellen", "gut vorstellen", "denken",
			"verstehen",
			"nachvollziehen"),
		framed([]string{"wie "}, "schön", "nett", "schade", "gut", "interessant", "ärgerlich", "praktisch"),
		framed([]string{"was für "}, "eine gute idee", "eine erleichterung", "ein glück"),
		[]string{"ist das so", "ist das wahr", "das geht klar", "das geht in ordnung", "ich hatte keine ahnung",
			"keine ahnung gehabt", "ich bin einverstanden",
			"sie haben recht",
			"du hast recht", "wer hätte das gedacht", "das hatte ich mir gedacht"},
	)
}
