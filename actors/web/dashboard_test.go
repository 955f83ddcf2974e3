package web_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// told is what /metrics tells: the labels of each name that a query may use.
func told(t *testing.T) map[string]map[string]bool {
	t.Helper()
	p := start(t, "appendonly yes")
	p.ask("SET", "k", "v")
	p.ask("LPUSH", "k", "x")
	status, text := p.do("GET", "/metrics", "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	all := map[string]map[string]bool{}
	sample := regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? \S+$`)
	label := regexp.MustCompile(`(\w+)="`)
	for _, found := range sample.FindAllStringSubmatch(text, -1) {
		if all[found[1]] == nil {
			all[found[1]] = map[string]bool{"job": true, "instance": true} // Prometheus's own
		}
		for _, name := range label.FindAllStringSubmatch(found[2], -1) {
			all[found[1]][name[1]] = true
		}
	}
	return all
}

// inQuery finds the names of metrics, and the labels that are asked for, in a query.
var (
	metricName  = regexp.MustCompile(`\b(?:troupe|process|go)_\w+`)
	labelsBy    = regexp.MustCompile(`by \(([^)]*)\)`)
	labelsWant  = regexp.MustCompile(`(\w+)=~?"`)
	labelLegend = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

// TestDashboard: Grafana's dashboard asks for nothing that is not told.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/grafana/troupe.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	metrics, queries, ids := told(t), 0, map[int]bool{}
	for _, panel := range board.Panels {
		if ids[panel.ID] || panel.GridPos.X+panel.GridPos.W > 24 || panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("%s: its number is another's, it has no place, or shows nothing", panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			queries++
			wantMetrics(t, metrics, panel.Title, target.Expr, target.LegendFormat)
		}
	}
	if queries < 40 {
		t.Errorf("%d queries only", queries)
	}
}

// wantMetrics holds that what a query asks for is told. legend may use labels too.
func wantMetrics(t *testing.T, metrics map[string]map[string]bool, where, query, legend string) {
	t.Helper()
	names := metricName.FindAllString(query, -1)
	if len(names) == 0 {
		t.Errorf("%s asks for none of ours: %s", where, query)
	}
	var labels []string
	for _, found := range labelsBy.FindAllStringSubmatch(query, -1) {
		labels = append(labels, strings.Split(strings.ReplaceAll(found[1], " ", ""), ",")...)
	}
	for _, found := range append(labelsWant.FindAllStringSubmatch(query, -1), labelLegend.FindAllStringSubmatch(legend, -1)...) {
		labels = append(labels, found[1])
	}
	for _, name := range names {
		if metrics[name] == nil {
			t.Errorf("%s asks for %s, which nobody tells", where, name)
			continue
		}
		for _, label := range labels {
			if !metrics[name][label] {
				t.Errorf("%s asks for label %s of %s, which has %v", where, label, name, slices.Sorted(maps.Keys(metrics[name])))
			}
		}
	}
}

// TestMetricsAreDocumented: the README names what is told, all of it and nothing else.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| metrics, all beginning with `troupe_` | of |")
	table, _, found := strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("the README has no table of metrics")
	}
	documented := map[string]bool{}
	for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(table, -1) {
		documented["troupe_"+name[1]] = true
	}
	missing := maps.Clone(documented)
	for name := range told(t) {
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, part)
		}
		if strings.HasPrefix(name, "troupe_") && !documented[name] {
			t.Errorf("the README does not name %s", name)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("the README names %s, which nobody tells", name)
	}
}
