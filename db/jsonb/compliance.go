package jsonb

// Unrecorded reports whether calls leave no recording.
func (a *Assistant) Unrecorded() bool { return a.Forgets() || a.complies("pciEnabled") }

// Forgets reports whether nothing of what is said in a call is kept once the customer has been sent it.
func (a *Assistant) Forgets() bool { return a.complies("hipaaEnabled") }

func (a *Assistant) complies(rule string) bool {
	if a == nil {
		return false
	}
	on, _ := planValue(a.CompliancePlan, rule).(bool)
	return on
}
