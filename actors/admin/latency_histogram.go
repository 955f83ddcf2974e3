package admin

import (
	"math"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|HISTOGRAM", Syntax: "[command [command ...]]", Arity: -2, Complexity: "O(N), where N is the number of commands shown",
		Summary: "Returns for each command how many of its calls took at most so many microseconds.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags | command.Random,
		Examples: "> LATENCY HISTOGRAM nonsense\n%{}\n",
	},
	Run: latencyHistogram,
})

func latencyHistogram(c Call, a *command.Args) resp.Reply {
	catalogue := c.Session.Server().Catalogue
	var pairs []resp.Reply
	show := func(row *session.Command) {
		if histogram, calls := takenBy(c.Session.Server().Stats.Command(row)); calls > 0 {
			pairs = append(pairs, resp.BulkString(row.Lower()), resp.Map(
				resp.BulkString("calls"), resp.Int(calls), resp.BulkString("histogram_usec"), resp.Map(histogram...)))
		}
	}
	if a.Len() == 0 {
		for _, row := range catalogue.List() {
			show(row)
		}
		return resp.Map(pairs...)
	}
	for _, name := range a.Rest() {
		row := catalogue.Named(strings.ToUpper(string(name)))
		if row == nil {
			continue
		}
		show(row)
		for _, sub := range row.Subcommands() {
			show(sub)
		}
	}
	return resp.Map(pairs...)
}

// takenBy is a command's histogram: pairs of a bound in microseconds and of the
// calls that took at most that; classes that add nothing are left out.
func takenBy(stats *session.CommandStats) (pairs []resp.Reply, calls int64) {
	for class := range stats.Took {
		n := stats.Took[class].Load()
		if n == 0 {
			continue
		}
		calls += n
		pairs = append(pairs, resp.Int(session.BucketBound(class)/1000), resp.Int(calls))
	}
	return pairs, calls
}

// percentile is the running time, in microseconds, that so many percent of a
// command's calls stayed within. Within a class of running times they are
// taken to be spread evenly.
func percentile(stats *session.CommandStats, percent float64) float64 {
	var counts [session.BucketCount]int64
	total := int64(0)
	for class := range stats.Took {
		counts[class] = stats.Took[class].Load()
		total += counts[class]
	}
	rank := int64(math.Ceil(percent / 100 * float64(total)))
	before := int64(0)
	for class, n := range counts {
		if n > 0 && before+n >= max(rank, 1) {
			low, high := 0.0, float64(session.BucketBound(class))
			if class > 0 {
				low = float64(session.BucketBound(class - 1))
			}
			return (low + (high-low)*float64(max(rank, 1)-before)/float64(n)) / 1000
		}
		before += n
	}
	return 0
}
