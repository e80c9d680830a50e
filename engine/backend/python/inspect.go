package python

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
)

var (
	_ backend.Housed      = (*instance)(nil)
	_ backend.Inspectable = (*instance)(nil)
)

// Process implements backend.Housed.
func (in *instance) Process() (backend.Process, bool) {
	select {
	case <-in.process.dead:
		return backend.Process{}, false
	default:
	}
	p := backend.Process{PID: in.process.cmd.Process.Pid, Started: in.process.started, Debugger: in.debugger.at()}
	p.Resident, p.CPU = in.process.usage()
	return p, true
}

const (
	// stackWait is how long a process may take until it begins to write where it is.
	stackWait = 2 * time.Second
	// stackRest is the silence after which it writes no more: its main thread has not come to write where the others are.
	stackRest = 150 * time.Millisecond
	// longestStacks is how many lines are taken.
	longestStacks = 4000
)

// Stacks has the process write where its threads are (lib/conch_worker/stacks.py). While the main thread runs code in C, it
// writes only where that thread is.
func (in *instance) Stacks(ctx context.Context) (string, error) {
	lines, stop, ok := in.process.output.expectStacks()
	if !ok {
		return "", infer.Errorf(infer.Unavailable, "instance %s is being asked where it is already", in.name)
	}
	defer stop()
	in.process.askForStack()
	var one, all []string // the stacks of one thread, which come first, and of all
	for wait := stackWait; ; wait = stackRest {
		timer := time.NewTimer(wait)
		select {
		case line := <-lines:
			timer.Stop()
			line, ofAll := strings.CutPrefix(line, stackMark)
			switch {
			case !ofAll:
				one = append(one, line)
			case line != "": // not the end
				all = append(all, line)
			}
			if len(one)+len(all) < longestStacks && (!ofAll || line != "") {
				continue
			}
		case <-in.process.dead:
			return "", in.unhealthy()
		case <-ctx.Done():
			return "", ctx.Err()
		case <-timer.C:
		}
		timer.Stop()
		if len(all) == 0 {
			all = one
		}
		if len(all) == 0 {
			return "", infer.Errorf(infer.Unavailable, "instance %s does not say where it is: its standard error is closed, or its program handles SIGUSR2", in.name)
		}
		return readable(all, in.model.launch.library), nil
	}
}

// stackMark begins each line about all threads, and is a line after the last one.
const stackMark = "\x1d\x1d"

// stackLine matches what Python's faulthandler writes about one thread.
var stackLine = regexp.MustCompile(`^(?:Stack \(most recent call first\):|  File ".*", line \d+ in |  \.\.\.$|<no Python frame>|$)`)

// withoutDebugger leaves out the threads that debugpy has started. In those, nothing but debugpy calls Python's own library.
func withoutDebugger(lines []string) []string {
	var out, thread []string
	var debugger, others bool
	flush := func() {
		if !debugger || others {
			out = append(out, thread...)
		}
		thread, debugger, others = nil, false, false
	}
	for _, line := range lines {
		if line != "" && !strings.HasPrefix(line, " ") {
			flush()
		}
		thread = append(thread, line)
		switch {
		case ofDebugger.MatchString(line):
			debugger = true
		case strings.HasPrefix(line, "  File ") && !ofWaiting.MatchString(line):
			others = true
		}
	}
	flush()
	return out
}

var (
	ofStart    = regexp.MustCompile(`^  File "(?:<frozen runpy>|.*[/\\]python3[^/\\]*[/\\]runpy\.py)"`)
	ofDebugger = regexp.MustCompile(`^  File ".*[/\\]debugpy[/\\]`)
	ofWaiting  = regexp.MustCompile(`^  File ".*[/\\]python3[^/\\]*[/\\](?:threading|queue|socket|selectors|subprocess)\.py"`)
)

// readable leaves out the code of the worker itself, and the threads that run nothing else or are the debugger's.
func readable(lines []string, library string) string {
	lines = withoutDebugger(lines)
	var out []string
	head := -1 // of the current thread, in out
	drop := func() {
		if head >= 0 && head == len(out)-1 {
			out = out[:head]
		}
	}
	isHead := func(line string) bool { return line != "" && !strings.HasPrefix(line, " ") }
	main := slices.IndexFunc(lines, isHead) // the main thread is the first one, or the only one
	for i, line := range lines {
		own := strings.HasPrefix(line, `  File "`+library) || ofStart.MatchString(line)
		switch {
		case strings.TrimSpace(line) == "" || own:
		case isHead(line):
			drop()
			head = len(out)
			out = append(out, threadName(line, i == main))
		default:
			out = append(out, line)
		}
	}
	drop()
	if len(out) == 0 {
		return "No code of the model runs: the process waits for a request."
	}
	return strings.Join(out, "\n")
}

func threadName(line string, main bool) string {
	if main {
		return "Main thread:"
	}
	return strings.Replace(line, " (most recent call first):", ":", 1)
}

// expectStacks begins to take the lines in which the process says where it is. One caller at a time can do so.
func (o *output) expectStacks() (lines <-chan string, stop func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stacks != nil {
		return nil, nil, false
	}
	taken := make(chan string, longestStacks)
	o.stacks = taken
	return taken, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stacks = nil
	}, true
}

// takeStack takes what a line says about where the process is, and returns the rest of the line, or false for none. What comes
// when nobody asks any more is left out: the main thread was busy before. The caller holds o.mu.
func (o *output) takeStack(line string) (rest string, left bool) {
	at := strings.Index(line, stackMark) // after what the program has written without an end of line
	switch {
	case at >= 0:
		line, rest = line[at:], line[:at]
	case o.stacks == nil || !stackLine.MatchString(line):
		return line, true
	}
	select {
	case o.stacks <- line: // never where it is nil
	default:
	}
	return rest, rest != ""
}

const (
	// breakPatience is how long an execution may take to end by KeyboardInterrupt, before its process is ended.
	breakPatience = 2 * time.Second
	// breakEvery is how often it is asked to: an interrupt in the worker's own code has no effect.
	breakEvery = 100 * time.Millisecond
)

// Break raises KeyboardInterrupt in execute. A program that catches it, or runs code that does not return to Python, ends with
// its process.
func (in *instance) Break(ctx context.Context) (string, error) {
	number, ended, ok := in.execution()
	if !ok {
		return "", infer.Errorf(infer.Unavailable, "instance %s executes no request", in.name)
	}
	in.process.goOn()
	again, late := time.NewTicker(breakEvery), time.NewTimer(breakPatience)
	defer again.Stop()
	defer late.Stop()
	in.process.breakOff(number)
	in.quitCalls() // a process that waits for an answer raises nothing until it has it
	for {
		select {
		case <-ended:
			return "Its execution ended by KeyboardInterrupt.", nil
		case <-in.process.dead:
			return "Its process has ended.", nil
		case <-ctx.Done():
			return "", ctx.Err()
		case <-again.C:
			in.process.breakOff(number)
		case <-late.C:
			in.process.kill(errInterrupted)
			<-in.process.dead
			return "It did not react to KeyboardInterrupt, so its process was ended. Conch starts it again.", nil
		}
	}
}

// execution returns the number of the current execution and a channel that is closed when it has ended, and whether there is one.
func (in *instance) execution() (number uint64, ended <-chan struct{}, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	run := in.line.current()
	if run == nil {
		return 0, nil, false
	}
	if in.ended == nil {
		in.ended = make(chan struct{})
	}
	return run.first, in.ended, true
}
