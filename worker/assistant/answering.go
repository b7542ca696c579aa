package assistant

import (
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/voice"
)

// answeringPlan says what happens when no person takes a call that we place: the word of a mode, or a plan.
func answeringPlan(detection any, script *voice.Script) {
	script.DetectVoicemail = true
	switch detection := detection.(type) {
	case string:
		detectionMode(detection, script)
	case map[string]any:
		detectionMode(text(detection, "mode"), script)
		if disabled(detection) || !findsMachines(detection) {
			script.DetectVoicemail = false
		}
		answering := &script.Answering
		seconds(detection, &answering.BeepWait, "beepMaxAwaitSeconds", "beep_max_await_seconds")
		milliseconds(detection, &answering.GreetAfter, "machineDetectionSilenceTimeout", "machine_detection_silence_timeout")
		milliseconds(detection, &answering.Pause, "machineDetectionSpeechEndThreshold", "machine_detection_speech_end_threshold")
		seconds(detection, &answering.Until, "machineDetectionTimeout", "machine_detection_timeout")
		lookingPlan(object(detection, "backoffPlan", "backoff_plan"), &answering.Until)
		answering.LeaveMenus = text(detection, "menu") == "hang-up"
	}
}

// Defaults of a plan that says when services of this field look for a machine.
const (
	firstLook = 5 // seconds
	nextLook  = 5 // seconds
	mostLooks = 6
)

// lookingPlan reads until when a machine is looked for, where the plan says how often. Between the looks we listen, too.
func lookingPlan(plan map[string]any, until *time.Duration) {
	if plan == nil {
		return
	}
	value := func(standard float64, names ...string) float64 {
		if given, ok := number(plan, names...); ok {
			return given
		}
		return standard
	}
	first, every := value(firstLook, "startAtSeconds", "start_at_seconds"), value(nextLook, "frequencySeconds", "frequency_seconds")
	looks := value(mostLooks, "maxRetries", "max_retries")
	*until = time.Duration((first + every*looks) * float64(time.Second))
}

func detectionMode(mode string, script *voice.Script) {
	switch mode {
	case "off":
		script.DetectVoicemail = false
	case "detect":
		script.VoicemailMessage = ""
	}
}

// findsMachines reports whether a plan that names what is looked for names machines.
func findsMachines(plan map[string]any) bool {
	types := texts(plan, "voicemailDetectionTypes", "voicemail_detection_types")
	return types == nil || slices.ContainsFunc(types, func(name string) bool { return strings.HasPrefix(name, "machine") })
}

func milliseconds(from map[string]any, into *time.Duration, names ...string) {
	if value, ok := number(from, names...); ok {
		*into = time.Duration(value * float64(time.Millisecond))
	}
}
