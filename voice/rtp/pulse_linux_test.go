package rtp

import (
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/prefetch"
)

// BenchmarkPulse has the sessions of many calls send a frame each, as a clock has them, after other work has used the caches.
func BenchmarkPulse(b *testing.B) {
	const calls = 400
	sink, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(b, err)
	defer func() { require.NoError(b, sink.Close()) }()
	clock := media.NewClock(slog.New(slog.DiscardHandler))
	defer clock.Close()
	sessions := make([]*Session, calls)
	for i := range sessions {
		s, err := NewPorts(Config{IP: loopback, Clocks: media.Clocks{clock}}).Open()
		require.NoError(b, err)
		defer func() { require.NoError(b, s.Close()) }()
		s.Agree(testRoute(netip.MustParseAddrPort(sink.LocalAddr().String())))
		s.Stream.Start()
		s.Record(func(_, _ []int16) {})
		s.reporter.schedule(s.Now() + time.Hour)
		sessions[i] = s
	}
	other := make([]byte, 16<<20)
	for name, fetch := range map[string]func(*Session, int){"fetched": (*Session).Prefetch, "alone": func(*Session, int) {}} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var spent time.Duration
			for b.Loop() {
				b.StopTimer()
				for i := 0; i < len(other); i += 64 {
					other[i]++
				}
				for _, s := range sessions {
					s.Flush()
					s.Play(make([]int16, audio.FrameLen))
					for len(s.Incoming()) > 0 {
						audio.GiveFrame((<-s.Incoming()).Frame)
					}
				}
				b.StartTimer()
				due, began := time.Now(), threadTime(b)
				prefetch.Each(sessions, fetch, func(_ int, s *Session) { s.Pulse(due, true) })
				spent += threadTime(b) - began
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*calls), "cpu-ns/pulse")
		})
	}
}

func threadTime(b *testing.B) time.Duration {
	var spent unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent))
	return time.Duration(spent.Nano())
}
