package conversion

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/runtimecmd"
	"conch/app/userfile"
	"conch/configedit/backends"
	"conch/engine/filelock"
	"conch/repo/write"
)

const (
	// OrderFile is the order in the folder of a conversion; WorkFolder, in it, is where its process works.
	OrderFile  = "order"
	WorkFolder = "work"
	// MadeFolder is where the process leaves the files of the new model, in WorkFolder.
	MadeFolder = "made"
	// mostKept is how many results wait for a decision, and mostBytes how much they may hold together. The oldest go first; the newest one stays
	// whatever it holds. A page that was closed does not say so.
	mostKept  = 4
	mostBytes = 1 << 30
	// Patience is how long a result waits.
	Patience = 4 * time.Hour
	// patienceAfterFailure is how long it waits at least when it could not be written: people need time to make room on the disk.
	patienceAfterFailure = time.Hour
)

// ErrGone means that a result was discarded or written, or never was.
var ErrGone = errors.New("this new model is not here any more: it was written, discarded, waited for too long, or made room for newer ones. Convert again")

// ErrMoved means that a result would not become the version that was said.
var ErrMoved = errors.New("look at what it becomes now, then write it")

// Jobs are the conversions of a workbench. All methods may be called from any goroutine.
type Jobs struct {
	// Program runs `conch convert`.
	Program runtimecmd.Program
	// Dir is Conch's own folder for what is not written yet.
	Dir string
	// Stages says where files wait while they are written into a repository.
	Stages func(root string) write.Waiting

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
	bytes   int64       // that it holds
	end     *time.Timer // discards it
}

// Order is what is asked for.
type Order struct {
	Source  Source
	Version int64
	*api.ConversionOrder
	// Saved are requests of the history, beside those of the order. The model may have been another one then: those that do not fit are left out.
	Saved []*api.InferRequest
	// Becomes is the name of the new model, of a plan.
	Becomes string

	leftOut string // what was left out, for people
}

// fill completes the order for the process.
func (o *Order) fill() error {
	version, err := o.Source.Version(o.Version, o.Target)
	if err != nil {
		return err
	}
	o.Version = version.Number
	if err := o.Source.checkRanges(version, o.Plan.GetProfiles()); err != nil {
		return err
	}
	if err := o.fit(o.Source.Fits(version, o.Plan.GetProfiles())); err != nil {
		return err
	}
	o.File, o.Name = filepath.Join(version.Dir, o.Source.File), o.Source.File
	if o.Target != Plan {
		o.Becomes = ""
		return nil
	}
	o.Name = backends.TensorRTPlan.File
	if o.Becomes == "" {
		return unfit("a plan becomes a model of its own: say its name")
	}
	if err := write.CheckModelName(o.Becomes); err != nil {
		return unfit("%w", err)
	}
	if _, err := os.Lstat(filepath.Join(o.Source.Model.Root, o.Becomes)); err == nil {
		return unfit("there is a model %s already: say another name for the plan's model", o.Becomes)
	}
	return o.Source.checkRanged(version, o.Plan.GetProfiles())
}

// fit settles the requests, as the model's file takes them and each once.
func (o *Order) fit(fits func(*api.InferRequest) error) error {
	var list []*api.InferRequest
	for n, r := range o.Requests {
		if err := fits(r); err != nil {
			return unfit("request %d of %d does not fit version %d of %s: %w", n+1, len(o.Requests), o.Version, o.Source.Model.Name, err)
		}
		list = append(list, o.Source.asFile(r))
	}
	var why error
	left := 0
	for _, r := range o.Saved {
		if err := fits(r); err != nil {
			why = cmp.Or(why, err)
			left++
			continue
		}
		list = append(list, o.Source.asFile(r))
	}
	if left > 0 && len(list) == 0 {
		return unfit("none of the saved requests fits version %d of %s: %w. Send one that fits, or leave the saved ones out", o.Version, o.Source.Model.Name, why)
	}
	if left > 0 {
		o.leftOut = fmt.Sprintf("Saved requests that do not fit version %d were left out, %d of %d: %v.", o.Version, left, len(o.Saved), why)
	}
	o.Requests = once(list)
	return nil
}

// Targets. Plan becomes a model of its own.
const (
	FP16 = "fp16"
	Plan = "tensorrt"
)

// Alone waits until nothing else is measured, by any process of this user, and returns how the next one is let in: a conversion and a comparison of
// answers would disturb each other's times. A step tells people that it waits.
//
// Where this user's folder cannot be written, it waits for this process alone: a comparison needs no disk, and a conversion says itself what it lacks.
func (j *Jobs) Alone(ctx context.Context, step func(string) error) (func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waits := func() {
		if err := step("waiting for the end of another conversion or comparison, so that both are measured alone"); err != nil {
			cancel(err)
		}
	}
	lock := j.Dir + ".lock"
	_ = os.MkdirAll(filepath.Dir(lock), 0o700) // the turn fails where it cannot be written
	turn, err := filelock.Take(ctx, lock, waits)
	if err != nil && ctx.Err() == nil {
		turn, err = filelock.Here(ctx, lock, waits)
	}
	if err != nil {
		return nil, err
	}
	return turn.End, nil
}

// Run converts, and keeps the result until it is written or discarded, or has waited for too long. While something else is measured, it waits. When ctx
// ends, or after an error, nothing is left.
func (j *Jobs) Run(ctx context.Context, o Order, each func(*api.ConversionEvent) error) (_ *Result, err error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	give, err := j.Alone(ctx, func(step string) error { return each(&api.ConversionEvent{Step: step}) })
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
	r.Report.Of = o.Version
	if o.leftOut != "" {
		r.Report.Notes = append(r.Report.Notes, o.leftOut)
	}
	if err := r.finish(o.Target); err != nil {
		return nil, err
	}
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

// finish adds what the repository has to say, and removes all but the files of the new model, such as the answers that were compared.
func (r *Result) finish(target string) error {
	r.Report.Id, r.Report.Target, r.Report.UntilMs = r.ID, target, time.Now().Add(Patience).UnixMilli()
	if r.becomes != "" {
		r.Report.Becomes = "the model " + r.becomes
		r.Report.Serving = fmt.Sprintf("It is a model of its own beside %s. A plan runs on GPUs of the kind that built it alone, with this version of TensorRT.", r.source.Model.Name)
		r.Report.Config = PlanConfig(r.becomes, r.source.Config, r.Report)
	}
	report, err := r.Now()
	if err != nil {
		return err
	}
	r.Report = report
	return r.tidy()
}

// tidy keeps the files of the new model alone, and adds up what they hold.
func (r *Result) tidy() error {
	work := filepath.Join(r.folder.Path(), WorkFolder)
	entries, err := os.ReadDir(work)
	for _, e := range entries {
		if e.Name() != MadeFolder {
			err = errors.Join(err, os.RemoveAll(filepath.Join(work, e.Name())))
		}
	}
	err = errors.Join(err, os.Remove(filepath.Join(r.folder.Path(), OrderFile)))
	return errors.Join(err, filepath.WalkDir(work, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			r.bytes += info.Size()
		}
		return err
	}))
}

// Now is the report as it is right now: a new version that came meanwhile, of another window or made by hand, takes its number.
func (r *Result) Now() (*api.ConversionReport, error) {
	report := proto.CloneOf(r.Report)
	if r.becomes != "" {
		return report, nil
	}
	source, err := r.source.now()
	if err != nil {
		return nil, err
	}
	report.Version = source.Next()
	report.Becomes = fmt.Sprintf("version %d of %s", report.Version, source.Model.Name)
	report.Serving = source.Serving()
	return report, nil
}

// keep has a result wait for a decision, for as long as its report says.
func (j *Jobs) keep(r *Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.end = time.AfterFunc(time.Until(time.UnixMilli(r.Report.UntilMs)), func() { j.expire(r) })
	j.kept = append(j.kept, r)
	for len(j.kept) > 1 && (len(j.kept) > mostKept || j.holds() > mostBytes) {
		j.kept[0].end.Stop()
		_ = j.kept[0].folder.Remove()
		j.kept = j.kept[1:]
	}
}

// expire discards a result that nobody wrote, unless it is being written, or waits again since.
func (j *Jobs) expire(r *Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i := slices.Index(j.kept, r); i >= 0 {
		j.kept = slices.Concat(j.kept[:i], j.kept[i+1:])
		_ = r.folder.Remove()
	}
}

// again has a result wait that could not be written, also when its time was over meanwhile.
func (j *Jobs) again(r *Result) {
	next := *r // others may read the report of r
	next.Report = proto.CloneOf(r.Report)
	next.Report.UntilMs = max(r.Report.UntilMs, time.Now().Add(patienceAfterFailure).UnixMilli())
	j.keep(&next)
}

// holds is how much all results hold. It needs mu.
func (j *Jobs) holds() (sum int64) {
	for _, r := range j.kept {
		sum += r.bytes
	}
	return sum
}

// take takes a result out of those that wait.
func (j *Jobs) take(id string) (*Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.kept, func(r *Result) bool { return r.ID == id })
	if i < 0 {
		return nil, ErrGone
	}
	r := j.kept[i]
	r.end.Stop()
	j.kept = slices.Concat(j.kept[:i], j.kept[i+1:])
	return r, nil
}

// Find returns a result that waits.
func (j *Jobs) Find(id string) (*Result, error) {
	for _, r := range j.waiting() {
		if r.ID == id {
			return r, nil
		}
	}
	return nil, ErrGone
}

func (j *Jobs) waiting() []*Result {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.kept)
}

// Waiting returns the reports of the results of a model that wait, the newest last.
func (j *Jobs) Waiting(of Source) (list []*api.ConversionReport, err error) {
	for _, r := range j.waiting() {
		if !r.Of(of.Model.Dir) {
			continue
		}
		now := *r
		now.source.Config = of.Config // its version policy may be another now
		report, err := now.Now()
		if err != nil {
			return nil, err
		}
		list = append(list, report)
	}
	return list, nil
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

// Root is the repository of the model that was converted.
func (r *Result) Root() string { return r.source.Model.Root }

// Of reports whether a result was made of the model in a folder.
func (r *Result) Of(dir string) bool { return r.source.Model.Dir == dir }

// Written is where a result was written to.
type Written struct {
	Dir     string
	Model   string
	Version int64
}

// Write puts a result into the repository, as the version that somebody was told; 0 means that of the first report. Where that number is not the next
// one any more, the error wraps ErrMoved. After an error the result still waits, for an hour at least.
func (j *Jobs) Write(id string, said int64) (w Written, err error) {
	r, err := j.take(id)
	if err != nil {
		return w, err
	}
	w, err = r.write(j.Stages(r.Root()), cmp.Or(said, r.Report.Version))
	if err != nil {
		j.again(r)
		return w, err
	}
	_ = r.folder.Remove()
	return w, nil
}

func (r *Result) write(wait write.Waiting, version int64) (w Written, err error) {
	files := os.DirFS(filepath.Join(r.folder.Path(), WorkFolder, MadeFolder))
	if r.becomes == "" {
		return r.writeVersion(wait, version, files)
	}
	w = Written{Model: r.Model(), Version: 1}
	labels, err := r.source.labels()
	if err != nil {
		return w, err
	}
	w.Dir, err = wait.NewModelOf(r.source.Model.Root, r.becomes, []byte(r.Report.Config), files, labels)
	return w, err
}

// writeVersion writes the files as the version, unless it is not the next one any more.
func (r *Result) writeVersion(wait write.Waiting, version int64, files fs.FS) (w Written, err error) {
	w = Written{Model: r.Model(), Version: version}
	source, err := r.source.now()
	if err != nil {
		return w, err
	}
	if next := source.Next(); next != version {
		return w, r.moved(version, next)
	}
	w.Dir, err = wait.NewVersion(r.source.Model.Dir, version, files)
	if !errors.Is(err, fs.ErrExist) {
		return w, err
	}
	if source, err = r.source.now(); err != nil { // somebody was faster by a moment
		return w, err
	}
	return w, r.moved(version, source.Next())
}

func (r *Result) moved(said, next int64) error {
	return fmt.Errorf("the versions of %s have changed meanwhile, so this one is not version %d any more but version %d: %w", r.Model(), said, next, ErrMoved)
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
		r.end.Stop()
		err = errors.Join(err, r.folder.Remove())
	}
	j.kept = nil
	return err
}
