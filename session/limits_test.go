package session

import "testing"

// Links are counted by address, or by network, within a second.
func TestRates(t *testing.T) {
	t.Parallel()
	var r rates
	f := func(remote string, second int64, want bool) {
		t.Helper()
		if got := r.allow(remote, second*1e9+5); got != want {
			t.Errorf("%s in second %d: %v", remote, second, got)
		}
	}
	f("1.1.1.1:1", 0, true)
	r.most.Store(2)
	f("1.1.1.1:1", 0, true)
	f("1.1.1.1:2", 0, true)
	f("1.1.1.1:3", 0, false)
	f("[::ffff:1.1.1.1]:3", 0, false)
	f("1.1.1.2:3", 0, true)
	f("1.1.1.1:3", 1, true)
	f("[2001:db8::1]:1", 1, true)
	f("[2001:db8::2]:1", 1, true)
	f("[2001:db8::3%eth0]:1", 1, false)
	f("[2001:db8:0:1::3]:1", 1, true)
	f("/tmp/socket:0", 1, true)
	r.most.Store(0)
	f("1.1.1.1:3", 1, true)
	r.most.Store(1)
	for i := range 100 {
		f("10.0.0."+string(rune('0'+i%10))+":1", 2+int64(i/10), true)
	}
	if len(r.seen) > 10 {
		t.Errorf("%d addresses are kept in mind", len(r.seen))
	}
}
