package evidence

// vocabularies are those of the languages that this package knows.
var vocabularies = map[string]*vocabulary{"en": english(), "nl": dutch()}

func english() *vocabulary {
	return &vocabulary{
		neverLast: words(`and or but because if while whether than although though unless which whose
			the a an my your his our their its every each
			of from with into onto between without during per than
			is are was were am be i we he they im id ill ive were weve hes shes theyre youre
			would could should will may might must does have has had very quite rather um uh er erm uhm hmm let lets to the
			mister misses missus doctor`),
		rarelyLast: words(`so that as for at by about around in on up before after since until when where who what like just only even
			also maybe perhaps not do can it this these those well then next last any some another
			want need think guess mean know tell`),
		openings: phrasesOf("i want", "i need", "i would like", "id like", "i have", "i am", "my name is", "this is", "that is", "it is", "its",
			"i was", "in order", "such as", "kind of", "sort of", "a lot", "can you", "could you", "do you", "i mean", "you know",
			"as soon", "as long", "so that", "more than", "less than", "half past", "quarter past", "quarter to",
			"tell me", "told me", "let me know", "i had", "i wanted", "i tried", "not before"),
		whole: phrasesOf("yes", "yeah", "yep", "yes please", "no", "nope", "no thanks", "no thank you", "thanks", "thank you", "thank you very much",
			"that is correct", "thats correct", "thats right", "that is right", "correct", "right", "exactly", "sure", "of course", "okay", "ok",
			"please", "please do", "that was all", "thats all", "that is all", "that was it", "nothing else", "goodbye", "bye",
			"hello", "good morning", "good afternoon", "sounds good", "perfect", "great", "fine", "absolutely", "definitely", "not really",
			"i do", "i dont", "i am", "it is", "i think so", "i dont think so", "i dont know"),
		askers:     words(`what when where who which why how whats wheres whos do does did can could would will is are have has may should am`),
		yesNo:      words(`yes yeah yep no nope sure okay ok well oh`),
		whether:    words(`whether if`),
		conditions: words(`if when because although since while unless before after whenever`),
		orders:     words(`send give take make bring put tell call get book cancel change move check ask write let say show find pass leave`),
		polite:     words(`please to just then`),
		main:       words(`i we you he she they it ill id im well youll youd would can could will should please then is are want need have`),

		digits: map[string]int{
			"zero": 1, "oh": 1, "o": 1, "one": 1, "two": 1, "three": 1, "four": 1, "five": 1, "six": 1, "seven": 1, "eight": 1, "nine": 1,
			"double": 1, "triple": 2, "ten": 2, "eleven": 2, "twelve": 2, "thirteen": 2, "fourteen": 2, "fifteen": 2, "sixteen": 2,
			"seventeen": 2, "eighteen": 2, "nineteen": 2, "twenty": 1, "thirty": 1, "forty": 1, "fifty": 1, "sixty": 1, "seventy": 1,
			"eighty": 1, "ninety": 1, "hundred": 2,
		},
		numberGlue:  words(`and dash then`),
		months:      words(`january february march april may june july august september october november december`),
		askPhone:    phrasesOf("phone number", "telephone number", "mobile number", "cell number", "number can we reach", "number to reach", "phone"),
		askDate:     phrasesOf("date of birth", "birth date", "birthday", "born"),
		askNumber:   phrasesOf("number", "code", "zip", "postcode", "pin", "reference"),
		askSpelling: phrasesOf("spell"),
		askName:     phrasesOf("name", "who am i speaking", "whos calling", "who is calling"),
		askPlace:    phrasesOf("address", "where"),
		askTime:     phrasesOf("what time", "which day", "when", "how late", "what date"),
		askYesNo:    words(`is are do does did can could shall should would will have has may was were am`),
	}
}

func dutch() *vocabulary {
	return &vocabulary{
		neverLast: words(`en of maar omdat doordat want terwijl hoewel tenzij zodat zoals
			de een mijn uw jouw onze hun elke iedere
			van voor met naar bij tussen zonder tijdens per sinds rond tegen
			ik wij we jij zij ze ben heb had heeft wil zou zal moet mag was waren zijn ga
			heel erg best eh ehm uhm uh euh
			meneer mevrouw dokter`),
		rarelyLast: words(`dus als dat die wie wat waar wanneer hoe te aan op in om tot door over na hij er
			ook nog even misschien eigenlijk gewoon alleen ongeveer is wordt hem haar je nou
			volgende komende deze dit`),
		openings: phrasesOf("ik wil graag", "ik wil", "ik zou graag", "ik heb", "ik ben", "mijn naam is", "dit is", "dat is", "het is", "u spreekt met",
			"ik bel omdat", "ik bel", "ik dacht", "kunt u", "kun je", "kan ik", "mag ik", "ik moet", "ik was", "ik denk dat", "ik weet niet of",
			"zo snel", "en het", "en de", "aan de", "in de", "op de", "bij de", "uit de", "naar de", "maar niet", "niet voor",
			"ik wou", "ik had", "mij vertellen", "me vertellen", "mij zeggen", "me zeggen"),
		whole: phrasesOf("ja", "nee", "ja graag", "graag", "ja hoor", "nee hoor", "nee dank u", "nee dank je", "dank u wel", "dank je wel", "dankjewel",
			"dank u", "bedankt", "dat klopt", "klopt", "precies", "prima", "oké", "oke", "is goed", "dat is goed", "goed", "natuurlijk", "zeker",
			"dat was alles", "dat was het", "verder niets", "tot ziens", "doei", "dag", "hallo", "goedemorgen", "goedemiddag", "alstublieft",
			"dat weet ik niet", "ik denk het wel", "ik denk het niet", "ik weet het niet", "jazeker", "inderdaad", "helemaal goed"),
		askers: words(`wat wanneer waar wie welke waarom hoe hoeveel kunt kun kan mag is zijn heeft hebben hebt heb doet doen repareren wilt
			wil zou zouden moet gaat komt bent ben`),
		yesNo:      words(`ja nee jawel jazeker zeker oké oke nou`),
		whether:    words(`of`),
		conditions: words(`als wanneer omdat hoewel sinds terwijl tenzij voordat nadat zodra`),
		orders: words(`stuur stuurt geef geeft neem neemt maak maakt breng brengt zet zeg zegt bel belt boek boekt annuleer wijzig kijk vraag schrijf
			laat zoek vertel vertelt doe doet`),
		polite: words(`dan maar even graag gewoon`),
		main:   words(`ik wij we u jij je hij zij ze het dan is kan wil zou graag`),

		digits: map[string]int{
			"nul": 1, "een": 1, "één": 1, "twee": 1, "drie": 1, "vier": 1, "vijf": 1, "zes": 1, "zeven": 1, "acht": 1, "negen": 1,
			"tien": 2, "elf": 2, "twaalf": 2, "dertien": 2, "veertien": 2, "vijftien": 2, "zestien": 2, "zeventien": 2, "achttien": 2,
			"negentien": 2, "dubbel": 1, "honderd": 2,
		},
		tens:        []string{"twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig"},
		numberGlue:  words(`en streepje dan`),
		months:      words(`januari februari maart april mei juni juli augustus september oktober november december`),
		askPhone:    phrasesOf("telefoonnummer", "mobiele nummer", "mobiel nummer", "06 nummer", "nummer bereiken", "nummer kunnen we"),
		askDate:     phrasesOf("geboortedatum", "geboren", "verjaardag"),
		askNumber:   phrasesOf("nummer", "klantnummer", "ordernummer", "bestelnummer", "postcode", "code", "factuurnummer", "kenmerk", "pincode"),
		askSpelling: phrasesOf("spellen", "spelt", "spel"),
		askName:     phrasesOf("naam", "met wie spreek ik", "wie spreek ik", "wie kan ik zeggen"),
		askPlace:    phrasesOf("adres", "waar woont", "waarheen", "waar moeten", "waar kunnen"), //nolint:misspell // Dutch
		askTime:     phrasesOf("hoe laat", "welke dag", "wanneer", "welk tijdstip", "welke datum"),
		askYesNo:    words(`is zijn klopt kan kunt kun mag zal zullen wilt wil bent heeft hebt heb hebben gaat zou`),
	}
}
