package spoken

import "strings"

// alike writes marks as the usual ones that mean the same, and leaves those out that nobody sees.
var alike = strings.NewReplacer(
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "\u2002", " ", "\u2003", " ",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-",
	"\u200b", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "",
	"\uff1a", ":", "\uff05", "%", "\uff20", "@", "\u33a1", "m²", "\u338f", "kg", "\u339e", "km", "\u2103", "°C", "\u2109", "°F", "º",
	"°",
	"§§", "§", "\u2044", "/", // of fractions
)
