package rpc

import (
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// TestListKinds: each kind that is offered has a label, a note and a config to begin from that names its backend.
func TestListKinds(t *testing.T) {
	answer, err := (&modelService{}).ListKinds(t.Context(), connect.NewRequest(&api.ListKindsRequest{}))
	if err != nil || len(answer.Msg.Kinds) != 3 {
		t.Fatalf("%v, %v", answer, err)
	}
	for _, k := range answer.Msg.Kinds {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(template("m", k.Backend)))
		if cfg := decoded.Config; diag.HasErrors(found) || cfg.Backend != k.Backend && cfg.Platform != k.Backend {
			t.Errorf("%s: the config is for backend %q and platform %q, %v", k.Label, cfg.Backend, cfg.Platform, found)
		}
		if k.Label == "" || k.Note == "" {
			t.Errorf("%v says too little", k)
		}
	}
	if first := answer.Msg.Kinds[0]; first.Label != "ONNX" || first.Note != "runs model.onnx" {
		t.Errorf("first is %v", first)
	}
}
