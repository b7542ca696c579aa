package sip

// enter counts a new call in, unless the user agent is closing.
func (ua *UA) enter() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.draining {
		return false
	}
	ua.calls.Add(1)
	return true
}

// register makes a leg reachable for requests. The caller's own call still counts, so the leg may join even in a drain.
func (ua *UA) register(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.calls.Add(1)
	ua.legs[l.key] = l
	ua.peers[l.peer]++
}

// forget is the end of what register began.
func (ua *UA) forget(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.legs[l.key] != l {
		return
	}
	delete(ua.legs, l.key)
	if ua.peers[l.peer]--; ua.peers[l.peer] == 0 {
		delete(ua.peers, l.peer)
	}
	ua.calls.Done()
}

func (ua *UA) live() []*Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	legs := make([]*Leg, 0, len(ua.legs))
	for _, l := range ua.legs {
		legs = append(legs, l)
	}
	return legs
}

func (ua *UA) isDraining() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.draining
}
