package voice

// event is what others have done for the call, for its goroutine to handle: a transcriberOpened, replyPart, synthesised,
// answererNamed, transferEnded or shuttingDown. All come on one channel: each channel to wait for costs as much as the smaller
// things that are done then.
type event interface{ isEvent() }

// transferEnded is the outcome of a transfer.
type transferEnded struct {
	id, target string
	err        error
}

// shuttingDown reports that the context of Run has ended.
type shuttingDown struct{}

func (transferEnded) isEvent() {}
func (shuttingDown) isEvent()  {}
