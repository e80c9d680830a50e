package watch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// inotify reads IN_CLOSE_WRITE from an inotify instance of its own and puts it
// into a queue. Each of its watches counts towards fs.inotify.max_user_watches.
type inotify struct {
	file  *os.File
	queue *queue
	ended chan struct{} // closed when read has returned

	mu sync.Mutex // guards what follows
	// paths are the watched folders by the numbers of their watches, and numbers
	// are those by their paths.
	paths   map[int32]string
	numbers map[string]int32
}

var _ closings = (*inotify)(nil)

func newClosings(queue *queue) (closings, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("start inotify: %w", err)
	}
	n := &inotify{
		// A file that does not block is read through the runtime's poller, and
		// Close ends a read.
		file: os.NewFile(uintptr(fd), "inotify"), queue: queue, ended: make(chan struct{}),
		paths: map[int32]string{}, numbers: map[string]int32{},
	}
	go n.read()
	return n, nil
}

// Add implements system.
func (n *inotify) Add(path string) error {
	return n.control(func(fd int) error {
		n.mu.Lock() // before the first event of this watch is read
		defer n.mu.Unlock()
		wd, err := unix.InotifyAddWatch(fd, path, unix.IN_CLOSE_WRITE|unix.IN_ONLYDIR)
		if err != nil {
			return &os.PathError{Op: "watch", Path: path, Err: err}
		}
		number := int32(wd)
		delete(n.numbers, n.paths[number]) // the same folder, under another name
		n.paths[number], n.numbers[path] = path, number
		return nil
	})
}

// Remove implements system.
func (n *inotify) Remove(path string) error {
	return n.control(func(fd int) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		number, known := n.numbers[path]
		if !known {
			return nil
		}
		delete(n.numbers, path)
		delete(n.paths, number)
		if _, err := unix.InotifyRmWatch(fd, uint32(number)); err != nil {
			return &os.PathError{Op: "end the watch of", Path: path, Err: err}
		}
		return nil
	})
}

// control keeps the file open while do uses its descriptor.
func (n *inotify) control(do func(fd int) error) error {
	raw, err := n.file.SyscallConn()
	if err != nil {
		return fmt.Errorf("use inotify: %w", err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return fmt.Errorf("use inotify: %w", err)
	}
	return failed
}

// Close ends all watches, and waits for the reader.
func (n *inotify) Close() error {
	err := n.file.Close()
	<-n.ended
	if err != nil {
		return fmt.Errorf("close inotify: %w", err)
	}
	return nil
}

// read moves events into the queue until the file is closed.
func (n *inotify) read() {
	defer close(n.ended)
	buf := make([]byte, 16<<10) // some 60 events with the longest names
	for {
		size, err := n.file.Read(buf)
		if err != nil {
			return // what is missed from here on is found by the heartbeat
		}
		n.parse(buf[:size])
	}
}

// parse takes events as inotify(7) lays them out: watch, mask, cookie, length of
// the name, and the name, filled up with zero bytes.
func (n *inotify) parse(events []byte) {
	for len(events) >= unix.SizeofInotifyEvent {
		number := int32(binary.NativeEndian.Uint32(events))
		mask := binary.NativeEndian.Uint32(events[4:])
		size := int(binary.NativeEndian.Uint32(events[12:]))
		name, _, _ := bytes.Cut(events[unix.SizeofInotifyEvent:][:size], []byte{0})
		events = events[unix.SizeofInotifyEvent+size:]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			n.queue.lose()
		case mask&unix.IN_IGNORED != 0:
			n.forget(number)
		case mask&unix.IN_CLOSE_WRITE != 0:
			n.closed(number, string(name))
		}
	}
}

// forget drops a watch that the system ended, since the folder is gone.
func (n *inotify) forget(number int32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	path, known := n.paths[number]
	delete(n.paths, number)
	if known {
		delete(n.numbers, path)
	}
}

func (n *inotify) closed(number int32, name string) {
	n.mu.Lock()
	dir, known := n.paths[number]
	n.mu.Unlock()
	if known {
		n.queue.addClosed(filepath.Join(dir, name))
	}
}
