package handover_test

import (
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"conch/app/handover"
)

// kinds makes a value of the project's own type for each kind that an export has. KServe's are decoded by build/handover.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                         func() any { return new(appsv1.Deployment) },
	"v1 Service":                                 func() any { return new(corev1.Service) },
	"policy/v1 PodDisruptionBudget":              func() any { return new(policyv1.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler":     func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"monitoring.coreos.com/v1 ServiceMonitor":    func() any { return new(monitoringv1.ServiceMonitor) },
	"monitoring.coreos.com/v1 PrometheusRule":    func() any { return new(monitoringv1.PrometheusRule) },
	"serving.kserve.io/v1alpha1 ServingRuntime":  nil,
	"serving.kserve.io/v1beta1 InferenceService": nil,
}

// decode reads a file strictly into the project's own type: a field that the type does not have is an error.
func decode(t *testing.T, f handover.File) {
	t.Helper()
	switch {
	case f.Program:
		return
	case f.Name == "compose.yaml":
		if err := decodeCompose(t, f.Text); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		return
	}
	var head metav1.TypeMeta
	if err := yaml.Unmarshal([]byte(f.Text), &head); err != nil {
		t.Fatal(err)
	}
	maker, known := kinds[head.APIVersion+" "+head.Kind]
	if !known {
		t.Errorf("%s: nothing decodes %s %s", f.Name, head.APIVersion, head.Kind)
	}
	if maker == nil {
		return
	}
	if err := yaml.UnmarshalStrict([]byte(f.Text), maker()); err != nil {
		t.Errorf("%s: %v", f.Name, err)
	}
}

// decodeCompose loads a Compose file with the schema of Compose, which refuses unknown fields.
func decodeCompose(t *testing.T, text string) error {
	t.Helper()
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: t.TempDir(), ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
	})
	if err == nil && len(project.Services) != 1 {
		t.Errorf("%d services", len(project.Services))
	}
	return err
}

// The decoders must be able to fail.
func TestDecodersAreStrict(t *testing.T) {
	if err := yaml.UnmarshalStrict([]byte("apiVersion: apps/v1\nkind: Deployment\nspec:\n  replica: 1\n"), new(appsv1.Deployment)); err == nil || !strings.Contains(err.Error(), "replica") {
		t.Error(err)
	}
	if err := decodeCompose(t, "name: a\nservices:\n  triton:\n    image: x\n    shm: 1\n"); err == nil {
		t.Error("Compose takes a field that it does not have")
	}
}
