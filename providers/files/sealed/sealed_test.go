package sealed_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/sealed"
)

func newStore(t *testing.T) *dir.Store {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func raw(t *testing.T, store files.Store, key string) []byte {
	t.Helper()
	file, _, err := store.Open(t.Context(), key)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return content
}

func read(t *testing.T, store files.Store, key, secret string) ([]byte, error) {
	t.Helper()
	file, err := sealed.Open(t.Context(), store, key, secret)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	require.NoError(t, file.Close())
	return content, err
}

// sizes are around the ends of segments.
var sizes = []int{
	0, 1, sealed.SegmentSize - 1, sealed.SegmentSize, sealed.SegmentSize + 1, 2 * sealed.SegmentSize, 2*sealed.SegmentSize + 1,
	500_000,
}

func pattern(size int) []byte {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i>>14) ^ byte(i*7)
	}
	return content
}

func TestSealed(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	for _, size := range sizes {
		content := strings.Repeat("passport.", size/9+1)[:size]
		secret, err := sealed.Put(t.Context(), store, "a", strings.NewReader(content))
		require.NoError(t, err)
		require.NotContains(t, string(raw(t, store, "a")), "passport")
		opened, err := read(t, store, "a", secret)
		require.NoError(t, err)
		require.Equal(t, content, string(opened))
	}
}

func TestForgeriesDoNotOpen(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	secret, err := sealed.Put(t.Context(), store, "a", strings.NewReader(strings.Repeat("x", 200_000)))
	require.NoError(t, err)
	other, err := sealed.Put(t.Context(), store, "b", strings.NewReader("y"))
	require.NoError(t, err)
	require.NoError(t, sealed.PutWith(t.Context(), store, "again", secret, strings.NewReader(strings.Repeat("z", 200_000))))
	whole, again := raw(t, store, "a"), raw(t, store, "again")
	const segment = sealed.SegmentSize + 16
	changed, swapped, mixed := bytes.Clone(whole), bytes.Clone(whole), bytes.Clone(whole)
	changed[len(whole)/3] ^= 1
	copy(swapped[16:], whole[16+segment:16+2*segment])
	copy(swapped[16+segment:], whole[16:16+segment])
	copy(mixed[16:], again[16:16+segment])
	for name, forged := range map[string][]byte{
		"changed": changed, "cut off": whole[:len(whole)-1], "cut between segments": whole[:16+2*segment],
		"extended": append(bytes.Clone(whole), 0),
		"swapped":  swapped, "of two files of one secret": mixed,
		"without its beginning": append(bytes.Clone(whole[:16]), whole[16+segment:]...),
		"another's":             raw(t, store, "b"), "with another's salt": append(bytes.Clone(raw(t, store, "b")[:16]), whole[16:]...),
		"empty": nil, "nothing but its salt": whole[:16], "without its last segment": whole[:len(whole)-len(whole[16:])%segment],
	} {
		require.NoError(t, store.Put(t.Context(), "forged", bytes.NewReader(forged)))
		_, err := read(t, store, "forged", secret)
		require.ErrorIs(t, err, sealed.ErrForged, name)
	}
	_, err = read(t, store, "a", other)
	require.ErrorIs(t, err, sealed.ErrForged)
	for _, none := range []string{"", "!", "AAAA"} {
		_, err := sealed.Open(t.Context(), store, "a", none)
		require.Error(t, err)
	}
	_, err = sealed.Open(t.Context(), store, "none", secret)
	require.ErrorIs(t, err, files.ErrNotFound)
}

func TestBrokenSource(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	broken := errors.New("the source broke")
	_, err := sealed.Put(t.Context(), store, "a", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	_, _, err = store.Open(t.Context(), "a")
	require.ErrorIs(t, err, files.ErrNotFound)
}

func TestRanges(t *testing.T) {
	t.Parallel()
	store, random := newStore(t), rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		content := pattern(size)
		secret, err := sealed.Put(t.Context(), store, "a", bytes.NewReader(content))
		require.NoError(t, err)
		file, err := sealed.Open(t.Context(), store, "a", secret)
		require.NoError(t, err)
		require.EqualValues(t, size, file.Size())
		for range 50 {
			from := random.IntN(size + 1)
			to := from + random.IntN(size+1-from)
			_, err := file.Seek(int64(from), io.SeekStart)
			require.NoError(t, err)
			part := make([]byte, to-from)
			_, err = io.ReadFull(file, part)
			require.NoError(t, err)
			require.Equal(t, content[from:to], part, "%d to %d of %d", from, to, size)
		}
		end, err := file.Seek(0, io.SeekEnd)
		require.NoError(t, err)
		require.EqualValues(t, size, end)
		_, err = file.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		_, err = file.Seek(-1, io.SeekStart)
		require.Error(t, err)
		require.NoError(t, file.Close())
	}
}

// TestUnfinished cuts files off everywhere near the ends of their segments: what can be opened is their beginning, and lacks less
// than a segment.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		content, secret := pattern(size), sealed.NewSecret()
		var file bytes.Buffer
		w, err := sealed.NewWriter(&file, secret)
		require.NoError(t, err)
		for rest := content; len(rest) > 0; {
			n, err := w.Write(rest[:min(len(rest), 7680)])
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.Greater(t, file.Len()+sealed.SegmentSize+1, size, "it is written as it comes")
		require.NoError(t, w.Close())
		require.Error(t, w.Close())
		whole := file.Bytes()
		for cut := 0; cut <= min(len(whole), 2*sealed.SegmentSize+100); cut += 1 + cut/7 {
			left := whole[:len(whole)-cut]
			unfinished, err := sealed.NewUnfinished(bytes.NewReader(left), secret)
			require.NoError(t, err)
			opened, err := io.ReadAll(unfinished)
			require.NoError(t, err)
			require.True(t, bytes.HasPrefix(content, opened), "%d of %d cut off", cut, size)
			require.LessOrEqual(t, size-len(opened), cut+sealed.SegmentSize, "%d of %d cut off", cut, size)
			if cut == 0 {
				require.Len(t, opened, size)
			}
		}
	}
	unfinished, err := sealed.NewUnfinished(iotest.ErrReader(errors.ErrUnsupported), sealed.NewSecret())
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Nil(t, unfinished)
}

func TestSegmentsAreWrittenWhole(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		content, secret := pattern(size), sealed.NewSecret()
		var file bytes.Buffer
		w, err := sealed.NewWriter(&file, secret)
		require.NoError(t, err)
		filling, rest := new(sealed.Segment), content
		for rest = rest[filling.Add(rest):]; len(rest) > 0; rest = rest[filling.Add(rest):] {
			require.True(t, filling.Full())
			require.NoError(t, w.WriteSegment(filling))
			filling.Release()
		}
		_, err = w.Write(filling.Append(nil))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		unfinished, err := sealed.NewUnfinished(&file, secret)
		require.NoError(t, err)
		opened, err := io.ReadAll(unfinished)
		require.NoError(t, err)
		require.Equal(t, content, append([]byte{}, opened...))
	}
	w, err := sealed.NewWriter(io.Discard, sealed.NewSecret())
	require.NoError(t, err)
	require.Error(t, w.WriteSegment(new(sealed.Segment)), "it is not whole")

	var one sealed.Segment
	content := pattern(sealed.SegmentSize + 1)
	for rest := content; !one.Full(); {
		if room := one.Extend(640); room != nil {
			rest = rest[copy(room, rest):]
			continue
		}
		rest = rest[one.Add(rest[:min(640, len(rest))]):] // over the end of a page, and in the end as much as there is room for
	}
	require.Nil(t, one.Extend(1))
	require.Zero(t, one.Add([]byte{7}))
	require.Equal(t, append([]byte{1}, content[:sealed.SegmentSize]...), one.Append([]byte{1}))
	one.Release()
	require.Empty(t, one.Append(nil))
}

// TestFullDisk: what was not written is not sealed a second time with the same nonce.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{room: 16 + sealed.SegmentSize}
	w, err := sealed.NewWriter(disk, sealed.NewSecret())
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 2*sealed.SegmentSize))
	require.ErrorIs(t, err, errFull)
	writes := disk.writes
	_, err = w.Write([]byte("more"))
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, w.Close(), errFull)
	require.Equal(t, writes, disk.writes)
}

var errFull = errors.New("no space left")

type fullDisk struct{ room, writes int }

func (d *fullDisk) Write(p []byte) (int, error) {
	d.writes++
	if len(p) > d.room {
		return d.room, errFull
	}
	d.room -= len(p)
	return len(p), nil
}
