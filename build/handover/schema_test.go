package handover_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"golang.org/x/tools/txtar"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// exported are the files of all golden cases of app/handover, by case and name.
func exported(t *testing.T) map[string][]byte {
	t.Helper()
	cases, err := filepath.Glob("../../app/handover/testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	files := map[string][]byte{}
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if file, want := strings.CutPrefix(f.Name, "want "); want && filepath.Ext(file) == ".yaml" && file != "compose.yaml" {
				files[filepath.Base(name)+" "+file] = f.Data
			}
		}
	}
	return files
}

// kserveTypes are KServe's own types.
var kserveTypes = map[string]func() any{
	"InferenceService": func() any { return new(v1beta1.InferenceService) },
	"ServingRuntime":   func() any { return new(v1alpha1.ServingRuntime) },
}

// definitions are the files of KServe's module with the schemas.
var definitions = map[string]string{
	"InferenceService": "serving.kserve.io_inferenceservices.yaml",
	"ServingRuntime":   "serving.kserve.io_servingruntimes.yaml",
}

// TestExportsFitTheirSchemas: KServe's objects decode strictly into its types and fit the schemas of its definitions;
// Kubernetes' objects fit the schemas that its client was made from.
func TestExportsFitTheirSchemas(t *testing.T) {
	seen := map[string]int{}
	for name, text := range exported(t) {
		var object unstructured.Unstructured
		if err := yaml.UnmarshalStrict(text, &object.Object); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kind := object.GetKind()
		seen[kind]++
		switch {
		case kserveTypes[kind] != nil:
			if err := kserve(t, kind, text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case strings.HasPrefix(object.GetAPIVersion(), "monitoring.coreos.com/"):
			// The module in monitoring looks at these.
		default:
			if err := kubernetes(&object); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, kind := range []string{"Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler", "InferenceService", "ServingRuntime"} {
		if seen[kind] == 0 {
			t.Errorf("no golden case has a %s", kind)
		}
	}
}

func kserve(t *testing.T, kind string, text []byte) error {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, kserveTypes[kind]()); err != nil {
		return err
	}
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		return err
	}
	return validation.ValidateCustomResource(nil, object, schema(t, kind)).ToAggregate()
}

// schema reads the schema of a kind from KServe's module.
func schema(t *testing.T, kind string) validation.SchemaValidator {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kserve/kserve").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "config/crd/full", definitions[kind]))
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(definition.Spec.Versions[0].Schema.OpenAPIV3Schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

// kubernetes holds an object against the schema of its kind. A field that the schema does not have is an error.
func kubernetes(object *unstructured.Unstructured) error {
	_, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(object)
	return err
}

// The checks must be able to fail.
func TestSchemasRefuse(t *testing.T) {
	wrong := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{"replica": int64(1)},
	}}
	if err := kubernetes(wrong); err == nil {
		t.Error("a Deployment may have spec.replica")
	}
	for kind, text := range map[string]string{
		"InferenceService": "spec:\n  predictor:\n    model:\n      modelFormat: {}\n",
		"ServingRuntime":   "spec:\n  containers:\n  - image: x\n",
	} {
		if err := kserve(t, kind, []byte(text)); err == nil {
			t.Errorf("%s: %q is taken", kind, text)
		}
	}
	if err := kserve(t, "ServingRuntime", []byte("spec:\n  container: []\n")); err == nil {
		t.Error("an unknown field is taken")
	}
}
