package serve

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Arguments returns the arguments of `conch serve` with those that only tritonserver takes written as Conch has them
// (docs/triton/flags.md, "How flags are written"): the value of a boolean as an argument of its own, modes in any case, old
// flags of traces and completion, and flags that ask for nothing.
func Arguments(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		name, value, given := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "--") {
			out = append(out, args[i])
			continue
		}
		name = name[2:]
		if !given && i+1 < len(args) && takesNext(name, args[i+1]) {
			i++
			value, given = args[i], true
		}
		switch {
		case !given:
			out = append(out, args[i])
		default:
			out = append(out, translated(name, value)...)
		}
	}
	return out
}

// takesNext reports whether the argument behind a flag is its value although Conch's own parser would not take it. A boolean flag takes
// a value that is neither true nor false, too: `conch serve` has no other arguments, and the error then names the flag.
func takesNext(name, next string) bool {
	_, old := oldFlags[name]
	return !strings.HasPrefix(next, "-") && slices.Contains(booleans(), name) ||
		!strings.HasPrefix(next, "--") && (old || slices.Contains(anyCase, name))
}

// truths are the values that tritonserver takes for a boolean, in any case.
var truths = map[string]bool{"true": true, "1": true, "on": true, "false": false, "0": false, "off": false}

// anyCase are the flags whose values may be written in any case.
var anyCase = []string{"model-control-mode", "rate-limit", "grpc-infer-response-compression-level"}

// oldFlags are flags that tritonserver still takes, with what they mean today. For a flag that asks for nothing that is
// nothing; the flag itself is kept when it asks for something.
var oldFlags = map[string]func(value string) []string{
	"trace-file":          func(v string) []string { return []string{"--trace-config=triton,file=" + v} },
	"trace-level":         func(v string) []string { return []string{"--trace-config=level=" + v} },
	"trace-rate":          func(v string) []string { return []string{"--trace-config=rate=" + v} },
	"trace-count":         func(v string) []string { return []string{"--trace-config=count=" + v} },
	"trace-log-frequency": func(v string) []string { return []string{"--trace-config=triton,log-frequency=" + v} },
	"strict-model-config": wish("strict-model-config", "--disable-auto-complete-config"),
	"allow-sagemaker":     wish("allow-sagemaker", "--allow-sagemaker=true"),
	"allow-vertex-ai":     wish("allow-vertex-ai", "--allow-vertex-ai=true"),
	"reuse-http-port":     wish("reuse-http-port", "--reuse-http-port=true"),
	"reuse-grpc-port":     wish("reuse-grpc-port", "--reuse-grpc-port=true"),

	// The endpoints themselves are switched on by flags of their own.
	"sagemaker-port":            nothing,
	"sagemaker-safe-port-range": nothing,
	"sagemaker-thread-count":    nothing,
	"vertex-ai-port":            nothing,
	"vertex-ai-thread-count":    nothing,
	"vertex-ai-default-model":   nothing,

	"log-verbose": verbosity,

	// The server sends pings without a limit, which is 0; 2, Triton's default, bounds what nobody notices.
	"grpc-http2-max-pings-without-data": only("grpc-http2-max-pings-without-data", "0", "2"),
	"grpc-http2-max-ping-strikes":       only("grpc-http2-max-ping-strikes", "2"),
}

func nothing(string) []string { return nil }

// verbosity returns the meaning of --log-verbose, which was a boolean once.
func verbosity(value string) []string {
	switch strings.ToLower(value) {
	case "true":
		value = "1"
	case "false":
		value = "0"
	}
	return []string{"--log-verbose=" + value}
}

// only returns the meaning of a flag that can have no other values than those, which ask for nothing.
func only(name string, values ...string) func(string) []string {
	return func(given string) []string {
		if slices.Contains(values, given) {
			return nil
		}
		return []string{"--" + name + "=" + given}
	}
}

// wish returns the meaning of a boolean flag: nothing when it is off.
func wish(name, when string) func(value string) []string {
	return func(value string) []string {
		on, known := truths[strings.ToLower(value)]
		switch {
		case !known:
			return []string{"--" + name + "=" + value}
		case on:
			return []string{when}
		}
		return nil
	}
}

func translated(name, value string) []string {
	if old, is := oldFlags[name]; is {
		return old(value)
	}
	lower := strings.ToLower(value)
	if on, truth := truths[lower]; truth && slices.Contains(booleans(), name) {
		value = map[bool]string{true: "true", false: "false"}[on]
	} else if slices.Contains(anyCase, name) {
		value = lower
	}
	return []string{"--" + name + "=" + value}
}

// booleans lists the names of the boolean flags.
var booleans = sync.OnceValue(func() []string { return booleansOf(reflect.TypeFor[Flags](), "") })

func booleansOf(t reflect.Type, prefix string) (names []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		switch field.Type.Kind() {
		case reflect.Bool:
			names = append(names, prefix+field.Tag.Get("name"))
		case reflect.Struct:
			names = append(names, booleansOf(field.Type, prefix+field.Tag.Get("prefix"))...)
		}
	}
	return names
}
