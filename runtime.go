package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	"conch/app/api"
	"conch/app/visible"
	"conch/configedit/bytesize"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/device"
)

// runtimeCommand is `conch runtime`.
type runtimeCommand struct {
	List    runtimeList    `cmd:"" help:"List the builds of ONNX Runtime that are here, which one is used, and what can be installed."`
	Install runtimeInstall `cmd:"" help:"Install a build of ONNX Runtime beside the others; asks before it downloads."`
	Use     runtimeUse     `cmd:"" help:"Choose the build that engines use from their next start on."`
	Remove  runtimeRemove  `cmd:"" help:"Remove an installed build that no engine uses."`
	Probe   runtimeProbe   `cmd:"" hidden:"" help:"Open a library and print what it is."`
	GPUs    runtimeGPUs    `cmd:"" hidden:"" name:"gpus" help:"Read the GPUs for another process of this program."`
}

// runtimeStore is the store of this user, whose libraries are asked by another process of this program.
func runtimeStore() (*runtimes.Store, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := runtimes.Default()
	s.Probe = func(ctx context.Context, library string) *exec.Cmd {
		return exec.CommandContext(ctx, program, "runtime", "probe", "--parent-pipe", "--", library)
	}
	return s, nil
}

// runtimeProbe is `conch runtime probe`, which this program starts itself.
type runtimeProbe struct {
	parentPipe
	Library string `arg:"" help:"The library."`
}

// Run opens the library in this process, which a library that hangs does not let end in order.
func (c *runtimeProbe) Run() error {
	c.orExit()
	return runtimes.Answer(c.Library, os.Stdout)
}

// runtimeGPUs is `conch runtime gpus`, which this program starts itself.
type runtimeGPUs struct{}

// gpuReader is its command; nil where this program is not known.
func gpuReader() device.Reader {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return func() *exec.Cmd { return exec.Command(program, "runtime", "gpus") }
}

// Run answers until its standard input is closed.
func (runtimeGPUs) Run() error {
	return device.Answer(os.Stdin, os.NewFile(device.AnswersFile, "answers"), func() { os.Exit(1) })
}

// runtimeInstall is `conch runtime install`.
type runtimeInstall struct {
	Name string  `arg:"" optional:"" help:"What to install: cpu, cuda13, … as the list has it, with @VERSION for another version."`
	From *string `placeholder:"PATH" help:"Take a wheel, or a folder with the libraries, instead of a download."`
	Yes  bool    `short:"y" help:"Do not ask before a download."`

	// Events has what happens printed as lines of JSON, for the workbench, which has asked already.
	Events bool `hidden:""`
	parentPipe

	in    io.Reader       // the answers of a test; nil for the terminal's
	store *runtimes.Store // that of a test; nil for the user's
}

// Run installs a build.
func (c *runtimeInstall) Run(ctx context.Context) error {
	ctx, stop := c.untilEnd(ctx)
	defer stop()
	wanted, err := c.wanted()
	if err != nil {
		return err
	}
	store := c.store
	if store == nil {
		if store, err = runtimeStore(); err != nil {
			return err
		}
	}
	if wanted.From == "" && !c.Events {
		if err := c.ask(ctx, store, wanted.Offer); err != nil {
			return err
		}
	}
	c.report(&wanted)
	done, err := store.Install(ctx, wanted)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped: nothing was installed" + comeText(". ", store.Come(wanted.Offer)))
	}
	if err != nil {
		return err
	}
	if c.Events {
		printEvent(&api.InstallRuntimeResponse{Installed: done.Build.ID, Before: done.Before})
		return nil
	}
	return printInstalled(os.Stdout, done, runtimes.ModuleFolders(ctx))
}

// comeText says how much is kept of a download that was broken off; "" for nothing.
func comeText(begin string, bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return begin + bytesize.Text(bytes) + " of the download are kept for a week: it goes on from there"
}

// report says where it is told what happens.
func (c *runtimeInstall) report(w *runtimes.Wanted) {
	if c.Events {
		w.Tell = func(text string) { printEvent(&api.InstallRuntimeResponse{Text: text}) }
		w.Progress = func(bytes int64) { printEvent(&api.InstallRuntimeResponse{Bytes: uint64(max(bytes, 0))}) }
		return
	}
	w.Tell = func(text string) { fmt.Fprintln(os.Stderr, "conch: "+visible.Line(text)) }
	if terminal(os.Stderr) {
		w.Progress = func(bytes int64) { fmt.Fprintf(os.Stderr, "\r%s so far ", bytesize.Text(bytes)) }
	}
}

// printEvent writes a line of JSON. The workbench that reads it may be gone; then the install is being stopped.
func printEvent(e *api.InstallRuntimeResponse) {
	if text, err := protojson.Marshal(e); err == nil {
		_, _ = os.Stdout.Write(append(text, '\n'))
	}
}

// wanted says what the command line asks for.
func (c *runtimeInstall) wanted() (runtimes.Wanted, error) {
	name, version, other := strings.Cut(c.Name, "@")
	w := runtimes.Wanted{Offer: runtimes.Offer{Name: name}}
	switch {
	case c.From != nil && *c.From == "":
		return w, errors.New("--from is empty: give it a wheel or a folder, or leave it out for a download")
	case c.From != nil && other:
		return w, errors.New("leave @VERSION out with --from: the library says which version it is")
	case c.From != nil:
		path, err := filepath.Abs(*c.From)
		w.From = path
		return w, err
	case name == "":
		return w, errors.New("say what to install, such as cpu or cuda13; `conch runtime list` shows what there is")
	}
	offer, err := runtimes.OfferOf(name)
	if err == nil {
		if _, err = offer.Wheel(); err != nil {
			err = fmt.Errorf("%w. `conch runtime install %s --from FOLDER` installs it from a folder", err, name)
		}
	}
	if err == nil && version != "" && !goodVersion.MatchString(version) {
		err = fmt.Errorf("%q is no version of a package: write it as %s@%s", version, name, offer.Version)
	}
	w.Offer = offer.At(version)
	return w, cmp.Or(err, w.Offer.CheckAge())
}

// goodVersion is what a version of a package looks like.
var goodVersion = regexp.MustCompile(`^[0-9][0-9A-Za-z.+!_-]{0,99}$`)

// ask says what is downloaded, and asks whether it may be.
func (c *runtimeInstall) ask(ctx context.Context, store *runtimes.Store, o runtimes.Offer) error {
	if has, err := store.Has(ctx, o.Name+"-"+o.Version); has || err != nil {
		return err // nothing is downloaded
	}
	size, err := o.Weight()
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stderr, offerText(o, size, os.Getenv(onnx.LibraryVariable)))
	if come := comeText("", store.Come(o)); come != "" {
		fmt.Fprintln(os.Stderr, come+".")
	}
	if c.Yes {
		return nil
	}
	fmt.Fprint(os.Stderr, "Download it? [y/N] ")
	in := c.in
	if in == nil {
		in = os.Stdin
	}
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	case "":
		if err != nil { // nobody is there to answer
			return errors.New("nothing is downloaded without being asked for: repeat the command with --yes")
		}
	}
	return errors.New("nothing was installed")
}

// offerText says what a download is and needs, and that it is not used while a variable names the library told.
func offerText(o runtimes.Offer, size, told string) string {
	text := fmt.Sprintf("pip downloads %s (%s) from where it is configured to, and Conch takes the libraries out.\n",
		visible.Line(o.Fetched()), size)
	if o.Needs != "" {
		text += fmt.Sprintf("It needs %s, which are not part of it.\n", o.Needs)
	}
	if told != "" {
		text += fmt.Sprintf("%s is set to %s: engines use that library, and what is installed only without the variable.\n",
			onnx.LibraryVariable, visible.Line(told))
	}
	return text
}

func printInstalled(out io.Writer, done runtimes.Installed, modules []string) error {
	what := "is installed"
	if done.Before {
		what = "was installed before"
	}
	b := done.Build
	doubt := b.Doubt()
	if doubt != "" {
		doubt = "  " + visible.Line(doubt) + "\n"
	}
	_, err := fmt.Fprintf(out, "%s %s: ONNX Runtime %s with %s, %s\n%s%suse it:  conch runtime use %s\n", b.ID, what, b.Version,
		strings.Join(done.Report.Short(), ", "), bytesize.Text(b.Bytes), doubt, missingText(done.Report, modules), b.ID)
	return err
}

// missingText says which libraries a build misses, and what to do about it.
func missingText(r runtimes.Report, modules []string) string {
	var text strings.Builder
	for _, lack := range r.Lacks() {
		fmt.Fprintf(&text, "  %s\n", visible.Line(lack.Text))
	}
	for _, line := range runtimes.Advise(r, modules).Lines() {
		fmt.Fprintf(&text, "  %s\n", visible.Line(line))
	}
	return text.String()
}

// runtimeUse is `conch runtime use`.
type runtimeUse struct {
	parentPipe
	Name string `arg:"" help:"A build of the list, or bundled for the one that comes with Conch."`
}

// Run chooses a build.
func (c *runtimeUse) Run(ctx context.Context) error {
	ctx, stop := c.untilEnd(ctx)
	defer stop()
	store, err := runtimeStore()
	if err != nil {
		return err
	}
	b, report, err := store.Use(ctx, c.Name)
	if ctx.Err() != nil {
		return errors.New("stopped: engines use the same build as before")
	}
	if err != nil {
		return err
	}
	name, missing := b.ID, ""
	if name == "" {
		name = runtimes.Bundled
	}
	if doubt := b.Doubt(); doubt != "" {
		missing = "  " + visible.Line(doubt) + "\n"
	}
	if len(report.Missing) > 0 {
		missing += missingText(report, runtimes.ModuleFolders(ctx))
	}
	fmt.Printf("engines use %s from their next start on\n%s", visible.Line(name), missing)
	if path := os.Getenv(libraryVariable); path != "" {
		fmt.Printf("  but not while %s is set: it is %s\n", libraryVariable, visible.Line(path))
	}
	return nil
}

// runtimeRemove is `conch runtime remove`.
type runtimeRemove struct {
	Name string `arg:"" help:"A build of the list."`
}

// Run removes a build.
func (c *runtimeRemove) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	store, err := runtimeStore()
	if err != nil {
		return err
	}
	line, err := c.remove(ctx, store)
	if err != nil {
		return err
	}
	fmt.Println(line)
	return nil
}

// remove removes a build and returns the line that says so.
func (c *runtimeRemove) remove(ctx context.Context, store *runtimes.Store) (string, error) {
	chosen, _ := store.ChosenID() // who reads it next tells why it cannot be read
	b, err := store.Remove(ctx, c.Name)
	if err != nil {
		return "", fmt.Errorf("%s is not removed: %w", visible.Line(c.Name), err)
	}
	line := visible.Line(b.ID) + " is removed"
	if b.Bytes > 0 {
		line += ", which frees " + bytesize.Text(b.Bytes)
	}
	if chosen == b.ID {
		line += nextText(onnx.FindLibrary())
	}
	return line, nil
}

// nextText says which ONNX Runtime engines use now that the chosen one is gone.
func nextText(next onnx.Library, err error) string {
	if err != nil {
		return ". It was the chosen one, and engines have none now: " + visible.Line(err.Error())
	}
	name := runtimes.Bundled
	if os.Getenv(libraryVariable) != "" {
		name = "that of " + libraryVariable
	}
	return fmt.Sprintf(". It was the chosen one: from their next start on engines use %s, %s", name, visible.Line(next.Path))
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
