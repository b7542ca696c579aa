package turn

// playbackStarts records what the caller said before: it is being answered.
func (t *transition) playbackStarts() {
	if t.audibleAt == 0 {
		t.audibleAt = t.at
	}
	if t.stage != thinking {
		return
	}
	t.stage, t.dueFiller = speaking, 0
	if t.phase == closing {
		t.limitFarewell(farewellLimit)
	}
	t.recordAsked()
	t.armInterruption()
}

// playbackEnds gives the floor back when all was spoken.
func (t *transition) playbackEnds(text string) {
	t.recordAsked()
	if t.ducked {
		t.do(Unduck{})
	}
	t.fallSilent()
	t.last = text
	if !t.broken {
		t.fails = 0
	}
	t.broken = false
	if t.repeating {
		t.repeating, t.dueRepeat = false, t.at+quietLimit
	}
	switch {
	case t.phase == closing:
		t.finish(t.reason)
	case t.phase == atMachine:
		t.messageLeft()
	case t.phase != talking:
	case t.bye.within(text):
		t.finish(AssistantSaidEndCallPhrase)
	case t.after != nil:
		t.goOn()
	default:
		t.takeUpWaiting()
	}
}

// takeUpWaiting answers what the caller said meanwhile. A word of acknowledgement spoken well before the end was not an answer.
func (t *transition) takeUpWaiting() {
	if said := join(t.heard, t.interim); t.ack.covers(said) && t.at-t.wordAt > ackWindow {
		t.recordHeard()
	}
	t.scheduleReply()
}

// replyFails tries again where the caller has heard nothing of the reply: at once, then, where that failed soon, too, after
// asking for patience, then it gives up politely. A reply that broke off later counts as said: the caller can ask on.
func (t *transition) replyFails(spoken bool) {
	switch {
	case t.stage == quiet:
	case spoken:
		t.fails++
		t.broken = true
		if t.fails >= repeatPatience {
			t.close(ProviderLLMFailed, t.fixed.Apology, farewellLimit)
		}
	case t.tries == 0 && t.at < t.requestedAt+retryLimit:
		t.tries++
		if t.stage == speaking && !t.filling { // it has asked for patience already, and needs more
			t.do(Speak{Text: t.patience()})
		}
		t.do(Respond{Words: t.asked})
	case t.tries == 1 && t.at < t.requestedAt+failsSoon:
		t.tries++
		t.dueFiller = 0
		t.do(ReportDelay{}, Speak{Text: t.patience()}, Respond{Words: t.asked, Delay: retryPause})
	default:
		t.close(ProviderLLMFailed, t.fixed.Apology, farewellLimit)
	}
}

// fillSilence asks for patience when the caller has heard nothing for long.
func (t *transition) fillSilence() {
	if t.stage == thinking && !t.filling {
		t.do(ReportDelay{})
	}
	switch {
	case t.stage == quiet || t.AtMenu():
	case t.talks || t.paused:
		t.dueFiller = t.at + fillerLeast
	default:
		t.do(Speak{Text: t.patience(), First: true})
		t.filling = true
	}
}

// fallsQuiet follows the last sound of a reply in the making, or of words that asked for patience. Before the wait is called long
// something short is said half-way, where the silence would be too long otherwise.
func (t *transition) fallsQuiet() {
	if t.stage != speaking || t.phase != talking {
		return
	}
	t.quietFrom = t.at
	if !t.filling {
		t.waitsFrom = t.at
	}
	silence := quietLimit
	if left := t.waitsFrom + longWait - t.at; t.filling && left > quietLimit {
		silence = left / 2
	} else if t.filling && left > 0 {
		silence = max(left, fillerLeast)
	}
	t.dueFiller = t.at + silence
}

// patience returns what asks for it, by how long the wait has been: never the same twice in a row.
func (t *transition) patience() string {
	kinds := []string{t.fixed.Wait, t.fixed.Looking, t.fixed.StillWaiting}
	if t.at >= t.waitsFrom+longWait {
		kinds = []string{t.fixed.StillWaiting, t.fixed.Wait}
	}
	if kinds[0] == t.asksPatience {
		kinds = kinds[1:]
	}
	t.asksPatience = kinds[0]
	return t.asksPatience
}

// replyBegins ends the wait for words. For their sound there is the rest of the silence that is allowed, at least as long as a voice
// takes that is well.
func (t *transition) replyBegins() {
	t.filling = false
	if t.dueFiller != 0 {
		t.dueFiller = max(t.dueFiller, min(t.at+soundSoon, t.quietFrom+quietLimit))
	}
}
