package actors

import "testing"

// A script may use keys that it does not name, alone and in a batch, which stays
// one change.
func TestScriptsMayStray(t *testing.T) {
	t.Parallel()
	db := open(t)
	const stray = "for i = 1, 9 do redis.call('INCR', 'stray' .. i) end return redis.call('GET', 'stray9')"
	if got := do(t, db, "EVAL", stray, 1, "named").Text(); got != "1" {
		t.Errorf("the script is answered %q", got)
	}
	b := db.Batch()
	b.Queue("SET", "other", "1")
	second := b.Queue("EVAL", stray, 1, "named")
	b.Queue("GET", "stray1")
	if replies, err := b.Commit(background); err != nil || len(replies) != 3 || replies[2].Text() != "2" {
		t.Errorf("the batch is answered %v, %v", replies, err)
	}
	if got := must(second.Reply())(t).Text(); got != "2" {
		t.Errorf("the script in the batch is answered %q", got)
	}
}
