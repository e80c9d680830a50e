package serve

import (
	"fmt"
	"log/slog"
	"strings"

	"conch/engine/kserve/tracing"
	"conch/engine/kserve/tracing/spans"
)

// tracing reads --trace-config: settings of all models from the start (docs/triton/flags.md, "Logs,
// traces, metrics").
func (f *Flags) tracing(log *slog.Logger) (tracing.Setting, error) {
	s := tracing.Defaults
	var levels []string
	change, collector := &tracing.Change{}, collector{options: spans.Defaults}
	for _, setting := range f.TraceConfig {
		mode, rest, named := strings.Cut(setting, ",")
		if !named {
			mode, rest = "", setting
		}
		key, value, ok := strings.Cut(rest, "=")
		if !ok {
			return s, fmt.Errorf("--trace-config option format is '[<mode>,]<setting>=<value>'. Got %s", setting)
		}
		if mode == openTelemetry {
			if err := collector.set(key, value); err != nil {
				return s, fmt.Errorf("--trace-config %s: %w", setting, err)
			}
			continue
		}
		var err error
		switch mode + "," + key {
		case ",mode":
			switch strings.ToLower(value) {
			case "triton":
				collector.used = false
			case openTelemetry:
				collector.used = true
			default:
				err = fmt.Errorf("invalid value for trace mode option: %s. Use triton or opentelemetry", value)
			}
		case ",level":
			value = levelName(value)
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
			err = fmt.Errorf("there is no such setting; there are rate, level, count, mode, triton,file, triton,log-frequency and opentelemetry,…")
		}
		if err != nil {
			return s, fmt.Errorf("--trace-config %s: %w", setting, err)
		}
	}
	return traceSetting(s, levels, change, collector, log)
}

// knownLevel refuses a level that no trace has. A client's unknown levels are ignored, as in Triton.
func knownLevel(name string) error {
	if level, err := tracing.ParseLevel([]string{name}); err != nil || level != 0 {
		return err
	}
	return fmt.Errorf("invalid value for trace level option: %s. Use OFF, TIMESTAMPS or TENSORS", name)
}

func traceSetting(s tracing.Setting, levels []string, change *tracing.Change, c collector, log *slog.Logger) (tracing.Setting, error) {
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
	if c.used {
		if s.Sender, err = spans.New(c.options, log); err != nil {
			return s, fmt.Errorf("--trace-config opentelemetry,url: %w", err)
		}
		return s, nil
	}
	if s.Level != 0 && s.File == "" {
		return s, fmt.Errorf("--trace-config: traces need a file: give triton,file=FILE too")
	}
	return s, nil
}
