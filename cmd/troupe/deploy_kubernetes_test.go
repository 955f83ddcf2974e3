package main_test

import (
	"bytes"
	"fmt"
	"gopkg.in/yaml.v3"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// object is a part of a Kubernetes manifest. What is decoded into one has
// objects inside.
type object map[string]any

// at is the part at a path of names and numbers.
func (o object) at(path ...any) any {
	var part any = o
	for _, step := range path {
		switch step := step.(type) {
		case string:
			inside, _ := part.(object)
			part = inside[step]
		case int:
			l, _ := part.([]any)
			if step >= len(l) {
				return nil
			}
			part = l[step]
		}
	}
	return part
}

func (o object) list(path ...any) (all []object) {
	l, _ := o.at(path...).([]any)
	for _, item := range l {
		inside, _ := item.(object)
		all = append(all, inside)
	}
	return all
}

func (o object) text(path ...any) string { return fmt.Sprint(o.at(path...)) }

func (o object) words(path ...any) (all []string) {
	l, _ := o.at(path...).([]any)
	for _, item := range l {
		all = append(all, fmt.Sprint(item))
	}
	return all
}

func (o object) seconds(t *testing.T, path ...any) time.Duration {
	t.Helper()
	n, ok := o.at(path...).(int)
	if !ok {
		t.Fatalf("%v is no number", path)
	}
	return time.Duration(n) * time.Second
}

func manifests(t *testing.T, text string) map[string]object {
	t.Helper()
	all := map[string]object{}
	for decoder := yaml.NewDecoder(bytes.NewReader([]byte(text))); ; {
		var o object
		if err := decoder.Decode(&o); err != nil {
			return all
		}
		all[o.text("kind")+"/"+o.text("metadata", "name")] = o
	}
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	all := manifests(t, readFile(t, "kubernetes/troupe.yaml"))
	set := all["StatefulSet/troupe"]
	pod, _ := set.at("spec", "template", "spec").(object)
	containers := pod.list("containers")
	if len(containers) != 1 || containers[0].text("command", 0) != installed {
		t.Fatalf("containers: %v", containers)
	}
	c := containers[0]
	d := &deployed{
		args: slices.Concat(c.words("command")[1:], c.words("args")), environ: map[string]string{},
		port: c.text("ports", 0, "containerPort"), dir: c.text("volumeMounts", 0, "mountPath"),
		probes: map[string]probe{}, grace: pod.seconds(t, "terminationGracePeriodSeconds"),
	}
	for _, variable := range c.list("env") {
		value := variable.text("value")
		if variable.at("valueFrom", "secretKeyRef") != nil {
			value = "secret of " + variable.text("valueFrom", "secretKeyRef", "name")
		}
		d.environ[variable.text("name")] = value
	}
	for _, name := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		words := c.words(name, "exec", "command")
		if len(words) == 0 || words[0] != installed {
			t.Fatalf("%s runs %q", name, words)
		}
		d.probes[name] = probe{words[1:], c.seconds(t, name, "timeoutSeconds")}
	}
	checkServices(t, all, set)
	checkSecurity(t, pod, c)
	d.run(t, func(_ *started, port string) {
		link := dial(t, "127.0.0.1:"+port)
		if got := link.ask("PING"); !strings.HasPrefix(got, "-NOAUTH") {
			t.Errorf("without a password: %s", got)
		}
		if got := link.ask("AUTH", "secret of troupe") + link.ask("PING"); got != "+OK+PONG" {
			t.Errorf("with the password: %s", got)
		}
		if host := outside(); host != "" {
			wantPrefix(t, net.JoinHostPort(host, port), "+OK", "AUTH", "secret of troupe")
		}
	})
}

// checkServices follows the names by which the parts refer to each other.
func checkServices(t *testing.T, all map[string]object, set object) {
	t.Helper()
	labels := set.text("spec", "template", "metadata", "labels")
	if set.text("spec", "selector", "matchLabels") != labels {
		t.Errorf("the set selects %s, its pods are %s", set.text("spec", "selector", "matchLabels"), labels)
	}
	container := set.list("spec", "template", "spec", "containers")[0]
	for _, name := range []string{"troupe", set.text("spec", "serviceName")} {
		service := all["Service/"+name]
		port := service.list("spec", "ports")[0]
		if service.text("spec", "selector") != labels || port.text("targetPort") != container.text("ports", 0, "name") ||
			port.text("port") != container.text("ports", 0, "containerPort") {
			t.Errorf("service %s leads to %s of %s", name, port, service.text("spec", "selector"))
		}
	}
	if all["Service/"+set.text("spec", "serviceName")].text("spec", "clusterIP") != "None" {
		t.Errorf("the service of the set has an address of its own")
	}
	if claim := set.text("spec", "volumeClaimTemplates", 0, "metadata", "name"); claim != container.text("volumeMounts", 0, "name") {
		t.Errorf("the claim %s is not mounted", claim)
	}
}

func checkSecurity(t *testing.T, pod, container object) {
	t.Helper()
	f := func(o object, want string, path ...any) {
		t.Helper()
		if got := o.text(path...); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	f(pod, "false", "enableServiceLinks")
	f(pod, "true", "securityContext", "runAsNonRoot")
	f(container, "false", "securityContext", "allowPrivilegeEscalation")
	f(container, "true", "securityContext", "readOnlyRootFilesystem")
	f(container, "ALL", "securityContext", "capabilities", "drop", 0)
	if container.at("resources", "limits", "memory") == nil || container.at("resources", "requests", "cpu") == nil {
		t.Error("resources are missing")
	}
}
