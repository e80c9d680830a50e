package difference_test

import (
	"slices"
	"strings"
	"testing"

	"conch/app/difference"
	"conch/configedit/modelconfig"
)

func config(t *testing.T, text string) *modelconfig.ModelConfig {
	t.Helper()
	decoded, _ := modelconfig.Parse("config.pbtxt", []byte(text))
	return decoded.Config
}

// TestFieldsThatDiffer: inputs are compared by their names, whatever their order, and a reason counts for
// what is inside.
func TestFieldsThatDiffer(t *testing.T) {
	here := config(t, `max_batch_size: 8 input [ { name: "B" dims: [ 2 ] }, { name: "A" dims: [ 1 ] } ] dynamic_batching { }`)
	there := config(t, `max_batch_size: 4 input [ { name: "A" dims: [ 1 ] }, { name: "B" dims: [ 3 ] } ] parameters { key: "k" value: { string_value: "v" } }`)
	got := difference.Configs(here, there, map[string]string{"input[0]": "the model file says so"})
	want := []difference.Field{
		{Path: "max_batch_size", Here: "8", There: "4"},
		{Path: `input "B".dims`, Here: "[2]", There: "[3]", Reason: "the model file says so"},
		{Path: "dynamic_batching", Here: "{}"},
		{Path: `parameters["k"].string_value`, There: `"v"`},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q,\nwant %q", got, want)
	}
	if same := difference.Configs(here, here, nil); len(same) != 0 {
		t.Errorf("a config differs from itself: %q", same)
	}
}

// TestTransactionPolicy: an empty policy is the default, and that of an ensemble is the server's own doing. That a model
// is decoupled counts.
func TestTransactionPolicy(t *testing.T) {
	ensemble, plain := `ensemble_scheduling { step { model_name: "a" } } `, `backend: "python" `
	const decoupled, empty = `model_transaction_policy { decoupled: true }`, `model_transaction_policy { }`
	for there, differ := range map[string]bool{ensemble + decoupled: false, ensemble + empty: false, plain + empty: false, plain + decoupled: true} {
		here := plain
		if strings.HasPrefix(there, ensemble) {
			here = ensemble
		}
		if got := difference.Configs(config(t, here), config(t, there), nil); (len(got) > 0) != differ {
			t.Errorf("%s: %q", there, got)
		}
	}
}
