package callstate

// What somebody who listens in on a call may do.
const (
	ListenerListens  = "listen"  // unheard by all
	ListenerWhispers = "whisper" // the assistant follows what they say
	ListenerBarges   = "barge"   // they speak to the caller in the assistant's place
)

// The statuses of somebody who listens in on a call.
const (
	ListenerAsked    = "asked"
	ListenerAnswered = "answered" // the browser is not connected yet
	ListenerJoined   = "joined"
	ListenerLeft     = "left"
	ListenerMissed   = "missed" // it never joined
)
