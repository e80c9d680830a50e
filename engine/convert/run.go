package convert

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"conch/configedit/modelfile"
	"conch/engine/backend/python"
	"conch/engine/device"
	"conch/engine/stopped"
)

// worker is the Python program.
//
//go:embed lib/*.py lib/conch_convert/*.py
var worker embed.FS

// Event is what happens during a job.
type Event struct {
	// Step is what is being done now; "" for a line of the log.
	Step string
	// Done of Of parts of the step are done; 0 where that is not known.
	Done, Of int
	// Log is a line that a tool printed.
	Log string
}

// said is a line of the worker.
type said struct {
	Step   string `json:"step"`
	Done   int    `json:"done"`
	Of     int    `json:"of"`
	Error  string `json:"error"`
	Result *made  `json:"result"`
}

// Run does a job in a folder, which exists and is empty. When ctx ends, the worker and all that it has started end. The folder
// is the caller's to remove. tell is called with one event at a time, and not after Run has returned.
func (t *Tools) Run(ctx context.Context, j Job, dir string, tell func(Event)) (*Report, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(j.Model) // the worker's folder is another
	if err != nil {
		return nil, err
	}
	j.Model = absolute
	if j.Target == TensorRT {
		return t.runPlan(ctx, j, dir, tell)
	}
	interpreter, err := t.Python(ctx)
	if err != nil {
		return nil, err
	}
	if err := j.write(dir, nil); err != nil {
		return nil, err
	}
	done, err := work(ctx, interpreter, dir, tell)
	if err != nil {
		return nil, err
	}
	return finish(j, dir, done)
}

// finish makes the report, and checks that the files are there.
func finish(j Job, dir string, done *made) (*Report, error) {
	r, err := done.report(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Files {
		if !filepath.IsLocal(f.Name) {
			return nil, errors.New("the worker names a file elsewhere")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, Made, j.Name)); err != nil {
		return nil, fmt.Errorf("no model was made: %w", err)
	}
	r.BytesBefore = weight(j.Model)
	return r, nil
}

// weight returns the bytes of a model file and of the files with its external data.
func weight(model string) (sum int64) {
	for _, name := range append(modelfile.ExternalFiles(model), filepath.Base(model)) {
		if info, err := os.Stat(filepath.Join(filepath.Dir(model), name)); err == nil && filepath.IsLocal(name) {
			sum += info.Size()
		}
	}
	return sum
}

// work runs the worker on the job of a folder.
func work(ctx context.Context, interpreter, dir string, tell func(Event)) (*made, error) {
	code, err := os.MkdirTemp(dir, "code-")
	if err == nil {
		err = os.CopyFS(code, mustSub(worker, "lib"))
	}
	if err != nil {
		return nil, err
	}
	// -I keeps out what the folder and the environment variables would add: nothing but Conch's code and installed packages is imported.
	cmd := exec.Command(interpreter, "-I", "-B", code, dir)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "PYTHONUNBUFFERED=1")
	if _, set := os.LookupEnv(device.OrderVariable); !set { // a plan is built on the GPU that was chosen by its number
		cmd.Env = append(cmd.Env, device.OrderVariable+"="+device.ByBus)
	}
	tell = inTurn(tell)
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, &lines{each: func(line string) { tell(Event{Log: line}) }}
	heard := make(chan *said, 1)
	go func() { heard <- listen(out, tell) }()
	err = python.Run(ctx, cmd)
	_ = in.Close()
	last := <-heard
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case last != nil && last.Error != "":
		return nil, errors.New(last.Error)
	case last != nil && last.Result != nil:
		return last.Result, nil
	case stopped.By(err) != "":
		return nil, fmt.Errorf("the converter's process was stopped in the middle of its work (%s), by a person, or by the system because memory ran out. "+
			"Nothing was made. Close other programs, or convert where there is more memory, then try again", stopped.By(err))
	case err != nil:
		return nil, fmt.Errorf("the converter's process failed in the middle of its work (%w), and nothing was made: the log says more", err)
	}
	return nil, errors.New("the converter's process ended without a word")
}

// inTurn lets goroutines tell events, one at a time.
func inTurn(tell func(Event)) func(Event) {
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		tell(e)
	}
}

// listen passes on what the worker says, and returns its last word; nil for none.
func listen(out io.Reader, tell func(Event)) (last *said) {
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var s said
		if json.Unmarshal(scanner.Bytes(), &s) != nil {
			continue
		}
		if s.Step != "" {
			tell(Event{Step: s.Step, Done: s.Done, Of: s.Of})
		}
		if s.Error != "" || s.Result != nil {
			last = &s
		}
	}
	_, _ = io.Copy(io.Discard, out)
	return last
}

// lines takes text and passes it on line by line.
type lines struct {
	each func(string)
	part []byte
}

const longestLine = 4 << 10

// Write takes text.
func (l *lines) Write(text []byte) (int, error) {
	for _, b := range text {
		switch {
		case b == '\n' || b == '\r':
			if line := strings.TrimRight(strings.ToValidUTF8(string(l.part), "?"), " "); line != "" {
				l.each(line)
			}
			l.part = l.part[:0]
		case len(l.part) < longestLine:
			l.part = append(l.part, b)
		}
	}
	return len(text), nil
}

func mustSub(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}
