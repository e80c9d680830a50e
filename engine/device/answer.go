package device

import (
	"encoding/gob"
	"errors"
	"io"
	"os/exec"
	"time"
)

// Reader is the command of a process that reads the GPUs for this one, by Answer: the driver's library then ends, or holds up, that process alone.
// Nil reads them in this process, and so does every Reader where there is no second half for it, as on Windows.
type Reader func() *exec.Cmd

// AnswersFile is the number of the file into which that process writes its answers. What a library prints goes elsewhere.
const AnswersFile = 3

// answer is what it writes, as gob, which can write the number NaN, unlike JSON. Absent counts before Error, and Error
// before Snapshot. The first answer says how the library opened, and has no Snapshot.
type answer struct {
	Snapshot Snapshot
	Absent   bool   // there is no driver
	Error    string // as library tells it
}

// lastMoment is how long a library may take to close once nobody asks any more.
const lastMoment = time.Second

// Answer opens the driver's library and writes how that went, then reads the GPUs each time that a byte comes in, and writes what they do. It ends
// after an error, and when there is no more to read in. A library that hangs then does not let it return: exit is called.
func Answer(asks io.Reader, answers io.Writer, exit func()) error {
	return answerBy(newLibrary(), asks, answers, exit)
}

func answerBy(l library, asks io.Reader, answers io.Writer, exit func()) error {
	came := make(chan struct{})
	go func() {
		defer close(came)
		for ask := make([]byte, 1); ; came <- struct{}{} {
			if _, err := io.ReadFull(asks, ask); err != nil { // the other process has ended, or wants no more
				time.AfterFunc(lastMoment, exit)
				return
			}
		}
	}()
	out := gob.NewEncoder(answers)
	if err := l.open(); err != nil {
		return out.Encode(answer{Absent: errors.Is(err, errAbsent), Error: err.Error()})
	}
	defer l.close()
	if err := out.Encode(answer{}); err != nil {
		return err
	}
	for range came {
		s, err := l.read()
		if err != nil {
			return out.Encode(answer{Error: err.Error()})
		}
		if err := out.Encode(answer{Snapshot: s}); err != nil {
			return err
		}
	}
	return nil
}
