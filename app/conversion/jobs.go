package conversion

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/runtimecmd"
	"conch/app/userfile"
	"conch/configedit/backends"
	"conch/repo/write"
)

const (
	// OrderFile is the order in the folder of a conversion; WorkFolder, in it, is where its process works.
	OrderFile  = "order"
	WorkFolder = "work"
	// MadeFolder is where the process leaves the files of the new model, in WorkFolder.
	MadeFolder = "made"
	// mostKept is how many results wait for a decision. A page that was closed does not say so.
	mostKept = 4
	// mostAtOnce is how many conversions there are at a time: each reads a model into memory more than once.
	mostAtOnce = 2
)

// ErrGone means that a result was discarded or written, or never was.
var ErrGone = errors.New("this new model is not here any more: convert again")

// Jobs are the conversions of a workbench. All methods may be called from any goroutine.
type Jobs struct {
	// Program runs `conch convert`.
	Program runtimecmd.Program
	// Dir is Conch's own folder for what is not written yet.
	Dir string

	begin sync.Once
	taken chan struct{} // has an entry for each conversion that runs

	mu   sync.Mutex // guards the rest
	kept []*Result  // oldest first
}

// Result is what a conversion made.
type Result struct {
	ID     string
	Report *api.ConversionReport

	source  Source
	becomes string // the new model; "" for a new version
	folder  *userfile.Scratch
}

// Order is what is asked for.
type Order struct {
	Source  Source
	Version int64
	*api.ConversionOrder
	// Becomes is the name of the new model, of a plan.
	Becomes string
}

// fill completes the order for the process.
func (o *Order) fill() error {
	version, err := o.Source.Version(o.Version)
	if err != nil {
		return err
	}
	o.Version = version.Number
	o.File, o.Name = filepath.Join(version.Dir, o.Source.File), o.Source.File
	if o.Target != Plan {
		o.Becomes = ""
		return nil
	}
	o.Name = backends.TensorRTPlan.File
	if o.Becomes == "" {
		return unfit("a plan becomes a model of its own: say its name")
	}
	if _, err := os.Lstat(filepath.Join(o.Source.Model.Root, o.Becomes)); err == nil {
		return unfit("there is a model %s already: say another name for the plan's model", o.Becomes)
	}
	return nil
}

// Plan is the target that becomes a model of its own.
const Plan = "tensorrt"

// place waits until fewer conversions run than may, and returns how the place is given back.
func (j *Jobs) place(ctx context.Context, each func(*api.ConversionEvent) error) (func(), error) {
	j.begin.Do(func() { j.taken = make(chan struct{}, mostAtOnce) })
	give := func() { <-j.taken }
	select {
	case j.taken <- struct{}{}:
		return give, nil
	default:
	}
	if err := each(&api.ConversionEvent{Step: "waiting for the end of another conversion"}); err != nil {
		return nil, err
	}
	select {
	case j.taken <- struct{}{}:
		return give, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Run converts, and keeps the result until it is written or discarded. Where as many conversions run as may, it waits for the end of one. When ctx
// ends, or after an error, nothing is left.
func (j *Jobs) Run(ctx context.Context, o Order, each func(*api.ConversionEvent) error) (_ *Result, err error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	give, err := j.place(ctx, each)
	if err != nil {
		return nil, err
	}
	defer give()
	at, err := j.newFolder()
	if err != nil {
		return nil, err
	}
	r := &Result{ID: rand.Text(), source: o.Source, becomes: o.Becomes, folder: at}
	defer func() {
		if err != nil {
			err = errors.Join(err, at.Remove())
		}
	}()
	raw, err := proto.Marshal(o.ConversionOrder)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(at.Path(), OrderFile), raw, 0o600); err != nil {
		return nil, write.Explain("save", at.Path(), err)
	}
	if r.Report, err = j.Program.Convert(ctx, at.Path(), each); err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", o.Version, o.Source.Model.Name, err)
	}
	r.finish()
	j.keep(r)
	return r, nil
}

// newFolder makes a folder where a conversion works, and removes those that killed processes left.
func (j *Jobs) newFolder() (*userfile.Scratch, error) {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the conversion: %w", err)
	}
	return userfile.MakeScratch(j.Dir, scratch)
}

// scratch begins the names of the folders of conversions.
const scratch = "conversion"

// Sweep removes what conversions of killed processes left, such as whole models.
func (j *Jobs) Sweep() { userfile.Sweep(j.Dir, scratch) }

// finish adds what the repository has to say.
func (r *Result) finish() {
	r.Report.Id = r.ID
	if r.becomes == "" {
		r.Report.Becomes = fmt.Sprintf("version %d of %s", r.source.Next(), r.source.Model.Name)
		r.Report.Serving = r.source.Serving()
		return
	}
	r.Report.Becomes = "the model " + r.becomes
	r.Report.Serving = fmt.Sprintf("It is a model of its own beside %s. A plan runs on GPUs of the kind that built it alone, with this version of TensorRT.", r.source.Model.Name)
	r.Report.Config = PlanConfig(r.becomes, r.source.Config, r.Report.Tensors)
}

func (j *Jobs) keep(r *Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.kept) >= mostKept {
		_ = j.kept[0].folder.Remove()
		j.kept = j.kept[1:]
	}
	j.kept = append(j.kept, r)
}

// take takes a result out of those that wait.
func (j *Jobs) take(id string) (*Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, r := range j.kept {
		if r.ID == id {
			j.kept = append(j.kept[:i:i], j.kept[i+1:]...)
			return r, nil
		}
	}
	return nil, ErrGone
}

// Find returns a result that waits.
func (j *Jobs) Find(id string) (*Result, error) {
	r, err := j.take(id)
	if err == nil {
		j.keep(r)
	}
	return r, err
}

// Model is the name of the model that writing changes or makes.
func (r *Result) Model() string {
	if r.becomes != "" {
		return r.becomes
	}
	return r.source.Model.Name
}

// Source is the name of the model that was converted.
func (r *Result) Source() string { return r.source.Model.Name }

// Written is where a result was written to.
type Written struct {
	Dir     string
	Model   string
	Version int64
}

// Write puts a result into the repository. After an error it still waits.
func (j *Jobs) Write(id string) (w Written, err error) {
	r, err := j.take(id)
	if err != nil {
		return w, err
	}
	w, err = r.write()
	if err != nil {
		j.keep(r)
		return w, err
	}
	_ = r.folder.Remove()
	return w, nil
}

func (r *Result) write() (w Written, err error) {
	files := os.DirFS(filepath.Join(r.folder.Path(), WorkFolder, MadeFolder))
	if r.becomes == "" {
		return r.writeVersion(files)
	}
	w = Written{Model: r.Model(), Version: 1}
	labels, err := r.source.labels()
	if err != nil {
		return w, err
	}
	w.Dir, err = write.NewModelOf(r.source.Model.Root, r.becomes, []byte(r.Report.Config), files, labels)
	return w, err
}

// mostTaken bounds how many numbers are tried.
const mostTaken = 100

// writeVersion writes the files as the next version. Where another window has written one meanwhile, it gets the number after it.
func (r *Result) writeVersion(files fs.FS) (w Written, err error) {
	w = Written{Model: r.Model(), Version: r.source.Next()}
	for range mostTaken {
		w.Dir, err = write.NewVersion(r.source.Model.Dir, w.Version, files)
		if !errors.Is(err, fs.ErrExist) {
			return w, err
		}
		w.Version++
	}
	return w, err
}

// Discard removes a result. One that is gone is no error.
func (j *Jobs) Discard(id string) error {
	r, err := j.take(id)
	if err != nil {
		return nil
	}
	return r.folder.Remove()
}

// Close discards all results.
func (j *Jobs) Close() (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.kept {
		err = errors.Join(err, r.folder.Remove())
	}
	j.kept = nil
	return err
}
