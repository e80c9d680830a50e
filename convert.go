package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/language"
	"conch/app/runtimecmd"
	"conch/app/timetext"
	"conch/app/upload"
	"conch/app/visible"
	"conch/configedit/bytesize"
	"conch/engine/convert"
	"conch/engine/userdir"
	"conch/repo/scan"
	"conch/repo/write"
)

// convertCommand is `conch convert`.
type convertCommand struct {
	Model     string   `arg:"" help:"The folder of an ONNX model."`
	To        string   `required:"" placeholder:"WHAT" enum:"fp16,int8,tensorrt" help:"What it becomes: ${enum}."`
	Version   int64    `name:"model-version" placeholder:"N" help:"The version to convert. Default: the newest; for FP16 and INT8 the newest that is neither."`
	Requests  []string `sep:"none" placeholder:"FILE" help:"Requests to try both models with, as JSON of the inference protocol: one, or a list. Repeat it for more files."`
	Random    int      `placeholder:"N" help:"Try both models with N requests of random values too, at most 64: of the model's types and shapes, 1 where a size varies. They are not your data."`
	NoHistory bool     `help:"Leave out the requests that the workbench has sent to this model."`
	Dynamic   bool     `help:"INT8 without calibration on the requests."`
	Keep      []string `placeholder:"OPERATOR" help:"Types of operators that stay in FP32, such as Softmax."`
	Yes       bool     `short:"y" help:"Do not ask: download what is missing, and write the new version."`

	Precision string   `placeholder:"WHAT" enum:",fp32,tf32,fp16,bf16" default:"" help:"Of a plan: the lowest precision that TensorRT may choose: fp32, tf32, fp16 or bf16. Default: fp16."`
	Range     []string `sep:"none" placeholder:"INPUT:LEAST,BEST,LARGEST" help:"Of a plan: the shapes of an input whose sizes vary, such as image:1x64,8x64,32x64. Repeat it for more inputs, and for more profiles: the ranges of an input belong to profiles 0, 1 and so on, and a single one belongs to all."`
	Workspace uint64   `placeholder:"MIB" help:"Of a plan: the memory of the GPU that a layer may use while it works. Default: all."`
	GPU       uint32   `name:"gpu" placeholder:"N" help:"Of a plan: the number of the GPU that builds it and tries it. A plan runs only on GPUs like that one. Default: 0."`
	As        string   `placeholder:"NAME" help:"Of a plan: the name of its model. Default: MODEL_trt."`

	in  io.Reader // the answers of a test; nil for the terminal's
	out io.Writer // where a test reads; nil for stdout
}

// Run converts, shows what came of it, and writes it when somebody says so.
func (c *convertCommand) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	c.usual()
	order, err := c.order(ctx)
	if err != nil {
		return err
	}
	data := userdir.Data()
	jobs := &conversion.Jobs{Dir: filepath.Join(data, "conversions"), Stages: func(root string) write.Waiting { return upload.Waiting(data, root) }}
	defer func() { _ = jobs.Close() }()
	if err := c.install(ctx, jobs.Program); err != nil {
		return err
	}
	result, err := jobs.Run(ctx, order, c.tell)
	if ctx.Err() != nil {
		return errors.New("stopped: nothing was made")
	}
	if err != nil {
		return err
	}
	if err := printReport(c.out, result.Report); err != nil {
		return err
	}
	return c.write(ctx, jobs, result)
}

// write writes the result as what people are told. Where a version came meanwhile, they are told again.
func (c *convertCommand) write(ctx context.Context, jobs *conversion.Jobs, result *conversion.Result) error {
	for {
		report, err := result.Now()
		if err != nil {
			return err
		}
		if !c.asked(ctx, fmt.Sprintf("Write %s?", visible.Line(report.Becomes))) {
			return errors.New("nothing was written: repeat the command with --yes to write it")
		}
		written, err := jobs.Write(result.ID, report.Version)
		if errors.Is(err, conversion.ErrMoved) {
			fmt.Fprintf(os.Stderr, "conch convert: %s\n", visible.Line(err.Error()))
			continue
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "written: %s\n", visible.Line(written.Dir))
		return err
	}
}

func (c *convertCommand) usual() {
	if c.in == nil {
		c.in = os.Stdin
	}
	if c.out == nil {
		c.out = os.Stdout
	}
	c.in = bufio.NewReader(c.in)
}

// order says what the command line asks for.
func (c *convertCommand) order(ctx context.Context) (o conversion.Order, err error) {
	if err := c.misplaced(); err != nil {
		return o, err
	}
	dir, err := filepath.Abs(c.Model)
	if err != nil {
		return o, err
	}
	root, name := filepath.Split(dir)
	root = filepath.Clean(root)
	analysis := language.As(scan.New(root).WithContext(ctx).Scan(nil), language.Flags{})
	m, found := analysis.Model(name)
	if !found {
		return o, fmt.Errorf("%s is no folder of a model", visible.Line(dir))
	}
	if o.Source, err = conversion.Of(m); err != nil {
		return o, err
	}
	version, err := o.Source.Version(c.Version, c.To)
	if err != nil {
		return o, err
	}
	if line := c.skipped(o.Source, version.Number); line != "" {
		fmt.Fprintln(os.Stderr, "conch convert: "+line)
	}
	o.Version, o.Becomes = version.Number, c.As
	if o.Becomes == "" {
		o.Becomes = name + "_trt"
	}
	o.ConversionOrder = &api.ConversionOrder{Target: c.To, Dynamic: c.Dynamic, Keep: c.Keep}
	if o.Plan, err = c.plan(); err != nil {
		return o, err
	}
	random, err := o.Source.Random(c.Random)
	if err != nil {
		return o, fmt.Errorf("--random: %w", err)
	}
	given, err := conversion.ReadRequests(c.Requests, o.Source.Fits(version, o.Plan.GetProfiles()))
	if err != nil {
		return o, err
	}
	o.Saved = c.saved(ctx, root, name)
	if len(random) > 0 {
		fmt.Fprintln(os.Stderr, "conch convert: "+c.aboutRandom(len(given)+len(o.Saved) == 0))
	}
	o.Requests = append(given, random...)
	return o, nil
}

// skipped says why another version than the newest is converted, though nobody named one.
func (c *convertCommand) skipped(s conversion.Source, version int64) string {
	newest := s.Versions[len(s.Versions)-1]
	if c.Version != 0 || newest.Number == version {
		return ""
	}
	return fmt.Sprintf("version %d is %s already, so version %d is converted", newest.Number, s.Narrowed(newest), version)
}

// aboutRandom says what random values mean for the result. The window says the same (frontend/src/features/convert/choice.ts).
func (c *convertCommand) aboutRandom(alone bool) string {
	ranges, differences := "INT8 takes its ranges from them too, and ", "the largest differences may be theirs"
	if alone {
		ranges, differences = "INT8 may take wrong ranges from them, and ", "the differences say little of real requests"
	}
	if c.To != string(convert.INT8) || c.Dynamic {
		ranges = ""
	}
	return "random values are not your data: " + ranges + differences
}

// misplaced refuses flags that the target does not read.
func (c *convertCommand) misplaced() error {
	for _, flag := range []struct {
		name   string
		given  bool
		target string
	}{
		{"--range", len(c.Range) > 0, conversion.Plan}, {"--workspace", c.Workspace > 0, conversion.Plan}, {"--as", c.As != "", conversion.Plan},
		{"--gpu", c.GPU > 0, conversion.Plan}, {"--precision", c.Precision != "", conversion.Plan},
		{"--dynamic", c.Dynamic, string(convert.INT8)}, {"--keep", len(c.Keep) > 0, string(convert.FP16)},
	} {
		if flag.given && c.To != flag.target {
			return fmt.Errorf("%s is for --to %s alone, and this is --to %s", flag.name, flag.target, c.To)
		}
	}
	return nil
}

// saved reads the history unless it is left out.
func (c *convertCommand) saved(ctx context.Context, root, name string) []*api.InferRequest {
	if c.NoHistory {
		return nil
	}
	saved, err := conversion.SavedIn(ctx, userdir.Data(), root, name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "conch convert: the history could not be read, so its requests are not used: %v\n", err)
	}
	return saved
}

// plan says how TensorRT builds.
func (c *convertCommand) plan() (*api.PlanSettings, error) {
	if c.To != conversion.Plan {
		return nil, nil
	}
	plan := &api.PlanSettings{Precision: cmp.Or(c.Precision, "fp16"), Workspace: c.Workspace << 20, Gpu: c.GPU}
	var ranges []*api.ShapeRange
	for _, text := range c.Range {
		r, err := conversion.ParseRange(text)
		if err != nil {
			return nil, fmt.Errorf("--range: %w", err)
		}
		ranges = append(ranges, r)
	}
	profiles, err := conversion.Profiles(ranges)
	if err != nil {
		return nil, fmt.Errorf("--range: %w", err)
	}
	plan.Profiles = profiles
	return plan, nil
}

// install installs the tools where they are missing and somebody says so. Plans need none of them.
func (c *convertCommand) install(ctx context.Context, program runtimecmd.Program) error {
	if c.To == conversion.Plan {
		return nil
	}
	tools, err := program.ConvertTools(ctx)
	if err != nil || tools.Installed {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s.\npip downloads %s and what they need (about %s) from where it is configured to, into an environment of Conch's own.\n",
		visible.Line(tools.Lacks), strings.Join(tools.Packages, ", "), tools.Weight)
	if !c.asked(ctx, "Download them?") {
		return errors.New("nothing is downloaded without being asked for: repeat the command with --yes")
	}
	return program.InstallConverter(ctx, c.tell)
}

// tell prints the steps; the log of tools is for the window.
func (c *convertCommand) tell(e *api.ConversionEvent) error {
	if e.Step != "" && e.Done == 0 {
		fmt.Fprintln(os.Stderr, "conch: "+visible.Line(e.Step))
	}
	return nil
}

// asked asks a question. Who stops the command says no.
func (c *convertCommand) asked(ctx context.Context, question string) bool {
	if c.Yes {
		return true
	}
	fmt.Fprint(os.Stderr, question+" [y/N] ")
	lines := make(chan string, 1)
	go func() {
		line := ""
		if in, is := c.in.(*bufio.Reader); is {
			line, _ = in.ReadString('\n')
		}
		lines <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return false
	case line := <-lines:
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes"
	}
}

// printReport writes what a conversion costs and gains.
func printReport(out io.Writer, r *api.ConversionReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "size   %s -> %s\n", bytesize.Text(int64(r.BeforeBytes)), bytesize.Text(int64(r.AfterBytes)))
	if r.BeforeMs > 0 && r.AfterMs > 0 {
		fmt.Fprintf(&b, "time   %s -> %s a request (median of %d runs, %s)%s\n", timetext.Of(took(r.BeforeMs)), timetext.Of(took(r.AfterMs)), r.Runs, r.Tool, doubt(r))
	}
	if r.Requests == 0 {
		b.WriteString("The answers were not compared: there were no requests. Send some in the workbench, name a file with --requests, or have random ones made with --random.\n")
	}
	for _, o := range r.Outputs {
		fmt.Fprintf(&b, "output %s (%s, %d requests)\n  %s\n", visible.Line(o.Name), o.Datatype, r.Requests, agreementText(o))
	}
	for _, note := range append(r.Notes, r.Serving) {
		fmt.Fprintln(&b, visible.Line(note))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// took is so many milliseconds.
func took(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// doubt says that a difference of the times is no fact, by the rule of the window (frontend/src/lib/apart.ts); "" where it is one.
func doubt(r *api.ConversionReport) string {
	switch {
	case r.BeforeHighMs == 0 || r.AfterHighMs == 0:
		return ", too few to rely on the difference"
	case r.BeforeLowMs <= r.AfterHighMs && r.AfterLowMs <= r.BeforeHighMs:
		return ": no difference shows, as the usual times overlap"
	}
	return ""
}

// agreementText is how far an output agrees, in words.
func agreementText(o *api.OutputAgreement) string {
	if o.Trouble != "" {
		return "not compared: " + visible.Line(o.Trouble)
	}
	if o.Elements == 0 {
		return "nothing to compare: it has no values"
	}
	if o.Datatype == "BYTES" {
		return fmt.Sprintf("%d of %d texts are the same", o.Equal, o.Elements)
	}
	text := fmt.Sprintf("largest difference %.3g, relative %.3g, %s", o.Absolute, o.Relative, cosineText(o))
	if o.Rows > 0 {
		text += fmt.Sprintf(", same first place in %d of %d rows", o.SameRows, o.Rows)
	}
	if o.Odd > 0 {
		text += fmt.Sprintf(", %d values are infinite or no numbers on one side alone", o.Odd)
	}
	return text
}

// cosineText is the cosine of an output. What is all zero points nowhere.
func cosineText(o *api.OutputAgreement) string {
	switch {
	case !math.IsNaN(o.Cosine):
		return fmt.Sprintf("cosine %.6f", o.Cosine)
	case o.Odd > 0:
		return "no cosine"
	}
	return "no cosine (all values are zero on one side)"
}
