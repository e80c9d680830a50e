#include <stddef.h>

// conch_guard_install sets the handler of SIGBUS, once. It returns 0, or -1 with errno.
int conch_guard_install(void);

// conch_guard_add guards the pages of a mapping. It returns a number for the calls below, or -1 when too many are guarded.
int conch_guard_add(void *begin, size_t size);

// conch_guard_torn tells whether pages of the mapping were gone when they were needed.
int conch_guard_torn(int number);

// conch_guard_remove ends the guard, before the mapping ends.
void conch_guard_remove(int number);
