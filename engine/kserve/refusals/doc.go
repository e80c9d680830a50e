// Package refusals keeps the newest requests that the public ports answered with an error, for people who ask why
// their client fails. The ports add to it where they write an error; requests that succeed never come here.
//
// A Log is in memory only, and what it holds is bounded, whatever clients send: equal requests are one Group with a
// count, and a new kind of error cannot be pushed out by many of another kind. It holds no headers and no data of
// tensors. Texts of clients are shortened, and what could move a cursor or change the order of reading is escaped.
//
// A Log is safe for concurrent use. Nobody waits for a slow reader.
package refusals
