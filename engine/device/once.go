package device

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Read reads the GPUs once. When ctx ends first, or the driver does not answer in time, Trouble says so.
func Read(ctx context.Context, by Reader, within time.Duration) Snapshot {
	return read(ctx, libraryBy(by), within)
}

func read(ctx context.Context, l library, within time.Duration) Snapshot {
	answers := make(chan Snapshot, 1)
	go func() { answers <- readOnce(l) }()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case s := <-answers:
		return s
	case <-ctx.Done():
		return Snapshot{Trouble: hangs}
	}
}

func readOnce(l library) Snapshot {
	err := l.open()
	if errors.Is(err, errAbsent) {
		return Snapshot{At: time.Now()}
	}
	var s Snapshot
	if err == nil {
		s, err = l.read()
		l.close()
	}
	if err != nil {
		return Snapshot{At: time.Now(), Trouble: fmt.Sprintf("The GPUs of this machine cannot be read: %v.", err)}
	}
	s.At = time.Now()
	return s
}
