#define _GNU_SOURCE
#include "guard_linux.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A mapping that is guarded. begin is 0 while the place is free, and BUSY while it is being filled.
#define MOST 4096
#define BUSY 1

static struct {
	_Atomic uintptr_t begin, end;
	_Atomic int torn;
} guarded[MOST];

static _Atomic int used; // places that were ever filled
static uintptr_t page;
static struct sigaction before;

// pass_on gives a fault that is none of ours to the handler before, which is Go's.
static void pass_on(int number, siginfo_t *info, void *context) {
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else {
		signal(number, SIG_DFL); // the fault comes again, and ends the process
	}
}

// on_fault puts empty pages where those of a guarded mapping are gone. They hold all that is behind the fault, as nothing
// of that can come back.
static void on_fault(int number, siginfo_t *info, void *context) {
	uintptr_t at = (uintptr_t)info->si_addr;
	int known = info->si_code == BUS_ADRERR ? atomic_load(&used) : 0;
	for (int i = 0; i < known; i++) {
		uintptr_t begin = atomic_load(&guarded[i].begin), end = atomic_load(&guarded[i].end);
		if (begin <= BUSY || at < begin || at >= end) {
			continue;
		}
		int kept = errno;
		uintptr_t from = at & ~(page - 1);
		void *empty = mmap((void *)from, end - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
		errno = kept;
		if (empty == MAP_FAILED) {
			break;
		}
		atomic_store(&guarded[i].torn, 1);
		return;
	}
	pass_on(number, info, context);
}

int conch_guard_install(void) {
	struct sigaction ours;
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	memset(&ours, 0, sizeof ours);
	ours.sa_sigaction = on_fault;
	ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART; // as Go's
	sigfillset(&ours.sa_mask);
	if (sigaction(SIGBUS, NULL, &before) != 0) {
		return -1;
	}
	return sigaction(SIGBUS, &ours, NULL);
}

int conch_guard_add(void *begin, size_t size) {
	for (int i = 0; i < MOST; i++) {
		uintptr_t nobody = 0;
		if (!atomic_compare_exchange_strong(&guarded[i].begin, &nobody, BUSY)) {
			continue;
		}
		atomic_store(&guarded[i].torn, 0);
		atomic_store(&guarded[i].end, (uintptr_t)begin + ((size + page - 1) & ~(page - 1)));
		atomic_store(&guarded[i].begin, (uintptr_t)begin);
		int most = atomic_load(&used);
		while (most <= i && !atomic_compare_exchange_weak(&used, &most, i + 1)) {
		}
		return i;
	}
	return -1;
}

int conch_guard_torn(int number) { return atomic_load(&guarded[number].torn); }

void conch_guard_remove(int number) { atomic_store(&guarded[number].begin, 0); }
