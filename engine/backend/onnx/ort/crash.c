#include "crash.h"

#ifdef _WIN32

void conch_crash_begin(const char *words) { (void)words; }
void conch_crash_end(void) {}

#else

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes };

static struct sigaction before[CRASHES];
static __thread const char *volatile last_words; // NULL in all threads but the one that opens a library

static void write_words(const char *words) {
  while (*words != 0) {
    ssize_t written = write(STDERR_FILENO, words, strlen(words));
    if (written <= 0) return;
    words += written;
  }
}

// pass_on gives a signal of another thread to who would have it, which is Go: there it may be a panic that is recovered.
static void pass_on(int number, siginfo_t *info, void *context) {
  for (int i = 0; i < CRASHES; i++) {
    if (crashes[i] != number) continue;
    if (before[i].sa_flags & SA_SIGINFO)
      before[i].sa_sigaction(number, info, context);
    else
      sigaction(number, &before[i], NULL); // the fault comes again
  }
}

static void crashed(int number, siginfo_t *info, void *context) {
  if (last_words == NULL) {
    pass_on(number, info, context);
    return;
  }
  write_words(last_words);
  write_words("\n");
  enum { FAILED = 1 };
  _exit(FAILED);
}

void conch_crash_begin(const char *words) {
  last_words = words;
  struct sigaction ours = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigfillset(&ours.sa_mask);
  for (int i = 0; i < CRASHES; i++) {
    sigaction(crashes[i], NULL, &before[i]); // first, since ours may run as soon as it is there
    sigaction(crashes[i], &ours, NULL);
  }
}

void conch_crash_end(void) {
  for (int i = 0; i < CRASHES; i++) {
    struct sigaction now;
    // A library may have put a handler of its own there.
    if (sigaction(crashes[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == crashed)
      sigaction(crashes[i], &before[i], NULL);
  }
  last_words = NULL;
}

#endif
