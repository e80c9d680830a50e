// Package diag holds the one value every checker of the config language
// answers with: what is wrong, how bad it is, where, whose words these are, and what
// would repair it. It imports no other package of Conch, so every package can use it.
//
// # Wording
//
//  1. Say it in the reader's terms first; Triton's own sentence goes into
//     Triton, never into Message.
//  2. Name the thing as the file names it, in quotes: input "image".
//  3. Say what is there and what was expected, with both values.
//  4. The smallest span that a repair would touch; never a whole message when
//     one word of it is wrong.
//  5. One diagnostic for one mistake. What only follows from another mistake
//     is not said.
//  6. A small first letter, no full stop at the end, no rule identifiers, no
//     "illegal", no "please". Several sentences are parted by semicolons.
//  7. A fix is offered only when applying it removes the diagnostic; its title
//     is a verb and what it acts on: replace FP32 by TYPE_FP32.
//  8. Error means that Triton refuses it. What Triton takes is at most a
//     warning; what merely could be better is advice, and says why.
//
// Values are plain data and safe to share between goroutines once built.
package diag
