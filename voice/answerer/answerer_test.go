package answerer

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// opening is how somebody or something takes a call: templates with {name}, {company} and {city}.
type opening struct {
	kind Kind
	text string
}

// openings are four sets, half of them without stock phrases. The later three were each run once before any rule was changed for
// them: 91.9, 92.9 and 90.9 % were told right by the rules alone, and 0, 3.6 and 0 % of the persons mistaken. Then the rules
// learned from their mistakes, so that what they get right now is a floor for changes, not a forecast.
var openings = []opening{
	{Person, "Hello?"}, {Person, "Yes?"}, {Person, "Hi, this is {name}."}, {Person, "{name} speaking."}, {Person, "{name}."},
	{Person, "Good morning, {company}, {name} speaking, how can I help you?"}, {Person, "{company}, good afternoon."},
	{Person, "Good afternoon, {company} in {city}, this is {name}."},
	{Person, "Thank you for calling {company}, this is {name}, how may I help you today?"},
	{Person, "Hello, who is this?"}, {Person, "Yeah, hold on a second."}, {Person, "Hello? Hello, who's there? I can't hear you."},
	{Person, "Hi, sorry, I was just in the garden. Who is this?"}, {Person, "Front desk, {name}."}, {Person, "Hey, what's up?"},
	{Person, "Met {name}."}, {Person, "Hallo?"}, {Person, "Ja, hallo, met {name}."}, {Person, "{company}, met {name}."},
	{Person, "Goedemorgen, {company}."},
	{Person, "Goedemiddag, {company} in {city}, met {name}."},
	{Person, "Goedemorgen, u spreekt met {name} van {company}, waarmee kan ik u van dienst zijn?"},
	{Person, "Ja?"}, {Person, "Goedenavond, met {name}, zegt u het maar."},
	{Person, "Een ogenblikje alstublieft, ik heb iemand aan de andere lijn."},
	{Person, "Met {name}, momentje, ik zet even de muziek zachter."}, {Person, "Hallo, wie is dit?"}, {Person, "Dag, {name} hier."},
	{Person, "Welkom bij {company}, u spreekt met {name}, wat kan ik voor u doen?"}, {Person, "{name}, goedemiddag."},

	{Machine, "Hi, you've reached {name}. I can't take your call right now, please leave a message after the beep."},
	{Machine, "This is the voicemail of {name}. Please leave your name and number."},
	{Machine, "The person you are calling is not available right now. Please record your message after the tone."},
	{Machine, "Hi, this is {name}. I'm probably out with the dog. Tell me what you need and I'll call you back tonight."},
	{Machine, "Hey, it's {name}, you know what to do."},
	{Machine, "You have reached {company} in {city}. Our office is closed until Monday morning nine o'clock."},
	{Machine,
		"Hello, {name} here. We're away on holiday until the end of the month. Send me an email and I will answer when I'm back. Bye!"},
	{Machine, "Hi, {name} is not here right now. Try me again in the evening or send me a text. Talk to you soon."},
	{Machine, "Thank you for calling {company}. We are currently closed. Our opening hours are Monday to Friday from nine to five."},
	{Machine, "Hallo, dit is de voicemail van {name}. Spreek een bericht in na de piep."},
	{Machine, "U bent verbonden met {company}. Wij kunnen u op dit moment niet te woord staan. Laat uw naam en nummer achter."},
	{Machine, "Hoi, met {name}. Ik kan nu even niet opnemen. Ik bel je zo snel mogelijk terug."},
	{Machine,
		"Hallo, je spreekt met {name}. Ik ben onderweg of ik hoor de telefoon niet. Zeg even wie je bent, dan bel ik je vanavond."},
	{Machine,
		"Dit is {company} te {city}. Wij zijn gesloten. Onze openingstijden zijn maandag tot en met vrijdag van negen tot vijf uur."},
	{Machine,
		"Hoi, {name} hier! Ik zit op een berg in Oostenrijk en ben pas volgende week weer bereikbaar. Stuur me een appje. Doei!"},
	{Machine, "Met {name}. Er is niemand thuis. Vertel na het signaal wat je wilt."},

	{Menu, "Welcome to {company}. For sales, press one. For support, press two. For all other questions, stay on the line."},
	{Menu,
		"Thank you for calling {company}. Please listen carefully as our menu options have changed. To make an appointment press 1."},
	{Menu, "{company}. Sales is one, service is two, accounts is three."},
	{Menu, "To continue in English, press 1. Para español, oprima 2."},
	{Menu, "Hello, you are through to {company}. In a few words, tell me why you are calling."},
	{Menu, "Please enter your account number followed by the pound key."},
	{Menu,
		"Welkom bij {company}. Voor een afspraak, toets één. Voor herhaalrecepten, toets twee. Voor overige vragen, blijf aan de lijn."},
	{Menu, "U kunt kiezen uit de volgende opties. Druk op 1 voor verkoop, druk op 2 voor administratie."},
	{Menu, "{company}, goedemorgen. Belt u voor een storing, kies dan 1. Belt u voor iets anders, kies dan 2."},
	{Menu, "Toets uw klantnummer in en sluit af met een hekje."}, {Menu, "Vertel in een paar woorden waarvoor u belt."},
	{Menu, "Welkom bij {company}. Afspraken is één, facturen is twee, andere zaken is drie."},

	{Screener,
		"Hi, the person you're calling is using a screening service from Google. Please say your name and why you're calling."},
	{Screener, "Please state your name and the reason for your call, and I'll see if this person is available."},
	{Screener, "Before I connect you, please tell me who you are and what you're calling about."},
	{Screener, "Hello, I'm the virtual assistant of {name}. Who is calling, please?"},
	{Screener, "{name} does not accept calls from unknown callers. Please identify yourself."},
	{Screener, "Zeg uw naam en waarom u belt, dan kijk ik of deze persoon beschikbaar is."},
	{Screener, "U spreekt met de digitale assistent van {name}. Wie bent u en waar gaat het over?"},
	{Screener, "Deze oproep wordt gescreend. Noem uw naam en de reden van uw oproep."},
	{Screener, "Mag ik uw naam en waarvoor u belt? Dan verbind ik u door als {name} beschikbaar is."},

	{Person, "Hello, {name} here."}, {Person, "Yep?"}, {Person, "This is {name}."}, {Person, "Hi, {company}."},
	{Person, "Good evening, {name} speaking."},
	{Person, "{company} {city}, you're speaking with {name}."},
	{Person, "Good morning and welcome to {company} in {city}, my name is {name}, what can I do for you?"},
	{Person, "Hello? Is anybody there?"}, {Person, "Reception, good morning."},
	{Person, "Oh hi, I was just about to leave. What is it?"},
	{Person, "Sorry, I'm driving, who is this?"}, {Person, "Morning, {company}, {name} at the front desk."},
	{Person, "Hello, yes, I'm listening."},
	{Person, "Hang on, let me turn the radio down. Okay, hello?"}, {Person, "{company}, how can I direct your call?"},
	{Person, "{name} met {company}."}, {Person, "Hoi."}, {Person, "Goedemorgen met {name}."}, {Person, "Ja, daar spreekt u mee."},
	{Person, "{company} {city}, goedemiddag, met {name}."},
	{Person, "Goedemiddag, de balie van {company}, u spreekt met {name}, kan ik u helpen?"},
	{Person, "Hallo, met het huis van {name}."},
	{Person, "Met de praktijk van {name} in {city}, goedemorgen."}, {Person, "Ja hallo, wie heb ik aan de lijn?"},
	{Person, "Hé hallo, ik stond net buiten, zeg het eens."},
	{Person, "Momentje hoor, ik loop even naar binnen. Ja?"}, {Person, "Dag, met de assistente van {company}."},
	{Person, "Goedenavond, restaurant {company}, met {name}."},
	{Person, "Secretariaat {company}, {name}."}, {Person, "Hallo, wie is daar?"},

	{Machine, "Hello, this is {name}. I'm not able to come to the phone. Please leave your message at the tone."},
	{Machine,
		"You've reached the desk of {name} at {company}. I'm either on the phone or away. Leave your details and I will return your call."},
	{Machine, "Your call has been forwarded to an automatic voice message system."},
	{Machine, "Hi, {name} and the kids here. We must be out in the sunshine. Say something nice and we'll ring you back."},
	{Machine, "Sorry, you just missed me. Drop me a text."},
	{Machine, "This is {company}. The shop opens again on Tuesday at eight. You will find our prices on the website. Goodbye."},
	{Machine, "{name} is in meetings all day today, so don't bother waiting. Email works best. Thanks, bye."},
	{Machine, "Hey there, if you are hearing this I have lost my phone again. Give me a day or two and I'll get in touch."},
	{Machine, "Dit is het antwoordapparaat van {name}. Ik ben er niet. Laat een boodschap achter na de toon."},
	{Machine, "U belt met {company} in {city}. Alle medewerkers zijn in gesprek. Spreek uw naam en telefoonnummer in."},
	{Machine, "De persoon die u belt is niet bereikbaar. Probeer het later nog eens."},
	{Machine, "Hoi, dit is {name}. Ik sta waarschijnlijk op het voetbalveld. Laat maar weten wie je bent, dan hoor je van me."},
	{Machine, "Je bent bij {name} en {name}. We zijn er even niet. Tot later!"},
	{Machine,
		"Goedendag, {company} is vandaag dicht. Vanaf morgenochtend acht uur staan wij weer voor u klaar. Een fijne dag verder."},
	{Machine, "Dag, met {name}. Mijn telefoon ligt in een la, want ik heb vakantie tot de vijftiende. Mailen mag altijd."},

	{Menu, "Thanks for calling {company}. If you know your party's extension, dial it now. For reservations, press 1."},
	{Menu, "For opening hours, press one, for directions, press two, or press zero for an operator."},
	{Menu, "Hello and welcome to {company}. You can say things like book a table or change my order."},
	{Menu, "Billing, one. Repairs, two. Anything else, three."},
	{Menu, "Please select from the following options. For new customers press 1."},
	{Menu, "Welkom bij {company} in {city}. Heeft u spoed, toets dan een 1. Voor een afspraak, toets 2."},
	{Menu, "Goedemiddag. Om u goed te kunnen helpen, maakt u een keuze uit het menu. Kies 1 voor bestellingen."},
	{Menu, "Voor verkoop drukt u op één, voor service drukt u op twee."}, {Menu, "Zeg in één zin waar we u mee kunnen helpen."},
	{Menu, "Bestellen, één. Bezorgen, twee. Klachten, drie."},

	{Screener, "Hi, if you record your name and reason for calling, I'll see if this person is available."},
	{Screener, "This number is protected by call screening. After hearing your name I will try to connect you."},
	{Screener, "Hello, this is the assistant of {name}. May I have your name and what this is regarding, please?"},
	{Screener, "Please tell me your name and why you're calling so I can let {name} know."},
	{Screener, "Hallo, u spreekt met de virtuele assistent van {name}. Kunt u zeggen wie u bent en waarom u belt?"},
	{Screener, "Geef uw naam en de reden van uw telefoontje, ik vraag of {name} tijd heeft."},
	{Screener, "Deze persoon neemt geen onbekende nummers aan. Zeg wie u bent en blijf aan de lijn."},

	{Person, "Hi, good morning."}, {Person, "Hello, {company}."}, {Person, "Yes, hello, {name} here."}, {Person, "Who's calling?"},
	{Person, "{company} helpdesk, {name}, good afternoon."},
	{Person, "Good afternoon, you're through to {company}, {name} speaking, how can I help?"},
	{Person, "Hey mum, I'm nearly there."}, {Person, "Hello, this is the house of {name}."},
	{Person, "Accounts department, {name} speaking."},
	{Person, "I'm in a meeting, can I call you back?"}, {Person, "What? Who? I can hardly hear you."},
	{Person, "Hello. Hello? Is this the plumber?"},
	{Person, "Good morning, doctor {name}'s surgery in {city}, this is {name}."}, {Person, "It's {name}, go ahead."},
	{Person, "Ja, met {name}."}, {Person, "Goeiemorgen, {company}, {name} hier."}, {Person, "Met mevrouw {name}."},
	{Person, "Hallo met {name}, wie spreek ik?"},
	{Person, "Goedemiddag, huisartsenpraktijk {name} in {city}, u spreekt met de assistente."},
	{Person, "Ja, zeg het maar, ik heb weinig tijd."},
	{Person, "Welkom bij {company} {city}, met {name}, wat kan ik voor je betekenen?"},
	{Person, "Ik zit in de auto, kan ik je zo terugbellen?"},
	{Person, "Klantenservice {company}, goedemorgen, met {name}."}, {Person, "Ja hoi, ik sta in de winkel, wat is er?"},
	{Person, "Hoi, met {name}, ben jij het?"},
	{Person, "Garage {name}, goedendag."}, {Person, "Hallo, hallo? Ik hoor niks."},
	{Person, "Een moment, ik geef u even mijn vrouw."},

	{Machine, "Hello, {name} can't come to the phone at the moment. Speak after the beep."},
	{Machine,
		"Hi there, {name} here. I'm spending the week in the mountains without any reception. I will listen to your message when I return."},
	{Machine, "{company}, {city}. Nobody is in the office now. We open at half past eight."},
	{Machine, "The mobile phone you are calling is switched off."},
	{Machine, "Hi, it's {name}. If it is urgent call my assistant, otherwise I will see that you called. Cheers!"},
	{Machine, "Good day. The practice is closed because of a public holiday. In an emergency please contact the hospital."},
	{Machine, "You're talking to a piece of plastic. {name} is out living life. Leave some words behind."},
	{Machine, "Welcome to the voicemail service. {name} is unavailable."},
	{Machine, "Hallo, de voicemail van {name} spreekt. Ik luister hem elke dag af."},
	{Machine, "Met het antwoordapparaat van {company}. Buiten kantooruren kunt u ons mailen."},
	{Machine, "Hé, {name} hier. Ik slaap nog of ik werk al. Laat wat van je horen en ik doe dat ook."},
	{Machine, "Welkom bij {company}. Wegens een verbouwing zijn wij deze week niet open. Volgende week helpen wij u graag verder."},
	{Machine, "De gebelde abonnee is op dit moment niet bereikbaar."},
	{Machine, "U hoort een bandje, want {name} is een weekje weg. Na de piep is het uw beurt."},
	{Machine, "Wij zijn met lunchpauze. Om één uur zijn wij er weer voor u. De spoedlijn vindt u op onze website."},

	{Menu, "Hello, {company} here. Press 1 for the kitchen, 2 for the bar or 3 for events."},
	{Menu, "Welcome. If you are calling about an existing order, please press two now."},
	{Menu, "Thank you for calling {company}, your call may be recorded. For English press one."},
	{Menu, "Please say or enter your date of birth."}, {Menu, "To reach {name}, press 4. To reach the front desk, press 0."},
	{Menu, "Goedendag, u bent verbonden met {company}. Kies 1 voor de balie of 2 voor de boekhouding."},
	{Menu, "Voor Nederlands, toets 1. For English, press 2."}, {Menu, "Heeft u een vraag over uw rekening? Toets dan drie."},
	{Menu, "Om u door te verbinden heb ik uw postcode nodig. Toets de vier cijfers van uw postcode in."},
	{Menu, "Welkom bij {company}. Waarvoor belt u? U kunt bijvoorbeeld zeggen: een afspraak maken."},

	{Screener, "Hi, {name} is using call screening. Could you say your name and why you are calling?"},
	{Screener, "Thanks for calling. Before I try to connect you, can I ask for your name and the reason for your call?"},
	{Screener,
		"The person you are trying to reach wants to know who is calling. Please say your name after which we will try to connect you."},
	{Screener, "I am the digital assistant for {name}. Please tell me who is calling and what it is about."},
	{Screener, "De persoon die u belt wil graag weten wie er belt. Zeg na elkaar uw naam en waarom u belt."},
	{Screener, "Met de persoonlijke assistent van {name}. Mag ik weten met wie ik spreek en waar het over gaat?"},
	{Screener, "Uw oproep wordt eerst gecontroleerd. Zeg alstublieft uw naam en de reden van uw gesprek."},

	{Person, "Hello, you're speaking to {name}."}, {Person, "Yes, good afternoon, {company}."},
	{Person, "{name} from {company}, hi."}, {Person, "Hiya."},
	{Person, "{company} in {city}, {name} speaking, what can I do for you?"}, {Person, "Hello, kitchen."},
	{Person, "Yes, who am I speaking to?"},
	{Person, "Sorry, can you say that again? The line is bad."}, {Person, "Good morning, town hall of {city}, {name} here."},
	{Person, "Hello, just a second, I'll put you on speaker."},
	{Person, "Dr {name}."}, {Person, "Hello? If this is about the car, it's sold."},
	{Person, "Good evening, {company}, would you like to make a reservation?"},
	{Person, "Ja, goedemiddag, met {name} van {company}."}, {Person, "Met de familie {name}."}, {Person, "Hé, met mij."},
	{Person, "Goedemorgen, {company} {city}, u spreekt met {name}."},
	{Person, "Hallo, bent u er nog?"}, {Person, "Ja, wie belt er?"},
	{Person, "Restaurant {company}, goedenavond, wilt u reserveren?"}, {Person, "Dag, met {name}, van de balie."},
	{Person, "Momentje, ik pak even een pen. Zo, zegt u het maar."}, {Person, "Met {name}, afdeling verkoop."},
	{Person, "Goedemiddag, gemeente {city}, met {name}."},
	{Person, "Huize {name}."}, {Person, "Ja ja, ik kom eraan. Hallo?"},

	{Machine, "Hi, this is {name}, sorry I can't pick up. Please speak after the signal."},
	{Machine, "You have reached an unattended mailbox."},
	{Machine, "Hello. We are probably home but we cannot find the phone. Leave a few words and we will ring you."},
	{Machine, "This is {company}. Today we are celebrating our staff party, so the shop stays shut. See you tomorrow!"},
	{Machine, "{name} here, well, not really. You're on the machine. Be brief."},
	{Machine, "The customer you have dialled cannot be reached. Please call later."},
	{Machine, "Hi, you got me, but only my voice. I'm on a plane to Lisbon. I land tonight and will check my phone then."},
	{Machine, "Hallo, {name} hier. Ik neem nu niet op. Spreek gerust wat in."},
	{Machine, "Dit is een automatische mededeling. {company} is vanaf één uur weer te bereiken."},
	{Machine, "Met {name}. Ik zit in het vliegtuig en land vanavond. Daarna luister ik alles af."},
	{Machine, "Dit toestel staat uit. U kunt een sms sturen."},
	{Machine, "Met de familie {name}. Wij zijn er niet, maar ons apparaat wel. Zeg het daar maar tegen."},
	{Machine, "Al onze medewerkers zijn bezet. Wij bellen u graag terug als u uw nummer noemt."},

	{Menu, "Hi, thanks for calling {company}. Press one for appointments or two for prescriptions."},
	{Menu, "For the {city} office press 1, for all other offices press 2."},
	{Menu, "Please choose one of the options below. One, orders. Two, returns."},
	{Menu, "Welcome to {company}. Please say the name of the person you would like to speak to."},
	{Menu, "Dit is {company}. Maakt u een keuze. Toets een 1 voor inlichtingen en een 2 voor klachten."},
	{Menu, "Voor de polikliniek toetst u twee, voor opname toetst u drie."},
	{Menu, "Belt u over een bestelling, druk dan op één. Voor al het andere drukt u op twee."},
	{Menu, "Spreek na de toon uw klantnummer niet in, maar toets het in, gevolgd door een hekje."},

	{Screener, "Hello, you're speaking with the AI assistant of {name}. What's your name and why are you calling?"},
	{Screener, "I'm screening calls for {name}. Tell me your name and what you need, and I'll check whether they can talk."},
	{Screener, "Please say who is calling, and then press pound or stay on the line."},
	{Screener, "U spreekt met de assistent van {name}. Wat is uw naam en waar gaat uw gesprek over?"},
	{Screener, "Zegt u even wie u bent en waarvoor u belt, dan vraag ik of {name} kan opnemen."},
}

const (
	names     = "Maria van den Berg|Bob|Karen Smith|Jan Jansen|Alex|Fatima El Amrani|Mister Peterson|Kim"
	companies = "tandartspraktijk de Linden|Smith and Sons Plumbing|Bakkerij Bos|Hotel Central|garage Peeters|the Oakwood Clinic|fysiotherapie West|Acme"
	cities    = "Amsterdam|Leeds|Utrecht|Boston|Den Haag"
)

// fill makes so many openings of each template, with the length that they take to speak.
func fill(templates []opening, each int) []opening {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list string) string {
		items := strings.Split(list, "|")
		return items[random.IntN(len(items))]
	}
	var filled []opening
	for _, template := range templates {
		for range each {
			text := strings.NewReplacer("{company}", pick(companies), "{city}", pick(cities)).Replace(template.text)
			for strings.Contains(text, "{name}") {
				text = strings.Replace(text, "{name}", pick(names), 1)
			}
			filled = append(filled, opening{template.kind, text})
		}
	}
	return filled
}

func lengthOf(text string) time.Duration {
	return time.Duration(len(strings.Fields(text))) * 370 * time.Millisecond
}

// measure returns the shares that were told right, and of persons taken for something else.
func measure(t *testing.T, filled []opening) (right, persons float64) {
	t.Helper()
	wrong, people, mistaken := 0, 0, 0
	for _, o := range filled {
		got := Judge(Evidence{Words: o.text, Length: lengthOf(o.text)}).Kind
		if o.kind == Person {
			people++
		}
		if got != o.kind {
			wrong++
			t.Logf("%s taken for %s: %s", o.kind, got, o.text)
			if o.kind == Person {
				mistaken++
			}
		}
	}
	right, persons = 100*(1-float64(wrong)/float64(len(filled))), 100*float64(mistaken)/float64(people)
	t.Logf("%d openings: %.1f %% right, %.1f %% of persons mistaken", len(filled), right, persons)
	return right, persons
}

func TestOpenings(t *testing.T) {
	t.Parallel()
	right, persons := measure(t, fill(openings, 8))
	require.Greater(t, right, 96.0)
	require.Less(t, persons, 1.0)
}
