package folder_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
)

func TestMessage(t *testing.T) {
	good := &modelconfig.ModelConfig{Name: "café"}
	if folder.Message(good) != proto.Message(good) {
		t.Error("a valid message was copied")
	}
	bad := &modelconfig.ModelConfig{
		Name:       "caf\xe9",
		Input:      []*modelconfig.ModelInput{{Name: "in\xff"}, {Name: `a\b`}},
		Parameters: map[string]*modelconfig.ModelParameter{"k\xe9": {StringValue: "v\xe9"}, "plain": {StringValue: "v"}},
	}
	want := &modelconfig.ModelConfig{
		Name:       `caf\xe9`,
		Input:      []*modelconfig.ModelInput{{Name: `in\xff`}, {Name: `a\b`}},
		Parameters: map[string]*modelconfig.ModelParameter{`k\xe9`: {StringValue: `v\xe9`}, "plain": {StringValue: "v"}},
	}
	got := folder.Message(bad)
	if !proto.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, err := proto.Marshal(got); err != nil {
		t.Error(err)
	}
	if bad.Name != "caf\xe9" || bad.Input[0].Name != "in\xff" {
		t.Error("the message itself was changed")
	}
}
