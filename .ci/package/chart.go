package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

const chartFolder = "deploy/helm/callwright"

// settings are those that the chart is tried with, and the objects that it then makes.
var settings = map[string]struct {
	values map[string]any
	makes  []string
}{
	"as it is": {nil, []string{"Deployment", "Deployment", "Job", "PodDisruptionBudget", "PodDisruptionBudget", "Service"}},
	"with all of it": {map[string]any{
		"image": map[string]any{"tag": "v1.2.3", "pullSecrets": []any{map[string]any{"name": "registry"}}},
		"ingress": map[string]any{"enabled": true, "className": "nginx", "tlsSecret": "callwright-tls",
			"annotations": map[string]any{"a": "b"}},
		"files":      map[string]any{"persistence": map[string]any{"enabled": true, "storageClass": "nfs"}},
		"podMonitor": map[string]any{"enabled": true},
		"api": map[string]any{"nodeSelector": map[string]any{"a": "b"},
			"tolerations": []any{map[string]any{"key": "a", "operator": "Exists"}}},
		"worker": map[string]any{"hostNetwork": true, "autoscaling": map[string]any{"enabled": true},
			"nodeSelector": map[string]any{"a": "b"},
			"tolerations":  []any{map[string]any{"key": "sip", "operator": "Exists"}}},
	}, []string{"Deployment", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "PersistentVolumeClaim",
		"PodDisruptionBudget", "PodDisruptionBudget",
		"PodMonitor", "Service"}},
	"without migration": {map[string]any{"migrate": map[string]any{"enabled": false}},
		[]string{"Deployment", "Deployment", "PodDisruptionBudget", "PodDisruptionBudget", "Service"}},
}

// kinds are the objects as the API server of Kubernetes knows them. A field that it does not know is an error.
var kinds = map[string]func() any{
	"apps/v1/Deployment":                     func() any { return new(appsv1.Deployment) },
	"autoscaling/v2/HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"batch/v1/Job":                           func() any { return new(batchv1.Job) },
	"networking.k8s.io/v1/Ingress":           func() any { return new(networkingv1.Ingress) },
	"policy/v1/PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
	"v1/PersistentVolumeClaim":               func() any { return new(corev1.PersistentVolumeClaim) },
	"v1/Service":                             func() any { return new(corev1.Service) },
	"monitoring.coreos.com/v1/PodMonitor":    func() any { return new(map[string]any) }, // of the Prometheus Operator
}

// checkChart lints the chart as helm lint does, and renders it as helm template does.
func checkChart(context.Context) error {
	var errs []error
	for _, message := range lint.All(chartFolder, nil, "default", true).Messages {
		if message.Severity >= support.WarningSev {
			errs = append(errs, message)
		}
	}
	for name, try := range settings {
		if err := render(try.values, try.makes); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func render(values map[string]any, makes []string) error {
	loaded, err := loader.LoadDir(chartFolder)
	if err != nil {
		return err
	}
	given, err := chartutil.ToRenderValues(loaded, values,
		chartutil.ReleaseOptions{Name: "callwright", Namespace: "default", IsInstall: true}, nil)
	if err != nil {
		return err
	}
	files, err := new(engine.Engine).Render(loaded, given)
	if err != nil {
		return err
	}
	var made []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split("\n"+files[name], "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			kind, err := checkObject(document)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			made = append(made, kind)
		}
	}
	slices.Sort(made)
	if !slices.Equal(made, makes) {
		return fmt.Errorf("it makes %v", made)
	}
	return nil
}

// checkObject returns the kind of an object.
func checkObject(document string) (string, error) {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(document), &head); err != nil {
		return "", err
	}
	known, ok := kinds[head.APIVersion+"/"+head.Kind]
	if !ok {
		return "", fmt.Errorf("no kind %s/%s is known", head.APIVersion, head.Kind)
	}
	object := known()
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		return "", err
	}
	if deployment, ok := object.(*appsv1.Deployment); ok {
		return head.Kind, checkDeployment(deployment)
	}
	return head.Kind, nil
}

// checkDeployment holds what the API server would refuse and what types do not say.
func checkDeployment(d *appsv1.Deployment) error {
	for name, value := range d.Spec.Selector.MatchLabels {
		if d.Spec.Template.Labels[name] != value {
			return fmt.Errorf("%s selects pods with %s=%s, which its own lack", d.Name, name, value)
		}
	}
	mounted := map[string]bool{}
	for _, volume := range d.Spec.Template.Spec.Volumes {
		mounted[volume.Name] = true
	}
	for _, container := range d.Spec.Template.Spec.Containers {
		given := map[string]bool{}
		for _, variable := range container.Env {
			if given[variable.Name] {
				return fmt.Errorf("%s gives %s twice", d.Name, variable.Name)
			}
			given[variable.Name] = true
		}
		ports := map[string]bool{}
		for _, port := range container.Ports {
			ports[port.Name] = true
		}
		for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
			if probe == nil || !ports[probe.HTTPGet.Port.StrVal] {
				return fmt.Errorf("a probe of %s has no port", d.Name)
			}
		}
		for _, mount := range container.VolumeMounts {
			if !mounted[mount.Name] {
				return fmt.Errorf("%s mounts %s, which is no volume", d.Name, mount.Name)
			}
		}
	}
	return nil
}
