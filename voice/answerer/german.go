package answerer

// What is said in German, as words.go has it in Dutch and English.

var germanRecording = weigh(map[int]string{1: "nach dem ton, nach dem signalton, nach dem piep, nach dem piepton, nach dem signal, " +
	"hinterlassen sie, hinterlasse mir, hinterlass mir, hinterlasst, eine nachricht, mailbox, anrufbeantworter, sprachbox, voicebox"})

var germanMachine = weigh(map[int]string{
	6: "du weißt was zu tun ist, ihr wisst was zu tun ist, sie wissen was zu tun ist, " +
		"hört das nie, höre das nie, hört das hier nie",
	3: "hinterlassen sie, hinterlasse mir, hinterlass mir, hinterlasst, nachricht hinterlassen, nach dem ton, nach dem piep, " +
		"nach dem piepton, nach dem signalton, nach dem signal, anrufbeantworter, mailbox, sprachbox, voicebox, sprechen sie nach, " +
		"sprich nach, sprich mir, sprecht uns, rufe sie zurück, rufe dich zurück, rufe zurück, ruf zurück, dass ich dich anrufe, dass ich sie anrufe, rufen sie zurück, " +
		"rufen zurück, rufen dich zurück, melde mich, melden uns, melden wir uns, nicht erreichbar, nicht zu erreichen, " +
		"nicht entgegennehmen, nicht ans telefon, nicht rangehen, nicht drangehen, außerhalb unserer, geschlossen, öffnungszeiten, " +
		"sprechzeiten, wir haben geschlossen, nicht vergeben, kein anschluss unter, gewählte rufnummer, gewählte nummer, " +
		"vorübergehend nicht, gewünschte gesprächspartner, der teilnehmer, automatische ansage, alle leitungen, alle mitarbeiter, " +
		"nächste freie mitarbeiter, etwas geduld, in dringenden fällen, name und telefonnummer, namen und ihre, namen und deine, " +
		"name und nummer, rufumleitung, wurde weitergeleitet",
	2: "nicht zu hause, nicht da, im urlaub, unterwegs, in einer besprechung, leider, haben die nummer, hast die nummer, " +
		"erreichen uns, wieder für sie da, notfällen, notfall, vertretung, sobald ich kann, sobald wie möglich, so bald wie möglich, " +
		"schreib mir, schreiben sie, eine mail, eine sms, gerade nicht, zurzeit, derzeit, momentan",
	1: "ich bin, wir sind, wir liegen, wir sitzen, gerade, sagt uns, sag uns, später, morgen, wieder, bis zum",
})

var germanPerson = weigh(map[int]string{
	3: "am apparat, am telefon, wer ist da, wer ist denn, wer spricht, wer sind sie, mit wem, kann ich für sie, kann ich ihnen, wie kann ich, " +
		"einen moment, einen augenblick, moment bitte, moment ich, worum geht, um was geht, was gibt's, ja bitte, ausrichten, " +
		"kein interesse, können sie lauter, verstehe sie nicht, sagen sie mal, schießen sie los",
	9: "kann ich zurückrufen, kann ich sie zurückrufen, darf ich sie zurückrufen, ist es dringend",
	2: "sie sprechen mit, mein name ist, guten tag was, falsch verbunden, verwählt, ja hallo, hallo ja, am empfang, wie war ihr name",
})

var germanHellos = weigh(map[int]string{1: "guten tag, guten morgen, guten abend, moin, grüß gott, servus, hier ist, hier spricht, hier"})

var germanMenu = weigh(map[int]string{
	3: "folgenden möglichkeiten, aus folgenden, hauptmenü, in wenigen worten, in einem satz, in ein paar worten, in eigenen worten, mit wenigen worten, kurz ihr anliegen, uns kurz, " +
		"ihr anliegen, zum beispiel, sagen sie einfach, geben sie ihre, geben sie bitte, in der warteschleife, bitte wählen sie",
	2: "für fragen, für alle anderen, für englisch, für deutsch, bleiben sie in der leitung, bleiben sie dran, raute, rautetaste, sterntaste",
	1: "menü, taste, drücken, wählen, abteilung, kundenservice, buchhaltung, aufgezeichnet, willkommen",
})

var germanScreener = weigh(map[int]string{
	3: "nennen sie ihren namen, sagen sie ihren namen, namen und den grund, namen und grund, grund ihres anrufs, grund für ihren anruf, " +
		"unbekannte anrufer, unbekannten anrufern, virtueller assistent, digitaler assistent, virtuelle assistentin, anruffilter, gefiltert",
	2: "ihren namen, worum es geht, verfügbar ist, warum sie anrufen, weshalb sie anrufen, wer anruft, wer sie sind",
	1: "bitte, assistent, assistentin",
})

// germanUnmistakable is what answering machines say and people do not, also later in a conversation.
var germanUnmistakable = weigh(map[int]string{enough: "nachricht hinterlassen, hinterlassen sie, nach dem ton, nach dem signalton, nach dem piepton, " +
	"anrufbeantworter, mailbox"})
