package handover

import (
	"encoding/json"
	"fmt"
	"path"

	"sigs.k8s.io/yaml"
)

// File is a file of an export.
type File struct {
	// Name is its path in the folder, with slashes.
	Name string
	Text string
	// Program reports whether it is made to be run.
	Program bool
}

// manifest is an object of a cluster and the file that it belongs in.
type manifest struct {
	name   string
	object any
}

func manifests(list ...manifest) ([]File, error) {
	files := make([]File, len(list))
	for i, m := range list {
		text, err := manifestText(m.object)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", m.name, err)
		}
		files[i] = File{Name: m.name, Text: text}
	}
	return files, nil
}

// manifestText writes an object as YAML, without its status: that is the cluster's to write.
func manifestText(object any) (string, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return "", err
	}
	delete(fields, "status")
	text, err := yaml.Marshal(withoutEmpty(fields))
	return string(text), err
}

// withoutEmpty removes what the types write though nobody set it: null, and fields that are empty objects.
func withoutEmpty(value any) any {
	fields, ok := value.(map[string]any)
	if !ok {
		if list, ok := value.([]any); ok {
			for i := range list {
				list[i] = withoutEmpty(list[i])
			}
		}
		return value
	}
	for name, field := range fields {
		field = withoutEmpty(field)
		fields[name] = field
		if empty, ok := field.(map[string]any); field == nil || ok && len(empty) == 0 {
			delete(fields, name)
		}
	}
	return fields
}

// wellFormed reports what keeps a file from being read as YAML, so that a merge cannot break it. Other files are taken as
// they are.
func wellFormed(name, text string) error {
	if path.Ext(name) != ".yaml" {
		return nil
	}
	var fields map[string]any
	return yaml.UnmarshalStrict([]byte(text), &fields)
}
