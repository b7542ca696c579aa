package answerer

import (
	"strings"

	"github.com/callwright/callwright/voice/sentence"
)

// feature is a phrase with what it weighs. Phrases are padded, so that they match whole words.
type feature struct {
	phrase string
	weight int
}

// weigh returns features of lists of phrases, separated by commas.
func weigh(lists map[int]string) []feature {
	var features []feature
	for weight, list := range lists {
		for phrase := range strings.SplitSeq(list, ",") {
			features = append(features, feature{" " + strings.Join(sentence.Words(phrase), " ") + " ", weight})
		}
	}
	return features
}

// recording is what is said of the tone behind which one may speak: neither menus nor screeners have one.
var recording = append(weigh(map[int]string{1: "after the beep, after the tone, at the tone, at the beep, hear the beep, hear the tone, " +
	"na de piep, na de toon, na de pieptoon, na het signaal, na de bieptoon, hoort u de piep, leave a message, leave your message, " +
	"spreek een bericht, laat een bericht, mailbox, voicemail, antwoordapparaat, leave us a message, leave me a message, " +
	"voice mail, answering machine"}), germanRecording...)

var machineWords = append(weigh(map[int]string{
	6: "you know what to do, you know the drill, you know how this works, je weet wat je moet doen, je weet hoe het werkt, " +
		"je weet wat de bedoeling is, never hear this, never hears this, won't hear this, hoort dit nooit, hoor dit nooit",
	3: "like me to ring you, like me to call you, want me to ring you, want me to call you, wil je dat ik je bel, wilt u dat ik u bel, " +
		"als ik je moet bellen, leave a message, leave your message, leave me a message, leave us a message, leave your name, leave a voicemail, leave word, " +
		"after the beep, after the tone, at the tone, at the beep, hear the beep, hear the tone, voicemail, voice mail, voice mailbox, " +
		"answering machine, answering service, mail box, accept more messages, mailbox is full, mailbox, unable to take your call, unable to answer, " +
		"can't take your call, cannot take your call, can't come to the phone, cannot come to the phone, " +
		"can't get to the phone, can't answer, cannot answer, not able to take your call, not available to take your call, " +
		"record your message, get back to you, call you back, call you right back, return your call, ring you back, call you later, " +
		"sorry i missed you, sorry we missed you, missed your call, person you are calling, person you have called, " +
		"can't pick up, cannot pick up, not picking up, after the signal, speak after, unattended, cannot be reached, can't be reached, " +
		"automatische mededeling, automatic message, automated message, automatisch bericht, weer te bereiken, neem nu niet op, " +
		"neem even niet op, niet op kunnen nemen, spreek gerust, spreek wat, de machine, the machine, " +
		"switched off, toestel staat uit, uitgeschakeld, person you're calling, number you have dialed, number you dialed, subscriber, your call has been forwarded, " +
		"is not available right now, not available at the moment, currently unavailable, currently closed, our office is closed, " +
		"we are closed, we're closed, outside office hours, outside our business hours, our business hours are, our opening hours are, " +
		"our office hours are, please try again later, try again later, try calling later, try me again, " +
		"na de piep, na de toon, na de pieptoon, na de bieptoon, na het signaal, spreek in, spreek een bericht, spreek uw bericht, " +
		"spreek je bericht, laat een bericht, laat uw bericht, laat je bericht, bericht achterlaten, bericht achter te laten, " +
		"bericht inspreken, bericht in te spreken, inspreken, boodschap inspreken, boodschap in te spreken, spreek een boodschap, " +
		"boodschap achterlaten, laat een boodschap, antwoordapparaat, voicemailbox, kan uw oproep, kan je oproep, kan nu niet opnemen, " +
		"kan even niet opnemen, niet opnemen, kunnen u op dit moment niet te woord staan, niet te woord staan, " +
		"doorgeschakeld naar de voicemail, bel je terug, bel ik je terug, bel ik u terug, bel u terug, bellen u terug, " +
		"bellen we u terug, bellen wij u terug, bellen je terug, bellen we je terug, word je teruggebeld, wordt u teruggebeld, " +
		"zo snel mogelijk terug, nemen contact met u op, neem contact met je op, neem ik contact, nemen wij contact, nemen we contact, " +
		"je oproep gemist, uw oproep gemist, niet bereikbaar, zijn gesloten, is gesloten, we zijn momenteel gesloten, " +
		"onze openingstijden zijn, wij zijn geopend, we zijn geopend, buiten kantooruren, probeer het later, probeert u het later, " +
		"probeer het straks, naam en nummer, naam en telefoonnummer, uw naam en uw nummer, je naam en je nummer, name and number, " +
		"name and your number, at the sound, after the sound, na het geluid, na het geluidje, isn't picking up, is not picking up, neemt niet op, " +
		"do your thing, doe je ding, speak your piece, come to the phone, get to the phone, " +
		"aan de telefoon komen, i'll call when, i'll call you when, i'll ring when, bel je zodra, bel u zodra, never listen to, luister dit nooit, " +
		"you know what comes next, je weet wat er komt, je weet wat nu komt, buiten bereik, out of coverage, out of range, " +
		"to a recording, naar een bandje, does not answer, doesn't answer, you're hearing this, you are hearing this, je dit hoort, u dit hoort",
	2: "make it short, keep it short, hou het kort, houd het kort, stepped out, reopens, try my mobile, mijn mobiel, je nieuws, your news, chat later, tot later, bedankt dat u, thank you for contacting, not in, can't talk, niet praten, asleep, slaap, tell us your, vertel ons uw, kan nu niemand, kan niemand, nobody can, " +
		"is er niet, zijn er niet, er nu niet, niet binnen, text instead, een appje, you've reached, you have reached, not here right now, not here, not home, nobody is home, no one is home, nobody is here, " +
		"out of the office, away from my desk, away from my phone, away from the phone, on holiday, on vacation, " +
		"on another call, on the other line, send me a text, shoot me a text, text me, drop me a line, send an email, send us an email, " +
		"leave, i'll be back, we'll be back, be back on, can't talk right now, busy right now, when i'm back, when we're back, " +
		"when i get back, as soon as i can, as soon as possible, as soon as we can, you know what to do, at your earliest, " +
		"nobody is, no one is, we open, otherwise, if it is urgent, if it's urgent, emergency, spoedgevallen, bij spoed, " +
		"only my voice, on a plane, in the air, ring you, be brief, check my phone, apparaat, bandje, opgenomen boodschap, luister alles af, " +
		"luister het af, in het vliegtuig, te bereiken, " +
		"missed me, missed us, missed you, in touch, hear from me, hear from us, lost my phone, phone is off, not around, opens again, " +
		"open again, reopen, be open, out of office, in a meeting, in meetings, on a trip, gone, somewhere, say something, sing, " +
		"tell me what, tell us what, hearing this, listening to this, don't bother, works best, " +
		"hoor je van, hoort u van, van me horen, van ons horen, hoor je me, weer open, weer voor u klaar, dicht, is vandaag dicht, zijn dicht, " +
		"telefoon ligt, telefoon staat, telefoon uit, mailen, een sms, whatsapp, net gemist, ons gemist, mij gemist, weg, " +
		"tell me who, tell us who, say who you are, unfortunately, " +
		"niet thuis, niet aanwezig, afwezig, op vakantie, in gesprek, in een vergadering, onderweg, even niet, momenteel niet, " +
		"op dit moment niet, er even niet, stuur me, stuur een, stuur ons, app me, stuur gerust, mail ons, mail me, zo snel mogelijk, zodra ik, " +
		"zodra we, zodra wij, ben ik er weer, zijn we er weer, zijn wij er weer, weer bereikbaar, wat je wilt, je weet wat je moet doen, " +
		"helaas, alle medewerkers, geen van ons, niemand, vertel wie, zeg wie je bent, zeg even wie",
	1: "driving, zit in de auto, monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekend, next week, tonight, week, until, again, back, out, away, " +
		"maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, volgende week, vanavond, weer, pas, tot de, vakantie, " +
		"i'll, we'll, i'm, we're, i am, we are, ik ben, ik zit, ik sta, we zijn, wij zijn, we zitten, wij staan, laat weten, laat maar, " +
		"closed, unavailable, at the moment, right now, busy, message, number, text, email, website, later, tomorrow, monday to friday, " +
		"monday through friday, office hours, beep, tone, thanks for calling, thank you for calling, thank you and goodbye, have a great day, " +
		"have a nice day, bye, bye bye, goodbye, talk to you soon, catch you, soon, calling, " +
		"gesloten, op dit moment, momenteel, bericht, berichtje, boodschap, nummer, telefoonnummer, appje, e-mail, website, later, morgen, terug, " +
		"maandag tot en met, kantooruren, piep, toon, bedankt voor het bellen, dank voor het bellen, bedankt voor uw telefoontje, " +
		"fijne dag, prettige dag, tot ziens, tot snel, tot horens, tot dan, doei",
}), germanMachine...)

var personWords = append(weigh(map[int]string{
	3: "direct your call, what's up, what do you need, what can i get, can you hear me, wat is er aan de hand, wat mag het zijn, hoor je me, hoort u mij, " +
		" how can i help, how may i help, how can we help, can i help you, may i help you, what can i do for you, who is this, who's this, " +
		"who's there, who am i speaking, can i take a message, speaking, may i take a message, shall i take a message, " +
		"want me to take a message, can i pass on a message, " +
		"hold on, just a second, just a moment, just a minute, one moment please, give me a second, let me check, let me get, i'll get him, i'll get her, " +
		"go ahead, what is it, what's this about, do i know you, which company, " +
		"kan ik u helpen, kan ik je helpen, kan ik u van dienst zijn, waarmee kan ik, waar kan ik, wat kan ik voor u doen, " +
		"wat kan ik voor je doen, wat kan ik betekenen, zegt u het maar, zeg het maar, zeg maar, zegt u maar, met wie spreek ik, wie is dit, " +
		"wie bent u, wie is daar, boodschap aannemen, bericht aannemen, boodschap doorgeven, ogenblikje, momentje, een moment, een ogenblik, " +
		"wacht even, ik roep, ik haal, spreekt u mee, spreek je mee, daar spreekt u mee, waar gaat het over, vertel het eens, vertel",
	4: "if you cut out, if i cut out, if i lose you, if we get cut off, als je wegvalt, als ik wegval, als u wegvalt, als de verbinding wegvalt",
	9: "can i call you back, can i call you later, may i call you back, is it urgent, is it important, kan ik u terugbellen, " +
		"kan ik je terugbellen, kan ik u zo terugbellen, kan ik je zo terugbellen, kan ik u straks terugbellen, is het dringend, mag ik u terugbellen",
	2: "you're talking to, you are talking to, you're speaking to, front desk, at the desk, wrong number, speak up, verkeerd nummer, verkeerd verbonden, " +
		"ik pak, ik loop, ik zet, by the way, hello hello, who is calling, who's calling, may i ask, can i ask, yes hello, hello yes, hi there, is that you, sorry who, " +
		"u spreekt met, je spreekt met, mag ik vragen, ja hallo, hallo ja, ja met, sorry wie, ben jij dat, ja hoor",
}), germanPerson...)

// formalWords are what menus and machines of companies begin with, and people who go on with their name.
var formalWords = weigh(map[int]string{1: "welcome to, welkom bij, thank you for calling, thanks for calling, bedankt voor het bellen, " +
	"u bent verbonden met, u belt met, you are through to, you're through to, you have reached, you've reached"})

var hellos = append(weigh(map[int]string{
	1: "hello, hi, hey, yes, yeah, good morning, good afternoon, good evening, this is, what, " +
		"hallo, hoi, hé, ja, met, goedemorgen, goedemiddag, goedenavond, goeiemorgen, goeiemiddag, wat",
}), germanHellos...)

var menuWords = append(weigh(map[int]string{
	3: "or something else, of iets anders, een keuze uit, choose from the, press any key, press any button, druk op een toets, toets een cijfer, say yes or no, zeg ja of nee, answer yes or no, antwoord met ja of nee, " +
		"type in your, key in your, enter your, voer uw, in the queue, in de wachtrij, keys on your, toetsen van uw, digit, cijferige, " +
		"tell me briefly, tell us briefly, briefly tell, briefly say, briefly describe, say briefly, vertel kort, vertel in het kort, zeg kort, omschrijf kort, " +
		"following options, following menu, main menu, listen carefully, menu options, options have changed, your selection, keuzemenu, hoofdmenu, " +
		"volgende keuzes, volgende opties, maak uw keuze, maak een keuze, hoe wij u kunnen helpen, using your keypad, on your keypad, " +
		"say the name of, name of the department, zeg de naam van, noem de naam van, in a few words, in your own words, in one sentence, you can say things, say things like, kunt bijvoorbeeld zeggen, u kunt zeggen, tell me in a few words, in één zin, in één of twee zinnen, in enkele woorden, in een paar woorden, kort waarvoor u belt, " +
		"touch tone",
	2: "to speak to, to speak with, to hear, to reach, for all other, all other questions, remain on the line, dial by name, " +
		"extension, party's extension, to continue in english, for english, for dutch, for spanish, para español, stay on the line, " +
		"voor alle andere, voor overige vragen, voor overige, overige vragen, blijf aan de lijn, blijft u aan de lijn, voor engels, " +
		"voor nederlands, om verder te gaan, wilt u, belt u voor, toets hekje, sluit af met een hekje, sterretje, hekje, " +
		"pound key, hash key, star key, you can say",
	1: "menu, options, option, press, select, department, sales, billing, support, opties, optie, toets, keuze, kies, afdeling, verkoop, " +
		"administratie, klantenservice, this call may be recorded, calls may be recorded, recorded for, gesprek kan worden opgenomen, " +
		"gesprek wordt opgenomen, welcome to, welkom bij",
}), germanMenu...)

// wantedWords are what menus ask for with a command, and people in a question.
var wantedWords = weigh(map[int]string{3: "your account number, your customer number, your date of birth, uw klantnummer, uw geboortedatum, uw postcode in"})

var screenerWords = append(weigh(map[int]string{
	3: "answering on behalf, neem op namens, being screened, call is screened, who is calling say, asks who is calling, before your call, before we connect, wordt doorverbonden, " +
		"alleen gesprekken aan, alleen telefoontjes aan, assistant that answers, assistent die voor, wil weten wie er belt, eerst weten wie er belt, " +
		"unknown calls, calls from unknown, unknown numbers, screened line, screened call, who should i say is calling, wie kan ik zeggen dat er belt, " +
		"afgeschermd nummer, neemt geen onbekende, say your name and, state your name, record your name, your name and why, name and the reason, reason for your call, " +
		"reason you're calling, see if this person is available, see if they are available, see if they're available, " +
		"see if he is available, see if she is available, screening, if the person is available, screening service, call screening, " +
		"call assistant, google assistant, virtual assistant, name and reason, connect you, before i connect, before connecting, " +
		"doesn't recognize your number, does not accept calls from, unknown callers, identify yourself, " +
		"noem uw naam, zeg uw naam, zeg je naam, uw naam en waarom, je naam en waarom, uw naam en de reden, naam en reden, reden van uw, " +
		"reden van je, waarom u belt, waarom je belt, kijk of deze persoon, of deze persoon beschikbaar, kijken of, onbekende nummers, " +
		"onbekende bellers, persoonlijke assistent, digitale assistent, virtuele assistent, gescreend, filtert, wie er belt",
	2: "your name please, may i have your name, before i put you through, what you're calling about, who you are and, tell me your name, what it's about, waar het over gaat, is calling, available, stay on the line, hang on the line, the assistant of, " +
		"on behalf of, uw naam, je naam, waar u voor belt, waarvoor u belt, waar je voor belt, wie u bent, wie je bent, beschikbaar is, " +
		"namens, verbind ik u door, verbind u door, blijf aan de lijn, blijft u aan de lijn, mag ik uw naam",
	1: "why you are calling, why you're calling, please, alstublieft, assistant, assistent",
}), germanScreener...)

// keys are the words for the keys of a telephone.
var keys = map[string]int{
	"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "zero": 0, "one": 1, "two": 2, "three": 3,
	"four": 4,
	"five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "nul": 0, "één": 1, "een": 1, "twee": 2, "drie": 3, "vier": 4, "vijf": 5,
	"eins": 1, "zwei": 2, "drei": 3, "fünf": 5, "sechs": 6, "sieben": 7, "neun": 9, "null": 0, "raute": 11, "stern": 10,
	"zes": 6, "zeven": 7, "acht": 8, "negen": 9, "star": 10, "pound": 11, "hash": 11, "hekje": 11, "sterretje": 10,
}

// pressing are the words that ask for a key.
var pressing = map[string]bool{
	"press": true, "dial": true, "push": true, "hit": true, "enter": true, "option": true, "select": true, "choose": true,
	"toets": true, "toetst": true, "druk": true, "drukt": true, "kies": true, "kiest": true, "optie": true, "intoetsen": true,
	"drücken": true, "drücke": true, "wählen": true, "wähle": true, "tippen": true, "taste": true,
}

// offering are the words before what a choice is for.
var offering = map[string]bool{"for": true, "if": true, "to": true, "voor": true, "als": true, "om": true, "bij": true,
	"für": true, "wenn": true, "um": true, "bei": true, "möchten": true, "wilt": true, "belt": true, "hebt": true, "heeft": true,
	"gaat": true, "haben": true, "geht": true}

// unmistakable is what answering machines say and people do not, also later in a conversation.
var unmistakable = append(weigh(map[int]string{enough: "leave a message, leave your message, leave me a message, leave us a message, leave your name, leave a voicemail, " +
	"after the beep, after the tone, at the tone, at the beep, voicemail, voice mail, voice mailbox, answering machine, " +
	"mailbox is full, unable to take your call, unable to answer, can't take your call, cannot take your call, " +
	"can't come to the phone, cannot come to the phone, can't answer, record your message, get back to you as soon as, " +
	"person you are calling, person you have called, number you have dialed, your call has been forwarded, " +
	"spreek in na de piep, spreek een bericht in, spreek uw bericht, spreek je bericht, spreek na de piep, na de piep, " +
	"na de toon, na de pieptoon, na het signaal, laat een bericht achter, bericht achterlaten, bericht achter te laten, " +
	"bericht inspreken, bericht in te spreken, boodschap inspreken, boodschap in te spreken, spreek een boodschap, " +
	"boodschap achterlaten, laat een boodschap achter, antwoordapparaat, kan uw oproep niet, kan je oproep niet, " +
	"kan nu niet opnemen, kan de telefoon niet opnemen, kunnen u op dit moment niet te woord staan, " +
	"doorgeschakeld naar de voicemail"}), germanUnmistakable...)
