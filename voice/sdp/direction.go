package sdp

// direction of a media stream as one side describes it (RFC 3264).
type direction string

const (
	sendRecv direction = "sendrecv"
	sendOnly direction = "sendonly"
	recvOnly direction = "recvonly"
	inactive direction = "inactive"
)

// reverse returns the same direction as the other side describes it.
func (d direction) reverse() direction {
	switch d {
	case sendOnly:
		return recvOnly
	case recvOnly:
		return sendOnly
	}
	return d
}

func (d direction) sends() bool    { return d == sendRecv || d == sendOnly }
func (d direction) receives() bool { return d == sendRecv || d == recvOnly }

// meet returns the direction in which one side sends and receives.
func meet(sends, receives bool) direction {
	switch {
	case sends && receives:
		return sendRecv
	case sends:
		return sendOnly
	case receives:
		return recvOnly
	}
	return inactive
}
