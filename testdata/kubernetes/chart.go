package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v3/pkg/strvals"
)

// The cluster that charts are rendered for.
const kubernetes = "v1.30.0"

// render makes the texts of the objects of a chart, as helm install RELEASE FOLDER --set
// VALUES does.
func render(folder, release, values string) (texts []string, err error) {
	chart, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	set, err := strvals.Parse(values)
	if err != nil {
		return nil, err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion(kubernetes)
	if err != nil {
		return nil, err
	}
	capabilities.KubeVersion = *version
	if !chartutil.IsCompatibleRange(chart.Metadata.KubeVersion, version.Version) {
		return nil, fmt.Errorf("the chart is for Kubernetes %s", chart.Metadata.KubeVersion)
	}
	all, err := chartutil.ToRenderValues(chart, set, chartutil.ReleaseOptions{Name: release, Namespace: "default", IsInstall: true}, capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if path.Ext(name) != ".yaml" {
			continue
		}
		for _, one := range releaseutil.SplitManifests(text) {
			if strings.TrimSpace(one) != "" {
				texts = append(texts, one)
			}
		}
	}
	slices.Sort(texts)
	return texts, nil
}
