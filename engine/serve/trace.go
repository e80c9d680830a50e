package serve

import (
	"fmt"
	"strings"

	"conch/engine/kserve/tracing"
)

// tracing reads --trace-config: settings of all models from the start (docs/triton/flags.md, "Logs,
// traces, metrics").
func (f *Flags) tracing() (tracing.Setting, error) {
	s := tracing.Defaults
	var levels []string
	change := &tracing.Change{}
	for _, setting := range f.TraceConfig {
		mode, rest, named := strings.Cut(setting, ",")
		if !named {
			mode, rest = "", setting
		}
		key, value, ok := strings.Cut(rest, "=")
		if !ok {
			return s, fmt.Errorf("--trace-config option format is '[<mode>,]<setting>=<value>'. Got %s", setting)
		}
		if mode == "opentelemetry" || key == "mode" && value == "opentelemetry" {
			return s, fmt.Errorf("--trace-config %s: traces are written to files only; leave it out for mode triton", setting)
		}
		var err error
		switch mode + "," + key {
		case ",mode":
			if value != "triton" {
				err = fmt.Errorf("invalid value for trace mode option: %s. Use triton", value)
			}
		case ",level":
			if levels = append(levels, value); value != "OFF" {
				err = knownLevel(value)
			}
		case ",rate", ",count":
			err = change.Set("trace_"+key, []string{value})
		case "triton,log-frequency":
			err = change.Set("log_frequency", []string{value})
		case "triton,file":
			s.File = value
		default:
			err = fmt.Errorf("there is no such setting; there are rate, level, count, mode, triton,file and triton,log-frequency")
		}
		if err != nil {
			return s, fmt.Errorf("--trace-config %s: %w", setting, err)
		}
	}
	return traceSetting(s, levels, change)
}

// knownLevel refuses a level that no trace has. A client's unknown levels are ignored, as in Triton.
func knownLevel(name string) error {
	if level, err := tracing.ParseLevel([]string{name}); err != nil || level != 0 {
		return err
	}
	return fmt.Errorf("invalid value for trace level option: %s. Use OFF, TIMESTAMPS or TENSORS", name)
}

func traceSetting(s tracing.Setting, levels []string, change *tracing.Change) (tracing.Setting, error) {
	var err error
	if s.Level, err = tracing.ParseLevel(levels); err != nil {
		return s, fmt.Errorf("--trace-config: %w", err)
	}
	if change.Rate != nil {
		s.Rate = *change.Rate
	}
	if change.Count != nil {
		s.Count = *change.Count
	}
	if change.LogFrequency != nil {
		s.LogFrequency = *change.LogFrequency
	}
	if s.Level != 0 && s.File == "" {
		return s, fmt.Errorf("--trace-config: traces need a file: give triton,file=FILE too")
	}
	return s, nil
}
