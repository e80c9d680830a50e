package request

import (
	"strings"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// reservedPrefix is the prefix of the names of Triton's own parameters.
const reservedPrefix = "triton_"

// reservedParameters are the other names that headers may not have (docs/triton/http.md, "Headers for models").
var reservedParameters = []string{
	"sequence_id", "sequence_start", "sequence_end", "priority", "timeout", "headers", "binary_data_output",
}

// emptyFinal is the only such parameter that a client may send, and only over gRPC.
const emptyFinal = "triton_enable_empty_final_response"

// Wire holds Triton's sentences for a transport (docs/triton/http.md, "Infer request"; docs/triton/grpc.md,
// "Parameters of a call").
type Wire struct {
	// own is the parameter that only this transport has, and ownField is the field for its value.
	own      string
	ownField func(*Assembler) *bool
	// counted is true when the whole message is counted, with all its entries, before it is read.
	counted   bool
	decoupled string
	reserved  string
	// regionClash has one argument: the setting that an output in shared memory cannot have.
	regionClash string
	// mistyped has two arguments: the parameter's name and the reason.
	mistyped, customMistyped sentence
	// readStart and readEnd are the marks of a trace.
	readStart, readEnd string
	// unsent reports whether a header belongs to the transport or the server, and is not for a model.
	unsent func(name string) bool
}

// sentence is an error with its code.
type sentence struct {
	code   infer.Code
	format string
}

// StatusErrors is the metadata by which a client wants its stream to end with a status when a backend fails
// (docs/triton/grpc.md, "Streams").
const StatusErrors = "triton_grpc_error"

// HTTP has the sentences of Triton's HTTP endpoint.
var HTTP = &Wire{
	own: "binary_data_output", ownField: func(a *Assembler) *bool { return &a.Binary },
	decoupled:      "HTTP end point doesn't support models with decoupled transaction policy",
	reserved:       "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
	regionClash:    "Output can't set both 'shared_memory_region' and '%s'",
	mistyped:       sentence{infer.Internal, "Unable to parse '%s': %v"},
	customMistyped: sentence{infer.InvalidArg, "parameter '%[1]s' has invalid type. It should be either 'int', 'bool', or 'string'."},
	readStart:      "HTTP_RECV_START", readEnd: "HTTP_RECV_END",
	unsent: func(string) bool { return false },
}

// GRPC has the sentences of Triton's gRPC endpoint.
var GRPC = &Wire{
	own: emptyFinal, ownField: func(a *Assembler) *bool { return &a.EmptyFinal },
	counted:   true,
	decoupled: "ModelInfer RPC doesn't support models with decoupled transaction policy",
	reserved: "parameter keys starting with 'triton_' are reserved for Triton usage. " +
		"Only the following keys starting with 'triton_' are allowed: " + emptyFinal,
	regionClash:    "output can't set both 'shared_memory_region' and '%s'",
	mistyped:       sentence{infer.InvalidArg, "invalid value type for '%s' parameter, expected %v."},
	customMistyped: sentence{infer.InvalidArg, "invalid value type for '%s' parameter, expected %v."},
	readStart:      "GRPC_WAITREAD_START", readEnd: "GRPC_WAITREAD_END",
	unsent: func(name string) bool {
		return strings.HasPrefix(name, ":") || strings.HasPrefix(name, "grpc-") || name == "content-type" || name == StatusErrors
	},
}

// AnswersOnce refuses a decoupled model where the transport can send only one answer.
func (w *Wire) AnswersOnce(c *modelconfig.ModelConfig) error {
	if decoupled(c) {
		return infer.Errorf(infer.Unsupported, "%s", w.decoupled)
	}
	return nil
}

// Unparsable returns HTTP's error for a member of the JSON that is missing or of the wrong type.
func Unparsable(member string, reason error) error {
	return HTTP.refuse(HTTP.mistyped, member, reason)
}
