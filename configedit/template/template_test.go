package template_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/configedit/template"
)

const example = `name: "${model_name}"   # not ${this}
max_batch_size: ${batch:-8}
{{ extra_fields }}
input [ { name: "x" data_type: ${type} dims: [ {{ width }}, -1 ] } ]
{% if gpu %}
instance_group { kind: KIND_${KIND} count: {{ count | default("2") }} }
{% endif %}
parameters { key: "path" value { string_value: "$$TRITON_MODEL_DIRECTORY/INSERT_FILE_HERE" } }
dynamic_batching { max_queue_delay_microseconds: INSERT_DELAY }
`

func TestPlaceholders(t *testing.T) {
	var got []string
	for _, p := range template.Placeholders([]byte(example)) {
		line := p.Name + " " + string(p.Where)
		if p.Default != "" {
			line += " = " + p.Default
		}
		for _, s := range p.Spans {
			line += " " + example[s.Start:s.End]
		}
		got = append(got, line)
	}
	want := []string{
		"model_name text ${model_name}", "batch value = 8 ${batch:-8}", "extra_fields block {{ extra_fields }}",
		"type value ${type}", "width value {{ width }}", "KIND value ${KIND}", `count value = 2 {{ count | default("2") }}`,
		"INSERT_FILE_HERE text INSERT_FILE_HERE", "INSERT_DELAY value INSERT_DELAY",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMask(t *testing.T) {
	want := `name: "vvvvvvvvvvvvv"   # not ${this}
max_batch_size: 1          
                  
input [ { name: "x" data_type: 1       dims: [ 1          , -1 ] } ]
            
instance_group { kind: 1            count: 1                          }
           
parameters { key: "path" value { string_value: "$$TRITON_MODEL_DIRECTORY/vvvvvvvvvvvvvvvv" } }
dynamic_batching { max_queue_delay_microseconds: 1            }
`
	if d := cmp.Diff(want, string(template.Mask([]byte(example), '1', 'v'))); d != "" {
		t.Error(d)
	}
}

func TestFill(t *testing.T) {
	got := string(template.Fill([]byte("a: ${x} b: {{ y }} c: ${x}\n"), map[string]string{"x": "1"}))
	if got != "a: 1 b: {{ y }} c: 1\n" {
		t.Error(got)
	}
	if got := string(template.Fill([]byte("kind: KIND_${K}\n"), map[string]string{"K": "CPU"})); got != "kind: KIND_CPU\n" {
		t.Error(got)
	}
}

func TestIs(t *testing.T) {
	for src, want := range map[string]bool{
		"": false, "max_batch_size: 4": false, "# ${x}\n": false, `parameters { key: "a" value { string_value: "$$TRITON_MODEL_DIRECTORY" } }`: false,
		"a: ${x}": true, "{% if x %}": true, `name: "INSERT_NAME"`: true, "inserted: 1": false,
	} {
		if got := template.Is([]byte(src)); got != want {
			t.Errorf("%q: %t", src, got)
		}
	}
}

// FuzzMask: a mask keeps every length and line, and nothing panics.
func FuzzMask(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(`"\`))
	f.Add([]byte("${\n}{{ {% #} YOUR_X"))
	f.Fuzz(func(t *testing.T, src []byte) {
		masked := template.Mask(src, '1', 'v')
		if len(masked) != len(src) {
			t.Fatalf("%q became %q", src, masked)
		}
		for i := range src {
			if (src[i] == '\n') != (masked[i] == '\n') {
				t.Fatalf("%q lost a line: %q", src, masked)
			}
		}
		template.Fill(src, map[string]string{"x": "y"})
	})
}
