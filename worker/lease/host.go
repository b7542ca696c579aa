package lease

// Host is where a process runs, and which process it is there: process ids are used again. It is zero where the system does not
// tell.
type Host struct {
	BootID       string // of the kernel, new at every boot
	PIDNamespace string
	PID          int32
	Started      int64 // in clock ticks since boot
}

// knowsGone reports whether the other process ran beside this one, under the same kernel and in the same namespace of
// process ids, and is gone for certain.
func (h Host) knowsGone(other Host) bool {
	return h.BootID != "" && h.PIDNamespace != "" && h.BootID == other.BootID && h.PIDNamespace == other.PIDNamespace && gone(other)
}
