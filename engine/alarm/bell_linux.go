package alarm

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// bell is a kernel timer in the form of a file. Go waits for it as it waits for a connection, so it wakes the process
// at once.
type bell struct {
	file   *os.File
	number int // of the file; Fd would make reads from it block
}

func newBell() (*bell, error) {
	number, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &bell{file: os.NewFile(uintptr(number), "timerfd"), number: number}, nil
}

// set makes it ring after a time above zero. An earlier setting no longer counts.
func (b *bell) set(in time.Duration) {
	// It fails only for a file that is not a timer, and for an invalid time. Go's timer rings in any case.
	_ = unix.TimerfdSettime(b.number, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(in))}, nil)
}

// wait waits until it rings. It returns false when the bell is closed.
func (b *bell) wait() bool {
	var times [8]byte
	_, err := b.file.Read(times[:])
	return err == nil
}

func (b *bell) close() { _ = b.file.Close() }
