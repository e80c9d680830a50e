package modelconfig

import (
	"google.golang.org/protobuf/encoding/prototext"
)

// PrintText writes a config as a person would write config.pbtxt.
func PrintText(cfg *ModelConfig) []byte {
	return []byte(prototext.MarshalOptions{Multiline: true, Indent: "  "}.Format(cfg))
}
