package completed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/configedit/python"
)

// format is part of each key. It changes when answers are written in another form, or are made from something else.
const format = "conch auto_complete_config 1"

// groups is the field that does not count, unless the program has its name in a string.
const groups = "instance_group"

// Key returns the key of an answer: cfg is the config that the program is asked to complete. It is "" if nobody can tell what
// the program reads, or if program is nil.
func Key(cfg *modelconfig.ModelConfig, program *python.Program) string {
	if program == nil {
		return ""
	}
	sources, whole := program.Sources()
	if !whole || len(sources) == 0 {
		return ""
	}
	asked := proto.Clone(cfg).(*modelconfig.ModelConfig)
	if !program.Says(groups) {
		asked.InstanceGroup = nil
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(asked)
	if err != nil {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %x\n", format, text, sources)
	return hex.EncodeToString(sum.Sum(nil))
}
