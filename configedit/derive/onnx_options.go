package derive

import (
	"regexp"
	"strconv"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// ONNXOptions are the settings in a config that say how ONNX Runtime runs the model:
// optimization.graph.level, parameters and custom operators (docs/triton/onnx.md, "Optimization";
// docs/triton/onnx.md, "Parameters").
type ONNXOptions struct {
	GraphLevel ONNXGraphLevel
	// Parallel runs independent nodes side by side.
	Parallel bool
	// IntraThreads and InterThreads are numbers of threads; 0 leaves them to ONNX Runtime.
	IntraThreads, InterThreads int
	// MemArena and MemPattern are nil where ONNX Runtime's default holds.
	MemArena, MemPattern *bool
	// ArenaShrinkage names the arenas that free unused memory after each run; "" for none.
	ArenaShrinkage string
	// Session are entries for ONNX Runtime's session configuration.
	Session map[string]string
	// CustomOps are libraries of operators, given to the system's loader as they are written.
	CustomOps []string
}

// ONNXGraphLevel is how far the graph is optimized.
type ONNXGraphLevel int

// The levels.
const (
	ONNXGraphAll ONNXGraphLevel = iota
	ONNXGraphNone
	ONNXGraphBasic
	ONNXGraphExtended
)

// initializerAllocator is the one parameter that is handed to the session as it is.
const initializerAllocator = "session.use_device_allocator_for_initializers"

// ParseONNXOptions reads the options. It ignores unknown keys, as Triton does.
func ParseONNXOptions(cfg *modelconfig.ModelConfig) (ONNXOptions, []*Problem) {
	p := &optionParser{rule: rule.ORT12, parameters: cfg.GetParameters()}
	options := ONNXOptions{
		GraphLevel:     graphLevel(cfg.GetOptimization().GetGraph().GetLevel()),
		IntraThreads:   p.integer("intra_op_thread_count"),
		InterThreads:   p.integer("inter_op_thread_count"),
		Parallel:       p.executionMode(),
		MemArena:       p.boolean("enable_mem_arena"),
		MemPattern:     p.boolean("enable_mem_pattern"),
		ArenaShrinkage: p.text("memory.enable_memory_arena_shrinkage"),
		Session:        map[string]string{},
		CustomOps:      cfg.GetModelOperations().GetOpLibraryFilename(),
	}
	if v := p.text(initializerAllocator); v != "" {
		options.Session[initializerAllocator] = v
	}
	return options, p.problems
}

func graphLevel(level int32) ONNXGraphLevel {
	switch level {
	case -1:
		return ONNXGraphBasic
	case 1:
		return ONNXGraphExtended
	case 2:
		return ONNXGraphNone
	}
	return ONNXGraphAll
}

// optionParser reads parameters as Triton's backends do.
type optionParser struct {
	rule       *rule.Rule
	parameters map[string]*modelconfig.ModelParameter
	problems   []*Problem
}

func (p *optionParser) text(key string) string { return p.parameters[key].GetStringValue() }

func (p *optionParser) fail(key, sentence string) {
	p.problems = append(p.problems, &Problem{
		Rule: p.rule, Code: rule.Invalid, Path: at("parameters", key, "value"), Triton: sentence,
	})
}

// leadingNumber is what the backend's parser takes of a number: "2x" is 2, "1.5" is 1.
var leadingNumber = regexp.MustCompile(`^\s*([+-]?[0-9]+)`)

func (p *optionParser) integer(key string) int {
	parameter, set := p.parameters[key]
	if !set {
		return 0
	}
	text := parameter.GetStringValue()
	if digits := leadingNumber.FindStringSubmatch(text); digits != nil {
		if n, err := strconv.ParseInt(digits[1], 10, 32); err == nil {
			return int(n)
		}
	}
	p.fail(key, p.rule.Other(1, text))
	return 0
}

// executionMode is 0 or 1.
func (p *optionParser) executionMode() bool {
	mode := p.integer("execution_mode")
	if mode != 0 && mode != 1 {
		p.fail("execution_mode", rule.ORT12.Other(2, mode))
	}
	return mode == 1
}

func (p *optionParser) boolean(key string) *bool {
	parameter, set := p.parameters[key]
	if !set {
		return nil
	}
	var value bool
	switch text := parameter.GetStringValue(); strings.ToLower(text) {
	case "true", "on", "1":
		value = true
	case "false", "off", "0":
	default:
		p.fail(key, p.rule.Sentence(text))
		return nil
	}
	return &value
}
