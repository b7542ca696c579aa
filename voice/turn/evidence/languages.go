package evidence

// vocabularies are those of the languages that this package knows.
var vocabularies = map[string]*vocabulary{"en": english(), "nl": dutch(), "de": german()}

func english() *vocabulary {
	return &vocabulary{
		dangling: words(`so`),
		danglesBy: words(`think thought hope guess suppose believe said say says or and not even if do did im very ever quite say why
			much too like just maybe perhaps`),
		neverLast: words(`and or but because if while whether than although though unless which whose
			the a an my your his our their its every each
			of from with into onto between without during per than
			am be i we he they im id ill ive were weve hes shes theyre youre
			would could should may might must very quite rather um uh er erm uhm hmm let lets to the
			thats theres heres whats wheres whos itll theyll youll hed shed theyd youd youve weve being nor via upon towards toward
			against among within except including regarding such whereas mister misses missus doctor dot underscore`),
		rarelyLast: words(`so through across behind beside beyond
			that as for at by about around in on up before after since until when where who what like just only even
			also maybe perhaps not these those well then next last any some another both several many few
			dont doesnt didnt cant couldnt wont wouldnt isnt arent wasnt werent havent hasnt been got getting having using keeps keep
			makes make made gave give sent bought brought found said says told put lost took take wants needs wanted needed
			want need think guess mean know tell`),
		openings: phrasesOf("i want", "i need", "i would like", "id like", "i have", "i am", "my name is", "this is", "that is",
			"it is", "its",
			"i was", "in order", "such as", "kind of", "sort of", "a lot", "can you", "could you", "do you", "i mean", "you know",
			"as soon", "as long", "so that", "more than", "less than", "half past", "quarter past", "quarter to",
			"tell me", "told me", "let me know", "sent me", "send me", "gave me", "give me", "show me", "showed me", "sent us", "gave us",
			"told us", "i had", "i wanted", "i tried", "not before", "instead of", "as well as",
			"trouble with", "at the", "number of", "able to", "going to", "used to", "have to",
			"and now", "and then", "but now", "but then", "and so", "and also", "so now"),
		auxiliary: words(`is are was were do does did have has had can will`),
		subjects:  words(`it that this you there she`),
		joins:     words(`and but or so because if when whether now then while think said guess hope since`),
		particles: words(`in on up over by through around`),
		carriers: words(`turn turns turned turning come comes came coming go goes went going log logs logged logging fill filled filling hang hung
			switch switched sign signed pick picked check checked get gets got put look looked move moved drop dropped send sent call called not
			it them him her me us`),
		stranded:   words(`of from with into for to about at on in by`),
		strandedBy: words(`what who which where whom`),
		requests:   words(`can could would will`),
		you:        words(`you`),
		tags: phrasesOf("i guess", "i think", "i believe", "i suppose", "i hope", "can think of", "know of", "heard of",
			"calling from", "as i can", "as you can", "as we can", "if i can", "if we can", "at the moment", "for now", "in may", "of may",
			"since may", "until may", "last may", "next may", "thanks a lot", "helps a lot", "like that a lot"),
		closers: phrasesOf("please", "thank you", "thanks", "if possible", "if thats possible", "if that is possible", "if you can",
			"if you could",
			"if thats okay", "if thats all right", "if you dont mind", "thank you very much", "i think", "i hope", "i believe", "i guess",
			"i suppose"),
		hanging: words(`because if whether although unless whereas`),
		stands:  words(`possible necessary needed so not any anything ever`),
		articles: words(`the a an my your his her our their this that these those some any no every each another
			two three four five six seven eight nine ten`),
		adjectives: words(`big small large little new old young older newer younger bigger smaller larger good bad nice great strange weird
			different same other whole main own red blue green yellow black white grey brown dark light full free short long high low real
			private personal serious severe terrible horrible awful slight sharp constant loud broken wrong correct regular normal standard
			basic annual monthly weekly daily quick brief simple special general medical dental technical electric digital mobile cheap
			cheaper cheapest expensive early late earlier later best better worse worst nearest single double extra huge tiny heavy hot cold
			warm empty entire final recent local public important urgent possible available specific particular certain following`),
		whole: phrasesOf("yes", "yeah", "yep", "yes please", "no", "nope", "no thanks", "no thank you", "thanks", "thank you",
			"thank you very much",
			"that is correct", "thats correct", "thats right", "that is right", "correct", "right", "exactly", "sure", "of course", "okay",
			"ok",
			"please", "please do", "that was all", "thats all", "that is all", "that was it", "nothing else", "goodbye", "bye",
			"hello", "good morning", "good afternoon", "sounds good", "perfect", "great", "fine", "absolutely", "definitely", "not really",
			"i do", "i am", "it is", "i think so", "i dont think so", "i dont know", "aye", "yup", "nah", "go on then", "not yet",
			"not at all",
			"no idea", "nothing", "as soon as possible", "cheers", "ta", "all right", "that would be great", "that would be fine"),
		verdicts: phrasesOf("it is", "it was", "i am", "i do", "i did", "i have", "i can", "i will", "we are", "we do", "we did",
			"we have",
			"they are", "that is it", "that works", "that works for me", "that suits me", "it does", "she is", "he is", "im not", "i dont", "i cant", "it isnt", "we dont"),
		inTowns: words(`in on near`),
		days: words(`monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight morning afternoon evening noon week
			weekend month year`),
		hedges: words(`maybe perhaps possibly either ideally`),
		askers: words(`what when where who which why how whats wheres whos do does did can could would will is are have has may should am shall
			whom isnt arent doesnt couldnt wouldnt`),
		askPreps: words(`at on in to for from with by of until since about`),
		leads: phrasesOf("one more thing", "one more question", "another question", "a question", "quick question", "just a question",
			"hello", "hi",
			"good morning", "good afternoon", "excuse me", "sorry", "and", "but", "so", "by the way"),
		connectors:   words(`because but if unless or so that who which when while since until and where whether`),
		questionEnds: words(`take takes mean means need want well then before after around like`),
		wordAsks:     words(`what when where who which why how`),
		asksAfter:    words(`it that this`),
		pronouns:     words(`i im ive we were he hes she shes they theyre you youre it its my our the this that there somebody someone`),
		yesNo:        words(`yes yeah yep no nope sure okay ok well oh`),
		whether:      words(`whether if`),
		conditions:   words(`if when because although since while unless before after whenever`),
		mailAt:       words(`at`),
		mailDot:      words(`dot point period`),
		askMail:      phrasesOf("e mail", "email", "mail address"),
		orders:       words(`send give take make bring put tell call get book cancel change move check ask write let say show find pass leave`),
		polite:       words(`please to just then`),
		main:         words(`i we you he she they it ill id im well youll youd would can could will should please then is are want need have`),

		digits: map[string]int{
			"zero": 1, "oh": 1, "o": 1, "one": 1, "two": 1, "three": 1, "four": 1, "five": 1, "six": 1, "seven": 1, "eight": 1, "nine": 1,
			"double": 1, "triple": 2, "ten": 2, "eleven": 2, "twelve": 2, "thirteen": 2, "fourteen": 2, "fifteen": 2, "sixteen": 2,
			"seventeen": 2, "eighteen": 2, "nineteen": 2, "twenty": 1, "thirty": 1, "forty": 1, "fifty": 1, "sixty": 1, "seventy": 1,
			"eighty": 1, "ninety": 1, "hundred": 2,
		},
		ordinals:   []string{"th"},
		numberGlue: words(`and dash then`),
		months:     words(`january february march april may june july august september october november december`),
		askPhone: phrasesOf("phone number", "telephone number", "mobile number", "cell number", "number can we reach",
			"number to reach", "phone", "reach you", "call you",
			"should we call", "ring you", "contact you", "number to call"),
		askDate:     phrasesOf("date of birth", "birth date", "birthday", "born"),
		askNumber:   phrasesOf("number", "code", "zip", "postcode", "pin", "reference"),
		askSpelling: phrasesOf("spell"),
		lastName:    phrasesOf("last name", "surname", "family name", "first name"),
		askName:     phrasesOf("name", "surname", "who am i speaking", "whos calling", "who is calling"),
		askPlace:    phrasesOf("address", "where"),
		askTime:     phrasesOf("what time", "which day", "when", "how late", "what date", "how long", "since when"),
		askCount:    phrasesOf("how old", "how many"),
		askWhy:      phrasesOf("why", "how come", "what reason", "what for"),
		askStory: phrasesOf("help", "of service", "do for you", "the problem", "happened", "is it about", "this about", "tell me",
			"describe", "why",
			"how did", "like to know", "wrong", "going on", "the matter", "reason", "explain", "more about"),
		askYesNo: words(`is are do does did can could shall should would will have has may was were am`),
	}
}

func dutch() *vocabulary {
	return &vocabulary{
		dangling: words(`dus`),
		neverLast: words(`en of maar omdat doordat want terwijl hoewel tenzij zodat zoals
			de een mijn uw jouw onze hun elke iedere
			van voor met naar bij tussen zonder tijdens per sinds rond tegen
			ik wij we jij zij ze ben heb had heeft wil zou zal moet mag was waren zijn ga
			heel erg best eh ehm uhm uh euh geen paar soort volgens wegens vanwege ondanks behalve richting
			meneer mevrouw dokter punt apenstaartje streepje underscore`),
		modals:      words(`zou zouden zal zullen moet moeten mag mogen kan kunnen kon konden wil willen wilde wou gaat gaan hoeft hoeven laat`),
		infinitives: words(`zijn hebben worden gaan komen blijven zien staan doen`),
		closers: phrasesOf("alstublieft", "alsjeblieft", "als dat kan", "als het kan", "als dat mogelijk is", "als het mogelijk is",
			"indien mogelijk",
			"dank u wel", "dank je wel", "dank u", "dankjewel", "bedankt", "als u wilt", "als dat mag", "als u dat wilt",
			"denk ik", "hoop ik", "geloof ik", "dacht ik"),
		verbsLast: words(`ben heb had heeft wil zou zal moet mag was waren zijn ga is wordt kun kunt hebben hebt word worden blijft blijf gaat komt
			staat moest wou wilde kon zouden zei zegt denk denkt vroeg krijg kreeg werd werden`),
		stranded:   words(`van voor met naar bij tussen tegen aan op in over uit om door achter`),
		strandedBy: words(`er daar waar hier ergens nergens`),
		requests:   words(`kunt kun kan wilt wil zou`),
		you:        words(`u je jij jullie`),
		particles:  words(`aan op in om door over uit na tot`),
		carriers:   words(`niet meer ook even weer steeds nog hem haar ze mij me u je ons dat die er altijd vaak helemaal telkens zomaar vanzelf`),
		rarelyLast: words(`dus als dat die wie wat waar wanneer hoe te aan op in om tot door over na hij er
			ook nog even misschien eigenlijk gewoon alleen ongeveer is wordt hem haar je nou
			volgende komende deze dit zich uit veel meer minder kun kunt hebben hebt word worden blijft blijf gaat
			komt staat moest wou wilde kon zouden zei zegt denk denkt vroeg krijg kreeg werd werden steeds elk ieder alle beide sommige`),
		openings: phrasesOf("ik wil graag", "ik wil", "ik zou graag", "willen graag", "zouden graag", "zou graag", "wil graag",
			"ik heb", "ik ben", "mijn naam is", "dit is", "dat is", "het is", "u spreekt met",
			"ik bel omdat", "ik bel", "ik dacht", "kunt u", "kun je", "kan ik", "mag ik", "ik moet", "ik was", "ik denk dat",
			"ik weet niet of",
			"zo snel", "en het", "en de", "aan de", "in de", "op de", "bij de", "uit de", "naar de", "maar niet", "niet voor",
			"ik wou", "ik had", "kunt vertellen", "kan vertellen", "kunnen vertellen", "mij vertellen", "me vertellen", "mij zeggen", "me zeggen", "ik vroeg me af", "in plaats van", "van de",
			"van het",
			"met de", "met het", "voor de", "voor het", "op het", "in het", "bij het", "aan het", "om te",
			"en nu", "en dan", "en toen", "en ook", "maar nu", "maar dan", "dus nu"),
		tags: phrasesOf("denk ik", "geloof ik", "vind ik", "dacht ik", "weet ik", "hoop ik", "bedoel ik", "snap ik", "begrijp ik",
			"doe ik", "niet meer", "als dat kan",
			"als het kan", "als dat mag", "op dit moment"),
		hanging:  words(`omdat terwijl hoewel zodat voordat nadat zodra doordat tenzij`),
		stands:   words(`mogelijk nodig niet zo`),
		relative: words(`tot die dat als wanneer wat waar of hoe hoeveel toen wie welke waarom sinds totdat zolang zoals waarin waarop`),
		articles: words(`de het een mijn uw jouw onze ons hun die deze dit dat geen elke elk ieder iedere twee drie vier vijf zes`),
		adjectives: words(`groot klein nieuw oud jong goed slecht raar vreemd ander blauw rood groen geel zwart wit grijs bruin donker licht vol
			gratis kort lang hoog laag echt eigen ernstig vreselijk scherp hard kapot verkeerd gewoon normaal snel kleiner groter ouder
			nieuwer goedkoper duurder goedkoop duur vroeg laat eerder later beter slechter extra dubbel enkel heet koud warm leeg heel
			laatst belangrijk dringend bepaald`),
		inflected:   true,
		ordinals:    []string{"ste"},
		centuries:   []string{"negentien", "tweeduizend"},
		participles: []string{"ge", "be", "ver", "ont", "her", "af", "aan", "op", "uit", "in", "mee", "over"},
		whole: phrasesOf("ja", "nee", "ja graag", "graag", "ja hoor", "nee hoor", "nee dank u", "nee dank je", "dank u wel",
			"dank je wel", "dankjewel",
			"dank u", "bedankt", "dat klopt", "klopt", "precies", "prima", "oké", "oke", "is goed", "dat is goed", "goed", "natuurlijk",
			"zeker",
			"dat was alles", "dat was het", "verder niets", "tot ziens", "doei", "dag", "hallo", "goedemorgen", "goedemiddag",
			"alstublieft",
			"dat weet ik niet", "ik denk het wel", "ik denk het niet", "ik weet het niet", "jazeker", "inderdaad", "helemaal goed",
			"dat is zo", "best wel", "helaas wel", "helaas niet", "volgens mij niet", "volgens mij wel",
			"niet echt", "doe maar", "doe dat maar", "nog niet", "helemaal niet", "geen idee", "niets", "niks", "is prima", "dat is prima",
			"jep",
			"zo snel mogelijk", "dat zou fijn zijn"),
		verdicts: phrasesOf("dat is het", "dat kan", "dat past", "dat lukt", "dat gaat", "dat schikt", "dat heb ik", "dat ben ik", "dat doe ik", "dat wil ik", "dat kan ik",
			"dat weet ik", "die heb ik"),
		inTowns: words(`in te op bij`),
		days: words(`maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag morgen overmorgen vanavond vanmiddag ochtend
			middag avond morgenochtend morgenmiddag morgenavond week weekend maand jaar`),
		hedges: words(`misschien eventueel wellicht liefst bijvoorbeeld`),
		askers: words(`wat wanneer waar wie welke waarom hoe hoeveel kunt kun kan mag is zijn heeft hebben hebt heb doet doen repareren wilt
			wil zou zouden moet gaat komt bent ben zit staat ligt werkt kost duurt krijg krijgen lukt klopt geldt
			welk waarmee waarop waarvoor waarheen hoelang`),
		askPreps: words(`tot met van op in voor naar bij aan vanaf sinds om over`),
		leads: phrasesOf("nog één ding", "nog een ding", "nog een vraag", "nog een vraagje", "een vraag", "een vraagje", "hallo",
			"goedemorgen",
			"goedemiddag", "pardon", "sorry", "en", "maar", "dus", "trouwens"),
		connectors:   words(`want maar als tenzij of dus dat die toen terwijl sinds tot omdat en wat waar wie waarin zodat`),
		questionEnds: words(`aan uit door na ook nog er`),
		wordAsks:     words(`wat wanneer waar wie waarom hoe`),
		asksAfter:    words(`dat dit het`),
		pronouns:     words(`ik we wij hij ze zij jullie mijn ons onze de het dat er iemand`),
		yesNo:        words(`ja nee jawel jazeker zeker oké oke nou`),
		whether:      words(`of`),
		conditions:   words(`als wanneer omdat hoewel sinds terwijl tenzij voordat nadat zodra`),
		mailAt:       words(`apenstaartje at`),
		mailDot:      words(`punt dot`),
		askMail:      phrasesOf("e mailadres", "emailadres", "mailadres", "e mail", "email"),
		orders: words(`stuur stuurt geef geeft neem neemt maak maakt breng brengt zet zeg zegt bel belt boek boekt annuleer wijzig kijk vraag schrijf
			laat zoek vertel vertelt doe doet`),
		polite: words(`dan maar even graag gewoon`),
		main:   words(`ik wij we u jij je hij zij ze het dan`),

		digits: map[string]int{
			"nul": 1, "een": 1, "één": 1, "twee": 1, "drie": 1, "vier": 1, "vijf": 1, "zes": 1, "zeven": 1, "acht": 1, "negen": 1,
			"tien": 2, "elf": 2, "twaalf": 2, "dertien": 2, "veertien": 2, "vijftien": 2, "zestien": 2, "zeventien": 2, "achttien": 2,
			"negentien": 2, "dubbel": 1, "honderd": 2,
		},
		tens:       []string{"twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig"},
		numberGlue: words(`en streepje dan`),
		months:     words(`januari februari maart april mei juni juli augustus september oktober november december`),
		askPhone: phrasesOf("telefoonnummer", "mobiele nummer", "mobiel nummer", "06 nummer", "nummer bereiken", "nummer kunnen we",
			"bereikbaar", "terugbellen", "u bellen", "we bellen", "je bellen"),
		askDate: phrasesOf("geboortedatum", "geboren", "verjaardag"),
		askNumber: phrasesOf("nummer", "klantnummer", "ordernummer", "bestelnummer", "postcode", "code", "factuurnummer", "kenmerk",
			"pincode"),
		askSpelling: phrasesOf("spellen", "spelt", "spel"),
		lastName:    phrasesOf("achternaam", "familienaam", "voornaam"),
		askName: phrasesOf("naam", "achternaam", "familienaam", "voornaam", "met wie spreek ik", "wie spreek ik",
			"wie kan ik zeggen"),
		askPlace: phrasesOf("adres", "waar woont", "waarheen", "waar moeten", "waar kunnen"), //nolint:misspell // Dutch
		askTime:  phrasesOf("hoe laat", "welke dag", "wanneer", "welk tijdstip", "welke datum", "hoe lang", "hoelang"),
		askCount: phrasesOf("hoe oud", "hoeveel"),
		denials:  words(`niet nooit`),
		askWhy:   phrasesOf("waarom", "hoezo", "reden"),
		askStory: phrasesOf("helpen", "van dienst", "voor u doen", "voor je doen", "aan de hand", "gebeurd", "waar gaat het", "vertel",
			"vertelt",
			"zegt u het maar", "zeg het maar", "omschrijven", "beschrijven", "waarom", "hoe hebt u", "hoe heb je", "wilt u weten", "probleem", "mis", //nolint:misspell // Dutch
			"reden", "uitleggen"),
		askYesNo: words(`is zijn klopt kan kunt kun mag zal zullen wilt wil bent heeft hebt heb hebben gaat zou`),
	}
}
