package spoken

import "strings"

var germanMoney = map[string]currency{
	"€": {"Euro", "Euro", "Cent", "Cent"}, "EUR": {"Euro", "Euro", "Cent", "Cent"}, "Euro": {"Euro", "Euro", "Cent", "Cent"},
	"$": {"Dollar", "Dollar", "Cent", "Cent"}, "USD": {"Dollar", "Dollar", "Cent", "Cent"},
	"US$": {"Dollar", "Dollar", "Cent", "Cent"},
	"£":   {"Pfund", "Pfund", "Pence", "Pence"}, "GBP": {"Pfund", "Pfund", "Pence", "Pence"},
	"CHF": {"Franken", "Franken", "Rappen", "Rappen"}, "Fr.": {"Franken", "Franken", "Rappen", "Rappen"},
	"SEK": {"Schwedische Krone", "Schwedische Kronen", "Öre", "Öre"}, "DKK": {"Dänische Krone", "Dänische Kronen", "Öre", "Öre"},
	"NOK": {"Norwegische Krone", "Norwegische Kronen", "Öre", "Öre"}, "¥": {"Yen", "Yen", "Sen", "Sen"},
}

var germanFractions = map[string]string{
	"1/2": "ein halb", "1 1/2": "eineinhalb", "2 1/2": "zweieinhalb", "1/3": "ein Drittel", "2/3": "zwei Drittel",
	"1/4": "ein Viertel", "3/4": "drei Viertel", "1/5": "ein Fünftel",
	"2/5": "zwei Fünftel", "3/5": "drei Fünftel", "4/5": "vier Fünftel", "1/8": "ein Achtel", "3/8": "drei Achtel",
	"5/8": "fünf Achtel", "7/8": "sieben Achtel", "1/10": "ein Zehntel", "24/7": "vierundzwanzig sieben",
}

var germanUnits = map[string]unit{
	"km/h": same("Kilometer pro Stunde", true), "m/s": same("Meter pro Sekunde", true), "km": same("Kilometer", true),
	"m": same("Meter", true), "cm": same("Zentimeter", true), "mm": same("Millimeter", true), "m²": same("Quadratmeter", true),
	"m2": same("Quadratmeter", true), "qm": same("Quadratmeter", true), "m³": same("Kubikmeter", true),
	"km²": same("Quadratkilometer", true),
	"kg":  same("Kilogramm", false), "g": same("Gramm", false), "mg": same("Milligramm", false), "l": same("Liter", false),
	"L": same("Liter", false), "ml": same("Milliliter", false), "cl": same("Zentiliter", false), "°C": same("Grad Celsius", false),
	"°F": same("Grad Fahrenheit", false), "°": same("Grad", false), "kWh": {"Kilowattstunde", "Kilowattstunden", false},
	"kW": same("Kilowatt", false), "W": same("Watt", false), "V": same("Volt", false), "A": same("Ampere", false),
	"Hz": same("Hertz", false), "kB": same("Kilobyte", false), "MB": same("Megabyte", false), "GB": same("Gigabyte", false),
	"TB": same("Terabyte", false), "Mbit/s": same("Megabit pro Sekunde", false), "s": {"Sekunde", "Sekunden", false},
	"Sek.": {"Sekunde", "Sekunden", false}, "min": {"Minute", "Minuten", false}, "Min.": {"Minute", "Minuten", false},
	"h": {"Stunde", "Stunden", false}, "Std.": {"Stunde", "Stunden", false}, "St.": same("Stück", false),
	"Stk.": same("Stück", false),
	"ct":   same("Cent", false), "Ct.": same("Cent", false), "Wo.": {"Woche", "Wochen", false}, "Jh.": same("Jahrhundert", false),
	"m3": same("Kubikmeter", true),
}

var germanExact = map[string]string{
	"Hr.": "Herr", "Fr.": "Frau", "St.": "Sankt", "GmbH": "G M B H", "Str.": "Straße", "str.": "straße", "MwSt.": "Mehrwertsteuer",
	"OG": "Obergeschoss", "EG": "Erdgeschoss", "UG": "Untergeschoss", "DG": "Dachgeschoss",
}

var germanAbbreviations = map[string]string{
	"dr.": "Doktor", "prof.": "Professor", "z.b.": "zum Beispiel", "z. b.": "zum Beispiel", "d.h.": "das heißt",
	"d. h.": "das heißt",
	"u.a.":  "unter anderem", "u. a.": "unter anderem", "usw.": "und so weiter", "etc.": "et cetera", "bzw.": "beziehungsweise",
	"ca.": "circa", "tabl.": "Tabletten", "ff.": "folgende", "temp.": "Temperatur",
	"nr.": "Nummer", "tel.": "Telefon", "inkl.": "inklusive", "exkl.": "exklusive", "zzgl.": "zuzüglich",
	"ggf.": "gegebenenfalls", "evtl.": "eventuell", "max.": "maximal", "mind.": "mindestens", "min.": "mindestens",
	"vgl.":  "vergleiche",
	"bspw.": "beispielsweise", "sog.": "sogenannte", "o.ä.": "oder ähnliches", "u.u.": "unter Umständen", "i.d.r.": "in der Regel",
	"z.t.": "zum Teil", "v.a.": "vor allem", "s.o.": "siehe oben", "abt.": "Abteilung", "tägl.": "täglich", "std.": "Stunde",
	"m.a.w.": "mit anderen Worten", "b.z.w.": "beziehungsweise", "jr.": "junior", "sen.": "senior", "vs.": "gegen",
	"dipl.-ing.": "Diplomingenieur", "bzgl.": "bezüglich", "gegr.": "gegründet", "bj.": "Baujahr", "kto.": "Konto",
	"pers.": "Personen", "inh.": "Inhaber", "u.v.m.": "und vieles mehr", "s.u.": "siehe unten", "st.": "Sankt", "zw.": "zwischen",
	"zzt.": "zurzeit", "z.zt.": "zurzeit", "z. zt.": "zurzeit", "m.e.": "meines Erachtens", "hrn.": "Herrn",
	"fa.": "Firma", "whg.": "Wohnung", "art.": "Artikel", "abs.": "Absatz", "geb.": "geboren", "gem.": "gemäß", "lt.": "laut",
	"wg.": "wegen", "p.p.": "pro Person", "n.v.": "nach Vereinbarung", "o.g.": "oben genannt", "s.": "Seite",
	"a.d.": "an der", "i.a.": "im Auftrag", "m.f.g.": "mit freundlichen Grüßen", "jh.": "Jahrhundert",
}

var germanHalves = halvesOf("ein halber", "liter meter kilometer tag monat", "eine halbe",
	"stunde minute tasse flasche seite tablette portion",
	"ein halbes", "jahr kilo pfund glas brot")

// halvesOf gives each word of a list the half that is said before it.
func halvesOf(first, words, second, others, third, rest string) map[string]string {
	halves := map[string]string{}
	for half, list := range map[string]string{first: words, second: others, third: rest} {
		for word := range strings.FieldsSeq(list) {
			halves[word] = half
		}
	}
	return halves
}
