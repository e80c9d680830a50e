package device

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"conch/engine/lastwords"
	"conch/engine/period"
	"conch/engine/sharedlib"
)

// longestAnswer is how long the driver's library may take. Its process is ended then, and another one is started when the GPUs are read next.
const longestAnswer = time.Minute

// apart reads the GPUs in a process of its own. A library that crashes there is an error, and harms nobody.
type apart struct {
	reader   Reader
	patience time.Duration

	cmd     *exec.Cmd
	asks    io.WriteCloser
	answers *os.File
	next    *gob.Decoder
	said    *lastwords.Buffer
	ended   chan struct{} // closed when the process has ended
	end     error         // how: to be read then
}

func libraryBy(r Reader) library {
	if r == nil {
		return newLibrary()
	}
	return &apart{reader: r, patience: longestAnswer}
}

// open starts the process. Most machines have no such library: where the loader finds none, no process is needed.
func (a *apart) open() error {
	if !sharedlib.Found(libraryName) {
		if err := usable(); errors.Is(err, errAbsent) {
			return err
		}
	}
	if err := a.start(); err != nil {
		return fmt.Errorf("start a process that asks the driver's library: %w", err)
	}
	_, err := a.answer()
	if err != nil {
		a.close()
	}
	return err
}

func (a *apart) start() error {
	answers, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	cmd, said := a.reader(), &lastwords.Buffer{}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = said, said, []*os.File{to}
	cmd.WaitDelay = lastMoment
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what the library forks ends with it
	asks, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return errors.Join(err, answers.Close())
	}
	a.cmd, a.asks, a.answers, a.next, a.said, a.ended = cmd, asks, answers, gob.NewDecoder(answers), said, make(chan struct{})
	go func() {
		a.end = cmd.Wait()
		a.kill()
		close(a.ended)
	}()
	return nil
}

func (a *apart) kill() { _ = syscall.Kill(-a.cmd.Process.Pid, syscall.SIGKILL) }

func (a *apart) read() (Snapshot, error) {
	_, _ = a.asks.Write([]byte{'?'}) // that the process has ended is found out by its answer
	return a.answer()
}

func (a *apart) answer() (Snapshot, error) {
	var got answer
	_ = a.answers.SetReadDeadline(time.Now().Add(a.patience))
	switch err := a.next.Decode(&got); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		a.kill()
		<-a.ended // where the driver holds it up for ever, no second process is to wait as well
		return Snapshot{}, fmt.Errorf("the driver's library has not answered within %s", period.Text(a.patience))
	case err != nil:
		a.close()
		return Snapshot{}, fmt.Errorf("the process that asks the driver's library ended without an answer%s. If this keeps happening, install NVIDIA's driver again", lastwords.Of(a.said.String(), a.end))
	case got.Absent:
		return Snapshot{}, errAbsent
	case got.Error != "":
		return Snapshot{}, errors.New(got.Error)
	}
	return got.Snapshot, nil
}

// close lets the process close the library, and ends it where that takes too long.
func (a *apart) close() {
	_, _ = a.asks.Close(), a.answers.Close()
	late := time.AfterFunc(2*lastMoment, a.kill)
	<-a.ended
	late.Stop()
}
