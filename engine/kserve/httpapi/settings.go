package httpapi

import (
	"errors"
	"net/http"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// traceSetting returns the trace settings of all models or of one; a POST changes them first
// (docs/triton/tracing.md, "Trace settings").
func (h *handler) traceSetting(c *call) error {
	if h.opts.Tracer == nil {
		return infer.Errorf(infer.Unavailable, "the server does not support tracing")
	}
	if c.model != "" {
		if ready, err := h.svc.ModelReady(c.r.Context(), c.model, infer.Latest); err != nil || !ready {
			return infer.Errorf(infer.InvalidArg, "Request for unknown model : %s", c.model)
		}
	}
	if c.r.Method == http.MethodGet {
		c.json(traceDocument(h.opts.Tracer.Get(c.model)))
		return nil
	}
	change, err := h.readTraceChange(c)
	if err != nil {
		return err
	}
	setting, err := h.opts.Tracer.Update(c.model, change)
	if err != nil {
		return err
	}
	c.json(traceDocument(setting))
	return nil
}

func (h *handler) readTraceChange(c *call) (*tracing.Change, error) {
	doc, err := h.readSettings(c)
	if err != nil {
		return nil, err
	}
	change := &tracing.Change{}
	for _, key := range tracing.Order {
		value, there := doc.Find(key)
		if !there {
			continue
		}
		var values []string
		switch {
		case value.Kind() == jsondoc.Null:
		case key == "trace_file": // no client may change it, whatever it says
			values = []string{""}
		case key == "trace_level":
			values, err = textsOf(value)
		default:
			var text string
			text, err = value.Text()
			values = []string{text}
		}
		if err != nil {
			return nil, infer.Errorf(infer.Internal, "%v", err)
		}
		if err := change.Set(key, values); err != nil {
			return nil, err
		}
	}
	return change, nil
}

func textsOf(list *jsondoc.Value) ([]string, error) {
	if list.Kind() != jsondoc.Array {
		return nil, errors.New("attempt to access JSON non-array as array")
	}
	texts := make([]string, 0, list.Len())
	elements := list.Elements()
	for raw, more := elements.Next(); more && elements.Depth() == 1; raw, more = elements.Next() {
		element, err := jsondoc.Parse(raw)
		if err != nil {
			return nil, err
		}
		text, err := element.Text()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if len(texts) < list.Len() { // there are lists in the list
		return nil, jsondoc.ErrNotString
	}
	return texts, nil
}

func traceDocument(s tracing.Setting) []byte {
	var b jsondoc.Builder
	values := s.Values()
	b.Begin('{')
	for _, key := range s.Names() {
		if key == "trace_level" {
			b.Strings(key, values[key])
		} else {
			b.Member(key, values[key][0])
		}
	}
	b.End('}')
	return b.Bytes
}

// readSettings reads a body that must not be missing.
func (h *handler) readSettings(c *call) (*jsondoc.Value, error) {
	text, err := h.readText(c)
	if err != nil {
		return nil, err
	}
	return c.parse(text)
}

// logSettings returns the log settings; a POST changes them first (docs/triton/tracing.md, "Log
// settings").
func (h *handler) logSettings(c *call) error {
	if h.opts.Log == nil {
		return infer.Errorf(infer.Unavailable, "the server does not support dynamic logging")
	}
	if c.r.Method == http.MethodGet {
		c.json(logDocument(h.opts.Log.Get()))
		return nil
	}
	doc, err := h.readSettings(c)
	if err != nil {
		return err
	}
	change, err := readLogChange(doc)
	if err != nil {
		return err
	}
	setting, err := h.opts.Log.Update(change)
	var format logging.FormatError
	if errors.As(err, &format) {
		return infer.Errorf(infer.Unavailable, "invalid argument for --log_format, got: %s", format.Format)
	}
	c.json(logDocument(setting))
	return nil
}

func readLogChange(doc *jsondoc.Value) (*logging.Change, error) {
	if value, there := doc.Find("log_file"); there && value.Kind() != jsondoc.Null {
		return nil, logging.ErrFile
	}
	change := &logging.Change{}
	for _, flag := range []struct {
		key string
		to  **bool
	}{{"log_info", &change.Info}, {"log_warning", &change.Warning}, {"log_error", &change.Error}} {
		value, there := doc.Find(flag.key)
		if !there || value.Kind() == jsondoc.Null {
			continue
		}
		on, err := value.Bool()
		if err != nil {
			return nil, infer.Errorf(infer.Internal, "%v", err)
		}
		*flag.to = &on
	}
	if value, there := doc.Find("log_verbose_level"); there && value.Kind() != jsondoc.Null {
		n, err := value.Uint()
		if err != nil || value.Kind() != jsondoc.Number {
			return nil, infer.Errorf(infer.Internal, "attempt to access JSON non-unsigned-integer as unsigned-integer")
		}
		level := uint32(n)
		change.Verbose = &level
	}
	if value, there := doc.Find("log_format"); there && value.Kind() != jsondoc.Null {
		text, err := value.Text()
		if err != nil {
			return nil, infer.Errorf(infer.Internal, "%v", err)
		}
		change.Format = &text
	}
	return change, nil
}

func logDocument(s logging.Setting) []byte {
	var b jsondoc.Builder
	b.Begin('{')
	b.Member("log_file", s.File)
	for _, flag := range []struct {
		key string
		on  bool
	}{{"log_info", s.Info}, {"log_warning", s.Warning}, {"log_error", s.Error}} {
		b.Key(flag.key)
		b.Bool(flag.on)
	}
	b.Key("log_verbose_level")
	b.Uint(uint64(s.Verbose))
	b.Member("log_format", string(s.Format))
	b.End('}')
	return b.Bytes
}
