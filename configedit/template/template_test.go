package template_test

import (
	"strings"
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
	for _, p := range template.Read([]byte(example)).Placeholders() {
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
	first := `name: "${model_name}"   # not ${this}
max_batch_size: 1          
                  
input [ { name: "x" data_type: 1       dims: [ 1          , -1 ] } ]
            
instance_group { kind: 1            count: 1                          }
           
parameters { key: "path" value { string_value: "$$TRITON_MODEL_DIRECTORY/INSERT_FILE_HERE" } }
dynamic_batching { max_queue_delay_microseconds: 1            }
`
	last := `name: "yyyyyyyyyyyyy"   # not ${this}
max_batch_size: 2          
                  
input [ { name: "x" data_type: 4       dims: [ 5          , -1 ] } ]
            
instance_group { kind: 7            count: 8                          }
           
parameters { key: "path" value { string_value: "$$TRITON_MODEL_DIRECTORY/iyyyyyyyyyyyyyyy" } }
dynamic_batching { max_queue_delay_microseconds: 1            }
`
	read := template.Read([]byte(example))
	if d := cmp.Diff(first, string(read.Mask(0))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(last, string(read.Mask(template.Rounds-1))); d != "" {
		t.Error(d)
	}
}

func TestFill(t *testing.T) {
	got := string(template.Read([]byte("a: ${x} b: {{ y }} c: ${x}\n")).Fill(map[string]string{"x": "1"}))
	if got != "a: 1 b: {{ y }} c: 1\n" {
		t.Error(got)
	}
	if got := string(template.Read([]byte("kind: KIND_${K}\n")).Fill(map[string]string{"K": "CPU"})); got != "kind: KIND_CPU\n" {
		t.Error(got)
	}
}

func TestRead(t *testing.T) {
	for src, want := range map[string]bool{
		"": false, "max_batch_size: 4": false, "# ${x}\n": false, `parameters { key: "a" value { string_value: "$$TRITON_MODEL_DIRECTORY" } }`: false,
		"a: ${x}": true, "{% if x %}": true, "name: INSERT_NAME": true, "inserted: 1": false,
		`input { name: "YOUR_A" } input { name: "YOUR_B" }`: false, // names are what people like
		`name: "YOUR_A" max_batch_size: YOUR_SIZE`:          true,
	} {
		if got := template.Read([]byte(src)) != nil; got != want {
			t.Errorf("%q: %t", src, got)
		}
	}
}

// TestReadRefused: what is filled in of texts that Triton refuses, form by form.
func TestReadRefused(t *testing.T) {
	numeric := func(field string) bool { return field == "dims" || field == "count" || field == "max_batch_size" }
	for src, want := range map[string]string{
		"max_batch_size: MAX_BATCH":                     "MAX_BATCH",
		"dims: [MAX_BATCH, ENCODER_DIM, -1]":            "MAX_BATCH ENCODER_DIM",
		"dims: [ N0, NONE ]":                            "N0",
		"count: AUTO":                                   "",
		"kind: DEVICE":                                  "", // a mistake in an enumerator
		"# dims: [MAX_BATCH]":                           "",
		`name: "MAX_BATCH"`:                             "",
		"data_type: TYPE_#DTYPE":                        "DTYPE",
		"dims: [#num_layers, 4, #size] # [-1, size]":    "num_layers size",
		"dims: [ #the batch, for now ]":                 "",
		"dims: [ 8, # height, width ]\n 4 ]":            "",
		"max_batch_size: 64 #MAX_BATCH":                 "",
		"max_batch_size: 64#MAX_BATCH":                  "",
		"max_batch_size: #size\n":                       "size",
		`data_type: TYPE_#T value { s: "#vocabulary" }`: "T vocabulary",
		`value { s: "#vocabulary" }`:                    "",
		"count: $COUNT":                                 "COUNT",
		"count: @COUNT@ dims: [ %DIM%, %(size)s ]":      "COUNT DIM size",
		"count: <count> dims: [ {dim} ]":                "count dim",
		"input < name: 4 > step { }":                    "",
	} {
		got := ""
		if text := template.ReadRefused([]byte(src), numeric); text != nil {
			for _, p := range text.Placeholders() {
				got = strings.TrimSpace(got + " " + p.Name)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// FuzzMask: a mask keeps every length and line, and nothing panics.
func FuzzMask(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(`"\`))
	f.Add([]byte("${\n}{{ {% #} YOUR_X"))
	f.Fuzz(func(t *testing.T, src []byte) {
		text := template.ReadRefused(src, func(string) bool { return true })
		if text == nil {
			return
		}
		masked := text.Mask(template.Rounds - 1)
		if len(masked) != len(src) {
			t.Fatalf("%q became %q", src, masked)
		}
		for i := range src {
			if (src[i] == '\n') != (masked[i] == '\n') {
				t.Fatalf("%q lost a line: %q", src, masked)
			}
		}
		text.Fill(map[string]string{"x": "y"})
	})
}
