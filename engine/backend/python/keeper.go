package python

import (
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
)

// keeper is a process that outlives the engine, and then ends what models have started (lib/conch_worker/keeper.py).
// A process of a model is killed with the engine on Linux; its children are not.
type keeper struct {
	mark  mark                   // the first one of this engine
	usual func() (string, error) // the Python of models that bring none

	mu     sync.Mutex       // guards what follows
	last   mark             // that was given to a process, without the first one of the engine
	groups map[int]struct{} // of the processes that live
	cmd    *exec.Cmd        // nil before the first process
	pipe   io.WriteCloser
}

func newKeeper(usual func() (string, error)) *keeper {
	return &keeper{mark: newMark(), usual: usual, groups: map[int]struct{}{}}
}

// next returns a mark for a process.
func (k *keeper) next() mark {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = (k.last + 1) % marksOfEngine
	return k.mark + k.last
}

// begin notes that a process group has begun. A keeper that is not there, or was killed, is started.
func (k *keeper) begin(l launch, group int, log *slog.Logger) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.groups[group] = struct{}{}
	if k.cmd != nil && k.write("+", group) == nil {
		return
	}
	k.end()
	if err := k.start(l); err != nil {
		log.Warn("what this model starts may outlive a crash of the server: the process that would end it cannot be started", "error", err)
	}
}

// start starts the process, and tells it about all groups. The caller holds k.mu.
func (k *keeper) start(l launch) error {
	interpreter, err := k.usual()
	if err != nil { // all models bring their own; otherwise one model's Python does not work for the others
		interpreter = l.python.path
	}
	program := filepath.Join(l.library, "conch_worker", "keeper.py")
	cmd := exec.Command(interpreter, "-I", "-S", program, k.mark.String(), (k.mark + marksOfEngine - 1).String())
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		_ = pipe.Close()
		return err
	}
	k.cmd, k.pipe = cmd, pipe
	for group := range k.groups {
		if err := k.write("+", group); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) write(sign string, group int) error {
	_, err := fmt.Fprintf(k.pipe, "%s%d\n", sign, group)
	return err
}

// ended notes that a group has ended.
func (k *keeper) ended(group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.groups, group)
	if k.cmd != nil {
		_ = k.write("-", group)
	}
}

// close ends the process.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end()
}

func (k *keeper) end() {
	if k.cmd == nil {
		return
	}
	_ = k.pipe.Close()
	_ = k.cmd.Wait()
	k.cmd = nil
}
