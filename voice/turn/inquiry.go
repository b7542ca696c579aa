package turn

import "time"

// judgePatience is how long a pause waits for whoever judges turns: callers do not hear more than 4 s of nothing.
const judgePatience = 3 * time.Second

// inquiry is what was asked about the end of the caller's turn. The zero value: nothing.
type inquiry struct {
	inquiryID int           // of the last one: answers to others are late
	inquired  string        // the words that it was about; empty: it is closed
	askedEnd  time.Duration // when
	judged    bool          // it was answered
	goesOn    time.Duration // with that, counted from askedEnd
	lateJudge bool          // the last one failed, or took too long: the next is not waited for
}

// judgedEnd returns when the turn of these words ends by the judgement that was asked for. Until there is one, and without any,
// it is when the rules say; a judge that has not been late is waited for.
func (t *transition) judgedEnd(said string, byRules time.Duration) time.Duration {
	if t.inquired != said {
		t.inquiryID++
		t.inquired, t.askedEnd, t.judged = said, t.at, false
		t.do(AskTurnEnd{t.inquiryID, said, t.turnAt})
	}
	switch {
	case t.judged:
		return t.endsBy(EndByServer, t.askedEnd, t.goesOn)
	case t.lateJudge, byRules >= t.askedEnd+judgePatience:
		return byRules
	default:
		return t.endsBy(EndByServer, t.askedEnd, judgePatience)
	}
}

// turnJudged takes a judgement, if it is still of use.
func (t *transition) turnJudged(e TurnEndJudged) {
	if e.ID != t.inquiryID {
		return
	}
	t.lateJudge = e.Failed || t.at > t.askedEnd+judgePatience
	if t.inquired != "" {
		t.judged, t.goesOn = !e.Failed, e.Wait
		t.scheduleReply()
	}
}

// closeInquiry begins a new turn: one that was not judged by now has waited in vain.
func (t *transition) closeInquiry() {
	if t.inquired == "" {
		return
	}
	t.lateJudge = !t.judged
	t.inquired = ""
}
