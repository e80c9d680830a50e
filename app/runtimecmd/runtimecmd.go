// Package runtimecmd runs `conch runtime` and `conch convert` for the window, in processes of their own: they open libraries of others, and
// the workbench never goes down with one.
package runtimecmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/unshared"
	"conch/engine/period"
	"conch/engine/stopped"
)

// Program is the program whose commands are run; "" for this one.
type Program string

const (
	// patience is how long a command may take to end when it is stopped.
	patience = 10 * time.Second
	// longestLine bounds an event: a report of a model with thousands of outputs.
	longestLine = 16 << 20
)

// longest bounds what only looks and writes a few bytes. Each library has a minute to answer.
var longest = 5 * time.Minute

// List returns what is here and what can be installed.
func (p Program) List(ctx context.Context) (*api.ListRuntimesResponse, error) {
	out, err := p.run(ctx, "runtime", "list", "--parent-pipe", "--json")
	if err != nil {
		return nil, err
	}
	list := &api.ListRuntimesResponse{}
	if err := protojson.Unmarshal([]byte(inWindow(string(out))), list); err != nil {
		return nil, fmt.Errorf("read what is installed: %w", err)
	}
	return list, nil
}

// Use chooses a build.
func (p Program) Use(ctx context.Context, name string) error {
	_, err := p.run(ctx, "runtime", "use", "--parent-pipe", "--", name)
	return err
}

// Remove removes a build and returns the line that says so.
func (p Program) Remove(ctx context.Context, name string) (string, error) {
	out, err := p.run(ctx, "runtime", "remove", "--", name)
	return strings.TrimSpace(string(out)), err
}

// Install installs a build and tells what happens: from a wheel or a folder, or by a download where from is "". When ctx ends, or after an error of
// each, nothing is left of it.
func (p Program) Install(ctx context.Context, name, from string, each func(*api.InstallRuntimeResponse) error) error {
	args := []string{"--events"}
	if from != "" {
		args = append(args, "--from="+from)
	}
	args = append(args, "--")
	if name != "" {
		args = append(args, name)
	}
	return stream(ctx, p, func() *api.InstallRuntimeResponse { return &api.InstallRuntimeResponse{} }, each, "runtime", "install", args...)
}

// stream runs a command that prints events as lines of JSON, and passes them on. When ctx ends, or after an error of each, the command ends in order,
// and also when this process is killed: its standard input is a pipe that closes then.
func stream[E proto.Message](ctx context.Context, p Program, empty func() E, each func(E) error, group, name string, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, said, err := p.command(ctx, append([]string{group, name, "--parent-pipe"}, args...)...)
	if err != nil {
		return err
	}
	if _, err := cmd.StdinPipe(); err != nil { // Wait closes it
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := start(cmd); err != nil {
		return err
	}
	var telling error
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		event := empty()
		if telling != nil || protojson.Unmarshal(lines.Bytes(), event) != nil {
			continue
		}
		if telling = each(event); telling != nil {
			cancel()
		}
	}
	if err := cmd.Wait(); err != nil && telling == nil {
		return failure(ctx, said, err)
	}
	return telling
}

// run runs a command to its end and returns what it printed. Its standard input is a pipe that closes when this process is killed.
func (p Program) run(ctx context.Context, args ...string) ([]byte, error) {
	late := fmt.Errorf("`conch %s` has not ended within %s: a library that it opens, or the disk, may hang. Run it in a terminal to see where", strings.Join(args[:2], " "), period.Text(longest))
	ctx, cancel := context.WithTimeoutCause(ctx, longest, late)
	defer cancel()
	cmd, said, err := p.command(ctx, args...)
	if err != nil {
		return nil, err
	}
	if _, err := cmd.StdinPipe(); err != nil { // Wait closes it
		return nil, err
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := start(cmd); err != nil {
		return nil, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, failure(ctx, said, err)
	}
	return out.Bytes(), nil
}

// command is one that ends in order when ctx ends. The buffer gets its errors.
func (p Program) command(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer, error) {
	program := string(p)
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		program = self
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = patience
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	said := &bytes.Buffer{}
	cmd.Stderr = said
	return cmd, said, nil
}

// start starts a command that inherits no file of the window.
func start(cmd *exec.Cmd) error {
	unshared.Mark()
	return cmd.Start()
}

// failure is what the command said of its end.
func failure(ctx context.Context, said *bytes.Buffer, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if text := strings.TrimPrefix(strings.TrimSpace(said.String()), "conch: "); text != "" {
		return errors.New(inWindow(text))
	}
	if by := stopped.By(err); by != "" {
		return fmt.Errorf("its process was stopped in the middle of its work (%s), by a person, or by the system because memory ran out. Close other programs, then try again", by)
	}
	return fmt.Errorf("its process failed without a word (%w): try again", err)
}
