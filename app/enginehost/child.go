package enginehost

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopTimeout is how long a child may take to end by itself. The engine drains for at most exitTimeout.
const (
	exitTimeout = 3 * time.Second
	stopTimeout = exitTimeout + 2*time.Second
)

// logTail is how long the log of an ended engine is waited for.
const logTail = 300 * time.Millisecond

// maxLine bounds a log line; what is longer is cut into several.
const maxLine = 64 << 10

// child is a running engine process.
type child struct {
	pid   int
	proc  *os.Process
	stdin io.Closer     // the engine quits when it closes
	ended chan struct{} // closed when the process is gone and its log read
	logs  *Logs
	// err is how it ended; readable once ended is closed.
	err error
}

// flags are what `conch serve` is told.
func flags(opts Options, last Ports, socket string) []string {
	args := []string{
		"--model-control-mode=explicit", // the workbench decides what is loaded
		"--reload=on-save",
		"--exit-on-error=false",
		"--exit-timeout-secs=" + strconv.Itoa(int(exitTimeout/time.Second)),
		"--parent-pipe",
		"--private-socket=" + socket, "--restore-pending",
	}
	args = append(args, accessFlags()...)
	for _, r := range opts.Repositories {
		args = append(args, "--model-repository="+r)
	}
	return append(args, opts.Ports.flags(last)...)
}

// startChild starts an engine, which takes the ports that it had in its life before, if it may choose.
func startChild(opts Options, last Ports, socket string, logs *Logs) (*child, error) {
	cmd := exec.Command(opts.Command[0], append(opts.Command[1:len(opts.Command):len(opts.Command)], flags(opts, last, socket)...)...)
	cmd.SysProcAttr = sysProcAttr()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the engine's pipe: %w", err)
	}
	log, stderr, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the engine's log pipe: %w", err)
	}
	cmd.Stderr = stderr
	c := &child{stdin: stdin, ended: make(chan struct{}), logs: logs}
	started := make(chan error)
	go c.run(cmd, log, started)
	err = <-started
	_ = stderr.Close()
	if err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start the engine %s: %w", opts.Command[0], err)
	}
	return c, nil
}

// run starts the process and waits for it, all on one thread: the kernel ends the child when the thread that
// started it ends (see sysProcAttr), and the Go runtime ends idle threads.
func (c *child) run(cmd *exec.Cmd, log io.ReadCloser, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	c.pid, c.proc = cmd.Process.Pid, cmd.Process
	close(started)
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.readLog(log)
	}()
	c.err = cmd.Wait()
	select {
	case <-read:
	case <-time.After(logTail): // a process of the engine's own still holds the pipe
	}
	_ = log.Close()
	<-read
	close(c.ended)
}

func (c *child) readLog(r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, _, err := lines.ReadLine()
		if len(line) > 0 {
			c.logs.add(string(line))
		}
		if err != nil {
			return
		}
	}
}

// stop asks the process to end, and ends it when it does not.
func (c *child) stop() {
	_ = c.stdin.Close()
	_ = c.proc.Signal(syscall.SIGTERM) // not there on Windows, where the closed pipe does it
	select {
	case <-c.ended:
		return
	case <-time.After(stopTimeout):
	}
	c.kill()
}

// kill ends a process that cannot be asked.
func (c *child) kill() {
	_ = c.proc.Kill()
	<-c.ended
}

// ownWords begins what the program says when it refuses to run, a taken port for example.
const ownWords = "conch: "

// reason says in a sentence how the process ended, with the last words it left. refused: it was never ready, and
// said itself why.
func (c *child) reason(wasReady bool) (text string, refused bool) {
	var exit *exec.ExitError
	how := "it ended by itself"
	if errors.As(c.err, &exit) {
		how = strings.Replace(exit.Error(), "exit status", "exit code", 1)
	}
	last := c.logs.lastWords(strings.Contains(how, "signal"))
	if why, own := strings.CutPrefix(last, ownWords); own && !wasReady {
		return "The engine cannot start: " + stopped(why), true
	}
	text = fmt.Sprintf("The engine (process %d) ended unexpectedly: %s.", c.pid, how)
	if last != "" {
		text += " Its last words: " + stopped(last)
	}
	return text, false
}

// stopped ends a sentence.
func stopped(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
