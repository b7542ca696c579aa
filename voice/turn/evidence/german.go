package evidence

func german() *vocabulary {
	return &vocabulary{
		dangling:  words(`also deshalb deswegen daher darum`),
		danglesBy: words(`na gut ja genau`),
		neverLast: words(`und oder aber weil dass damit obwohl sondern bevor nachdem sobald falls sowie sowohl entweder
			der den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren unserem
			kein keine keinen keinem ihre ihren ihrem eure jede jeder jeden jedem
			von vom für bei zwischen ohne während pro seit gegen zum zur im am ins beim aufs übers wegen trotz außer richtung
			ich wir bin habe hätte möchte würde soll muss sehr äh ähm öhm hm paar herr frau doktor punkt bindestrich unterstrich
			minus`),
		modals: words(`kann können könnte könnten konnte konnten muss müssen müsste musste soll sollen sollte sollten will wollen wollte
			wollten möchte möchten würde würden werde wird werden darf dürfen dürfte`),
		infinitives: words(`haben sein werden gehen kommen bleiben machen`),
		closers: phrasesOf("bitte", "danke", "vielen dank", "danke schön", "wenn es geht", "wenn das geht", "wenn möglich",
			"falls möglich",
			"wenn es möglich ist", "wenn das möglich ist", "glaube ich", "denke ich", "hoffe ich", "gerne"),
		verbsLast: words(`bin habe hat hatte hatten haben ist war waren sind wird wurde wurden werden würde hätte wäre soll
			sollte muss musste
			müssen kann konnte können will wollte möchte geht ging kommt kam steht stand bleibt gibt sagt sagte weiß bekomme bekommt`),
		stranded:   words(`an auf in über aus um durch mit vor nach zu`),
		strandedBy: words(`da hier wo`),
		requests:   words(`können könnten könnte würden würde wollen kannst könntest`),
		you:        words(`sie du ihr`),
		particles:  words(`an auf aus ab ein mit nach vor zu um zurück weg los`),
		carriers: words(`nicht mehr auch noch wieder immer ihn sie es mich mir uns ihnen dir das die ganz oft ständig gar
			gleich sofort heute
			morgen gern gerne bitte`),
		rarelyLast: words(`wie wer was wo wann als ob wenn die dieser diese dieses diesen diesem in an auf aus über um durch
			unter neben hinter zu nach
			mit vor auch noch nur vielleicht eigentlich ungefähr etwa circa ist wird hat sind war haben werden kann können
			nächste nächsten kommenden letzte letzten sich er man mehr weniger viel viele alle beide manche einige
			bekam wollte konnte musste sollte sagt sagte denke glaube meine weil gestern ganz`),
		openings: phrasesOf("ich möchte", "ich möchte gern", "ich möchte gerne", "ich würde gern", "ich würde gerne", "ich hätte gern",
			"ich hätte gerne", "ich wollte", "ich will", "ich habe", "ich bin", "mein name ist", "das ist", "hier ist", "hier spricht",
			"es ist", "es geht um", "es geht darum", "geht um", "sie sprechen mit", "ich rufe an", "ich rufe an weil",
			"ich heiße", "ich brauche",
			"können sie", "könnten sie", "können sie mir", "könnten sie mir", "kann ich", "darf ich", "ich muss", "ich war",
			"ich weiß nicht ob",
			"in der", "in die", "mit der", "an der", "auf der", "auf die", "bei der", "für die", "für das", "in das",
			"aber nicht", "nicht vor",
			"mir sagen", "ich dachte", "ich hatte", "und dann", "und jetzt", "aber jetzt", "und das", "und die", "um zu",
			"statt", "so schnell",
			"gegen halb", "um halb", "wohne in", "komme aus", "immer wenn"),
		tags: phrasesOf("denke ich", "glaube ich", "finde ich", "dachte ich", "weiß ich", "hoffe ich", "meine ich", "nicht mehr",
			"wenn es geht", "wenn das geht", "im moment", "zurzeit"),
		hanging:  words(`weil dass damit obwohl bevor nachdem sobald falls`),
		stands:   words(`möglich nötig nicht`),
		relative: words(`dass weil wenn ob was wo wann wie der die das welche warum als bis seit solange`),
		articles: words(`am zum vom der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner ihr ihre ihren
			ihrem unser unsere
			dieser diese dieses diesen diesem kein keine keinen zwei drei vier fünf sechs`),
		adjectives: inflections(`groß klein neu alt jung gut schlecht seltsam komisch ander blau rot grün gelb schwarz weiß
			grau braun dunkel hell
			voll kurz lang hoh niedrig leis laut echt eigen ernst schrecklich furchtbar scharf hart kaputt falsch richtig normal schnell
			größer kleiner neuer älter jünger billiger günstiger günstig billig teur früh spät besser schlechter doppelt einfach
			heiß kalt
			warm leer ganz letzt nächst wichtig dringend bestimmt elektrisch alternativ schwer stark kostenlos privat
			medizinisch technisch`),
		whole: phrasesOf("ja", "nein", "ja bitte", "ja gerne", "gerne", "nein danke", "danke", "vielen dank",
			"danke schön", "das stimmt",
			"stimmt", "genau", "richtig", "das ist richtig", "okay", "in ordnung", "das ist in ordnung", "gut", "natürlich", "sicher",
			"das war alles", "das wars", "das ist alles", "sonst nichts", "nichts", "auf wiederhören", "tschüss", "hallo", "guten tag",
			"guten morgen", "bitte", "ich weiß es nicht", "das weiß ich nicht", "ich glaube schon", "ich denke schon",
			"ich glaube nicht",
			"klar", "alles klar", "passt", "das passt", "noch nicht", "eigentlich nicht", "keine ahnung", "leider nicht", "leider ja",
			"so schnell wie möglich", "das wäre schön", "das wäre gut", "jawohl", "doch", "perfekt", "selbstverständlich", "gern"),
		verdicts: phrasesOf("das ist es", "das bin ich", "das geht", "das habe ich", "das mache ich", "bin ich", "habe ich", "hab ich",
			"das kann ich", "sind wir", "haben wir"),
		inTowns: words(`in bei an`),
		days: words(`montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend heute morgen übermorgen abend
			nachmittag vormittag
			früh mittag woche wochenende monat jahr`),
		hedges: words(`vielleicht eventuell gegebenenfalls möglicherweise`),
		askers: words(`was wann wo wer wen wem welche welcher welches welchen warum wieso weshalb wie wieviel woher wohin
			können könnten kann darf ist sind
			hat haben habe soll muss gibt geht kommt bist sitzt kostet dauert würden wäre gilt liegt macht machen reparieren bieten`),
		askPreps: words(`bis mit von auf in für nach bei an ab seit um über zu`),
		leads: phrasesOf("noch eine frage", "eine frage noch", "eine frage", "noch eine sache", "noch etwas", "hallo", "guten tag", "guten morgen",
			"entschuldigung", "verzeihung", "und", "aber", "also", "übrigens"),
		connectors:   words(`weil denn aber wenn ob oder dass die der das wo was wer bis seit damit und als während`),
		questionEnds: words(`an aus ab ein mit nach noch auf`),
		wordAsks:     words(`was wann wo wer warum wieso wie`),
		asksAfter:    words(`das es dies`),
		pronouns:     words(`ich wir er sie es ihr mein meine unser unsere der die das man jemand`),
		yesNo:        words(`ja nein jawohl doch sicher okay gut klar`),
		whether:      words(`ob`),
		conditions:   words(`wenn falls weil obwohl seit während bevor nachdem sobald solange`),
		mailAt:       words(`at ät klammeraffe`),
		mailDot:      words(`punkt dot`),
		askMail:      phrasesOf("e mail", "email", "mailadresse", "e mail adresse"),
		orders: words(`schicken senden geben nehmen machen bringen sagen rufen buchen stornieren ändern schauen fragen
			schreiben lassen suchen`),
		polite: words(`dann bitte doch einfach mal`),
		main:   words(`ich wir sie du er es dann so`),

		digits: map[string]int{

			"null": 1, "ein": 1, "eins": 1, "zwei": 1, "zwo": 1, "drei": 1, "vier": 1, "fünf": 1, "sechs": 1, "sieben": 1, "acht": 1, "neun": 1,
			"zehn": 2, "elf": 2, "zwölf": 2, "dreizehn": 2, "vierzehn": 2, "fünfzehn": 2, "sechzehn": 2, "siebzehn": 2, "achtzehn": 2,
			"neunzehn": 2, "neunzehnhundert": 2, "doppel": 1, "hundert": 2,
		},
		tens:        []string{"zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"},
		centuries:   []string{"neunzehnhundert", "zweitausend"},
		ordinals:    []string{"ter", "ten", "te"},
		participles: []string{"ge", "be", "ver", "er", "zer", "ent", "auf", "an", "aus", "ab", "ein", "mit", "um", "vor", "zu", "über"},
		numberGlue:  words(`und strich dann`),
		months:      words(`januar jänner februar märz april mai juni juli august september oktober november dezember`),
		askPhone: phrasesOf("telefonnummer", "handynummer", "mobilnummer", "rückrufnummer", "unter welcher nummer", "nummer erreichen",
			"erreichbar", "zurückrufen", "sie anrufen", "sie erreichen"),
		askDate: phrasesOf("geburtsdatum", "geboren", "geburtstag"),
		askNumber: phrasesOf("nummer", "kundennummer", "bestellnummer", "auftragsnummer", "postleitzahl", "code", "rechnungsnummer",
			"aktenzeichen", "pin"),
		askSpelling: phrasesOf("buchstabieren", "schreibt man", "geschrieben"),
		lastName:    phrasesOf("nachname", "nachnamen", "familienname", "familiennamen", "vorname", "vornamen"),
		askName: phrasesOf("name", "namen", "nachname", "nachnamen", "familienname", "familiennamen", "vorname", "vornamen",
			"mit wem spreche ich", "wer spricht", "wen darf ich"),
		askPlace: phrasesOf("adresse", "anschrift", "wo wohnen", "wohin", "wo sind", "wo ist"),
		askTime: phrasesOf("um wie viel uhr", "wie spät", "welcher tag", "welchen tag", "an welchem tag", "wann",
			"welches datum", "wie lange",
			"seit wann", "welche uhrzeit"),
		askCount: phrasesOf("wie alt", "wie viele", "wie vielen"),
		denials:  words(`nicht nie`),
		askWhy:   phrasesOf("warum", "wieso", "weshalb", "aus welchem grund"),
		askStory: phrasesOf("helfen", "für sie tun", "für dich tun", "passiert", "worum geht", "um was geht", "erzählen",
			"beschreiben", "warum",
			"das problem", "anliegen", "möchten sie wissen", "der grund", "erklären", "was fehlt", "schildern", "was ist los"),
		askYesNo: words(`ist sind können kann darf soll sollen wollen möchten haben hat hast bist geht stimmt war passt gibt`),
	}
}

// inflections returns German adjectives with their endings.
func inflections(stems string) set {
	s := words(stems)
	for stem := range words(stems) {
		for _, end := range []string{"e", "en", "em", "er", "es"} {
			s[stem+end] = true
		}
	}
	return s
}
