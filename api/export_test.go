package api

import "time"

// SetInstantAgentTime sets how long an instant agent may take; 0: as long as usual.
func (a *API) SetInstantAgentTime(limit time.Duration) { a.instantAgentTime = limit }
