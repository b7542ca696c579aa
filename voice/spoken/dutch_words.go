package spoken

var dutchMoney = map[string]currency{
	"€": {"euro", "euro", "cent", "cent"}, "EUR": {"euro", "euro", "cent", "cent"}, "euro": {"euro", "euro", "cent", "cent"},
	"$": {"dollar", "dollar", "cent", "cent"}, "USD": {"dollar", "dollar", "cent", "cent"},
	"dollar": {"dollar", "dollar", "cent", "cent"},
	"US$":    {"dollar", "dollar", "cent", "cent"},
	"£":      {"pond", "pond", "pence", "pence"}, "GBP": {"pond", "pond", "pence", "pence"},
	"CAD": {"Canadese dollar", "Canadese dollar", "cent", "cent"},
	"AUD": {"Australische dollar", "Australische dollar", "cent", "cent"},
	"SEK": {"Zweedse kroon", "Zweedse kronen", "öre", "öre"}, "DKK": {"Deense kroon", "Deense kronen", "øre", "øre"},
	"NOK": {"Noorse kroon", "Noorse kronen", "øre", "øre"}, "¥": {"yen", "yen", "sen", "sen"},
	"CHF": {"Zwitserse frank", "Zwitserse frank", "rappen", "rappen"},
}

var dutchFractions = map[string]string{
	"1/2": "een half", "1 1/2": "anderhalf", "1/3": "een derde", "2/3": "twee derde", "1/4": "een kwart", "3/4": "driekwart",
	"1/5": "een vijfde",
	"2/5": "twee vijfde", "3/5": "drie vijfde", "4/5": "vier vijfde", "1/8": "een achtste", "3/8": "drie achtste",
	"5/8": "vijf achtste", "7/8": "zeven achtste", "1/10": "een tiende", "24/7": "vierentwintig zeven",
}

// same is a unit that has one form for all numbers.
func same(name string, distance bool) unit { return unit{name, name, distance} }

var dutchUnits = map[string]unit{
	"km/h": same("kilometer per uur", true), "km/u": same("kilometer per uur", true), "m/s": same("meter per seconde", true),
	"km": same("kilometer", true), "m": same("meter", true), "cm": same("centimeter", true), "mm": same("millimeter", true),
	"m²": same("vierkante meter", true), "m2": same("vierkante meter", true), "m³": same("kubieke meter", true),
	"m3": same("kubieke meter", true), "km²": same("vierkante kilometer", true), "kg": same("kilo", false), "g": same("gram", false),
	"gr": same("gram", false), "mg": same("milligram", false), "l": same("liter", false), "L": same("liter", false),
	"ml": same("milliliter", false), "cl": same("centiliter", false), "dl": same("deciliter", false),
	"°C": {"graad Celsius", "graden Celsius", false}, "°F": {"graad Fahrenheit", "graden Fahrenheit", false},
	"°":   {"graad", "graden", false},
	"kWh": same("kilowattuur", false), "kW": same("kilowatt", false), "W": same("watt", false), "V": same("volt", false),
	"A": same("ampère", false), "Hz": same("hertz", false), "kB": same("kilobyte", false), "MB": same("megabyte", false),
	"GB": same("gigabyte", false), "TB": same("terabyte", false), "Mbit/s": same("megabit per seconde", false),
	"s": {"seconde", "seconden", false}, "sec": {"seconde", "seconden", false}, "sec.": {"seconde", "seconden", false},
	"min": {"minuut", "minuten", false}, "min.": {"minuut", "minuten", false}, "u": same("uur", false),
	"mnd": {"maand", "maanden", false}, "jr": same("jaar", false), "st.": {"stuk", "stuks", false}, "ct": same("cent", false),
	"ct.": same("cent", false),
	"wk":  {"week", "weken", false}, "wkn": {"week", "weken", false}, "inch": same("inch", true),
	"mb/s": same("megabit per seconde", false), "pers.": {"persoon", "personen", false},
}

var dutchExact = map[string]string{
	"B.V.": "B V", "BV": "B V", "N.V.": "N V", "NV": "N V", "St.": "Sint", "Ph.D.": "P H D", "dhr": "de heer", "mw": "mevrouw",
	"Dhr": "De heer", "Mw": "Mevrouw",
}

var dutchAbbreviations = map[string]string{
	"dr.": "dokter", "drs.": "doctorandus", "mr.": "meester", "ir.": "ingenieur", "ing.": "ingenieur", "prof.": "professor",
	"mevr.": "mevrouw", "mw.": "mevrouw", "dhr.": "de heer", "fam.": "familie", "bijv.": "bijvoorbeeld", "bv.": "bijvoorbeeld",
	"b.v.": "bijvoorbeeld", "o.a.": "onder andere", "d.w.z.": "dat wil zeggen", "a.u.b.": "alstublieft", "s.v.p.": "alstublieft",
	"m.b.t.": "met betrekking tot", "i.v.m.": "in verband met", "i.p.v.": "in plaats van", "t.a.v.": "ter attentie van",
	"t.o.v.": "ten opzichte van", "n.a.v.": "naar aanleiding van", "o.b.v.": "op basis van", "i.o.m.": "in overleg met",
	"t/m": "tot en met", "e.d.": "en dergelijke", "enz.": "enzovoort", "etc.": "et cetera", "incl.": "inclusief",
	"excl.": "exclusief", "ca.": "circa", "d.d.": "van", "tabl.": "tabletten", "e.v.": "en volgende",
	"nr.": "nummer", "nrs.": "nummers", "tel.": "telefoon", "blz.": "bladzijde",
	"pag.": "pagina", "evt.": "eventueel", "max.": "maximaal", "z.s.m.": "zo snel mogelijk", "n.v.t.": "niet van toepassing",
	"a.s.": "aanstaande", "jl.": "jongstleden", "v.a.": "vanaf", "p.p.": "per persoon", "p/m": "per maand", "p.m.": "per maand",
	"p.j.": "per jaar", "p/j": "per jaar", "p/st": "per stuk", "str.": "straat", "resp.": "respectievelijk", "zgn.": "zogenaamde",
	"ong.": "ongeveer", "afd.": "afdeling", "art.": "artikel", "hfst.": "hoofdstuk", "vs.": "versus", "c.q.": "casu quo",
	"m.a.w.": "met andere woorden", "t.g.v.": "ten gevolge van", "w.o.": "waaronder", "jr.": "junior", "sr.": "senior",
	"'s": "'s", "min.": "minimaal", "t.n.v.": "ten name van", "p.st.": "per stuk", "p.p.p.n.": "per persoon per nacht",
	"p.p.p.d.": "per persoon per dag", "p.n.": "per nacht", "p.d.": "per dag", "verd.": "verdieping", "begr.": "begrepen",
	"p/a":    "per adres", //nolint:misspell // Dutch
	"z.o.z.": "zie ommezijde", "vgl.": "vergelijk", "t.z.t.": "te zijner tijd", "o.v.v.": "onder vermelding van",
	"m.u.v.": "met uitzondering van", "i.c.m.": "in combinatie met", "a.d.h.v.": "aan de hand van", "d.m.v.": "door middel van",
	"o.l.v.": "onder leiding van", "e.a.": "en anderen", "m.i.v.": "met ingang van", "bijz.": "bijzondere", "tst.": "toestel",
	"p.w.": "per week", "p.u.": "per uur", "p/u": "per uur", "p/w": "per week", "n.o.t.k.": "nader overeen te komen",
	"ev.":  "eventueel",
	"n.b.": "let op", "b.g.g.": "bij geen gehoor", "u.": "uur", "nr": "nummer", "dr": "dokter", "tel": "telefoon", "mevr": "mevrouw",
}

var dutchHalves = halvesOf("een halve", "liter kilo meter kilometer dag minuut pagina fles tablet pil ton dosis", "", "", "", "")
