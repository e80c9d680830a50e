package derive_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

func TestVersions(t *testing.T) {
	existing := []int64{1, 2, 10}
	for text, want := range map[string][]int64{
		"": existing, "all {}": existing, "latest { num_versions: 1 }": {10}, "latest { num_versions: 2 }": {2, 10},
		"latest { num_versions: 9 }": existing, "latest {}": {}, "specific { versions: [ 10, 1, 3 ] }": {1, 10}, "specific {}": {},
	} {
		policy := &modelconfig.ModelVersionPolicy{}
		if err := prototext.Unmarshal([]byte(text), policy); err != nil {
			t.Fatal(err)
		}
		if got := derive.Versions(policy, existing); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if !slices.Equal(existing, []int64{1, 2, 10}) {
		t.Errorf("the versions that exist were changed: %v", existing)
	}
}
