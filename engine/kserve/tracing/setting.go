package tracing

import (
	"slices"
	"strconv"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve/tracing/spans"
)

// Level is what is traced; 0 is OFF.
type Level uint8

// The levels, which go together.
const (
	Timestamps Level = 1 << iota
	Tensors
)

// Names returns the level's names in requests and answers.
func (l Level) Names() []string {
	var names []string
	if l&Timestamps != 0 {
		names = append(names, "TIMESTAMPS")
	}
	if l&Tensors != 0 {
		names = append(names, "TENSORS")
	}
	if len(names) == 0 {
		return []string{"OFF"}
	}
	return names
}

// ParseLevel reads the names of a level. Unknown names are ignored, as in Triton.
func ParseLevel(names []string) (Level, error) {
	var l Level
	off := false
	for _, name := range names {
		switch name {
		case "OFF":
			off = true
		case "TIMESTAMPS":
			l |= Timestamps
		case "TENSORS":
			l |= Tensors
		}
	}
	if off && len(names) > 1 {
		return 0, infer.Errorf(infer.InvalidArg, "Expect only one trace level 'OFF' is specified")
	}
	return l, nil
}

// Setting sets which requests are traced, and where their traces are written. Defaults has Triton's
// values.
type Setting struct {
	Level        Level
	Rate         uint32 // one of this many requests is traced
	Count        int32  // how many more requests are traced; -1 for no limit
	LogFrequency uint32 // traces per numbered file; 0 for one file
	File         string
	// Sender sends the traces to an OpenTelemetry collector; nil writes them to files.
	Sender *spans.Sender
}

// Defaults are the settings without flags.
var Defaults = Setting{Rate: 1000, Count: -1}

// invalid returns why nothing can be traced; "" when the setting is valid.
func (s *Setting) invalid() string {
	switch {
	case s.Level == 0:
		return "tracing is disabled"
	case s.Rate == 0:
		return "sample rate must be non-zero"
	case s.File == "" && s.Sender == nil:
		return "trace file name is not given"
	}
	return ""
}

// keys are the settings' names, in the order of the answers.
var keys = []string{"trace_level", "trace_rate", "trace_count", "log_frequency", "trace_file", "trace_mode"}

// Order is the order in which the keys of a change are read. Other keys are ignored.
var Order = []string{"trace_file", "trace_level", "trace_rate", "trace_count", "log_frequency"}

// Names returns the names of a setting's values, in the order of the answers.
func (s *Setting) Names() []string {
	if s.Sender == nil {
		return keys
	}
	return []string{
		"trace_level", "trace_rate", "trace_count", "trace_mode", "url", "resource", "bsp_max_export_batch_size", "bsp_schedule_delay",
		"bsp_max_queue_size",
	}
}

// Values returns a setting's values by name; trace_level may have several.
func (s *Setting) Values() map[string][]string {
	values := map[string][]string{
		"trace_level":   s.Level.Names(),
		"trace_rate":    {strconv.FormatUint(uint64(s.Rate), 10)},
		"trace_count":   {strconv.FormatInt(int64(s.Count), 10)},
		"log_frequency": {strconv.FormatUint(uint64(s.LogFrequency), 10)},
		"trace_file":    {s.File},
		"trace_mode":    {"triton"},
	}
	if s.Sender != nil {
		o := s.Sender.Options()
		delete(values, "trace_file")
		delete(values, "log_frequency")
		values["trace_mode"] = []string{"opentelemetry"}
		values["url"], values["resource"] = []string{o.URL}, []string{strings.Join(o.Resource, ",")}
		values["bsp_max_export_batch_size"] = []string{strconv.Itoa(o.Batch)}
		values["bsp_schedule_delay"] = []string{strconv.FormatInt(o.Delay.Milliseconds(), 10)}
		values["bsp_max_queue_size"] = []string{strconv.Itoa(o.Queue)}
	}
	return values
}

// Change is the change of a request. nil leaves a value unchanged. A cleared value goes back to the level above: for
// a model the global settings, for the global settings the flags.
type Change struct {
	Level        *Level
	Rate         *uint32
	Count        *int32
	LogFrequency *uint32
	Clear        map[string]bool // by key
}

// Set reads one key of a request; no list clears it. Unknown keys are ignored, and a level that names nothing known, as in Triton.
func (c *Change) Set(key string, values []string) error {
	if key == "trace_file" {
		return infer.Errorf(infer.Unsupported, "trace file location can not be updated through network protocol")
	}
	if values == nil {
		if c.Clear == nil {
			c.Clear = map[string]bool{}
		}
		c.Clear[key] = true
		return nil
	}
	if key == "trace_level" {
		level, err := ParseLevel(values)
		if err == nil && (level != 0 || slices.Contains(values, "OFF")) {
			c.Level = &level
		}
		return err
	}
	return c.setNumber(key, values[0])
}

func (c *Change) setNumber(key, text string) error {
	n, err := parseNumber(key, text)
	if err != nil {
		return err
	}
	switch key {
	case "trace_rate", "log_frequency":
		wrapped := uint32(n) // -1 is the largest, as in Triton
		if key == "trace_rate" {
			c.Rate = &wrapped
		} else {
			c.LogFrequency = &wrapped
		}
	case "trace_count":
		if n < -1 {
			return infer.Errorf(infer.InvalidArg, "Unable to parse 'trace_count'. Expecting value >= -1, got:%s", text)
		}
		count := int32(n)
		c.Count = &count
	}
	return nil
}

// parseNumber reads a number as C++ does: text after the number is ignored.
func parseNumber(key, text string) (int64, error) {
	if key != "trace_rate" && key != "log_frequency" && key != "trace_count" {
		return 0, nil
	}
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	for end < len(digits) && (digits[end] >= '0' && digits[end] <= '9' || end == 0 && strings.ContainsRune("+-", rune(digits[0]))) {
		end++
	}
	n, err := strconv.ParseInt(digits[:end], 10, 64)
	low, high, shown := int64(-1<<31), int64(1<<31-1), -1 // between low and shown a number has another sentence
	if key != "trace_count" {
		high, shown = 1<<32-1, 0 // a smaller value wraps around
	}
	switch {
	case err != nil && (end == 0 || strings.Trim(digits[:end], "+-") == ""):
		return 0, infer.Errorf(infer.InvalidArg, "Unable to parse '%s', got: %s", key, text)
	case err != nil || n < low || n > high:
		return 0, infer.Errorf(infer.InvalidArg, "Unable to parse '%s', value is out of range [ %d, %d ], got: %s", key, shown, high, text)
	}
	return n, nil
}
