package control

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"conch/configedit/folder"
	"conch/engine/infer"
	"conch/engine/model"
)

// failure is why a model did not load, and at which stage (docs/triton/validation.md, "Stages").
type failure struct {
	stage    stage
	err      error
	versions map[int64]error // stage L: of each version that failed
	// updated are those of them that go on serving because only their instances were to change.
	updated map[int64]bool
	// untrusted: it runs code of its own that nobody has trusted yet.
	untrusted bool
	// superseded: a newer order for the model, or for one that it is made of, ended the load.
	superseded bool
	// stopped: somebody asked for that, and no newer order follows.
	stopped bool
}

type stage int

const (
	poll       stage = iota // the folder or the config
	dependency              // what an ensemble is made of
	selection               // no version selected
	load                    // the backend
)

// text is the failure for people, without Triton's wrapping. It is valid UTF-8 whatever path it names.
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

// logLine is what Triton logs before the reason.
func (f *failure) logLine(name string) string {
	if f.stage == poll {
		return fmt.Sprintf("Poll failed for model directory '%s'", name)
	}
	return fmt.Sprintf("failed to load model '%s'", name)
}

// inner is the part of Triton's sentence behind "load failed for model": also quoted by ensembles (rule D4).
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

// answer is what a load request is told.
func (f *failure) answer(name string) error {
	if f.stage == poll {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository", name)
	}
	return infer.Errorf(infer.InvalidArg, "load failed for model '%s': %s\n", name, f.inner())
}

// coded is an error with its code in front: "Internal: …".
func coded(err error) string { return infer.CodeOf(err).String() + ": " + folder.Text(err.Error()) }

// passingReasons are what the system says when it lacks something for a while; ONNX Runtime tells no
// more than the number.
var passingReasons = []string{
	syscall.EMFILE.Error(), "system error number 24", syscall.ENFILE.Error(), "system error number 23",
	syscall.ENOMEM.Error(), "system error number 12", syscall.EIO.Error(), "system error number 5",
}

// passes says whether a failure may be gone without anybody's doing.
func (f *failure) passes() bool {
	text := strings.ToLower(f.text())
	for _, reason := range passingReasons {
		if at := strings.Index(text, reason); at >= 0 && !digitAt(text, at+len(reason)) {
			return true
		}
	}
	return false
}

// digitAt says whether a number goes on there: 5 is not 51.
func digitAt(text string, at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }
