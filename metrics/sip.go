package metrics

import (
	"slices"
	"strconv"
)

// Far ends may write any method and any code: those that are usual count by themselves.
var (
	sipMethods = []string{"INVITE", "ACK", "BYE", "CANCEL", "OPTIONS", "REGISTER", "UPDATE", "INFO", "NOTIFY", "REFER", "PRACK",
		"MESSAGE", "SUBSCRIBE"}
	sipCodes = []int{
		100, 180, 181, 182, 183, 200, 202, 300, 301, 302, 305, 400, 401, 402, 403, 404, 405, 406, 407, 408, 410, 413, 415, 420, 421,
		422, 423,
		429, 433, 480, 481, 482, 483, 484, 485, 486, 487, 488, 489, 491, 493, 494, 500, 501, 502, 503, 504, 513, 580, 600, 603, 604,
		606, 607, 608,
	}
)

// NoResponse is the code of a request that got none.
const NoResponse = 0

// SIPResponse counts a response that was sent by us, or received.
func SIPResponse(network string, sent bool, method string, code int) {
	direction := "received"
	if sent {
		direction = "sent"
	}
	sipResponses.WithLabelValues(direction, sipMethod(method), sipCode(code), network).Inc()
}

func sipMethod(method string) string {
	if slices.Contains(sipMethods, method) {
		return method
	}
	return "other"
}

func sipCode(code int) string {
	switch {
	case code == NoResponse:
		return "none"
	case slices.Contains(sipCodes, code):
		return strconv.Itoa(code)
	case code >= 100 && code <= 699:
		return strconv.Itoa(code/100) + "xx"
	}
	return "other"
}
