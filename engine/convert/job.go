package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"conch/configedit/modelfile"
)

// Target is what a model becomes.
type Target string

// The targets.
const (
	FP16     Target = "fp16"
	INT8     Target = "int8"
	TensorRT Target = "tensorrt"
)

// Job is a conversion.
type Job struct {
	Target Target `json:"to"`
	// Model is the file of the model.
	Model string `json:"model"`
	// Name is the name of the new file.
	Name string `json:"name"`
	// Requests are what both models are tried with, and what INT8 is calibrated on.
	Requests []Request `json:"-"`
	// Keep are types of operators that stay in FP32: "Softmax".
	Keep []string `json:"keep,omitempty"`
	// Dynamic turns the weights to INT8 without calibrating on the requests.
	Dynamic bool `json:"dynamic,omitempty"`
	// Seconds is how long the times of both models are taken.
	Seconds float64 `json:"seconds"`
	// Plan is how TensorRT builds.
	Plan *Plan `json:"plan,omitempty"`
}

// Plan is how TensorRT builds a plan.
type Plan struct {
	// Precision is fp32, tf32, fp16 or bf16: the lowest that TensorRT may choose for a layer.
	Precision string `json:"precision"`
	// Workspace is the memory of the GPU that a layer may use while it works; 0 for all.
	Workspace int64 `json:"workspace,omitempty"`
	// Profiles are the shapes that inputs may have, by their names; at most MostProfiles. TensorRT numbers them from 0.
	Profiles []map[string]Range `json:"profiles,omitempty"`
	// Device is the number of the GPU.
	Device int `json:"device,omitempty"`
}

// Range is the least, the best and the largest shape of an input in a profile.
type Range [3][]int64

// Request is the inputs of a request.
type Request []Input

// Input is a tensor of a request.
type Input struct {
	Name     string
	Datatype string // as the inference protocol names it: "FP32"
	Shape    []int64
	Raw      []byte // little-endian, in row-major order
}

// placed is an input as the worker gets it.
type placed struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
	File     string  `json:"file"`
}

const (
	defaultSeconds = 3
	// mostRequests bounds how many requests are tried: they are read into memory.
	mostRequests = 256
	// MostProfiles bounds the profiles of a plan: TensorRT tunes each of them, and each takes memory of the GPU that serves.
	MostProfiles = 16
	jobFile      = "job.json"
	// Made is the folder of what was made, in that of the job.
	Made = "made"
)

// write writes the job into its folder.
func (j Job) write(dir string, more map[string]any) error {
	if len(j.Requests) > mostRequests {
		return fmt.Errorf("%d requests are more than the %d that a conversion takes", len(j.Requests), mostRequests)
	}
	if j.Seconds <= 0 {
		j.Seconds = defaultSeconds
	}
	list := make([][]placed, len(j.Requests))
	for n, request := range j.Requests {
		list[n] = []placed{} // one of a model without inputs is empty
		for i, in := range request {
			file := "request-" + strconv.Itoa(n) + "-" + strconv.Itoa(i)
			if err := os.WriteFile(filepath.Join(dir, file), in.Raw, 0o600); err != nil {
				return err
			}
			list[n] = append(list[n], placed{in.Name, in.Datatype, in.Shape, file})
		}
	}
	whole := struct {
		Job
		Requests [][]placed     `json:"requests"`
		More     map[string]any `json:"more,omitempty"`
	}{j, list, more}
	text, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, jobFile), text, 0o600)
}

// check refuses a job that cannot be done.
func (j Job) check() error {
	switch j.Target {
	case FP16, INT8:
	case TensorRT:
		if j.Plan == nil {
			return errors.New("say how TensorRT builds the plan: a precision, and profiles where shapes vary")
		}
		if n := len(j.Plan.Profiles); n > MostProfiles {
			return fmt.Errorf("%d profiles are more than the %d that a plan is built with", n, MostProfiles)
		}
	default:
		return fmt.Errorf("'%s' is nothing that a model can be turned to: say fp16, int8 or tensorrt", j.Target)
	}
	info, err := os.Stat(j.Model)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s", j.Model)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file: only models that are one ONNX file are converted", j.Model)
	}
	return j.checkWeights()
}

// checkWeights refuses a model whose weights lie elsewhere than in its folder, also behind links: they would become a part of the new model. Of the
// tools, newer versions alone refuse that. What cannot be read here is left to them.
func (j Job) checkWeights() error {
	files := modelfile.ExternalFiles(j.Model)
	if len(files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(j.Model))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, name := range files {
		if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // it does not leave its folder
			return fmt.Errorf("%s has weights in %q, which is not a file in its folder, so they are not read: put them beside the model (%w)", j.Model, name, err)
		}
	}
	return nil
}
