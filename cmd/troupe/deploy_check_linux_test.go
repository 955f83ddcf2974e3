package main_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// How the manifests hang together, and what they promise of safety.

// checkServices follows the names by which the parts refer to each other.
func checkServices(t *testing.T, all map[string]object, set object) {
	t.Helper()
	labels := set.text("spec", "template", "metadata", "labels")
	f := func(what, selected string) {
		t.Helper()
		if selected != labels {
			t.Errorf("%s selects %s, the pods are %s", what, selected, labels)
		}
	}
	f("the set", set.text("spec", "selector", "matchLabels"))
	f("the budget", all["PodDisruptionBudget/troupe"].text("spec", "selector", "matchLabels"))
	f("the policy", all["NetworkPolicy/troupe"].text("spec", "podSelector", "matchLabels"))
	for _, spread := range set.list("spec", "template", "spec", "topologySpreadConstraints") {
		f("the spread", spread.text("labelSelector", "matchLabels"))
	}
	container := set.list("spec", "template", "spec", "containers")[0]
	for _, name := range []string{"troupe", set.text("spec", "serviceName")} {
		service := all["Service/"+name]
		f("service "+name, service.text("spec", "selector"))
		for i, port := range service.list("spec", "ports") {
			if port.text("targetPort") != container.text("ports", i, "name") || port.text("port") != container.text("ports", i, "containerPort") {
				t.Errorf("service %s leads to %v", name, port)
			}
		}
	}
	if all["Service/"+set.text("spec", "serviceName")].text("spec", "clusterIP") != "None" {
		t.Errorf("the service of the set has an address of its own")
	}
	for _, rule := range all["NetworkPolicy/troupe"].list("spec", "ingress") {
		for _, port := range rule.list("ports") {
			if name := port.text("port"); name != "resp" && name != "http" {
				t.Errorf("the policy opens port %s", name)
			}
		}
	}
}

// checkVolumes: data lie on a claim of the pod's own if they are kept, else nowhere;
// in any case on a volume, as the rest is read-only.
func checkVolumes(t *testing.T, set object, keeps bool) {
	t.Helper()
	claims := set.list("spec", "volumeClaimTemplates")
	if (len(claims) > 0) != keeps || keeps && claims[0].text("metadata", "name") != "data" {
		t.Errorf("the claims are %v", claims)
	}
	names := map[string]bool{}
	for _, volume := range set.list("spec", "template", "spec", "volumes") {
		names[volume.text("name")] = true
	}
	if !names["users"] || names["data"] == keeps {
		t.Errorf("the volumes are %v", names)
	}
}

func checkSecurity(t *testing.T, all map[string]object, set object) {
	t.Helper()
	f := func(o object, want string, path ...any) {
		t.Helper()
		if got := o.text(path...); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	pod, _ := set.at("spec", "template", "spec").(object)
	container := pod.list("containers")[0]
	f(pod, "false", "enableServiceLinks")
	f(pod, "false", "automountServiceAccountToken")
	f(pod, "true", "securityContext", "runAsNonRoot")
	f(pod, "RuntimeDefault", "securityContext", "seccompProfile", "type")
	f(container, "false", "securityContext", "allowPrivilegeEscalation")
	f(container, "true", "securityContext", "readOnlyRootFilesystem")
	f(container, "ALL", "securityContext", "capabilities", "drop", 0)
	f(container, container.text("resources", "limits", "memory"), "resources", "requests", "memory")
	if container.at("resources", "limits", "memory") == nil || container.at("resources", "requests", "cpu") == nil {
		t.Error("resources are missing")
	}
	wait := pod.seconds(t, "terminationGracePeriodSeconds") - container.seconds(t, "lifecycle", "preStop", "sleep", "seconds") -
		seconds(t, all["ConfigMap/troupe"].text("data", "TROUPE_SHUTDOWN_TIMEOUT"))
	if wait < 10*time.Second {
		t.Errorf("after preStop and shutdown-timeout, %v are left to save and end", wait)
	}
}

// monitored is a folder with an overlay and what monitors it.
func monitored(t *testing.T, overlaid string) string {
	t.Helper()
	dir := t.TempDir()
	lines := "kind: Kustomization\n"
	for _, part := range []string{"resources: " + overlaid, "components: components/monitoring"} {
		list, folder, _ := strings.Cut(part, ": ")
		path, err := filepath.Abs(overlay(folder))
		if err == nil {
			path, err = filepath.Rel(dir, path)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines += list + ": [" + path + "]\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestKubernetesMonitoring: Prometheus's operator is led to the port that there is, and
// asks for metrics that there are.
func TestKubernetesMonitoring(t *testing.T) {
	t.Parallel()
	all := manifests(t, monitored(t, "overlays/durable"))
	monitor := all["ServiceMonitor/troupe"]
	service := all["Service/troupe-headless"]
	if monitor.text("spec", "selector", "matchLabels") != service.text("metadata", "labels") ||
		monitor.text("spec", "endpoints", 0, "port") != service.text("spec", "ports", 1, "name") {
		t.Errorf("the monitor looks at %v, the service is %v", monitor.at("spec"), service)
	}
	web := freePort(t)
	start(t, nil, "--port", freePort(t), "--http", web)
	body := get(t, "http://127.0.0.1:"+web+monitor.text("spec", "endpoints", 0, "path"))
	defer body.Close()
	metrics, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range all["PrometheusRule/troupe"].list("spec", "groups") {
		for _, rule := range group.list("rules") {
			for _, name := range regexp.MustCompile(`troupe_[a-z_]+`).FindAllString(rule.text("expr"), -1) {
				if !strings.Contains(string(metrics), "\n# TYPE "+name+" ") {
					t.Errorf("%s asks for %s, which there is not", rule.text("alert"), name)
				}
			}
		}
	}
}
