package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"conch/app/api"
	"conch/app/visible"
	"conch/configedit/bytesize"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
	"conch/engine/gpulost"
	"conch/engine/serve"
)

const libraryVariable = onnx.LibraryVariable

// runtimeList is `conch runtime list`.
type runtimeList struct {
	parentPipe
	JSON bool `help:"Print JSON."`
}

// driverPatience is how long the GPU driver may take to answer.
const driverPatience = 5 * time.Second

// Run prints the list.
func (c *runtimeList) Run(ctx context.Context) error {
	ctx, stop := c.untilEnd(ctx)
	defer stop()
	store, err := runtimeStore()
	if err != nil {
		return err
	}
	list := listRuntimes(ctx, store, serve.Shown(device.Read(ctx, gpuReader(), driverPatience)))
	if ctx.Err() != nil {
		return errors.New("stopped")
	}
	if c.JSON {
		text, err := protojson.MarshalOptions{Multiline: true, EmitUnpopulated: true}.Marshal(list)
		if err != nil {
			return err
		}
		_, err = fmt.Println(string(text))
		return err
	}
	return printRuntimes(os.Stdout, list)
}

// listRuntimes asks all libraries what they are.
func listRuntimes(ctx context.Context, store *runtimes.Store, machine device.Snapshot) *api.ListRuntimesResponse {
	list := &api.ListRuntimesResponse{}
	var others []string
	used, err := onnx.FindLibrary()
	if err != nil {
		list.Trouble = err.Error()
	}
	modules := runtimes.ModuleFolders(ctx)
	add := func(r *api.Runtime) {
		others = append(others, describe(ctx, store, r, machine, modules)...)
		list.Here = append(list.Here, r)
	}
	told := os.Getenv(libraryVariable) != ""
	chosen, _ := store.ChosenID() // a choice that cannot be read is told as trouble
	if told && used.Path != "" {
		add(&api.Runtime{Name: libraryVariable, Library: used.Path, Used: true})
	}
	if bundled, err := onnx.BundledLibrary(); err == nil {
		add(&api.Runtime{Name: runtimes.Bundled, Library: bundled, Used: !told && used.Path == bundled})
	}
	if err := store.Readable(); err != nil {
		list.Here = append(list.Here, &api.Runtime{Name: "installed builds", Library: store.Dir, Error: err.Error()})
	}
	for _, b := range store.List() {
		r := &api.Runtime{Name: b.ID, Library: b.Library, Used: !told && used.Build == b.ID, Installed: true, Chosen: b.ID == chosen, Bytes: uint64(max(b.Bytes, 0)), Doubt: b.Doubt()}
		if b.Damage != nil {
			r.Error = b.Damage.Error()
		}
		add(r)
	}
	for _, o := range runtimes.Offers {
		list.Offered = append(list.Offered, offered(store, o, machine))
	}
	slices.Sort(others)
	list.Gpu = strings.Join(append([]string{gpuText(machine)}, slices.Compact(others)...), "; ")
	return list
}

// describe fills in what a library says of itself, unless it has an error already. It returns the devices that the library can use besides NVIDIA's GPUs, in words.
func describe(ctx context.Context, store *runtimes.Store, r *api.Runtime, machine device.Snapshot, modules []string) []string {
	if r.Error != "" { // it is damaged
		return nil
	}
	report, err := store.Ask(ctx, r.Library)
	switch {
	case errors.Is(err, runtimes.ErrStopped):
		r.Unasked = err.Error()
	case err != nil:
		r.Error = err.Error()
	}
	r.Version, r.Providers, r.Unfit = report.Version, report.Short(), report.Unfit(machine)
	for _, lack := range report.Lacks() {
		r.Missing = append(r.Missing, &api.MissingPart{Provider: lack.Provider, Text: lack.Text})
	}
	r.Advice, r.Silence = runtimes.Advise(report, modules).Lines(), report.Silence
	var texts []string
	for _, d := range report.Others(machine) {
		other := &api.OtherDevice{Kind: d.Kind(), Name: d.Name, Maker: d.Maker, Id: d.ID(), Place: d.Place, Providers: d.Providers}
		for _, provider := range d.Providers {
			if accelerator := onnx.InPlaceOfCPU(provider); accelerator != "" {
				other.Ways = append(other.Ways, &api.OtherDevice_Way{Provider: provider, Accelerator: accelerator})
			}
		}
		r.Devices = append(r.Devices, other)
		texts = append(texts, d.String())
	}
	return device.Counted(texts)
}

func offered(store *runtimes.Store, o runtimes.Offer, machine device.Snapshot) *api.RuntimeOffer {
	entry := &api.RuntimeOffer{Name: o.Name, Package: o.Fetched(), Version: o.Version, Runs: o.Runs, Needs: o.Needs, Unfit: o.Unfit(machine), Absent: o.Absent}
	weight, err := o.Weight()
	if err != nil && entry.Absent == "" {
		entry.Absent = err.Error()
	}
	entry.Weight = weight
	if come := store.Come(o); come > 0 {
		entry.Come = bytesize.Text(come)
	}
	return entry
}

// gpuText is the machine's GPUs in words.
func gpuText(machine device.Snapshot) string {
	if why := cmp.Or(machine.Trouble, machine.AllLost()); why != "" {
		return why
	}
	var names []string
	for _, g := range machine.GPUs {
		name := cmp.Or(g.Name, "a GPU of NVIDIA without a name")
		if parts := g.Profiles(); parts != "" {
			name += " (MIG: " + parts + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "no NVIDIA GPU, or no driver for it"
	}
	text := strings.Join(device.Counted(names), ", ")
	driver := strings.TrimSpace("the driver " + machine.Driver)
	switch {
	case machine.NoCUDA != "":
		text += "; " + machine.NoCUDA
	case machine.CUDA == "":
		text += "; " + driver + " does not tell which CUDA it runs"
	default:
		text += "; " + driver + " runs CUDA up to " + machine.CUDA
	}
	if lost := gpulost.Text(machine.Lost, machine.Indexes()); lost != "" {
		text += "; " + lost
	}
	return text
}

// printRuntimes writes the list for people.
func printRuntimes(out io.Writer, l *api.ListRuntimesResponse) error {
	var b strings.Builder
	fmt.Fprintf(&b, "This machine: %s\n\nONNX Runtime here:\n", visible.Line(l.Gpu))
	if l.Trouble != "" {
		fmt.Fprintf(&b, "  none is in use: %s\n", visible.Line(l.Trouble))
	}
	for _, r := range l.Here {
		printRuntime(&b, r)
	}
	b.WriteString("\nTo install with `conch runtime install NAME`:\n")
	for _, o := range l.Offered {
		printOffer(&b, o)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func printRuntime(b *strings.Builder, r *api.Runtime) {
	mark := " "
	if r.Used {
		mark = "*"
	}
	fmt.Fprintf(b, "%s %-20s %-8s %s\n    %s\n", mark, visible.Line(r.Name), visible.Line(r.Version),
		visible.Line(strings.Join(r.Providers, ", ")), visible.Line(r.Library))
	if r.Error != "" {
		fmt.Fprintf(b, "    cannot be used: %s\n", visible.Line(r.Error))
	}
	if r.Unasked != "" {
		fmt.Fprintf(b, "    has not said what it is: %s\n", visible.Line(r.Unasked))
	}
	if r.Doubt != "" {
		fmt.Fprintf(b, "    %s\n", visible.Line(r.Doubt))
	}
	if r.Unfit != "" {
		fmt.Fprintf(b, "    its GPU part does not run here: %s\n", visible.Line(r.Unfit))
	}
	if r.Silence != "" {
		fmt.Fprintf(b, "    does not say which devices there are: %s\n", visible.Line(r.Silence))
	}
	if r.Used {
		printWays(b, r.Devices)
	}
	for _, part := range r.Missing {
		fmt.Fprintf(b, "    %s\n", visible.Line(part.Text))
	}
	for _, line := range r.Advice {
		fmt.Fprintf(b, "    %s\n", visible.Line(line))
	}
}

// printWays says how all models run on the devices that are no GPUs of NVIDIA's, each way once.
func printWays(b *strings.Builder, devices []*api.OtherDevice) {
	told := map[string]bool{}
	for _, d := range devices {
		for _, way := range d.Ways {
			if told[way.Accelerator] {
				continue
			}
			told[way.Accelerator] = true
			fmt.Fprintf(b, "    models run on %s by %s with `conch serve --backend-config=onnxruntime,accelerator=%s`\n",
				visible.Line(cmp.Or(d.Name, d.Maker, d.Id)), way.Provider, way.Accelerator)
		}
	}
}

func printOffer(b *strings.Builder, o *api.RuntimeOffer) {
	if o.Absent != "" {
		fmt.Fprintf(b, "  %-8s %s\n    not from a package: %s: `conch runtime install %s --from FOLDER`\n", o.Name, o.Runs, o.Absent, o.Name)
		return
	}
	fmt.Fprintf(b, "  %-8s %s (%s, %s)\n", o.Name, o.Runs, o.Package, o.Weight)
	if o.Needs != "" {
		fmt.Fprintf(b, "    needs %s\n", o.Needs)
	}
	if o.Come != "" {
		fmt.Fprintf(b, "    %s of the download are kept: it goes on from there\n", o.Come)
	}
	if o.Unfit != "" {
		fmt.Fprintf(b, "    does not run here: %s\n", visible.Line(o.Unfit))
	}
}
