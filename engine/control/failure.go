package control

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"conch/configedit/folder"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/placement"
)

// failure is why a model did not load, and at which stage (docs/triton/validation.md, "Stages").
type failure struct {
	stage    stage
	err      error
	versions map[int64]error // stage L: of each version that failed
	// updated are the failed versions that go on serving because only their instances should
	// change.
	updated map[int64]bool
	// untrusted is true if the model runs code of its own that is not trusted yet.
	untrusted bool
	// superseded is true if a newer order ended the load: an order for the model, or for one that
	// it is made of.
	superseded bool
	// stopped is true if somebody stopped the load, and no newer order follows.
	stopped bool
}

type stage int

const (
	poll       stage = iota // reading the folder or the config
	dependency              // the models of an ensemble
	selection               // no version selected
	load                    // the backend
)

// text returns the failure for people, without Triton's frame. It is valid UTF-8, even if it names a
// path that is not.
func (f *failure) text() string { return folder.Text(f.unwrapped()) }

func (f *failure) unwrapped() string {
	if len(f.versions) == 0 {
		return f.err.Error()
	}
	var parts []string
	for _, number := range slices.Sorted(maps.Keys(f.versions)) {
		err := f.versions[number]
		if len(f.versions) == 1 {
			return err.Error()
		}
		parts = append(parts, fmt.Sprintf("version %d: %s", number, err))
	}
	return strings.Join(parts, "; ")
}

// withoutStrict is where and why the model would run if models whose GPUs are missing were not refused; "" where that is not why it failed.
func (f *failure) withoutStrict() string {
	var strict *placement.Strict
	if errors.As(f.err, &strict) {
		return strict.Note.Where()
	}
	for _, number := range slices.Sorted(maps.Keys(f.versions)) {
		if errors.As(f.versions[number], &strict) {
			return strict.Note.Where()
		}
	}
	return ""
}

// logLine returns the text that Triton logs before the reason.
func (f *failure) logLine(name string) string {
	if f.stage == poll {
		return fmt.Sprintf("Poll failed for model directory '%s'", name)
	}
	return fmt.Sprintf("failed to load model '%s'", name)
}

// inner returns the part of Triton's sentence behind "load failed for model". Ensembles quote it too (rule
// D4).
func (f *failure) inner() string {
	if len(f.versions) == 0 {
		return f.err.Error()
	}
	var b strings.Builder
	for _, number := range slices.Sorted(maps.Keys(f.versions)) {
		state := model.Unavailable
		if f.updated[number] {
			state = model.Ready
		}
		fmt.Fprintf(&b, "version %d is at %s state: %s;", number, state, coded(f.versions[number]))
	}
	return b.String()
}

// answer returns the error for a load request.
func (f *failure) answer(name string) error {
	if f.stage == poll {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository", name)
	}
	return infer.Errorf(infer.InvalidArg, "load failed for model '%s': %s\n", name, f.inner())
}

// coded returns an error's text with its code in front: "Internal: …".
func coded(err error) string { return infer.CodeOf(err).String() + ": " + folder.Text(err.Error()) }

// passingReasons are the system's errors for a temporary lack of something. ONNX Runtime reports
// only their numbers.
var passingReasons = []string{
	syscall.EMFILE.Error(), "system error number 24", syscall.ENFILE.Error(), "system error number 23",
	syscall.ENOMEM.Error(), "system error number 12", syscall.EIO.Error(), "system error number 5",
}

// passes reports whether a failure may disappear by itself.
func (f *failure) passes() bool {
	text := strings.ToLower(f.text())
	for _, reason := range passingReasons {
		if at := strings.Index(text, reason); at >= 0 && !digitAt(text, at+len(reason)) {
			return true
		}
	}
	return false
}

// digitAt reports whether there is a digit at a position: 5 is not 51.
func digitAt(text string, at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }
