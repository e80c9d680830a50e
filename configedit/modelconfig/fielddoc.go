package modelconfig

import (
	_ "embed"

	"google.golang.org/protobuf/reflect/protoreflect"
)

//go:embed model_config.proto
var schemaText string

// Doc is the help text of a message, field, oneof, enum or enum value, by full
// name, such as "inference.ModelConfig.max_batch_size"; empty for unknown names.
func Doc(name protoreflect.FullName) string { return "" }
