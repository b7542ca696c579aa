package telco

import (
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

const (
	dutchPrefix = "+31"
	dutchDigits = 9 // after the prefix
)

// Dutch is the Dutch numbering plan: the type and town of numbers. It is read from libphonenumber's data at first use.
type Dutch struct {
	plan func() *dutchPlan
}

type dutchPlan struct {
	places map[string]string // area code -> its main town
	codes  map[string]string // town, in lower case -> area code
}

// Towns that share the area code of a larger neighbour, which is the only one in the library's data, and other names of
// towns.
var dutchNeighbours = map[string][]string{
	"Amsterdam":             {"Amstelveen", "Diemen", "Duivendrecht", "Ouderkerk aan de Amstel", "Schiphol", "Badhoevedorp"},
	"Den Haag":              {"'s-Gravenhage", "The Hague", "Rijswijk", "Voorburg", "Leidschendam", "Wassenaar"},
	"Rotterdam":             {"Schiedam", "Vlaardingen", "Maassluis", "Capelle aan den IJssel", "Krimpen aan den IJssel"},
	"Utrecht":               {"Nieuwegein", "Houten", "Zeist", "Bilthoven", "De Bilt", "Bunnik", "IJsselstein", "De Meern"},
	"Eindhoven":             {"Veldhoven", "Geldrop", "Nuenen", "Waalre", "Son"},
	"Haarlem":               {"Heemstede", "Bloemendaal", "Zandvoort"},
	"Leiden":                {"Leiderdorp", "Oegstgeest", "Voorschoten", "Katwijk", "Noordwijk"},
	"Hilversum":             {"Bussum", "Huizen", "Laren", "Naarden", "Blaricum"},
	"Dordrecht":             {"Zwijndrecht", "Papendrecht", "Hendrik-Ido-Ambacht"},
	"'s-Hertogenbosch":      {"Den Bosch", "Vught"},
	"Delft":                 {"Pijnacker", "Nootdorp"},
	"Alkmaar":               {"Heerhugowaard", "Bergen", "Heiloo"},
	"Arnhem":                {"Velp", "Oosterbeek"},
	"Maastricht":            {"Valkenburg", "Meerssen"},
	"Sittard":               {"Geleen", "Stein"},
	"Heerlen":               {"Kerkrade", "Landgraaf", "Brunssum"},
	"Zaandam":               {"Zaanstad", "Koog aan de Zaan", "Wormerveer"},
	"Naaldwijk":             {"Monster", "'s-Gravenzande", "Maasdijk"},
	"Beverwijk":             {"Heemskerk"},
	"Nieuw-Vennep":          {"Hillegom", "Lisse"},
	"IJmuiden":              {"Velsen"},
	"Barendrecht":           {"Ridderkerk"},
	"Spijkenisse":           {"Hellevoetsluis", "Brielle"},
	"Middelburg":            {"Vlissingen"},
	"Amersfoort":            {"Soest", "Leusden"},
	"Hengelo":               {"Borne", "Delden"},
	"Veenendaal":            {"Ede", "Rhenen"},
	"Bergen op Zoom":        {"Halsteren"},
	"Winschoten":            {"Oldambt"},
	"Drachten":              {"Smallingerland"},
	"Noord Scharwoude":      {"Heerhugowaard-Noord", "Langedijk"},
	"Den Burg":              {"Texel"},
	"Elst":                  {"Overbetuwe", "Bemmel"},
	"Driebergen-Rijsenburg": {"Doorn"},
}

// NewDutch returns the plan.
func NewDutch() *Dutch { return &Dutch{plan: sync.OnceValue(readDutchPlan)} }

func readDutchPlan() *dutchPlan {
	d := &dutchPlan{places: map[string]string{}, codes: map[string]string{}}
	for code := 10; code <= 79; code++ {
		if place := wholeArea(code); place != "" {
			d.places[strconv.Itoa(code)] = place
			continue
		}
		for longer := code * 10; longer < code*10+10; longer++ {
			if place := placeOf(strconv.Itoa(longer)); place != "" {
				d.places[strconv.Itoa(longer)] = place
			}
		}
	}
	for code, place := range d.places {
		d.codes[strings.ToLower(place)] = code
	}
	neighbours := map[string]string{}
	for place, others := range dutchNeighbours {
		for _, other := range others {
			neighbours[strings.ToLower(other)] = d.codes[strings.ToLower(place)]
		}
	}
	maps.Copy(d.codes, neighbours)
	return d
}

// wholeArea returns the town of an area code of two digits, which all codes of three digits below it share.
func wholeArea(code int) string {
	place := placeOf(strconv.Itoa(code) + "0")
	for longer := code*10 + 1; longer < code*10+10; longer++ {
		if placeOf(strconv.Itoa(longer)) != place {
			return ""
		}
	}
	return place
}

func placeOf(areaCode string) string {
	number, err := phonenumbers.Parse(dutchPrefix+areaCode+strings.Repeat("2", dutchDigits-len(areaCode)), "")
	if err != nil {
		return ""
	}
	place, err := phonenumbers.GetGeocodingForNumber(number, "nl")
	if err != nil {
		return ""
	}
	return place
}

// AreaCode returns the area code of a town, without the leading 0; empty if the town is not in the plan.
func (d *Dutch) AreaCode(town string) string {
	return d.plan().codes[strings.ToLower(strings.Join(strings.Fields(town), " "))]
}

// Type returns the type of a number in E.164, with its town if it is local, and reports whether such numbers are sold.
func (d *Dutch) Type(number string) (numberType, locality string, ok bool) {
	digits, found := strings.CutPrefix(number, dutchPrefix)
	if !found || len(digits) != dutchDigits || strings.Trim(digits, "0123456789") != "" {
		return "", "", false
	}
	switch {
	case digits[0] == '6':
		return Mobile, "", true
	case digits[:2] == "84", digits[:2] == "85", digits[:2] == "87", digits[:2] == "88", digits[:2] == "91":
		return National, "", true
	}
	for _, length := range []int{2, 3} {
		if place, known := d.plan().places[digits[:length]]; known {
			return Local, place, true
		}
	}
	return "", "", false
}
