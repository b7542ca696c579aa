package turn

import "time"

// lastChance is the time to react to a reminder that ends close to the silence timeout.
const lastChance = 5 * time.Second

// watchSilence keeps the silence timeout and the reminders running exactly while nobody speaks, thinks or is about to.
func (t *transition) watchSilence() {
	idle := t.phase == talking && t.stage == quiet && !t.talks && t.dueReply == 0 && t.dueKeys == 0 && t.untranscribed == 0
	switch {
	case !idle:
		t.idle, t.dueSilence, t.dueIdle = false, 0, 0
		if t.talks || !t.reminding {
			t.idleAt = 0
		}
	case !t.idle:
		t.idle = true
		t.startSilence()
		t.reminding = false
	}
}

func (t *transition) startSilence() {
	plan := t.plan.Idle
	if len(plan.Messages) > 0 && t.reminders < plan.Max {
		t.dueIdle = t.at + plan.After
	}
	if t.idleAt == 0 {
		t.idleAt = t.at
	}
	if t.plan.SilenceTimeout == 0 {
		return
	}
	t.dueSilence = t.idleAt + t.plan.SilenceTimeout
	if t.reminding {
		t.dueSilence = max(t.dueSilence, t.at+min(lastChance, plan.After))
	}
}

// remind breaks the silence.
func (t *transition) remind() {
	t.reminders++
	t.reminding = true
	t.stage = thinking
	t.do(SpeakOneOf{t.plan.Idle.Messages})
	t.armInterruption()
}
