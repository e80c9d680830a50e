package python

import (
	"slices"

	"golang.org/x/sys/unix"

	"conch/engine/backend"
)

// Shared returns how much shared memory an instance has mapped.
func Shared(in backend.Instance) (size int) {
	s := in.(*instance).process.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range []map[uint32]*segment{s.ours, s.theirs} {
		for _, seg := range list {
			size += len(seg.data)
		}
	}
	return size
}

// Strays returns how many processes are there that models of a backend have started.
func Strays(b *Backend) int {
	return len(slices.DeleteFunc(marked(b.keeper.mark, b.keeper.mark+marksOfEngine-1), func(pid int) bool { return !lives(pid) }))
}

// Taken returns how many segments hold what the engine has sent.
func Taken(in backend.Instance) (count int) {
	s := in.(*instance).process.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.ours {
		if seg.taken {
			count++
		}
	}
	return count
}

// Unread returns how much the engine has written to an instance's process that it has not read.
func Unread(in backend.Instance) (size int) {
	raw, err := in.(*instance).process.conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { size, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	}
	if err != nil {
		return 0
	}
	return size
}
