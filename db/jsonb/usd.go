package jsonb

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// USD is an amount of money in micro-cents: hundred-millionths of a US dollar. As JSON it is a number of dollars, digit by digit.
type USD int64

// microCents are the micro-cents of a dollar, of which a decimal has as many digits behind its point.
const (
	microCents = 100_000_000
	usdDigits  = 8
)

// errUSD says what an amount may be.
var errUSD = errors.New("is not an amount of US dollars with at most 8 decimals")

// String returns the dollars as a decimal without zeros that say nothing.
func (u USD) String() string {
	sign, units := "", uint64(u)
	if u < 0 {
		sign, units = "-", -units
	}
	whole, rest := units/microCents, units%microCents
	if rest == 0 {
		return sign + strconv.FormatUint(whole, 10)
	}
	return sign + strconv.FormatUint(whole, 10) + "." + strings.TrimRight(fmt.Sprintf("%0*d", usdDigits, rest), "0")
}

// ParseUSD reads dollars as a decimal, such as 0.0085. It refuses what would have to be rounded.
func ParseUSD(text string) (USD, error) {
	whole, rest, pointed := strings.Cut(text, ".")
	if whole == "" || len(rest) > usdDigits || pointed && rest == "" {
		return 0, errUSD
	}
	digits := whole + rest + strings.Repeat("0", usdDigits-len(rest))
	units, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || units > math.MaxInt64 {
		return 0, errUSD
	}
	return USD(units), nil
}

// MarshalJSON implements json.Marshaler.
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (u *USD) UnmarshalJSON(text []byte) (err error) {
	*u, err = ParseUSD(string(text))
	return err
}
