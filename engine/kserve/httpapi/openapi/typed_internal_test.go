package openapi

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
)

// Each request has an example that the server takes, or says why there is none.
func TestExamples(t *testing.T) {
	const io = `"input": [{"name": "IN", "data_type": "TYPE_FP32", "dims": [2]}], "output": [{"name": "OUT", "data_type": "TYPE_FP32", "dims": [2]}]`
	for name, test := range map[string]struct{ config, infer, generate string }{
		"plain": {
			`{` + io + `}`,
			`{"inputs":[{"data":[0,0],"datatype":"FP32","name":"IN","shape":[2]}]}`, `{"IN":[0,0]}`,
		},
		"a sequence": {
			`{` + io + `, "sequence_batching": {"direct": {}}}`,
			`"parameters":{"sequence_end":true,"sequence_id":1,"sequence_start":true}`, "needs sequence_id",
		},
		"a sequence with texts": {
			`{` + io + `, "sequence_batching": {"control_input": [{"name": "ID", "control": [{"kind": "CONTROL_SEQUENCE_CORRID", "data_type": "TYPE_STRING"}]}]}}`,
			`"parameters":{"sequence_end":true,"sequence_id":"1","sequence_start":true}`, "needs sequence_id",
		},
		"an iterative sequence": {`{` + io + `, "sequence_batching": {"iterative_sequence": true}}`, `"shape":[2]}]}`, `{"IN":[0,0]}`},
		"decoupled":             {`{` + io + `, "model_transaction_policy": {"decoupled": true}}`, "is decoupled", `{"IN":[0,0]}`},
		"half an input":         {`{"input": [{"name": "H", "data_type": "TYPE_BF16", "dims": [2]}]}`, `"H" is of the type BF16`, `"H" is of the type BF16`},
		"half an output": {
			strings.Replace(`{`+io+`}`, `"OUT", "data_type": "TYPE_FP32"`, `"OUT", "data_type": "TYPE_FP16"`, 1),
			`"parameters":{"binary_data_output":true}`, `"OUT" is of a type`,
		},
		"a drawing": {
			`{"max_batch_size": 4, "input": [{"name": "D", "data_type": "TYPE_UINT8", "dims": [28, 28]}]}`,
			`{"inputs":[{"data":[` + strings.Repeat("0,", 28*28-1) + `0],"datatype":"UINT8","name":"D","shape":[1,28,28]}]}`, `{"D":[0,0`,
		},
		"a photograph": {`{"input": [{"name": "P", "data_type": "TYPE_UINT8", "dims": [3, 224, 224]}]}`, `more than 4096 values`, `more than 4096 values`},
		"optional": {
			`{"input": [{"name": "H", "data_type": "TYPE_FP16", "dims": [2], "optional": true}]}`, `{"inputs":[]}`, `{}`,
		},
	} {
		config, err := modelconfig.UnmarshalJSON([]byte(test.config))
		if err != nil {
			t.Fatal(name, err)
		}
		schemas := typed(config)
		for schema, want := range map[string]string{"InferRequest": test.infer, "GenerateRequest": test.generate} {
			o := schemas[schema].(object)
			example, hasExample := o["example"]
			text, _ := json.Marshal(example)
			why, _ := o["description"].(string)
			if hasExample == (why != "") {
				t.Errorf("%s: %s has the example %s and the reason %q; one of them is right", name, schema, text, why)
			}
			if !strings.Contains(string(text)+why, want) {
				t.Errorf("%s: %s has the example %s and the reason %q, want %s", name, schema, text, why, want)
			}
		}
	}
}

// The values may be in one list, or in lists within lists as the extents say.
func TestNestedData(t *testing.T) {
	for config, want := range map[string]string{
		`{"input": [{"name": "I", "data_type": "TYPE_BOOL", "dims": [2]}]}`: `{"items":{"type":"boolean"},"type":"array"}`,
		`{"max_batch_size": 4, "input": [{"name": "I", "data_type": "TYPE_BOOL", "dims": [2]}]}`: `{"anyOf":[{"items":{"type":"boolean"},"type":"array"},` +
			`{"items":{"items":{"type":"boolean"},"type":"array"},"type":"array"}]}`,
	} {
		c, err := modelconfig.UnmarshalJSON([]byte(config))
		if err != nil {
			t.Fatal(err)
		}
		in := c.GetInput()[0]
		got, _ := json.Marshal(described{c: c, name: in.Name, kind: 1, dims: in.Dims}.data())
		if string(got) != want {
			t.Errorf("%s: data is %s, want %s", config, got, want)
		}
	}
}
