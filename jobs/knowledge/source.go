package knowledge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/website"
)

// PageText returns all that a page says: its text, and the questions and answers that stand elsewhere in it.
func PageText(page *website.Page) string {
	parts := []string{page.Text}
	for _, faq := range page.FAQs {
		if !strings.Contains(page.Text, faq.Answer) {
			parts = append(parts, faq.Question+"\n"+faq.Answer)
		}
	}
	return strings.Join(parts, "\n")
}

// ExplainSource returns a sentence for the customer: why a website or a file could not be read.
func ExplainSource(err error) string {
	failed, ok := errors.AsType[*fault.Error](err)
	switch {
	case ok && failed.Kind == fault.Timeout:
		return "The website did not answer in time."
	case ok && failed.StatusCode != 0:
		return fmt.Sprintf("The website answered %d.", failed.StatusCode)
	case ok && failed.Kind == fault.Refused && failed.Provider == "hook":
		return "The address may not be read."
	case ok && failed.Kind == fault.Refused && failed.Message != "":
		return strings.ToUpper(failed.Message[:1]) + failed.Message[1:] + "."
	}
	return "The website could not be reached."
}
