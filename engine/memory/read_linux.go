package memory

import "golang.org/x/sys/unix"

// readFile reads a small file as os.ReadFile does, but tells Go's poller nothing of it. The kernel offers to report changes of the
// files of control groups and of mountinfo, so Go would have each of them watched, which wakes another thread. They are read every second.
func readFile(path string) ([]byte, error) {
	fd, err := again(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	var content []byte
	for part := make([]byte, 4096); ; {
		n, err := again(func() (int, error) { return unix.Read(fd, part) })
		if err != nil || n == 0 {
			return content, err
		}
		content = append(content, part[:n]...)
	}
}

// again calls a function once more for as long as a signal interrupts it.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != unix.EINTR {
			return n, err
		}
	}
}
