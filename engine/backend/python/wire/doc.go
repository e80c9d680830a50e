// Package wire is the language between the engine and the process that runs an instance of a Python model. Its other half
// is lib/conch_worker/wire.py; a test holds both to the same bytes.
//
// A connection carries frames: a header of 16 bytes (u32 length of the payload, u8 kind, 3 zero bytes, u64 id), then the
// payload. All numbers are little-endian.
//
//	engine to worker
//	Setup    JSON          run auto_complete_config, or make the model; answered by Done with the same id
//	Execute  requests      a batch; answered by Executed or Failed with the same id, which is the handle of its first request. Batches may
//	                       come before their predecessors are answered; they run in their order, and handles rise
//	Answer   answer        an answer to the call with this id; the payload begins with u32 final, u32 whether it has one
//	Result   JSON          the result of the Ask with this id
//	Sent     u32, u32      so many more Sends of the request with this handle have been taken; whether it has ended
//	Cancel   -             nobody waits for the request with this handle; a batch that has not begun is not run when this has come for all
//	                       of its requests, and Failed without a text answers it
//	Freed    u32 …         numbers of segments of the worker that the engine has read
//	Ready    -             ask is_ready, over a connection of its own; answered there by Done with the same id
//	End      -             call finalize and end
//	Forget   u32 …         numbers of segments of the engine that are no more; the worker drops its own unused ones too
//	Profile  requests      as Execute; before its answer comes Profiled
//	Debug    text          listen for a debugger at this port if it is free, and not 0; answered by Done with the same id
//
//	worker to engine
//	Done     JSON          the end of a Setup or Ready
//	Executed results       for each request u32 what (Answered, Later, Again), and the answer where there is one
//	Failed   text          the whole batch failed; without a text it was not run
//	Send     answer        a response of the request with this handle; begins as Answer does
//	Call     call          u64 handle of the request for which it is made or 0, i64 version, u32 whether many answers are
//	                       welcome, u32 length of the model's name, the name, a request
//	Quit     -             the call with this id is not wanted any more
//	Took     u32           so many more Answers of the call with this id have been taken
//	Ask      JSON          model control and metrics; answered by Result with the same id
//	Tell     JSON          the same without a result
//	Log      u32, u32, …   level, line, length of the file's name, the name, the text
//	Free     u32 …         numbers of segments of the engine that the worker needs no more
//	Dropped  u32 …         numbers of segments of the worker that are no more
//	Profiled JSON          where the time of the batch with this id went
//
//	requests  u32 count, u32 zero; each: u64 handle, u64 timeout in microseconds, u64 priority, u64 correlation, u32 flags,
//	          u32 inputs, u32 outputs, u32 lengths of: ID, correlation name, parameters, trace; these four texts; each
//	          output as u32 length, name; each input as a tensor
//	answer    u32 failed, u32 code, u32 outputs, u32 length of the error, u32 length of the parameters, these two texts; each
//	          output as a tensor
//	tensor    u32 length of the name, u8 type, u8 rank, u16 zero, u32 segment (0: inline), u64 offset, u64 size, the name, i64
//	          for each dimension, and where it is inline zero bytes up to a multiple of 8 in the payload, then the bytes
//
// A segment is shared memory that one side has made for tensors: one of the engine's holds those of one message at a time, one of
// the worker's those of one answer or call. Its descriptor goes over a second connection, before the first message that names it: u32
// number, u32 zero, u64 size. What names a segment that is in use is damaged.
//
// The package knows no sockets and no processes.
package wire
