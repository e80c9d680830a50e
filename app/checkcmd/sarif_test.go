package checkcmd_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"conch/app/checkcmd"
)

// shape is what the specification of SARIF 2.1.0 (section 3, and the schema's normative appendix)
// requires of one kind of value: an object with these properties and no others, a list, or a scalar.
type shape struct {
	properties map[string]*shape
	required   []string
	// oneOf are properties of which at least one is required.
	oneOf []string
	// items are those of a list, at least atLeast. In a set no two are equal.
	items   *shape
	atLeast int
	set     bool
	// values are the allowed texts, where there is a choice; format is "uri" or "uri-reference".
	values []string
	format string
	// number means a whole number that is at least least.
	number bool
	least  float64
}

func list(of *shape) *shape       { return &shape{items: of} }
func set(of *shape, n int) *shape { return &shape{items: of, set: true, atLeast: n} }
func from(least float64) *shape   { return &shape{number: true, least: least} }
func choice(of ...string) *shape  { return &shape{values: of} }

var anyText = &shape{}

// sarifShape is the part of the specification that a log may use. A property that is not in it fails
// the test, so that the author of a new property looks it up.
var sarifShape = func() *shape {
	message := &shape{properties: map[string]*shape{"text": anyText, "markdown": anyText, "id": anyText}, oneOf: []string{"text", "id"}}
	artifact := &shape{properties: map[string]*shape{"uri": {format: "uri-reference"}, "index": from(-1)}}
	region := &shape{properties: map[string]*shape{"startLine": from(1), "startColumn": from(1), "endLine": from(1), "endColumn": from(1)}}
	physical := &shape{properties: map[string]*shape{"artifactLocation": artifact, "region": region}, oneOf: []string{"artifactLocation", "address"}}
	location := &shape{properties: map[string]*shape{"id": from(-1), "physicalLocation": physical, "message": message}}
	content := &shape{properties: map[string]*shape{"text": anyText}}
	replacement := &shape{properties: map[string]*shape{"deletedRegion": region, "insertedContent": content}, required: []string{"deletedRegion"}}
	change := &shape{
		properties: map[string]*shape{"artifactLocation": artifact, "replacements": {items: replacement, atLeast: 1}},
		required:   []string{"artifactLocation", "replacements"},
	}
	fix := &shape{properties: map[string]*shape{"description": message, "artifactChanges": set(change, 1)}, required: []string{"artifactChanges"}}
	result := &shape{
		properties: map[string]*shape{
			"ruleId": anyText, "ruleIndex": from(-1), "level": choice("none", "note", "warning", "error"), "message": message,
			"locations": list(location), "relatedLocations": set(location, 0), "fixes": set(fix, 0),
		},
		required: []string{"message"},
	}
	twoForms := &shape{properties: map[string]*shape{"text": anyText, "markdown": anyText}, required: []string{"text"}}
	usual := &shape{properties: map[string]*shape{"level": choice("none", "note", "warning", "error")}}
	rule := &shape{
		properties: map[string]*shape{
			"id": anyText, "shortDescription": twoForms, "fullDescription": twoForms, "help": twoForms, "defaultConfiguration": usual,
			"properties": {properties: map[string]*shape{"documentation": {format: "uri-reference"}}}, // a bag: any name is allowed
		},
		required: []string{"id"},
	}
	driver := &shape{properties: map[string]*shape{"name": anyText, "rules": set(rule, 0)}, required: []string{"name"}}
	run := &shape{
		properties: map[string]*shape{
			"tool":       {properties: map[string]*shape{"driver": driver}, required: []string{"driver"}},
			"columnKind": choice("utf16CodeUnits", "unicodeCodePoints"), "results": list(result),
		},
		required: []string{"tool"},
	}
	return &shape{
		properties: map[string]*shape{"$schema": {format: "uri"}, "version": choice("2.1.0"), "runs": list(run)},
		required:   []string{"version", "runs"},
	}
}()

// faults lists where a value does not have its shape.
func (s *shape) faults(at string, value any) []string {
	switch value := value.(type) {
	case map[string]any:
		return s.object(at, value)
	case []any:
		return s.list(at, value)
	case string:
		return s.text(at, value)
	case float64:
		if !s.number || value != math.Trunc(value) || value < s.least {
			return []string{fmt.Sprintf("%s is %v", at, value)}
		}
		return nil
	}
	return []string{fmt.Sprintf("%s is %v", at, value)}
}

func (s *shape) object(at string, value map[string]any) []string {
	if s.properties == nil {
		return []string{at + " is an object"}
	}
	var list []string
	for _, name := range s.required {
		if value[name] == nil {
			list = append(list, at+" has no "+name)
		}
	}
	if s.oneOf != nil && !slices.ContainsFunc(s.oneOf, func(name string) bool { return value[name] != nil }) {
		list = append(list, at+" has none of "+strings.Join(s.oneOf, ", "))
	}
	for name, inner := range value {
		if s.properties[name] == nil {
			list = append(list, at+" has a property "+name)
			continue
		}
		list = append(list, s.properties[name].faults(at+"."+name, inner)...)
	}
	return list
}

func (s *shape) list(at string, value []any) []string {
	if s.items == nil || len(value) < s.atLeast {
		return []string{fmt.Sprintf("%s is a list of %d", at, len(value))}
	}
	var list []string
	seen := map[string]bool{}
	for i, item := range value {
		text, err := json.Marshal(item)
		if err != nil || s.set && seen[string(text)] {
			list = append(list, fmt.Sprintf("%s[%d] is there twice", at, i))
		}
		seen[string(text)] = true
		list = append(list, s.items.faults(fmt.Sprintf("%s[%d]", at, i), item)...)
	}
	return list
}

func (s *shape) text(at, value string) []string {
	u, err := url.Parse(value)
	switch {
	case s.properties != nil || s.items != nil || s.number,
		s.values != nil && !slices.Contains(s.values, value),
		s.format != "" && (err != nil || value == ""),
		s.format == "uri" && (u == nil || !u.IsAbs()):
		return []string{fmt.Sprintf("%s is %q", at, value)}
	}
	return nil
}

// TestSARIFSchema checks every property of a log against the specification: of the broken examples
// with advice, of a clean repository, of odd names, and of a folder that is not a model.
func TestSARIFSchema(t *testing.T) {
	odd := lay(t, map[string]string{
		"a b%20ü:?#/config.pbtxt": "backend: \"python\"\nmax_batch_size: -1\n", "a b%20ü:?#/1/model.py": model,
		"stray/notes.txt": "x", "e/config.pbtxt": "platform: \"ensemble\"\nensemble_scheduling { }\n", "bad/config.pbtxt": "input [ { name: \"\u00fc\" dims: [ 0 ] }\n",
	})
	for _, path := range []string{root + "/examples/broken", root + "/examples/repository", odd} {
		_, out := judged(t, checkcmd.Options{Format: checkcmd.FormatSARIF, Advice: true}, path)
		var log any
		if err := json.Unmarshal([]byte(out), &log); err != nil {
			t.Fatalf("%s: %v\n%.300s", path, err, out)
		}
		for _, fault := range sarifShape.faults("log", log) {
			t.Errorf("%s: %s", path, fault)
		}
	}
}

// TestSARIFShape: the check itself finds faults.
func TestSARIFShape(t *testing.T) {
	for _, text := range []string{
		`{"version": "2.1.0"}`, `{"version": "2.0", "runs": []}`, `{"version": "2.1.0", "runs": {}}`, `{"version": "2.1.0", "runs": [], "more": 1}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rules": [{"id": "a"}, {"id": "a"}]}}}]}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {}}]}]}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "m"}, "ruleIndex": 0.5}]}]}`,
		`{"version": "2.1.0", "$schema": "relative", "runs": []}`,
	} {
		var log any
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		if len(sarifShape.faults("log", log)) == 0 {
			t.Errorf("nothing wrong with %s", text)
		}
	}
}
