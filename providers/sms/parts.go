package sms

import (
	"strings"
	"unicode/utf16"
)

// The characters of 3GPP TS 23.038 that take one septet, and those that take two.
const (
	oneSeptet = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	twoSeptet = "\f^{}\\[~]|€"
)

// Parts returns in how many parts carriers send a text, each of which they charge for: of 160 septets, or 153 where there are
// several, or of 70 and 67 characters of UTF-16 where it has one that is not in the alphabet of GSM.
func Parts(text string) int {
	septets := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune(oneSeptet, r):
			septets++
		case strings.ContainsRune(twoSeptet, r):
			septets += 2
		default:
			return parts(len(utf16.Encode([]rune(text))), 70, 67)
		}
	}
	return parts(septets, 160, 153)
}

func parts(length, alone, each int) int {
	if length <= alone {
		return 1
	}
	return (length + each - 1) / each
}
