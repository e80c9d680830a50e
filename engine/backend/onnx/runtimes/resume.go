package runtimes

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"conch/configedit/bytesize"
	"conch/engine/lastwords"
)

const (
	// partsName is the folder of what has come of downloads that were broken off, each named by the hash of the whole.
	partsName = "parts"
	// partsLive is how long a part is kept.
	partsLive = 7 * 24 * time.Hour
	// longestLine bounds what is read of the program's first line, in bytes.
	longestLine = 64 << 10
	// tooMuch is the exit status of the program where the wheel has more bytes than it may have.
	tooMuch = 4
	// elsewhere is the exit status of the program where pip itself has to download.
	elsewhere = 3
)

// program downloads a wheel as pip would, and goes on with what has come of it. pip itself begins from the beginning.
//
//go:embed fetch.py
var program string

// errElsewhere means that pip itself has to download: what the program needs of it is different there, or the index tells no hash.
var errElsewhere = errors.New("only pip can download it")

// begun is what the program says before it downloads.
type begun struct {
	Name  string `json:"name"`
	Sum   string `json:"sum"`
	Begun int64  `json:"begun"` // bytes that were there
}

// goodSum is a SHA-256.
var goodSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// fetchPart downloads the wheel of an offer into a folder, by a Python with pip. What has come of it is kept when that is broken off, and
// the next time goes on from there. It returns the file and its hash.
func (s *Store) fetchPart(ctx context.Context, stage string, w Wanted, tool []string, left room) (path, sum string, err error) {
	file, err := w.Offer.Wheel()
	if err != nil {
		return "", "", err
	}
	python, found := interpreterOf(tool)
	if !found {
		return "", "", errElsewhere
	}
	dir := filepath.Join(s.Dir, partsName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	heard, err := runProgram(ctx, python, append([]string{dir, fmt.Sprint(int64(left))}, selection(w.Offer, file)...), stage, w, dir)
	if err != nil {
		return "", "", err
	}
	part := filepath.Join(dir, heard.Sum)
	for _, published := range []string{file.SHA256, heard.Sum} {
		if err := checkSum(part, heard.Name, published); err != nil {
			return "", "", errors.Join(err, os.Remove(part))
		}
	}
	to := filepath.Join(stage, heard.Name)
	return to, heard.Sum, os.Rename(part, to)
}

// keepParts keeps the wheels of an install that was stopped after its download, so that the next install need not download them again.
func (s *Store) keepParts(wheels []source) {
	for _, w := range wheels {
		if w.sum != "" {
			_ = os.Rename(w.path, filepath.Join(s.Dir, partsName, w.sum))
		}
	}
}

// interpreterOf is the Python of a command that runs pip.
func interpreterOf(tool []string) (string, bool) {
	for _, python := range pythons() {
		if python == tool[0] {
			return python, true
		}
	}
	return "", false
}

// runProgram runs the program and returns what it has downloaded.
func runProgram(ctx context.Context, python string, words []string, stage string, w Wanted, dir string) (begun, error) {
	cmd := exec.CommandContext(ctx, python, append([]string{"-c", program}, words...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = stage, pipVariables(stage), 5*time.Second
	var part atomic.Pointer[string] // the file of this download: beside it are those of others that were broken off
	said, out := &lastwords.Buffer{}, &firstLine{tell: func(b begun) {
		if goodSum.MatchString(b.Sum) {
			part.Store(new(filepath.Join(dir, b.Sum)))
		}
		if b.Begun > 0 {
			w.Tell(fmt.Sprintf("going on with the download of %s behind its first %s", b.Name, bytesize.Text(b.Begun)))
		}
	}}
	cmd.Stdout, cmd.Stderr = out, said
	come := func() int64 {
		if file := part.Load(); file != nil {
			return size(*file)
		}
		return 0
	}
	stop := watchSize(ctx, come, w.Progress)
	err := cmd.Run()
	stop()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return begun{}, context.Cause(ctx)
	case errors.As(err, &ended) && ended.ExitCode() == elsewhere:
		return begun{}, errElsewhere
	case errors.As(err, &ended) && ended.ExitCode() == tooMuch:
		return begun{}, errTooLarge
	case !goodSum.MatchString(out.heard.Sum) || !filepath.IsLocal(out.heard.Name) || filepath.Base(out.heard.Name) != out.heard.Name:
		return begun{}, errElsewhere
	case err == nil:
		return out.heard, nil
	case strings.Contains(said.String(), "No space left on device"):
		return begun{}, errors.Join(pipFailure(w.Offer, said.String(), err), os.Remove(filepath.Join(dir, out.heard.Sum)))
	}
	return begun{}, fmt.Errorf("%w. What has come of it is kept: ask again to go on from there", pipFailure(w.Offer, said.String(), err))
}

// firstLine reads the first line that the program writes.
type firstLine struct {
	tell  func(begun)
	text  []byte
	heard begun
}

// Write takes text. A command writes from one goroutine.
func (f *firstLine) Write(p []byte) (int, error) {
	if f.heard.Sum != "" || len(f.text) > longestLine {
		return len(p), nil
	}
	f.text = append(f.text, p...)
	if line, _, whole := bytes.Cut(f.text, []byte("\n")); whole && json.Unmarshal(line, &f.heard) == nil {
		f.tell(f.heard)
	}
	return len(p), nil
}

// Come is how much is kept of a download of the offer that was broken off.
func (s *Store) Come(o Offer) (sum int64) {
	for _, p := range o.packages() {
		w, err := p.Wheel()
		if err != nil || w.SHA256 == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(s.Dir, partsName, w.SHA256)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// sweepParts removes parts that nobody went on with. The lock is held.
func (s *Store) sweepParts() {
	entries, _ := os.ReadDir(filepath.Join(s.Dir, partsName))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > partsLive {
			_ = os.Remove(filepath.Join(s.Dir, partsName, entry.Name()))
		}
	}
}
