package apimessage_test

import (
	"testing"

	"conch/app/apimessage"
)

func TestSentence(t *testing.T) {
	for message, want := range map[string]string{
		"input \"a\" has 63 elements":    "Input \"a\" has 63 elements",
		"max_batch_size must not be -1":  "max_batch_size must not be -1",
		"\"a\" is unknown":               "\"a\" is unknown",
		"digits2 is no ensemble":         "digits2 is no ensemble",
		"step.model_name is missing":     "step.model_name is missing",
		"the model's file":               "The model's file",
		"model's":                        "Model's",
		"backend: \"x\"":                 "backend: \"x\"",
		"TYPE_FP32 is needed":            "TYPE_FP32 is needed",
		"":                               "",
		"a":                              "a",
		"dims are missing":               "dims are missing",
		"backend wants a string, not 1":  "backend wants a string, not 1",
		"input is given twice":           "input is given twice",
		"kind takes one value":           "kind takes one value",
		"control input \"a\" is missing": "Control input \"a\" is missing",
		"a field is missing":             "A field is missing",
		"a brace":                        "A brace",
	} {
		if got := apimessage.Sentence(message); got != want {
			t.Errorf("%q became %q, not %q", message, got, want)
		}
	}
}
