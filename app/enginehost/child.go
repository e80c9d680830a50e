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

	"conch/app/unshared"
	"conch/configedit/backends"
)

// stopTimeout is how long a child may take to end without a kill. The engine drains for at most
// exitTimeout.
const (
	exitTimeout = 3 * time.Second
	stopTimeout = exitTimeout + 2*time.Second
)

// logTail is how long to wait for the log of an ended engine.
const logTail = 300 * time.Millisecond

// maxLine limits a log line; a longer line is split.
const maxLine = 64 << 10

// child is a running engine process.
type child struct {
	pid   int
	proc  *os.Process
	stdin io.Closer     // the engine quits when it closes
	ended chan struct{} // closed when the process has ended and its log is read
	logs  *Logs
	// err is the error of the process, readable once ended is closed.
	err error
}

// flags returns the arguments of `conch serve`.
func flags(opts Options, last Ports, socket string) []string {
	args := []string{
		"--model-control-mode=explicit", // the workbench decides what is loaded
		"--reload=on-save",
		"--exit-on-error=false",
		"--allow-client-shm", // this user's clients only
		"--exit-timeout-secs=" + strconv.Itoa(int(exitTimeout/time.Second)),
		"--parent-pipe",
		"--private-socket=" + socket, "--restore-pending",
	}
	args = append(args, accessFlags()...)
	if opts.Accelerator != nil {
		if name := opts.Accelerator(); name != "" {
			args = append(args, "--backend-config="+backends.ONNXRuntime+",accelerator="+name)
		}
	}
	for _, r := range opts.Repositories {
		args = append(args, "--model-repository="+r)
	}
	return append(args, opts.Ports.flags(last)...)
}

// startChild starts an engine. Where it may choose the ports, it takes those of its last run.
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

// run starts the process and waits for it, all on one thread: the kernel ends the child when the
// thread that started it ends (see sysProcAttr), and the Go runtime ends idle threads.
func (c *child) run(cmd *exec.Cmd, log io.ReadCloser, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unshared.Mark()
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
	case <-time.After(logTail): // a process that the engine started still has the pipe open
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

// stop asks the process to end, and kills it when it does not.
func (c *child) stop() {
	_ = c.stdin.Close()
	_ = c.proc.Signal(syscall.SIGTERM) // Windows has no such signal; there the closed pipe ends the process
	select {
	case <-c.ended:
		return
	case <-time.After(stopTimeout):
	}
	c.kill()
}

// kill ends a process that does not react.
func (c *child) kill() {
	_ = c.proc.Kill()
	<-c.ended
}

// ownWords begins the program's message when it refuses to run, for example because a port is taken.
const ownWords = "conch: "

// reason returns a sentence about how the process ended, with its last words. refused means that it
// was never ready, and said itself why.
func (c *child) reason(wasReady bool) (text string, refused bool) {
	var exit *exec.ExitError
	how := "it exited"
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

// stopped adds a full stop to a sentence.
func stopped(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
