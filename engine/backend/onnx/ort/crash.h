// What is said when a library crashes while it is opened. Otherwise Go tells of the crash in hundreds of lines for programmers.
#ifndef CONCH_ORT_CRASH_H
#define CONCH_ORT_CRASH_H

// conch_crash_begin has a crash of this thread write words and a line's end to the standard error and end the process, until
// conch_crash_end. Only one thread at a time may be between the two. words have to stay.
void conch_crash_begin(const char *words);
void conch_crash_end(void);

#endif
