package flite

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// spare are memories of instances that have ended, all of them zero. An instance would otherwise leave 10 MB to the garbage
// collector.
var spare = sync.Pool{New: func() any { return new(memory) }}

// memory is the linear memory of an instance.
type memory struct{ data []byte }

// allocate implements experimental.MemoryAllocatorFunc.
func allocate(_, _ uint64) experimental.LinearMemory { return spare.Get().(*memory) }

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.data)) {
		grown := make([]byte, size, size+size/2)
		copy(grown, m.data)
		m.data = grown
	}
	m.data = m.data[:size]
	return m.data
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	clear(m.data)
	m.data = m.data[:0]
	spare.Put(m)
}
