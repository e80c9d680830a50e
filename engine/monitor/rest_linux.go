package monitor

/*
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_ulong slack;
static atomic_int rests;

static void rest(int number) {
  (void)number;
  int before = errno;
  if (prctl(PR_SET_TIMERSLACK, atomic_load(&slack), 0, 0, 0) == 0) atomic_store(&rests, 1);
  errno = before;
}

// monitor_ask asks a thread of this process to have its timers ring later. It cannot be done for another thread without privileges, so the
// thread does it itself, in the handler of a signal that nothing else here uses.
static int monitor_ask(int thread, unsigned long nanoseconds) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = rest;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  atomic_store(&slack, nanoseconds);
  atomic_store(&rests, 0);
  if (sigaction(SIGRTMAX, &action, NULL) != 0) return errno;
  return syscall(SYS_tgkill, getpid(), thread, SIGRTMAX) == 0 ? 0 : errno;
}

static int monitor_rests(void) { return atomic_load(&rests); }
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// answerLimit is how long the thread may take to do what it is asked.
const answerLimit = time.Second

// Rest has the monitor thread look so much later. An error means that it goes on as before; nothing else depends on it.
func Rest(longer time.Duration) error {
	id, err := thread()
	if err != nil {
		return err
	}
	if code := C.monitor_ask(C.int(id), C.ulong(longer.Nanoseconds())); code != 0 {
		return fmt.Errorf("ask the monitor thread to rest: %w", syscall.Errno(code))
	}
	for until := time.Now().Add(answerLimit); C.monitor_rests() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			return errors.New("the monitor thread has not answered")
		}
	}
	return nil
}

// thread returns the monitor thread: the first one that Go starts. If it were another one, that one's timers would be late.
func thread() (int, error) {
	folders, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		return 0, err
	}
	type started struct{ id, at int }
	var all []started
	for _, folder := range folders {
		id, _ := strconv.Atoi(filepath.Base(folder))
		if at, err := startOf(folder); err == nil && id != os.Getpid() {
			all = append(all, started{id, at})
		}
	}
	if len(all) == 0 {
		return 0, errors.New("there is no monitor thread")
	}
	return slices.MinFunc(all, func(a, b started) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) }).id, nil
}

// startField is the place of a thread's start in its file stat, behind the name, in ticks of the clock.
const startField = 19

func startOf(folder string) (int, error) {
	text, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return 0, err // it has ended
	}
	_, behind, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(behind)
	if len(fields) <= startField {
		return 0, fmt.Errorf("%s/stat has %d fields", folder, len(fields))
	}
	return strconv.Atoi(fields[startField])
}
