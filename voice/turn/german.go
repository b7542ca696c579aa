package turn

import "slices"

// germanAcknowledgements is englishAcknowledgements in German.
func germanAcknowledgements() []string {
	return slices.Concat(plainGerman(), germanJudgements(),
		framed([]string{"ich verstehe ", "ich sehe ", "ich höre ", "ich weiß ", "ich begreife ", "ich schätze "},
			"", "das", "es", "sie", "dich", "was sie meinen", "was du meinst", "schon", "was sie sagen", "das sehr"),
		framed([]string{"das verstehe ich ", "verstehe ich ", "das sehe ich ", "das glaube ich ", "das weiß ich ",
			"das dachte ich ",
			"das denke ich ", "das kenne ich ", "das hoffe ich ", "das freut mich ", "freut mich "},
			"", "schon", "auch", "gut", "gerne", "mir", "wohl", "zu hören", "sehr", "ihnen"),
		framed([]string{"das "}, "wusste ich nicht", "wusste ich gar nicht", "hätte ich nicht gedacht", "habe ich mir gedacht",
			"habe ich verstanden"),
		framed([]string{"", "das "}, "macht nichts", "macht sinn", "ergibt sinn", "passt", "passt gut", "passt mir",
			"hilft mir", "hilft",
			"stimmt", "klappt", "reicht"),
		framed([]string{"da haben sie ", "da hast du "}, "recht", "völlig recht"),
		framed([]string{"bin ", "da bin ich "}, "einverstanden", "ganz ihrer meinung", "ganz ohr", "froh", "dabei"),
		framed([]string{"reden sie ", "sprechen sie ", "fahren sie ", "machen sie ", "erzählen sie ", "mach ", "erzähl "},
			"weiter",
			"ruhig weiter", "nur weiter", "nur", "ruhig", "fort", "ruhig fort"),
		framed([]string{"das ist "}, "sehr freundlich", "sehr nett", "freundlich", "nett von ihnen", "lieb von ihnen"),
	)
}

// germanJudgements returns those of what was said, in the frames in which they stand.
func germanJudgements() []string {
	return slices.Concat(
		framed([]string{"", "das ist ", "ist ", "es ist ", "das klingt ", "klingt ", "das wäre ", "wäre ", "finde ich ",
			"das finde ich ",
			"sehr ", "alles ", "das hört sich ", "hört sich ", "das sieht ", "sieht ", "das ist ja ", "ist ja ", "oh wie "},
			"gut", "prima", "schön", "toll", "super", "klar", "logisch", "perfekt", "ausgezeichnet", "fantastisch", "wunderbar",
			"hervorragend", "interessant", "richtig", "korrekt", "nett", "fair", "hilfreich", "praktisch", "schade",
			"bedauerlich", "ärgerlich",
			"seltsam", "komisch", "lustig", "vernünftig", "sinnvoll", "einfach", "bequem", "günstig", "in ordnung", "okay",
			"verständlich",
			"nachvollziehbar", "beruhigend", "erfreulich", "erstaunlich", "spannend", "nützlich", "großartig", "herrlich",
			"genial", "spitze",
			"klasse", "ideal", "bestens", "recht", "wahr", "bekannt", "lieb", "besser", "gut an", "gut aus", "so"),
		framed([]string{"", "das ist ", "ist ", "das klingt nach "}, "eine gute idee", "ein guter plan", "ein guter punkt",
			"ein guter preis", "ein guter tipp", "eine gute frage", "eine gute lösung", "eine erleichterung", "gute idee",
			"guter plan",
			"guter punkt", "keine schlechte idee", "kein problem", "gar kein problem", "überhaupt kein problem", "kein thema",
			"keine frage",
			"nicht schlecht", "nicht schlimm", "nicht verkehrt", "das was ich dachte", "mir recht", "gut zu wissen", "gut so",
			"schön zu hören"),
	)
}

// plainGerman returns those with which no others are made.
func plainGerman() []string {
	return []string{
		"ja", "jaja", "jo", "joa", "jawohl", "jep", "mhm", "mm", "hm", "aha", "ah", "oh", "ach", "ach so", "achso", "ach ja",
		"ach wirklich",
		"na gut", "na schön", "na klar", "na ja", "naja", "na dann", "also gut", "okay", "ok", "okey", "verstehe", "verstanden",
		"kapiert",
		"alles klar", "klar", "klaro", "genau", "ganz genau", "eben", "richtig", "stimmt", "stimmt genau", "das stimmt",
		"natürlich",
		"selbstverständlich", "freilich", "sicher", "sicherlich", "bestimmt", "gewiss", "absolut", "durchaus", "definitiv",
		"tatsächlich",
		"wirklich", "echt", "ehrlich", "in der tat", "logo", "gern", "gerne", "sehr gerne", "gern geschehen", "danke",
		"danke schön",
		"dankeschön", "danke sehr", "vielen dank", "herzlichen dank", "besten dank", "wow", "oje", "meine güte",
		"ach du meine güte", "mensch", "donnerwetter", "einverstanden", "abgemacht", "gebongt", "notiert", "ist notiert",
		"gemerkt",
		"von mir aus", "meinetwegen", "wie erwartet", "dachte ich mir", "dachte ich mir schon", "ich höre", "ich höre zu",
		"ich bin dran",
		"weiter", "nur zu", "nicht wahr", "wunderbar", "gott sei dank", "zum glück", "glücklicherweise", "kein ding",
		"keine sorge",
		"keine eile", "keine ursache", "so ist es", "so ist das", "so", "jetzt verstehe ich", "so machen wir das",
		"machen wir so", "ach was",
		"sag bloß", "sieh an", "im ernst",
	}
}

// germanTails returns what stands behind an acknowledgement and changes nothing of it: "alles klar dann".
func germanTails() []string {
	return []string{
		"dann", "doch", "mal", "ja", "so", "auch", "schon", "denn", "für mich", "für uns", "von mir aus", "soweit", "bis jetzt",
		"zu wissen",
		"zu hören", "mit mir", "mit ihnen", "ihnen", "dir", "vielmals", "für die information", "für die auskunft",
		"für die erklärung",
		"für ihre hilfe", "dafür", "danke", "natürlich", "mir", "also", "jetzt", "gerade",
	}
}
