package answerer

import "strings"

// vocabulary is a set of words that play one part in a sentence.
type vocabulary map[string]bool

func wordsOf(list string) vocabulary {
	words := vocabulary{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}

// The parts that words play whatever is said with them: phrase lists know what many machines say, these how all of them are
// built.
var (
	speaking = wordsOf("talk speak say sing record tell leave start message spreek praat zeg vertel laat begin roep sprechen sprecht hinterlassen sagen sag")
	after    = wordsOf("after following na nach")
	article  = wordsOf("the a that this de het een dat deze dit dem diesem")
	pauses   = wordsOf("weekend christmas holidays summer war vakantie feestdagen zomer kerst lunch pauze other next andere urlaub ferien weihnachten mittag mittagspause feiertagen anderen")
	channels = wordsOf("try send email mail text app sms whatsapp message stuur shoot drop use reach contact schrijf bereik zoek " +
		"tik fax schicken schick schreiben schreib senden mailen")
	ourselves = wordsOf("me us my our mij ons onze mijn m'n even gerust online mir uns unsere")
	phones    = wordsOf("phone mobile cell cellphone line number telephone telefoon mobiel mobieltje toestel nummer " +
		"telefoonnummer voicemail handy telefon rufnummer anschluss mailbox box")
	parting = wordsOf("cheers bye byebye goodbye ciao thanks doei doeg houdoe groetjes groeten laterz later mazzel tabee " +
		"toodles tschüss wiederhören danke")
	denying = wordsOf("not no nobody noone never isnt arent cant cannot wont dont doesnt couldnt unable without niet geen " +
		"niemand nooit evenmin nicht kein keine keiner nie")
	present = wordsOf("here in home around available reach reached reachable answer answering pick come there desk office " +
		"respond attend er thuis aanwezig bereikbaar opnemen aannemen buurt kantoor werkplek bureau beschikbaar " +
		"bereiken beantwoorden staan da hier hause erreichbar erreichen büro verfügbar")
	parties = wordsOf("customer subscriber party user person number mobile handset lines circuits agents operators representatives " +
		"advisers advisors assistants colleagues abonnee klant gebruiker mobiel nummer lijnen medewerkers adviseurs collega's toestel persoon teilnehmer gesprächspartner anschluss " +
		"rufnummer leitungen mitarbeiter handy")
	places = wordsOf("office offices shop store practice surgery clinic crew kantoor winkel zaak praktijk showroom balie salon " +
		"büro geschäft laden praxis werkstatt kanzlei filiale")
	shut    = wordsOf("closed shut unstaffed vacated gesloten dicht stil onbemand geschlossen zu unbesetzt nicht")
	failing = wordsOf("not cannot cant busy off unavailable unreachable engaged switched disconnected changed ported invalid " +
		"barred helping assisting serving temporarily tijdelijk vorübergehend niet bezet uitgeschakeld onbereikbaar uit uitgezet gesprek afgesloten gewijzigd opgeheven " +
		"nicht besetzt belegt ausgeschaltet vergeben geändert")
	reopening = wordsOf("open opens reopen reopens back return returning again terug weer geopend open gaan " +
		"geöffnet wieder zurück geschlossen")
	times = wordsOf("tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february march april " +
		"may june july august september october november december noon morning evening week weekend oclock morgen " +
		"morgenochtend vanavond vanmiddag maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari " +
		"februari maart mei juni juli augustus oktober half uur later soon eight nine ten acht negen tien " +
		"montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz juni juli uhr")
	naming   = wordsOf("name naam who wie noem whos yourself namen wer heißen heisst heißt heet")
	purposes = wordsOf("why about reason regarding purpose concerning expecting waarom waarover waarvoor reden aanleiding over " +
		"concerns matter regard discuss topic subject bespreken betreft onderwerp warum grund anliegen worum worüber weshalb anlass " +
		"zweck thema besprechen betrifft")
	waiting    = wordsOf("wait hold stay remain wacht blijf blijft wachten warten bleiben")
	otherwise  = wordsOf("else other overige andere anderen anders alles otherwise")
	colleagues = wordsOf("operator agent representative someone staff assistant medewerker medewerkers collega assistente " +
		"telefoniste kollege kollegin")
	automatic = wordsOf("automated automatic virtual digital computer robot bot ai automatische digitale virtuele " +
		"automatisierte virtueller virtuelle digitaler")
	filtering = wordsOf("filtered screened verified check checked consult gefilterd gecontroleerd overleg akkoord verbonden " +
		"connected doorverbonden geprüft gefiltert known strangers bekenden vreemden bekannte bekannten fremde fremden")
	summaries  = wordsOf("sentence words zin zinnen woorden satz sätzen worten")
	commanding = wordsOf("tell say state give name ask describe noem noemt zeg zegt geef geeft spreek spreekt vertel vertelt stel stelt " +
		"omschrijf record sagen sag sprechen sprecht nennen nenne schildern beschreiben stellen")
	looking  = wordsOf("see check ask kijk kijken vraag vragen prüfe prüfen schaue sehe frage fragen")
	whether  = wordsOf("if whether of ob")
	taking   = wordsOf("answering answer answers pick picking picks screening neem neemt opneem opneemt gehe nehme nimmt")
	forOther = wordsOf("for voor für namens behalf")
	asking   = wordsOf("can may shall could would kan mag zal kunt kun zou wilt wil kann darf soll")
	oneself  = wordsOf("i you ik u je jij we ich wir sie")
	helping  = wordsOf("help assist book change cancel helpen boeken wijzigen annuleren helfen buchen ändern absagen vereinbaren")
	spokenIn = wordsOf("say speak inspreken spreek in zeggen sagen sprechen nennen")
	typedIn  = wordsOf("enter type key press dial intoetsen toets toetsen typen invoeren eingeben tippen drücken")
	either   = wordsOf("or of oder")
	keypads  = wordsOf("enter key type dial press say speak touch toets toetst voer tik druk kies zeg spreek intoetsen inspreken " +
		"invoeren choose select punch zegt noemt drukt kiest drücken wählen tippen sagen eingeben drück wähl")
)

// near reports whether a word of one part is followed by one of the other, with at most so many between.
func (s speech) near(first, second vocabulary, gap int) bool {
	for i, word := range s.words {
		if !first[word] {
			continue
		}
		for at := i + 1; at < len(s.words) && at <= i+1+gap; at++ {
			if second[s.words[at]] {
				return true
			}
		}
	}
	return false
}

func (s speech) has(part vocabulary) bool {
	for _, word := range s.words {
		if part[word] {
			return true
		}
	}
	return false
}

// recorder reports whether somebody is told to speak behind a sound, whatever it is called: "talk after the pip".
func (s speech) recorder() bool {
	for i, word := range s.words {
		if !after[word] || i+2 >= len(s.words) || !article[s.words[i+1]] || pauses[s.words[i+2]] {
			continue
		}
		for at := max(i-6, 0); at < min(i+6, len(s.words)); at++ {
			if speaking[s.words[at]] {
				return true
			}
		}
	}
	return false
}

// unattended reports whether words tell by themselves that nobody listens.
func (s speech) unattended() bool {
	return s.recorder() || s.near(parties, failing, 8) || s.strongest(machineWords) >= enough
}

// strongest returns the highest weight of the phrases that occur.
func (s speech) strongest(features []feature) int {
	highest := 0
	for _, f := range features {
		if f.weight > highest && strings.Contains(s.padded, f.phrase) {
			highest = f.weight
		}
	}
	return highest
}

// monologue is what the build of a greeting says for a machine: nobody is there, another way to reach them, when they are back,
// and several sentences without a question or a pause for the other side.
func (s speech) monologue(text string) int {
	score := s.elsewhere(strings.Contains(text, "?"))
	for _, sign := range []struct {
		found  bool
		weight int
	}{
		{s.recorder(), 3},
		{s.beginsSentence(text, dictating), 2},
		{s.near(channels, ourselves, 1), 1},
		{s.beginsWith(phones, 4), 1},
		{s.endsWith(parting), 1},
		{s.near(denying, present, 3) || s.near(present, denying, 1), 1},
		{s.near(parties, failing, 8), 2},
		{s.near(reopening, times, 5), 1},
		{s.near(places, shut, 9), 1},
		{s.hasAny(wishes...), 2},
		{s.hasAny(misdialled...), 4},
		{sentences(text) >= 3 && len(s.words) >= 10 && !strings.Contains(text, "?"), 1},
	} {
		if sign.found {
			score += sign.weight
		}
	}
	return score
}

// dictating are words that tell somebody to leave words of their own.
var dictating = wordsOf("leave record hinterlasse hinterlasst sprich sprecht")

// beginsSentence reports whether a sentence that is no question begins with one of these words.
func (speech) beginsSentence(text string, part vocabulary) bool {
	for _, said := range strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == '!' }) {
		words := newSpeech(said).words
		if len(words) > 0 && part[words[0]] && !strings.Contains(said, "?") {
			return true
		}
	}
	return false
}

// beginsWith reports whether one of the first so many words plays a part.
func (s speech) beginsWith(part vocabulary, count int) bool {
	return speech{words: s.words[:min(count, len(s.words))]}.has(part)
}

// endsWith reports whether the last of several words plays a part.
func (s speech) endsWith(part vocabulary) bool {
	return len(s.words) > 7 && part[s.words[len(s.words)-1]]
}

// wishes are said to nobody in particular, and misdialled is what networks say of numbers.
var (
	wishes = []string{" wish you ", " wensen u ", " wensen jullie ", " wünschen ihnen ", " wünschen euch ", " merry christmas ",
		" happy holidays ", " happy new year ", " frohe ", " fijne feestdagen ", " prettige feestdagen "}
	misdialled = []string{" as dialed ", " as dialled ", " no longer in service ", " not in service ", " is niet in gebruik ",
		" niet in gebruik ", " check the number ", " controleer het nummer ", " nicht vergeben ", " prüfen sie die nummer "}
)

func sentences(text string) int {
	return strings.Count(text, ". ") + strings.Count(text, "! ") + strings.Count(text, "? ") + 1
}

// choices is how often somebody says what to press or to say for something, or waits for a colleague otherwise.
func (s speech) choices() int {
	count, since := 0, 99
	for _, word := range s.words {
		since++
		switch {
		case offering[word]:
			since = 0
		case keypads[word] && since < 9:
			count, since = count+1, 99
		}
	}
	if count > 0 && (s.near(waiting, colleagues, 6) || s.near(otherwise, waiting, 5)) {
		count++
	}
	return count
}

// decides reports whether somebody asks who calls and why before they put the call through.
func (s speech) decides() bool { return s.has(naming) && s.has(purposes) }

// putsThrough reports whether somebody says that they will see.
func (s speech) putsThrough() bool {
	return s.near(looking, whether, 2) || s.hasAny(" connect you ", " put you through ", " door te verbinden ", " verbind ik u ",
		" verbind u ",
		" verbinden wij ", " try to connect ", " ich verbinde sie ", " ich durchstelle ", " ich sie durchstelle ")
}

// takesBoth reports whether something may be spoken or typed.
func (s speech) takesBoth() bool {
	return s.near(spokenIn, either, 0) && s.near(either, typedIn, 1) || s.near(typedIn, either, 0) && s.near(either, spokenIn, 1)
}

// asksPurpose reports whether somebody is told to say what it is about, and not who they are.
func (s speech) asksPurpose() bool {
	gap := 3
	if s.has(summaries) { // "in one sentence"
		gap = 8
	}
	return s.near(commanding, purposes, gap) && !s.has(naming)
}

// commands reports whether somebody says what to do with the keys, or to say one of several things.
func (s speech) commands() bool { return s.has(keypads) }
