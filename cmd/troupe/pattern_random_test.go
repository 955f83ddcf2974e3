package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// Random patterns of Lua find, and replace, in scripts what they do in those of
// redis-server.
func TestPatternsAsRedis(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(drawSeed(t), 0))
	s := startServer(t, shape{2, false})
	b := &twice{t, s.client(), &client{tb: t, conn: redistest.Start(t).Dial()}}
	const script = `
local s, p, start = ARGV[1], ARGV[2], tonumber(ARGV[3])
local function told(...)
  local all = {}
  for i = 1, select('#', ...) do all[i] = tostring((select(i, ...))) end
  return table.concat(all, ',')
end
local said = {
  told(pcall(string.find, s, p, start)), told(pcall(string.match, s, p, start)),
  told(pcall(string.gsub, s, p, ARGV[4], tonumber(ARGV[5]))),
  told(pcall(string.gsub, s, p, {a = 'A', ab = 1, b = false})),
  told(pcall(string.gsub, s, p, function(...) if select('#', ...) == 1 then return (...) .. '!' end end)),
}
said[#said + 1] = told(pcall(function()
  local all = {}
  for x, y in string.gmatch(s, p) do all[#all + 1] = told(x, y) end
  return table.concat(all, ';')
end))
return said`
	draw := func(alphabet []string, most int) string {
		var text strings.Builder
		for range rng.IntN(most) {
			text.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		return text.String()
	}
	letters := []string{"a", "b", "ab", "A", "1", " ", "(", ")", "]", "-", "%", "\x00", "\n", "é", "."}
	items := append([]string{"%a", "%d", "%s", "%w", "%x", "%p", "%c", "%u", "%l", "%z", "%A", "%W", "%%", "%.", ".", ".*", ".-", "a*", "a+", "b-", "a?",
		"[ab]", "[^a]", "[a-c]*", "[%w_]", "[]]", "[^]]", "[a-]", "[%a-z]", "^", "$", "(a)", "(.-)", "()", "(", ")", "%1", "%2", "%b()", "%f[%w]", "[", "%"}, letters...)
	for range 1500 {
		b.ask(wholeReply, "EVAL", script, "0", draw(letters, 12), draw(items, 7), fmt.Sprint(rng.IntN(12)-4),
			draw([]string{"x", "%0", "%1", "%2", "%%", "%", "%a"}, 4), fmt.Sprint(rng.IntN(6)-1))
		if t.Failed() {
			return
		}
	}
}
