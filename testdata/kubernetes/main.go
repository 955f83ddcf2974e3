// Command manifests builds folders of deploy/kubernetes as kubectl apply -k does, decodes
// each object strictly into the type that the API server has for it, and prints what
// there is as one list in JSON. A field that the type does not have, or that is given
// twice, is an error.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
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
	for _, folder := range os.Args[1:] {
		objects, err := build(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, folder+":", err)
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

// build makes the objects of a folder.
func build(folder string) (objects []any, err error) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	for _, resource := range made.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return nil, err
		}
		name := resource.GetApiVersion() + "/" + resource.GetKind()
		make := types[name]
		if make == nil {
			return nil, fmt.Errorf("%s %s: a kind that is not known here", name, resource.GetName())
		}
		object := make()
		if err := yaml.UnmarshalStrict(text, object); err != nil {
			return nil, fmt.Errorf("%s %s: %w", name, resource.GetName(), err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}
