package convert

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"conch/engine/agreement"
)

// Report is what came of a job.
type Report struct {
	Files []File
	// Notes are sentences that people should know.
	Notes []string
	// Tool is what the times were taken with: "onnxruntime 1.30.0".
	Tool string
	// Requests is how many requests were run on both models.
	Requests int
	Outputs  []Output
	// Before and After are the times of a request, of so many runs each.
	Before, After Time
	Runs          int
	// BytesBefore and BytesAfter are the sizes of the models, with the files beside them.
	BytesBefore, BytesAfter int64
	// Tensors are those of a plan, for the config of its model.
	Tensors []Tensor
	// Profiles is how many optimization profiles a plan has. LargestBatch is the largest batch that one of them takes; 0 where an input has no
	// dimension.
	Profiles     int
	LargestBatch int64
	// GPUs are those of this machine that run the plan, by their numbers; none where all do.
	GPUs []int32
}

// Time is how long a request takes, in milliseconds. Low and High are the quartiles around the median, without what sets requests apart; 0 of too few runs.
type Time struct {
	Median float64 `json:"median"` // 0 when there was no run
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// File is a file of the new model.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Output is how an output agrees over all requests.
type Output struct {
	Name, Datatype string
	Difference     agreement.Difference
	// Trouble says why it was not compared; "" when it was.
	Trouble string
}

// Tensor is an input or output of a plan.
type Tensor struct {
	Name     string  `json:"name"`
	Input    bool    `json:"input"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// made is what the worker says at the end.
type made struct {
	Files        []File   `json:"files"`
	Notes        []string `json:"notes"`
	Tool         string   `json:"tool"`
	Tensors      []Tensor `json:"tensors"`
	Profiles     int      `json:"profiles"`
	LargestBatch int64    `json:"largest_batch"`
	GPUs         []int32  `json:"gpus"`
	Results      []result `json:"results"`
	Times        struct {
		Before Time `json:"before"`
		After  Time `json:"after"`
		Runs   int  `json:"runs"`
	} `json:"times"`
}

// result is the outputs of both models to one request.
type result struct {
	Before []placed `json:"before"`
	After  []placed `json:"after"`
}

// report compares the outputs, which lie in the folder of the job.
func (m made) report(dir string) (*Report, error) {
	r := &Report{
		Files: m.Files, Notes: m.Notes, Tool: m.Tool, Tensors: m.Tensors, Requests: len(m.Results),
		Profiles: m.Profiles, LargestBatch: m.LargestBatch, GPUs: m.GPUs,
		Before: m.Times.Before, After: m.Times.After, Runs: m.Times.Runs,
	}
	for _, f := range m.Files {
		r.BytesAfter += f.Bytes
	}
	for _, one := range m.Results {
		for _, before := range one.Before {
			if err := r.compare(dir, before, one.After); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// compare compares an output of a request with that of the new model.
func (r *Report) compare(dir string, before placed, list []placed) error {
	at := slices.IndexFunc(r.Outputs, func(o Output) bool { return o.Name == before.Name })
	if at < 0 {
		at = len(r.Outputs)
		r.Outputs = append(r.Outputs, Output{Name: before.Name, Datatype: before.Datatype})
	}
	out := &r.Outputs[at]
	i := slices.IndexFunc(list, func(p placed) bool { return p.Name == before.Name })
	if i < 0 {
		out.Trouble = "the new model does not answer it"
		return nil
	}
	a, err := before.tensor(dir)
	if err != nil {
		return err
	}
	b, err := list[i].tensor(dir)
	if err != nil {
		return err
	}
	d, err := agreement.Compare(a, b)
	if err != nil {
		out.Trouble = err.Error()
		return nil
	}
	out.Difference.Add(d)
	return nil
}

// tensor reads an output. Only files in the folder of the job are read.
func (p placed) tensor(dir string) (agreement.Tensor, error) {
	t := agreement.Tensor{Datatype: p.Datatype, Shape: p.Shape}
	if p.File == "" {
		return t, nil
	}
	if !filepath.IsLocal(p.File) {
		return t, errors.New("the worker names a file elsewhere")
	}
	raw, err := os.ReadFile(filepath.Join(dir, p.File))
	if err != nil {
		return t, fmt.Errorf("read output '%s': %w", p.Name, err)
	}
	t.Raw = raw
	return t, nil
}
