package prefetch_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/prefetch"
)

// What is fetched stays as it was, and addresses that nobody may read do no harm.
func TestPrefetchReadsNothing(t *testing.T) {
	t.Parallel()

	type pair struct{ first, second [100]int64 }
	p := &pair{}
	for i := range p.second {
		p.first[i], p.second[i] = int64(i), -int64(i)
	}
	was := *p
	prefetch.Of(p)
	prefetch.Of[pair](nil)
	prefetch.Slice(p.first[:])
	prefetch.Slice(p.first[99:])
	prefetch.Slice([]int64(nil))
	prefetch.Slice(p.first[:0])
	require.Equal(t, was, *p)
}

func TestEachFetchesAheadOfItsWork(t *testing.T) {
	t.Parallel()

	for n := range 3 * prefetch.Depths {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		var depths [3 * prefetch.Depths]int // fetched so far
		worked := 0
		prefetch.Each(list, func(of, depth int) {
			require.Equal(t, depths[of], depth, "each depth behind the one before it")
			require.GreaterOrEqual(t, of, worked)
			depths[of]++
		}, func(i, of int) {
			require.Equal(t, worked, i)
			require.Equal(t, i, of)
			require.Equal(t, prefetch.Depths, depths[of])
			worked++
		})
		require.Equal(t, n, worked)
	}
}

// A list through memory that is larger than the caches is walked faster by who fetches what is two nodes ahead.
func BenchmarkWalk(b *testing.B) {
	type node struct{ values [32]int64 }
	nodes := make([]node, (128<<20)/unsafe.Sizeof(node{}))
	for i := range nodes {
		nodes[i].values[0] = 1 // else they are all the same page
	}
	next := func(i uint64) uint64 { return (i*6364136223846793005 + 1442695040888963407) % uint64(len(nodes)) }
	for name, fetch := range map[string]func(*node){"fetched": prefetch.Of[node], "alone": func(*node) {}} {
		b.Run(name, func(b *testing.B) {
			var sum int64
			for i := uint64(0); b.Loop(); i = next(i) {
				fetch(&nodes[next(next(i))])
				for k := range nodes[i].values {
					sum += nodes[i].values[(k*11)%32]
				}
			}
			_ = sum
		})
	}
}
