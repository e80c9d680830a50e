package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/prototext"

	"conch/app/language"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/repo/scan"
)

// pipeline is a config of 400 lines, about the largest that people write: an ensemble of five steps with the models
// that its steps use.
func pipeline(others int) (text []byte, models []model) {
	const tensors = 9
	var inner, head, steps strings.Builder
	inner.WriteString("backend: \"python\"\nmax_batch_size: 8\n")
	head.WriteString("# the whole pipeline\nplatform: \"ensemble\"\nmax_batch_size: 8\n")
	for i := range tensors {
		fmt.Fprintf(&inner, "input [ { name: \"in%d\" data_type: TYPE_FP32 dims: [ 4 ] } ]\noutput [ { name: \"out%d\" data_type: TYPE_FP32 dims: [ 4 ] } ]\n", i, i)
		fmt.Fprintf(&head, "input [ {\n  name: \"t0_%d\" # tensor\n  data_type: TYPE_FP32\n  dims: [ 4 ]\n} ]\noutput [ { name: \"t5_%d\" data_type: TYPE_FP32 dims: [ 4 ] } ]\n", i, i)
	}
	for s := range 5 {
		fmt.Fprintf(&steps, "  step {\n    model_name: \"m%d\"\n    model_version: -1\n", s)
		for i := range tensors {
			fmt.Fprintf(&steps, "    input_map {\n      key: \"in%d\" value: \"t%d_%d\"\n    }\n    output_map {\n      key: \"out%d\" value: \"t%d_%d\"\n    }\n", i, s, i, i, s+1, i)
		}
		fmt.Fprintf(&steps, "  }\n")
	}
	text = []byte(head.String() + "ensemble_scheduling {\n" + steps.String() + "}\n")
	for i := range others {
		models = append(models, model{name: fmt.Sprint("m", i), config: inner.String()})
	}
	lines := bytes.Count(text, []byte{'\n'})
	text = append(text, bytes.Repeat([]byte("# a remark\n"), max(400-lines, 0))...)
	return text, append(models, model{name: "pipeline", config: string(text)})
}

func measureLanguage(context.Context, bench) error {
	return inTemp(func(dir string) error {
		text, models := pipeline(1000)
		if err := write(dir, models...); err != nil {
			return err
		}
		for _, m := range models[:1000] {
			if err := writeFile(dir, m.name+"/1/model.py", "class TritonPythonModel: pass\n"); err != nil {
				return err
			}
		}
		if err := checkTimes(language.New(scan.New(dir).Scan(nil), nil, language.Around{}), text); err != nil {
			return err
		}
		return parseTimes(text)
	})
}

// checkTimes are what the editor waits for.
func checkTimes(analysis *language.Analysis, text []byte) error {
	judge := func(text []byte) error {
		with, m := analysis.With("pipeline", text)
		if list := with.Diagnose(m); diag.HasErrors(list) {
			return fmt.Errorf("the config is wrong: %s", list[0].Message)
		}
		return nil
	}
	first, err := took(101, func() error { return judge(text) })
	if err != nil {
		return err
	}
	most("parse and check", first, 3*time.Millisecond, ms)
	at := bytes.Index(text, []byte("# a remark"))
	keystroke := 0
	again, err := took(101, func() error {
		keystroke++
		typed := append(bytes.Clone(text[:at]), fmt.Sprintf("# %d", keystroke)...)
		return judge(append(typed, text[at:]...))
	})
	if err != nil {
		return err
	}
	most("check again after a key", again, time.Millisecond, us)
	return nil
}

// parseTimes compares with the library that Go has for this language, which keeps neither bytes nor places.
func parseTimes(text []byte) error {
	p, err := inTurn(201, func() error {
		_, list := modelconfig.Parse("config.pbtxt", text)
		if diag.HasErrors(list) {
			return fmt.Errorf("parse: %s", list[0].Message)
		}
		return nil
	}, func() error { return prototext.Unmarshal(text, &modelconfig.ModelConfig{}) })
	if err != nil {
		return err
	}
	least("parse, speed of prototext.Unmarshal = 1", 1/p.quotient, 0.5, ratio, us(p.ours)+" and "+us(p.peer))
	return nil
}
