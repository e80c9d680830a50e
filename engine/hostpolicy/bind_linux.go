package hostpolicy

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"conch/engine/infer"
)

// Do runs f on a thread that has the policy, and that has what it had before when Do returns. Threads and processes that f
// starts keep the policy. An error of the binding is an *infer.Error; then f does not run.
func (p Policy) Do(f func()) error {
	if p.cores == nil && p.node == nil {
		f()
		return nil
	}
	runtime.LockOSThread()
	before, err := current()
	if err == nil {
		err = p.bind()
	}
	if err == nil {
		f()
	}
	if before.restore() == nil { // otherwise the thread ends with its goroutine
		runtime.UnlockOSThread()
	}
	return err
}

// bound is what a thread is bound to.
type bound struct {
	cores unix.CPUSet
	mode  int // of its memory
	nodes nodes
	known bool // the system tells of memory
}

// nodes are nodes of memory, one bit each.
type nodes [mostNodes / 64]uint64

// mostNodes is what Linux supports at most.
const mostNodes = 1024

// mpolBind is Linux's MPOL_BIND: memory of the nodes alone.
const mpolBind = 2

// current asks what this thread is bound to. A system may keep what it knows of memory to itself; then that is left alone, unless a
// policy wants it.
func current() (b bound, err error) {
	if err := unix.SchedGetaffinity(0, &b.cores); err != nil {
		return b, infer.Errorf(infer.Internal, "Unable to get NUMA thread affinity: %v", err)
	}
	_, _, failed := unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&b.mode)), uintptr(unsafe.Pointer(&b.nodes)), mostNodes+1, 0, 0, 0)
	b.known = failed == 0
	return b, nil
}

func (b *bound) restore() error {
	if b.known {
		if err := setMemory(b.mode, &b.nodes); err != nil {
			return err
		}
	}
	return unix.SchedSetaffinity(0, &b.cores)
}

// bind binds this thread. Messages are Triton's; its reason is "Success" where it is "invalid argument" here.
func (p Policy) bind() error {
	if p.cores != nil {
		var set unix.CPUSet
		for _, core := range p.cores {
			set.Set(core)
		}
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return infer.Errorf(infer.Internal, "Unable to set NUMA thread affinity: %v", err)
		}
	}
	if p.node == nil {
		return nil
	}
	var list nodes
	err := error(unix.EINVAL)
	if node := *p.node; node >= 0 && node < mostNodes {
		list[node/64] = 1 << (node % 64)
		err = setMemory(mpolBind, &list)
	}
	if err != nil {
		return infer.Errorf(infer.Internal, "Unable to set NUMA memory policy: %v", err)
	}
	return nil
}

func setMemory(mode int, list *nodes) error {
	if *list == (nodes{}) {
		list = nil
	}
	if _, _, failed := unix.Syscall(unix.SYS_SET_MEMPOLICY, uintptr(mode), uintptr(unsafe.Pointer(list)), mostNodes+1); failed != 0 {
		return failed
	}
	return nil
}
