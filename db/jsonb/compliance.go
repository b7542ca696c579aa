package jsonb

// Unrecorded tells whether calls leave no recording.
func (a *Assistant) Unrecorded() bool { return a.Forgets() || a.complies("pciEnabled") }

// Forgets tells whether nothing of what is said in a call is kept once the customer was told.
func (a *Assistant) Forgets() bool { return a.complies("hipaaEnabled") }

func (a *Assistant) complies(rule string) bool {
	if a == nil {
		return false
	}
	on, _ := planValue(a.CompliancePlan, rule).(bool)
	return on
}
