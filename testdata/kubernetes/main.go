// Command manifests builds folders of deploy/kubernetes as kubectl apply -k does, and
// charts as Helm does, decodes each object strictly into the type that the API server has
// for it, and prints what there is as one list in JSON. A field that the type does not
// have, or that is given twice, is an error.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// types makes an object of a kind.
var types = map[string]func() any{
	"v1/ConfigMap":                            func() any { return &corev1.ConfigMap{} },
	"v1/Service":                              func() any { return &corev1.Service{} },
	"apps/v1/StatefulSet":                     func() any { return &appsv1.StatefulSet{} },
	"policy/v1/PodDisruptionBudget":           func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":      func() any { return &networkingv1.NetworkPolicy{} },
	"monitoring.coreos.com/v1/ServiceMonitor": func() any { return &serviceMonitor{} },
	"monitoring.coreos.com/v1/PrometheusRule": func() any { return &prometheusRule{} },
}

func main() {
	var all []any
	for _, what := range os.Args[1:] {
		objects, err := build(what)
		if err != nil {
			fmt.Fprintln(os.Stderr, what+":", err)
			os.Exit(1)
		}
		all = append(all, objects...)
	}
	out, err := json.Marshal(all)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(out))
}

// build makes the objects of a folder, or of RELEASE=FOLDER,VALUES: a chart.
func build(what string) (objects []any, err error) {
	var texts []string
	if release, rest, isChart := strings.Cut(what, "="); isChart {
		folder, values, _ := strings.Cut(rest, ",")
		texts, err = render(folder, release, values)
	} else {
		texts, err = kustomize(what)
	}
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		object, err := decode([]byte(text))
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// kustomize makes the texts of the objects of a folder.
func kustomize(folder string) (texts []string, err error) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	for _, resource := range made.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// decode decodes an object strictly.
func decode(text []byte) (object any, err error) {
	var head metav1.PartialObjectMetadata
	if err := yaml.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	name := head.APIVersion + "/" + head.Kind
	make := types[name]
	if make == nil {
		return nil, fmt.Errorf("%s %s: a kind that is not known here", name, head.Name)
	}
	object = make()
	if err := yaml.UnmarshalStrict(text, object); err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, head.Name, err)
	}
	return object, nil
}
