package knowledge

import "strings"

// Quote marks every line of a text that others wrote, as mails do, so that in a prompt none of them can be taken for an
// instruction or a heading of ours, however much of the text is left out.
func Quote(text string) string {
	return "> " + strings.NewReplacer("\r\n", "\n> ", "\n", "\n> ", "\r", "\n> ", "\u2028", "\n> ", "\u2029", "\n> ").Replace(text)
}
