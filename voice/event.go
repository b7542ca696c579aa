package voice

// event is what others have done for the call, for its goroutine to handle: a transcriberOpened, replyPart, synthesised,
// answererNamed, onHold, transferEnded, colleagueLeft or shuttingDown. All come on one channel: each channel to wait for costs as
// much as the smaller things that are done then.
type event interface{ isEvent() }

// onHold reports that the caller waits for somebody who is being rung, and hears sound meanwhile.
type onHold struct{ sound []int16 }

// transferEnded is the outcome of a transfer.
type transferEnded struct {
	id, target string
	colleague  *Colleague // nil: the far end has taken the caller itself, or nobody has
	err        error
}

// colleagueLeft reports that the leg of the colleague is over.
type colleagueLeft struct{}

// shuttingDown reports that the context of Run has ended.
type shuttingDown struct{}

func (onHold) isEvent()        {}
func (transferEnded) isEvent() {}
func (colleagueLeft) isEvent() {}
func (shuttingDown) isEvent()  {}
