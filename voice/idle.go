package voice

import "time"

// lastChance is the time to react to a reminder that ends close to the silence timeout.
const lastChance = 5 * time.Second

// watchSilence keeps the silence timeout and the reminders running exactly while nobody
// speaks, thinks or is about to.
func (t *turn) watchSilence() {
	idle := t.phase == talking && t.stage == quiet && !t.talks && t.dueReply == 0 && t.dueKeys == 0 && t.owed == 0
	switch {
	case !idle:
		t.idle, t.dueSilence, t.dueIdle = false, 0, 0
		if t.talks || !t.reminds {
			t.idleAt = 0
		}
	case !t.idle:
		t.idle = true
		t.startSilence()
		t.reminds = false
	}
}

func (t *turn) startSilence() {
	plan := t.script.Idle
	if len(plan.Messages) > 0 && t.idles < plan.Max {
		t.dueIdle = t.at + plan.After
	}
	if t.idleAt == 0 {
		t.idleAt = t.at
	}
	if t.script.SilenceTimeout == 0 {
		return
	}
	t.dueSilence = t.idleAt + t.script.SilenceTimeout
	if t.reminds {
		t.dueSilence = max(t.dueSilence, t.at+min(lastChance, plan.After))
	}
}

// remind breaks the silence.
func (t *turn) remind() {
	t.idles++
	t.reminds = true
	t.stage = thinking
	t.do(speakOne{t.script.Idle.Messages})
	t.armHold()
}
