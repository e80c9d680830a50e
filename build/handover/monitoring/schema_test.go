package monitoring_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/yaml"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

// kinds are those that an export has.
var kinds = []string{monitoringv1.ServiceMonitorsKind, monitoringv1.PrometheusRuleKind}

// schemas are the schemas of the kinds, made from the operator's types.
func schemas(t *testing.T) map[string]*apiextensions.JSONSchemaProps {
	t.Helper()
	packages, err := loader.LoadRoots("github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1")
	if err != nil || len(packages) != 1 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		t.Fatal(err)
	}
	parser := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}}
	crd.AddKnownTypes(parser)
	parser.NeedPackage(packages[0])
	made := map[string]*apiextensions.JSONSchemaProps{}
	for _, kind := range kinds {
		group := k8sschema.GroupKind{Group: monitoringv1.SchemeGroupVersion.Group, Kind: kind}
		parser.NeedCRDFor(group, nil)
		definition := parser.CustomResourceDefinitions[group]
		if len(definition.Spec.Versions) != 1 {
			t.Fatalf("%s has %d versions: %v", kind, len(definition.Spec.Versions), packages[0].Errors)
		}
		var internal apiextensions.JSONSchemaProps
		from := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(from, &internal, nil); err != nil {
			t.Fatal(err)
		}
		made[kind] = &internal
	}
	return made
}

// faults are the fields of an object that its schema does not have, and what breaks a rule of it.
func faults(t *testing.T, from *apiextensions.JSONSchemaProps, text string) (list []string) {
	t.Helper()
	var object map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	structure, err := schema.NewStructural(from)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range validation.ValidateCustomResource(nil, object, validator) {
		list = append(list, wrong.Error())
	}
	// What an API server would drop without a word.
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	return append(list, pruning.PruneWithOptions(object, structure, true, options)...)
}

// TestExportsFitTheOperator: the objects of all golden cases fit the schemas.
func TestExportsFitTheOperator(t *testing.T) {
	cases, err := filepath.Glob("../../../app/handover/testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	from, seen := schemas(t), map[string]int{}
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			var head struct{ APIVersion, Kind string }
			if !strings.HasPrefix(file.Name, "want monitoring/") || yaml.Unmarshal(file.Data, &head) != nil || from[head.Kind] == nil {
				continue
			}
			seen[head.Kind]++
			if head.APIVersion != monitoringv1.SchemeGroupVersion.String() {
				t.Errorf("%s %s: version %s", name, file.Name, head.APIVersion)
			}
			for _, fault := range faults(t, from[head.Kind], string(file.Data)) {
				t.Errorf("%s %s: %s", name, file.Name, fault)
			}
		}
	}
	for _, kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("no golden case has a %s", kind)
		}
	}
}

// The check must be able to fail.
func TestSchemasRefuse(t *testing.T) {
	from := schemas(t)
	for kind, texts := range map[string][]string{
		monitoringv1.ServiceMonitorsKind: {
			"spec: {endpoints: []}", // no selector
			"spec: {selector: {}, endpoints: [{interval: soon}]}",
			"spec: {selector: {}, endpoints: [{prot: metrics}]}",
		},
		monitoringv1.PrometheusRuleKind: {
			"spec: {groups: [{rules: []}]}", // no name
			"spec: {groups: [{name: a, rules: [{exp: up, expr: up}]}]}",
		},
	} {
		for _, text := range texts {
			if len(faults(t, from[kind], text)) == 0 {
				t.Errorf("%s: %q is taken", kind, text)
			}
		}
	}
}
