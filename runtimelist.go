package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"conch/app/visible"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
)

const libraryVariable = onnx.LibraryVariable

// runtimeList is `conch runtime list`.
type runtimeList struct {
	JSON bool `help:"Print JSON."`
}

// runtimesHere is what `conch runtime list` tells.
type runtimesHere struct {
	Here    []runtimeHere    `json:"here"`
	Offered []runtimeOffered `json:"offered"`
	Trouble string           `json:"trouble,omitempty"` // why no ONNX Runtime can be used
	GPU     string           `json:"gpu"`               // the machine's GPUs, in words
}

// runtimeHere is an ONNX Runtime on this machine.
type runtimeHere struct {
	Name    string          `json:"name"`
	Library string          `json:"library"`
	Used    bool            `json:"used"` // by engines that start now
	Unfit   string          `json:"unfit,omitempty"`
	Report  runtimes.Report `json:"report"`
	Advice  runtimes.Advice `json:"advice"`
}

// runtimeOffered is one that can be installed.
type runtimeOffered struct {
	Name    string `json:"name"`
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	Runs    string `json:"runs"`
	Weight  string `json:"weight,omitempty"`
	Needs   string `json:"needs,omitempty"`
	Unfit   string `json:"unfit,omitempty"`
	Absent  string `json:"absent,omitempty"`
}

// driverPatience is how long the GPU driver may take to answer.
const driverPatience = 5 * time.Second

// Run prints the list.
func (c *runtimeList) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	store, err := runtimeStore()
	if err != nil {
		return err
	}
	list := listRuntimes(ctx, store, device.Read(ctx, driverPatience))
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(list)
	}
	return list.print(os.Stdout)
}

// listRuntimes asks all libraries what they are.
func listRuntimes(ctx context.Context, store *runtimes.Store, machine device.Snapshot) runtimesHere {
	list := runtimesHere{GPU: gpuText(machine)}
	used, err := onnx.FindLibrary()
	if err != nil {
		list.Trouble = err.Error()
	}
	modules := runtimes.ModuleFolders(ctx)
	add := func(name, library string, isUsed bool) {
		h := runtimeHere{Name: name, Library: library, Used: isUsed}
		if h.Report, err = store.Ask(ctx, library); err != nil {
			h.Report.Error = err.Error()
		}
		h.Unfit = h.Report.Unfit(machine)
		h.Advice = runtimes.Advise(h.Report, modules)
		list.Here = append(list.Here, h)
	}
	told := os.Getenv(libraryVariable) != ""
	if told && used.Path != "" {
		add(libraryVariable, used.Path, true)
	}
	if bundled, err := onnx.BundledLibrary(); err == nil {
		add(runtimes.Bundled, bundled, !told && used.Path == bundled)
	}
	for _, b := range store.List() {
		add(b.ID, b.Library, !told && used.Build == b.ID)
	}
	for _, o := range runtimes.Offers {
		list.Offered = append(list.Offered, offered(o, machine))
	}
	return list
}

func offered(o runtimes.Offer, machine device.Snapshot) runtimeOffered {
	entry := runtimeOffered{Name: o.Name, Package: o.Package, Version: o.Version, Runs: o.Runs, Needs: o.Needs, Unfit: o.Unfit(machine), Absent: o.Absent}
	weight, err := o.Weight()
	if err != nil && entry.Absent == "" {
		entry.Absent = err.Error()
	}
	entry.Weight = weight
	return entry
}

// gpuText is the machine's GPUs in words.
func gpuText(machine device.Snapshot) string {
	if machine.Trouble != "" {
		return machine.Trouble
	}
	var names []string
	for _, g := range machine.GPUs {
		names = append(names, g.Name)
	}
	if len(names) == 0 {
		return "no NVIDIA GPU, or no driver for it"
	}
	return fmt.Sprintf("%s; the driver %s runs CUDA up to %s", strings.Join(names, ", "), machine.Driver, machine.CUDA)
}

// print writes the list for people.
func (l runtimesHere) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "This machine: %s\n\nONNX Runtime here:\n", visible.Line(l.GPU))
	if l.Trouble != "" {
		fmt.Fprintf(&b, "  none can be used: %s\n", visible.Line(l.Trouble))
	}
	for _, h := range l.Here {
		h.print(&b)
	}
	b.WriteString("\nTo install with `conch runtime install NAME`:\n")
	for _, o := range l.Offered {
		o.print(&b)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (h runtimeHere) print(b *strings.Builder) {
	mark := " "
	if h.Used {
		mark = "*"
	}
	fmt.Fprintf(b, "%s %-20s %-8s %s\n    %s\n", mark, visible.Line(h.Name), visible.Line(h.Report.Version),
		visible.Line(strings.Join(h.Report.Short(), ", ")), visible.Line(h.Library))
	if h.Report.Error != "" {
		fmt.Fprintf(b, "    cannot be used: %s\n", visible.Line(h.Report.Error))
	}
	if h.Unfit != "" {
		fmt.Fprintf(b, "    its GPU part does not run here: %s\n", visible.Line(h.Unfit))
	}
	for _, line := range h.Report.MissingLines() {
		fmt.Fprintf(b, "    %s\n", visible.Line(line))
	}
	for _, line := range h.Advice.Lines() {
		fmt.Fprintf(b, "    %s\n", visible.Line(line))
	}
}

func (o runtimeOffered) print(b *strings.Builder) {
	if o.Absent != "" {
		fmt.Fprintf(b, "  %-8s %s\n    not from a package: %s\n", o.Name, o.Runs, o.Absent)
		return
	}
	fmt.Fprintf(b, "  %-8s %s (%s %s, %s)\n", o.Name, o.Runs, o.Package, o.Version, o.Weight)
	if o.Needs != "" {
		fmt.Fprintf(b, "    needs %s\n", o.Needs)
	}
	if o.Unfit != "" {
		fmt.Fprintf(b, "    does not run here: %s\n", visible.Line(o.Unfit))
	}
}
