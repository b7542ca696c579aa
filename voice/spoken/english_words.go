package spoken

import "strings"

var englishMoney = map[string]currency{
	"€": {"euro", "euros", "cent", "cents"}, "EUR": {"euro", "euros", "cent", "cents"},
	"euro": {"euro", "euros", "cent", "cents"}, "euros": {"euro", "euros", "cent", "cents"},
	"$": {"dollar", "dollars", "cent", "cents"}, "USD": {"dollar", "dollars", "cent", "cents"},
	"US$": {"U S dollar", "U S dollars", "cent", "cents"}, "dollars": {"dollar", "dollars", "cent", "cents"},
	"£": {"pound", "pounds", "penny", "pence"}, "GBP": {"pound", "pounds", "penny", "pence"},
	"pounds": {"pound", "pounds", "penny", "pence"},
	"CAD":    {"Canadian dollar", "Canadian dollars", "cent", "cents"},
	"C$":     {"Canadian dollar", "Canadian dollars", "cent", "cents"},
	"CA$":    {"Canadian dollar", "Canadian dollars", "cent", "cents"},
	"AUD":    {"Australian dollar", "Australian dollars", "cent", "cents"},
	"A$":     {"Australian dollar", "Australian dollars", "cent", "cents"},
	"AU$":    {"Australian dollar", "Australian dollars", "cent", "cents"},
	"SEK":    {"Swedish krona", "Swedish kronor", "öre", "öre"}, "NOK": {"Norwegian krone", "Norwegian kroner", "øre", "øre"},
	"DKK": {"Danish krone", "Danish kroner", "øre", "øre"}, "¥": {"yen", "yen", "sen", "sen"},
	"CHF": {"Swiss franc", "Swiss francs", "centime", "centimes"},
}

var englishFractions = map[string]string{
	"1/2": "one half", "1/3": "one third", "2/3": "two thirds", "1/4": "one quarter", "3/4": "three quarters", "1/5": "one fifth",
	"2/5": "two fifths", "3/5": "three fifths", "4/5": "four fifths", "1/8": "one eighth", "3/8": "three eighths",
	"5/8": "five eighths", "7/8": "seven eighths", "1/10": "one tenth", "24/7": "twenty-four seven",
}

var englishUnits = map[string]unit{
	"km/h": {"kilometer per hour", "kilometers per hour", true}, "kph": {"kilometer per hour", "kilometers per hour", true},
	"mph": {"mile per hour", "miles per hour", true}, "m/s": {"meter per second", "meters per second", true},
	"km": {"kilometer", "kilometers", true}, "m": {"meter", "meters", true}, "cm": {"centimeter", "centimeters", true},
	"mm": {"millimeter", "millimeters", true}, "mi": {"mile", "miles", true}, "ft": {"foot", "feet", true},
	"yd": {"yard", "yards", true}, "ft²": {"square foot", "square feet", true}, "m²": {"square meter", "square meters", true}, "m2": {"square meter", "square meters", true},
	"m³": {"cubic meter", "cubic meters", true}, "m3": {"cubic meter", "cubic meters", true},
	"km²": {"square kilometer", "square kilometers", true}, "sq ft": {"square foot", "square feet", true},
	"kg": {"kilogram", "kilograms", false}, "g": {"gram", "grams", false}, "mg": {"milligram", "milligrams", false},
	"lb": {"pound", "pounds", false}, "lbs": {"pound", "pounds", false}, "oz": {"ounce", "ounces", false},
	"l": {"liter", "liters", false}, "L": {"liter", "liters", false}, "ml": {"milliliter", "milliliters", false},
	"mL": {"milliliter", "milliliters", false}, "cl": {"centiliter", "centiliters", false}, "dl": {"deciliter", "deciliters", false},
	"gal": {"gallon", "gallons", false}, "°C": {"degree Celsius", "degrees Celsius", false},
	"°F": {"degree Fahrenheit", "degrees Fahrenheit", false}, "°": {"degree", "degrees", false},
	"kWh": {"kilowatt hour", "kilowatt hours", false}, "kW": {"kilowatt", "kilowatts", false}, "W": {"watt", "watts", false},
	"V": {"volt", "volts", false}, "A": {"amp", "amps", false}, "Hz": {"hertz", "hertz", false},
	"kHz": {"kilohertz", "kilohertz", false},
	"KB":  {"kilobyte", "kilobytes", false}, "kB": {"kilobyte", "kilobytes", false}, "MB": {"megabyte", "megabytes", false},
	"GB": {"gigabyte", "gigabytes", false}, "TB": {"terabyte", "terabytes", false},
	"Mbps": {"megabit per second", "megabits per second", false}, "Mbit/s": {"megabit per second", "megabits per second", false},
	"ms": {"millisecond", "milliseconds", false}, "s": {"second", "seconds", false}, "sec": {"second", "seconds", false},
	"sec.": {"second", "seconds", false}, "min": {"minute", "minutes", false}, "min.": {"minute", "minutes", false},
	"h": {"hour", "hours", false}, "hr": {"hour", "hours", false}, "hrs": {"hour", "hours", false}, "hrs.": {"hour", "hours", false},
	"yrs": {"year", "years", false}, "pcs": {"piece", "pieces", false},
	"¢": {"cent", "cents", false}, "p": {"penny", "pence", false}, "mins": {"minute", "minutes", false},
	"secs": {"second", "seconds", false},
	"in.":  {"inch", "inches", true}, "wk": {"week", "weeks", false}, "wks": {"week", "weeks", false},
	"yr": {"year", "years", false},
}

var englishExact = map[string]string{
	"Dr.": "Doctor", "Dr": "Doctor", "Mr.": "Mister", "Mr": "Mister", "Mrs.": "Missus", "Mrs": "Missus", "Ms.": "Ms",
	"Prof.": "Professor", "Rev.": "Reverend", "St.": "Saint", "Gen.": "General", "Sgt.": "Sergeant", "Jr.": "Junior",
	"Sr.":  "Senior",
	"Ave.": "Avenue", "Rd.": "Road", "Blvd.": "Boulevard", "Ln.": "Lane", "Apt.": "Apartment", "Rte.": "Route",
	"Inc.": "Incorporated",
	"Ltd.": "Limited", "Co.": "Company", "Corp.": "Corporation", "Ph.D.": "P H D", "U.S.": "U S", "U.K.": "U K", "w/": "with",
	"St": "Street", "Ave": "Avenue", "Rd": "Road", "Blvd": "Boulevard", "Ln": "Lane", "Pl.": "Place",
	"Apt": "Apartment", "Rm": "Room", "Mt.": "Mount", "Ft.": "Fort", "Capt.": "Captain", "Lt.": "Lieutenant", "Hon.": "Honorable",
	"AT&T": "A T and T",
}

var englishAbbreviations = map[string]string{
	"e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "approx.": "approximately", "vs.": "versus", "vs": "versus",
	"dept.": "department", "ext.": "extension", "incl.": "including", "excl.": "excluding", "est.": "estimated", "max.": "maximum",
	"appt.": "appointment", "a.m.": "A M", "p.m.": "P M", "tel.": "telephone", "misc.": "miscellaneous", "w/o": "without",
	"a.k.a.": "also known as", "c/o": "care of", "p.s.": "P S", "min.": "minimum", "p.": "page", "pp.": "pages", "rm.": "room",
	"vol.": "volume", "ch.": "chapter", "hwy.": "highway", "hwy": "highway", "rt.": "route",
	"mo": "month", "mo.": "month", "yr": "year", "yr.": "year", "wk": "week", "wk.": "week", "hr": "hour", "hr.": "hour",
	"ste.": "suite",
	"min":  "minute", "ea.": "each", "n/a": "not applicable", "r.s.v.p.": "R S V P",
}

// americanStates are named before the code of a place.
var americanStates = pairsOf("AL Alabama AK Alaska AZ Arizona AR Arkansas CA California CO Colorado CT Connecticut DE Delaware FL Florida " +
	"GA Georgia HI Hawaii ID Idaho IL Illinois IN Indiana IA Iowa KS Kansas KY Kentucky LA Louisiana ME Maine MD Maryland " +
	"MA Massachusetts MI Michigan MN Minnesota MS Mississippi MO Missouri MT Montana NE Nebraska NV Nevada NH New_Hampshire " +
	"NJ New_Jersey NM New_Mexico NY New_York NC North_Carolina ND North_Dakota OH Ohio OK Oklahoma OR Oregon PA Pennsylvania " +
	"RI Rhode_Island SC South_Carolina SD South_Dakota TN Tennessee TX Texas UT Utah VT Vermont VA Virginia WA Washington " +
	"WV West_Virginia WI Wisconsin WY Wyoming DC D_C")

// pairsOf makes a table of names and what they stand for, in which _ is a space.
func pairsOf(list string) map[string]string {
	pairs, fields := map[string]string{}, strings.Fields(list)
	for i := 0; i+1 < len(fields); i += 2 {
		pairs[fields[i]] = strings.ReplaceAll(fields[i+1], "_", " ")
	}
	return pairs
}
