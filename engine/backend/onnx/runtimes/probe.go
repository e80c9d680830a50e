package runtimes

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/engine/backend/onnx/ort"
	"conch/engine/lastwords"
	"conch/engine/period"
	"conch/engine/sharedlib"
	"conch/engine/stopped"
)

// Report is what a library says of itself.
type Report struct {
	Version   string    `json:"version"`
	Providers []string  `json:"providers"` // "CUDAExecutionProvider"
	Absent    []string  `json:"absent"`    // of Providers, those whose own library is not beside it, or finds no device
	Missing   []Missing `json:"missing"`   // what its providers need and the system does not find
	CUDA      int       `json:"cuda"`      // the major version of CUDA that it was built for; 0 for none
	Devices   []Device  `json:"devices"`   // GPUs and NPUs of the machine that it can use
	Silence   string    `json:"silence"`   // why it does not say which Devices there are; "" when it does
	Error     string    `json:"error"`     // why it cannot be used; "" when it can
}

// Missing is a library that a provider needs and that cannot be opened.
type Missing struct {
	Provider string `json:"provider"` // "cuda"
	Library  string `json:"library"`  // "libcublasLt.so.13"; "" where the provider lacks something else
	Error    string `json:"error"`    // the system's words
}

// longestProbe bounds how long a library may take to say what it is. On an idle machine it takes 0.1 s; CUDA's libraries are
// large, and a disk may be slow.
const longestProbe = time.Minute

// Ask asks a library in a child process, so that a broken one harms nobody.
func (s *Store) Ask(ctx context.Context, library string) (Report, error) {
	late := fmt.Errorf("%s %w, within %s", library, errHangs, period.Text(longestProbe))
	ctx, cancel := context.WithTimeoutCause(ctx, longestProbe, late)
	defer cancel()
	cmd := s.Probe(ctx, library)
	cmd.WaitDelay = time.Second
	out, said := &lastwords.Buffer{}, &lastwords.Buffer{}
	cmd.Stdout, cmd.Stderr = out, said
	_, err := cmd.StdinPipe() // Wait closes it
	if err == nil {
		err = runWhole(cmd)
	}
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	if why := stopped.By(err); why != "" {
		return Report{}, fmt.Errorf("the process that opened %s %w (%s), by a person, or by the system because memory ran out: try again", library, ErrStopped, why)
	}
	var r Report
	text := strings.TrimSpace(out.String())
	if found := strings.LastIndexByte(text, '\n'); found >= 0 { // a library may print lines of its own
		text = text[found+1:]
	}
	if decoding := json.Unmarshal([]byte(text), &r); err != nil && r.Silence == "" || decoding != nil {
		return r, fmt.Errorf("the process that opened %s %w%s", library, errCrashed, lastwords.Of(said.String(), err))
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// ErrStopped is why a library did not say what it is, although nothing is known to be wrong with it.
var ErrStopped = errors.New("was stopped before it could say what that is")

// errCrashed and errHangs are why a library that can be opened did not say what it is.
var (
	errCrashed = errors.New("ended without an answer")
	errHangs   = errors.New("has not said what it is")
)

// broken says what to do about a library that crashes or hangs when it is opened; "" for other errors, which say it themselves.
func broken(err error) string {
	if errors.Is(err, errCrashed) || errors.Is(err, errHangs) {
		return ". It may be damaged, or made for another processor: get it once more, or take another build, as `conch runtime list` shows them"
	}
	return ""
}

// Answer opens a library in this process and writes what it is. It is the child's half of Ask.
func Answer(library string, out io.Writer) error {
	var r Report
	opened, err := ort.Open(library, ort.Threads{Intra: 1, Inter: 1})
	if err == nil {
		r.Version = opened.Version()
		r.Providers, err = opened.Providers()
	}
	r.look(library)
	if err != nil {
		r.Error = err.Error()
		return json.NewEncoder(out).Encode(r)
	}
	r.Absent = opened.Absent(r.Providers)
	if opened.PluginTrouble() != nil {
		r.Missing = append(r.Missing, Missing{Provider: "openvino", Error: opened.PluginTrouble().Error()})
	}
	r.Silence = "its process ended when it was asked"
	if err := json.NewEncoder(out).Encode(r); err != nil { // the last line counts
		return err
	}
	r.Devices, r.Silence = devicesOf(opened)
	return json.NewEncoder(out).Encode(r)
}

// opensLater are the libraries that a provider opens by itself when a model needs them, so that its file does not name them.
var opensLater = map[string][]string{"cuda": {"libcudnn.so.9"}}

// look finds out what the providers beside a library need and cannot be opened.
func (r *Report) look(library string) {
	dir := filepath.Dir(library)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		provider, is := strings.CutPrefix(entry.Name(), "libonnxruntime_providers_")
		provider, isToo := strings.CutSuffix(provider, ".so")
		if !is || !isToo || provider == "shared" {
			continue
		}
		provider = strings.TrimSuffix(provider, "_plugin")
		needed, err := imports(filepath.Join(dir, entry.Name()))
		if err != nil {
			r.Missing = append(r.Missing, Missing{provider, entry.Name(), "it is damaged: " + err.Error()})
			continue
		}
		r.CUDA = max(r.CUDA, cudaOf(needed))
		for _, name := range append(needed, opensLater[provider]...) {
			if exists(filepath.Join(dir, name)) {
				continue
			}
			if err := canOpen(name); err != nil {
				r.Missing = append(r.Missing, Missing{provider, name, err.Error()})
			}
		}
	}
}

// canOpen says why the system cannot open a library that it looks for by its name. One that was cut off would end this process.
func canOpen(name string) error {
	if err := sharedlib.Sound(name); err != nil {
		return err
	}
	return ort.CanOpen(name)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// imports are the libraries that a library names in its file.
func imports(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ImportedLibraries()
}

// CUDA is the major version of CUDA for which the provider beside a library was built; 0 for none.
func CUDA(library string) int {
	needed, err := imports(filepath.Join(filepath.Dir(library), ort.ProviderFile("cuda")))
	if err != nil {
		return 0
	}
	return cudaOf(needed)
}

// numbered are the libraries of CUDA that have its major version in their names. A provider need not name each of them.
var numbered = []string{"libcudart.so.", "libcublas.so.", "libcublasLt.so."}

// cudaOf is the major version of CUDA among the names of libraries.
func cudaOf(names []string) int {
	for _, name := range names {
		for _, begin := range numbered {
			if major, is := strings.CutPrefix(name, begin); is {
				return number(major)
			}
		}
	}
	return 0
}

// Short are the short names of the providers that can be there.
func (r Report) Short() []string { return ort.ShortNames(r.Providers, r.Absent) }
