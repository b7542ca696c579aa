package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a caller said, and whether an assistant ought to answer at once, soon, or give more time.
const (
	atOnce = 350 * time.Millisecond
	soon   = 900 * time.Millisecond
	later  = 1500 * time.Millisecond
)

func TestWordsTell(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		language, asked, said string
		least, most           time.Duration
	}{
		{"en", "", "I would like to", later, LongestWait},
		{"en", "", "I'm calling about the", later, LongestWait},
		{"en", "", "I can't come because", later, LongestWait},
		{"en", "", "on Monday and", later, LongestWait},
		{"en", "", "um", later, LongestWait},
		{"en", "", "If I come on Monday", later, LongestWait},
		{"en", "", "On Monday,", later, LongestWait},
		{"en", "", "Can you", later, LongestWait},
		{"en", "Is that right?", "Yes.", 0, soon},
		{"en", "Shall I book it?", "yes please", 0, atOnce},
		{"en", "", "What are your opening hours?", 0, atOnce},
		{"en", "", "what are your opening hours on saturday", 0, soon},
		{"en", "", "I have a question about my invoice.", 0, soon},
		{"en", "", "i have a question about my invoice", atOnce, later},
		{"en", "", "I have a question about my invoice", later, LongestWait},
		{"en", "What is your name?", "My name is", later, LongestWait},
		{"en", "What is your name?", "Peter Johnson", 0, soon},
		{"en", "May I have your surname?", "O'Sullivan.", 0, soon},
		{"en", "May I have your surname?", "it's", later, LongestWait},
		{"nl", "Mag ik uw achternaam?", "Hoekstra", 0, soon},
		{"nl", "Mag ik uw achternaam?", "van", later, LongestWait},
		{"nl", "", "tot hoe laat zijn jullie vanavond open", 0, soon},
		{"nl", "", "met wie krijg ik dan te maken", 0, soon},
		{"en", "", "to whom should i send the form", 0, soon},
		{"nl", "Zal ik u doorverbinden?", "ja doe maar", 0, soon},
		{"en", "Shall I put you through?", "Aye, go on then.", 0, soon},
		{"nl", "Wanneer komt het u uit?", "de twintigste", 0, later},
		{"en", "What is your phone number?", "oh six one two", later, LongestWait},
		{"en", "What is your phone number?", "oh six one two three four five six seven eight", 0, atOnce},
		{"en", "What is your phone number?", "06 12 34 56 78", 0, atOnce},
		{"en", "And your date of birth?", "the third of May", later, LongestWait},
		{"en", "And your date of birth?", "May third nineteen eighty", 0, atOnce},
		{"en", "And your date of birth?", "3 May 1980", 0, atOnce},
		{"en", "Could you spell that?", "S M I", soon, later + time.Second},
		{"en", "What is your customer number?", "four one seven", later, LongestWait},
		{"en", "What is your customer number?", "four one seven two five nine", 0, soon},
		{"en", "", "The code is one two three", later, LongestWait},
		{"en", "What is the address?", "Seventeen", later, LongestWait},

		{"en", "What is your e-mail address?", "It's anna dot", later, LongestWait},
		{"en", "What is your e-mail address?", "anna dot berg at example", later, LongestWait},
		{"en", "What is your e-mail address?", "anna dot berg at example dot org", 0, soon},
		{"en", "", "There is a strange", later, LongestWait},
		{"en", "", "the engine stopped so", later, LongestWait},
		{"en", "", "I think so", 0, atOnce},
		{"en", "", "I ordered a blue one and you sent me", later, LongestWait},
		{"en", "", "one more thing does the price", later, LongestWait},
		{"en", "Shall I add breakfast?", "how much is it", 0, soon},
		{"en", "How long has it been so?", "since last Thursday", 0, later},
		{"en", "How many will you be?", "between ten and fifteen", 0, LongestWait},
		{"en", "", "Could you find", later, LongestWait},
		{"en", "", "what is this button for", 0, soon},
		{"en", "Why is that?", "because it was too expensive for us", 0, later},
		{"en", "How do you spell it?", "B A K", later, LongestWait},

		{"nl", "", "Ik wil graag", later, LongestWait},
		{"nl", "", "Er staat een kleine", later, LongestWait},
		{"nl", "", "ik reed naar huis dus", later, LongestWait},
		{"nl", "", "nog één ding zit het ontbijt", later, LongestWait},
		{"nl", "Wilt u er ontbijt bij?", "wat kost dat", 0, soon},
		{"nl", "Hoe lang hebt u daar last van?", "sinds afgelopen donderdag", 0, later},
		{"nl", "", "de lamp gaat gewoon niet meer aan", 0, later},
		{"nl", "", "daar is bij ons in huis helaas geen ruimte voor", 0, later},
		{"nl", "", "graag vroeg in de ochtend als dat kan", 0, later},
		{"nl", "Wat is uw postcode?", "tien zeventien", later, LongestWait},
		{"nl", "Wat is uw postcode?", "tien zeventien A B", 0, soon},
		{"nl", "Wat is uw naam?", "Kees de Lange", 0, soon},
		{"nl", "", "Ik kan niet komen omdat", later, LongestWait},
		{"nl", "", "op maandag of", later, LongestWait},
		{"nl", "", "eh", later, LongestWait},
		{"nl", "", "Kunt u mij vertellen", later, LongestWait},
		{"nl", "", "kunt u zeggen of de dokter", soon, LongestWait},
		{"nl", "", "kunt u zeggen of de dokter er vandaag is", 0, soon},
		{"en", "", "do you know if the doctor", soon, LongestWait},
		{"nl", "Klopt dat?", "Ja, dat klopt.", 0, atOnce},
		{"nl", "", "Wat zijn de openingstijden?", 0, atOnce},
		{"nl", "", "Ik heb een vraag over mijn factuur.", 0, soon},
		{"nl", "Wat is uw naam?", "Mijn naam is", later, LongestWait},
		{"nl", "Wat is uw naam?", "Pieter Jansen", 0, soon},
		{"nl", "Wat is uw telefoonnummer?", "nul zes twaalf", later, LongestWait},
		{"nl", "Wat is uw telefoonnummer?", "nul zes twaalf vierendertig zesenvijftig achtenzeventig", 0, atOnce},
		{"nl", "Wat is uw geboortedatum?", "veertien maart", later, LongestWait},
		{"nl", "Wat is uw geboortedatum?", "veertien maart negentientweeëntachtig", 0, atOnce},

		{"de", "", "Ich möchte einen Termin.", 0, soon},
		{"en", "What is your phone number?", "020 uh 456 um 7890", 0, atOnce},
		{"en", "", "can you can you tell me whether whether doctor evans is working today", 0, soon}, //nolint:dupword // as people say it
		{"en", "", "I would like um", later, LongestWait},
		{"nl", "", "kunt u mij vertellen uh of of dokter evers vandaag aanwezig is", 0, soon}, //nolint:dupword // as people say it
		{"en", "What is your customer number?", "four four four", later, LongestWait},         //nolint:dupword // as people say it
		{"nl", "", "nog een vraag is het ontbijt inclusief", 0, soon},
		{"de", "Welcher Tag passt Ihnen?", "am zwanzigsten", 0, later},
		{"de", "", "Eine Frage noch, ist das Frühstück inklusive?", 0, atOnce},
		{"en", "How old is your daughter?", "seven", 0, soon},
		{"en", "Could you spell that?", "B R A D S H A W", 0, soon},
		{"nl", "Wat is er aan de hand?", "mijn dochter heeft hoge koorts en ze wil niet", later, LongestWait},
		{"nl", "", "ik bel omdat ik gisteren een afspraak", later, LongestWait},
		{"nl", "", "ik bel omdat ik gisteren een afspraak had", 0, soon},
		{"nl", "", "ik vroeg me af of u mij kunt vertellen", later, LongestWait},
		{"de", "", "ich möchte gerne", later, LongestWait},
		{"de", "", "ich rufe an weil", later, LongestWait},
		{"de", "", "ich habe eine kleine", later, LongestWait},
		{"de", "", "wie lange haben sie am samstag offen", 0, soon},
		{"de", "Wie ist Ihre Telefonnummer?", "null drei null vier fünf", later, LongestWait},
		{"de", "Wie ist Ihre Telefonnummer?", "null drei null vier fünf sechs sieben acht neun null", 0, atOnce},
		{"de", "Was ist Ihr Geburtsdatum?", "vierzehnter März", later, LongestWait},
		{"de", "Was ist Ihr Geburtsdatum?", "vierzehnter März neunzehnhundertzweiundachtzig", 0, atOnce},
		{"de", "Stimmt das?", "ja das stimmt", 0, atOnce},
		{"de", "Um wie viel Uhr passt es?", "so gegen halb drei", 0, soon},
		{"de", "", "Ich möchte,", later, LongestWait},
		{"de", "", "ich möchte einen termin", atOnce, later},
		{"", "", "", atOnce, soon},
	} {
		wait := Wait(Continues(Signs{Language: tt.language, Asked: tt.asked, Said: tt.said, Complete: true}), tt.said)
		require.GreaterOrEqual(t, wait, tt.least, "%s: %q %q", tt.language, tt.asked, tt.said)
		require.LessOrEqual(t, wait, tt.most, "%s: %q %q", tt.language, tt.asked, tt.said)
	}
}

func TestMelodyAndHabitTell(t *testing.T) {
	t.Parallel()

	signs := Signs{Language: "en", Said: "I would like an appointment."}
	fallen, held, slow := signs, signs, signs
	fallen.Melody, held.Melody, slow.Habit = -1, 1, 1200*time.Millisecond
	require.Less(t, Continues(fallen), Continues(signs))
	require.Greater(t, Continues(held), Continues(signs))
	require.Greater(t, Continues(slow), Continues(signs))
	require.LessOrEqual(t, Wait(Continues(fallen), fallen.Said), atOnce)
	require.GreaterOrEqual(t, Wait(Continues(held), held.Said), 800*time.Millisecond)

	open := Signs{Language: "en", Said: "I would like to", Melody: -1}
	require.GreaterOrEqual(t, Wait(Continues(open), open.Said), later, "no melody ends a clause that words leave open")
}

// Words of a television that are written behind a question leave it answered soon, whatever they are.
func TestStrayWords(t *testing.T) {
	t.Parallel()

	wait := func(language, said string) time.Duration {
		return Wait(Continues(Signs{Language: language, Said: said, Complete: true}), said)
	}
	require.LessOrEqual(t, wait("en", "What are your opening hours on Saturday? In"), 900*time.Millisecond)
	require.LessOrEqual(t, wait("nl", "Hebben jullie vanmiddag nog tijd? mijn."), 900*time.Millisecond)
	require.GreaterOrEqual(t, wait("en", "Do you have time this afternoon? Or"), later)
	require.GreaterOrEqual(t, wait("en", "Do you have time this afternoon? I was"), later)
}

func TestWait(t *testing.T) {
	t.Parallel()

	require.Equal(t, ShortestWait, Wait(0, ""))
	require.Equal(t, LongestWait, Wait(1, ""))
	require.Equal(t, LongestWait, Wait(7, ""))
	require.Less(t, Wait(0.3, ""), Wait(0.6, ""))
}

// Nothing that consists of words may be left without any by what hesitations are left out.
func TestHesitationsAlone(t *testing.T) {
	t.Parallel()

	for _, language := range []string{"en", "nl", "de", "fr", ""} {
		for _, said := range []string{
			"hmm hmm", "Uh. Uh.", "uh", "uh uh uh", "um hmm", "the the", "ja ja", "uh ja uh", "a a", "4 4", //nolint:dupword // as people say it
		} {
			for _, complete := range []bool{true, false} {
				p := Continues(Signs{Language: language, Asked: "What is your number?", Said: said, Complete: complete})
				require.True(t, p > 0 && p < 1, "%s: %q", language, said)
			}
		}
	}
	require.Greater(t, Wait(Continues(Signs{Language: "en", Said: "uh uh", Complete: true}), "uh uh"), later) //nolint:dupword // as people say it
}
