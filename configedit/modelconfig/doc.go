// Package modelconfig holds the schema of config.pbtxt (model_config.proto, our
// own text of it, and the Go code made from it) and reads it from text and JSON
// as Triton does.
//
// Decode is tolerant: it takes what it understands, reports the rest with a
// span, and never fails, so that checks and completion work on a broken file.
// Its verdict is still Triton's: there is an error among the diagnostics
// exactly when Triton's parser refuses the file.
//
// Nothing here keeps state; all functions may be called concurrently.
package modelconfig
