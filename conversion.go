package main

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/conversion"
	"conch/app/visible"
	"conch/engine/convert"
	"conch/engine/userdir"
)

// conversionCommand is `conch conversion`, which the workbench and `conch convert` start: the process that opens models and libraries of others.
type conversionCommand struct {
	Tools   conversionTools   `cmd:"" hidden:"" help:"Say which tools are here, as JSON."`
	Install conversionInstall `cmd:"" hidden:"" help:"Install the tools and print events."`
	Run     conversionRun     `cmd:"" hidden:"" help:"Do the order in a folder and print events."`
}

// converter returns the tools of this user.
func converter(log *slog.Logger) *convert.Tools {
	tools := &convert.Tools{Dir: filepath.Join(userdir.Installed(), "python"), Log: log}
	tools.Open()
	return tools
}

// conversionTools is `conch conversion tools`.
type conversionTools struct{}

// Run prints which tools there are.
func (c *conversionTools) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	tools := converter(nil)
	defer tools.Close()
	out := &api.DescribeConversionResponse{Packages: convert.Packages(), Weight: convert.Weight, MostProfiles: convert.MostProfiles}
	if _, err := tools.Python(ctx); err != nil {
		out.Lacks = err.Error()
	} else {
		out.Installed = true
	}
	_, version, err := tools.Builder(ctx)
	if err != nil {
		out.NoTensorrt = err.Error()
	}
	out.Tensorrt = version
	return printMessage(out)
}

// conversionInstall is `conch conversion install`.
type conversionInstall struct{ parentPipe }

// Run installs the tools.
func (c *conversionInstall) Run(ctx context.Context) error {
	ctx, stop := c.untilEnd(ctx)
	defer stop()
	tools := converter(slog.New(slog.NewTextHandler(eventLog{}, nil)))
	defer tools.Close()
	return tools.Install(ctx, func(text string) { tellEvent(&api.ConversionEvent{Step: text}) })
}

// eventLog makes events of what tools print. Only the message of a line is passed on.
type eventLog struct{}

// Write takes a line.
func (eventLog) Write(line []byte) (int, error) {
	_, text, found := strings.Cut(string(line), " msg=")
	if found {
		tellEvent(&api.ConversionEvent{Log: strings.Trim(strings.TrimSpace(text), `"`)})
	}
	return len(line), nil
}

// conversionRun is `conch conversion run`.
type conversionRun struct {
	parentPipe
	Dir string `arg:"" help:"The folder with the order."`
}

// Run does the order.
func (c *conversionRun) Run(ctx context.Context) error {
	ctx, stop := c.untilEnd(ctx)
	defer stop()
	raw, err := os.ReadFile(filepath.Join(c.Dir, conversion.OrderFile))
	if err != nil {
		return err
	}
	order := &api.ConversionOrder{}
	if err := proto.Unmarshal(raw, order); err != nil {
		return err
	}
	dir := filepath.Join(c.Dir, conversion.WorkFolder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	tools := converter(nil)
	defer tools.Close()
	report, err := tools.Run(ctx, jobOf(order), dir, func(e convert.Event) {
		tellEvent(&api.ConversionEvent{Step: e.Step, Done: uint32(max(e.Done, 0)), Of: uint32(max(e.Of, 0)), Log: visible.Line(e.Log)})
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped: nothing was made")
	}
	if err != nil {
		return err
	}
	return printMessage(&api.ConversionEvent{Report: reportMessage(report)})
}

// tellEvent prints an event. Who reads it may be gone; then the conversion is being stopped.
func tellEvent(e *api.ConversionEvent) { _ = printMessage(e) }

func printMessage(m proto.Message) error {
	text, err := protojson.Marshal(m)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}

// jobOf turns the order of the workbench to that of the engine's tools.
func jobOf(o *api.ConversionOrder) convert.Job {
	j := convert.Job{Target: convert.Target(o.Target), Model: o.File, Name: o.Name, Keep: o.Keep, Dynamic: o.Dynamic}
	for _, r := range o.Requests {
		var request convert.Request
		for _, in := range r.Inputs {
			request = append(request, convert.Input{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape, Raw: in.GetRaw()})
		}
		j.Requests = append(j.Requests, request)
	}
	if o.Plan != nil {
		j.Plan = &convert.Plan{Precision: o.Plan.Precision, Workspace: int64(min(o.Plan.Workspace, math.MaxInt64)), Device: int(o.Plan.Gpu)}
		for _, p := range o.Plan.Profiles {
			profile := map[string]convert.Range{}
			for _, r := range p.Ranges {
				profile[r.Input] = convert.Range{r.Least, r.Best, r.Largest}
			}
			j.Plan.Profiles = append(j.Plan.Profiles, profile)
		}
	}
	return j
}

// reportMessage is a report as the workbench gets it.
func reportMessage(r *convert.Report) *api.ConversionReport {
	out := &api.ConversionReport{
		Requests: uint32(r.Requests), Runs: uint32(r.Runs),
		BeforeMs: r.Before.Median, BeforeLowMs: r.Before.Low, BeforeHighMs: r.Before.High,
		AfterMs: r.After.Median, AfterLowMs: r.After.Low, AfterHighMs: r.After.High,
		BeforeBytes: uint64(r.BytesBefore), AfterBytes: uint64(r.BytesAfter), Notes: r.Notes, Tool: r.Tool,
		Profiles: uint32(r.Profiles), LargestBatch: r.LargestBatch, Gpus: r.GPUs,
	}
	for _, o := range r.Outputs {
		entry := apimessage.Agreement(o.Difference)
		entry.Name, entry.Datatype, entry.Trouble = o.Name, o.Datatype, o.Trouble
		out.Outputs = append(out.Outputs, entry)
	}
	for _, t := range r.Tensors {
		out.Tensors = append(out.Tensors, &api.ConvertedTensor{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape, Input: t.Input})
	}
	return out
}
