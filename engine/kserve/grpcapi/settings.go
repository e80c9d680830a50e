package grpcapi

import (
	"context"
	"errors"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// TraceSetting changes the trace settings that the request names, for all models or for one, and
// returns all settings (docs/triton/tracing.md, "Trace settings").
func (s *server) TraceSetting(ctx context.Context, req *kservepb.TraceSettingRequest) (*kservepb.TraceSettingResponse, error) {
	if s.opts.Tracer == nil {
		return nil, statusOf(infer.Errorf(infer.Unavailable, "the server does not support tracing"))
	}
	model := req.GetModelName()
	if model != "" {
		if ready, err := s.svc.ModelReady(ctx, model, infer.Latest); err != nil || !ready {
			return nil, statusOf(infer.Errorf(infer.InvalidArg, "Request for unknown model : %s", model))
		}
	}
	setting := s.opts.Tracer.Get(model)
	if len(req.GetSettings()) > 0 {
		change, err := traceChange(req.GetSettings())
		if err == nil {
			setting, err = s.opts.Tracer.Update(model, change)
		}
		if err != nil {
			return nil, statusOf(err)
		}
	}
	resp := &kservepb.TraceSettingResponse{Settings: map[string]*kservepb.TraceSettingResponse_SettingValue{}}
	for key, values := range setting.Values() {
		resp.Settings[key] = &kservepb.TraceSettingResponse_SettingValue{Value: values}
	}
	return resp, nil
}

func traceChange(settings map[string]*kservepb.TraceSettingRequest_SettingValue) (*tracing.Change, error) {
	change := &tracing.Change{}
	for _, key := range tracing.Order {
		setting, there := settings[key]
		if !there {
			continue
		}
		values := setting.GetValue()
		if key != "trace_file" && key != "trace_level" && len(values) > 1 {
			return nil, infer.Errorf(infer.InvalidArg, "expect only 1 value for '%s'", key)
		}
		if err := change.Set(key, values); err != nil {
			return nil, err
		}
	}
	return change, nil
}

// LogSettings changes the log settings that the request names and returns all settings
// (docs/triton/tracing.md, "Log settings").
func (s *server) LogSettings(_ context.Context, req *kservepb.LogSettingsRequest) (*kservepb.LogSettingsResponse, error) {
	if s.opts.Log == nil {
		return nil, statusOf(infer.Errorf(infer.Unavailable, "the server does not support dynamic logging"))
	}
	change, err := logChange(req.GetSettings())
	if err != nil {
		return nil, statusOf(err)
	}
	setting, err := s.opts.Log.Update(change)
	var format logging.FormatError
	if errors.As(err, &format) {
		return nil, statusOf(infer.Errorf(infer.InvalidArg, "invalid argument for log_format, got: %s", format.Format))
	}
	return &kservepb.LogSettingsResponse{Settings: map[string]*kservepb.LogSettingsResponse_SettingValue{
		"log_file": logText(setting.File), "log_format": logText(string(setting.Format)),
		"log_info": logFlag(setting.Info), "log_warning": logFlag(setting.Warning), "log_error": logFlag(setting.Error),
		"log_verbose_level": {ParameterChoice: &kservepb.LogSettingsResponse_SettingValue_Uint32Param{Uint32Param: setting.Verbose}},
	}}, nil
}

func logText(text string) *kservepb.LogSettingsResponse_SettingValue {
	return &kservepb.LogSettingsResponse_SettingValue{ParameterChoice: &kservepb.LogSettingsResponse_SettingValue_StringParam{StringParam: text}}
}

func logFlag(on bool) *kservepb.LogSettingsResponse_SettingValue {
	return &kservepb.LogSettingsResponse_SettingValue{ParameterChoice: &kservepb.LogSettingsResponse_SettingValue_BoolParam{BoolParam: on}}
}

// logChange reads the settings of a request. It ignores unknown keys. A key without a value is a value of the wrong kind,
// as in Triton.
func logChange(settings map[string]*kservepb.LogSettingsRequest_SettingValue) (*logging.Change, error) {
	change := &logging.Change{}
	for _, key := range kserve.SortedKeys(settings) {
		if err := setLog(change, key, settings[key]); err != nil {
			return nil, err
		}
	}
	return change, nil
}

func setLog(change *logging.Change, key string, value *kservepb.LogSettingsRequest_SettingValue) error {
	switch key {
	case "log_info":
		return setFlag(&change.Info, key, value)
	case "log_warning":
		return setFlag(&change.Warning, key, value)
	case "log_error":
		return setFlag(&change.Error, key, value)
	case "log_file":
		return logging.ErrFile
	case "log_verbose_level":
		level, ok := value.GetParameterChoice().(*kservepb.LogSettingsRequest_SettingValue_Uint32Param)
		if !ok {
			return infer.Errorf(infer.InvalidArg, "expect int32 for '%s'", key)
		}
		change.Verbose = &level.Uint32Param
	case "log_format":
		format, ok := value.GetParameterChoice().(*kservepb.LogSettingsRequest_SettingValue_StringParam)
		if !ok {
			return infer.Errorf(infer.InvalidArg, "expect string for '%s'", key)
		}
		change.Format = &format.StringParam
	}
	return nil
}

func setFlag(to **bool, key string, value *kservepb.LogSettingsRequest_SettingValue) error {
	flag, ok := value.GetParameterChoice().(*kservepb.LogSettingsRequest_SettingValue_BoolParam)
	if !ok {
		return infer.Errorf(infer.InvalidArg, "expect boolean for '%s'", key)
	}
	*to = &flag.BoolParam
	return nil
}
