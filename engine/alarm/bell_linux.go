package alarm

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// bell is a timer of the kernel's as a file: one that Go waits for as for a connection, so that it wakes the process at once.
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

// set makes it ring after a while, which is more than nothing, instead of when it was set to before.
func (b *bell) set(in time.Duration) {
	// It fails only for a descriptor that is not a timer and for an invalid time. Go's timer rings in any case.
	_ = unix.TimerfdSettime(b.number, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(in))}, nil)
}

// wait waits until it rings; false when it is closed.
func (b *bell) wait() bool {
	var times [8]byte
	_, err := b.file.Read(times[:])
	return err == nil
}

func (b *bell) close() { _ = b.file.Close() }
