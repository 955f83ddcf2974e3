package main_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// chart is the chart as an argument for manifests.
func chart(release string, values ...string) string {
	return release + "=" + filepath.Join("..", "..", "deploy", "helm") + "," + strings.Join(values, ",")
}

// The chart makes of a profile what the overlay of that name makes, to which other tests
// hold the server; only, that new settings make new pods is done in another way.
func TestChart(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"durable", "cache"} {
		sameObjects(t, manifests(t, chart("troupe", "profile="+profile)), manifests(t, overlay("overlays/"+profile)))
		sameObjects(t, manifests(t, chart("troupe", "profile="+profile, "monitoring.enabled=true")), manifests(t, monitored(t, "overlays/"+profile)))
	}
}

func sameObjects(t *testing.T, got, want map[string]object) {
	t.Helper()
	for name := range maps.Keys(want) {
		if got[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	for name, o := range got {
		set, _ := o.at("spec", "template", "metadata").(object)
		if annotations, _ := set["annotations"].(object); name == "StatefulSet/troupe" && len(annotations) != 1 {
			t.Errorf("the pods' annotations are %v", annotations)
		}
		delete(set, "annotations")
		if generated := want[name].text("metadata", "name"); o.text("kind") == "ConfigMap" {
			o["metadata"].(object)["name"] = generated
			from, _ := got["StatefulSet/troupe"].at("spec", "template", "spec", "containers", 0, "envFrom", 0, "configMapRef").(object)
			from["name"] = generated
		}
	}
	for name, o := range got {
		if reflect.DeepEqual(o, want[name]) {
			continue
		}
		ours, _ := yaml.Marshal(o)
		theirs, _ := yaml.Marshal(want[name])
		t.Errorf("%s of the chart:\n%s\nof the overlay:\n%s", name, ours, theirs)
	}
}

// What may be set is where it belongs, under the release's name; a change of settings
// makes new pods; a profile that there is not is refused.
func TestChartValues(t *testing.T) {
	t.Parallel()
	all := manifests(t, chart("basket", "profile=durable", "image.repository=registry.example/troupe", "image.tag=9", "storage.size=7Gi",
		"storage.className=fast", "users=people", "settings.TROUPE_MAXCLIENTS=5", "settings.TROUPE_SAVE=60 1", "settings.TROUPE_MAXMEMORY="))
	if names := slices.Sorted(maps.Keys(all)); !slices.Equal(names, []string{
		"ConfigMap/basket", "NetworkPolicy/basket", "PodDisruptionBudget/basket", "Service/basket", "Service/basket-headless", "StatefulSet/basket",
	}) {
		t.Errorf("there are %q", names)
	}
	set := all["StatefulSet/basket"]
	f := func(o object, want string, path ...any) {
		t.Helper()
		if got := o.text(path...); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	f(all["ConfigMap/basket"], "5", "data", "TROUPE_MAXCLIENTS")
	f(all["ConfigMap/basket"], "60 1", "data", "TROUPE_SAVE")
	f(all["ConfigMap/basket"], "", "data", "TROUPE_MAXMEMORY")
	f(all["ConfigMap/basket"], "always", "data", "TROUPE_APPENDFSYNC")
	f(set, "registry.example/troupe:9", "spec", "template", "spec", "containers", 0, "image")
	f(set, "basket", "spec", "template", "spec", "containers", 0, "envFrom", 0, "configMapRef", "name")
	f(set, "people", "spec", "template", "spec", "volumes", 0, "secret", "secretName")
	f(set, "7Gi", "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage")
	f(set, "fast", "spec", "volumeClaimTemplates", 0, "spec", "storageClassName")
	f(set, "map[app.kubernetes.io/name:basket]", "spec", "selector", "matchLabels")
	path := []any{"spec", "template", "metadata", "annotations"}
	other := manifests(t, chart("basket", "settings.TROUPE_MAXCLIENTS=6"))
	if a, b := set.text(path...), other["StatefulSet/basket"].text(path...); a == b {
		t.Errorf("with other settings the pods' annotations are %s as before", a)
	}
	for values, want := range map[string]string{
		"profile=both": "profile is durable or cache", "settings.TROUPE_APPENDONLY=false": "settings.TROUPE_APPENDONLY: write the value in quotes",
	} {
		if out, err := exec.Command(manifestProgram(t), chart("basket", values)).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %s, %v", values, out, err)
		}
	}
}
