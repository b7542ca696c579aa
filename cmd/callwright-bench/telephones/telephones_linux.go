package telephones

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/media"
)

// groups share the telephones: enough that no socket's buffer overflows between two looks, and that they send in every step of
// the clock.
const groups = 16

// Config says what telephones do.
type Config struct {
	Question []int16       // what each asks, again and again
	Talk     time.Duration // after which it hangs up
	Logger   *slog.Logger
}

// Telephones answer every call.
type Telephones struct {
	cfg      Config
	question [][]byte
	conn     *net.UDPConn // of their signalling
	clocks   media.Clocks
	groups   []*group
	own      netip.Addr // of the latest
	dialogs  map[string]*dialog
	due      []*dialog // who hangs up, in that order
	noted    map[string]Notes
	runs     sync.WaitGroup
}

// Start has telephones answer at an address of this machine.
func Start(cfg Config) (*Telephones, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("start telephones: %w", err)
	}
	t := &Telephones{
		cfg: cfg, question: frames(cfg.Question), conn: conn, clocks: media.NewClocks(cfg.Logger),
		own: netip.AddrFrom4([4]byte{127, 1, 0, 0}), dialogs: map[string]*dialog{}, noted: map[string]Notes{},
	}
	for range groups {
		g, err := newGroup()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start telephones: %w", err), t.close())
		}
		t.groups = append(t.groups, g)
	}
	for _, g := range t.groups {
		t.clocks.Quietest().Join(g)
	}
	t.runs.Go(t.answer)
	return t, nil
}

// Addr returns the address of their signalling.
func (t *Telephones) Addr() netip.AddrPort { return t.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// Close hangs up without a word where a call is left, and returns what was noted, by the number that was called.
func (t *Telephones) Close() (map[string]Notes, error) {
	err := t.conn.Close()
	t.runs.Wait()
	for _, d := range t.dialogs {
		t.hangUp(d)
	}
	return t.noted, errors.Join(err, t.close())
}

func (t *Telephones) close() (err error) {
	t.clocks.Close()
	for _, g := range t.groups {
		err = errors.Join(err, g.close())
	}
	return err
}
