// Package python runs Python models as Triton's Python backend does: the same model.py, the same
// triton_python_backend_utils.
//
// Each instance is a process of its own: the interpreter that the model asks for (interpreter.go) runs lib/, our Python code,
// which is part of this program and is written to a folder of the user at the first use (lib.go). lib/conch_worker is the
// other half of this package; lib/triton_python_backend_utils is what models import.
//
//   - process.go starts a process with one end of a socket pair as its descriptor 3, and ends it. A process has a group of its
//     own, and what it starts has its mark (strays_linux.go), so that this ends with it. On Linux it is killed
//     when the engine ends in any way; keeper.go ends what it has started then. limit.go bounds its memory. What it prints
//     goes to the model's log (output.go).
//   - wire/ is what both sides say. The tensors of small messages are a part of them. Those of large messages lie in shared
//     memory without a name, which its writer makes (segments_linux.go): NumPy sees them without a copy, the segment is used
//     again when nothing views it any more, and nothing is left of it after any end of either side.
//   - execute.go runs a batch: it sends the requests and waits for the results, or for the death of the process. While a batch runs,
//     the next ones are sent (line.go), so that the process need not wait for them. instance.go reads the results. One
//     goroutine reads the connection, and never writes to it or waits: otherwise two sides that write could wait for each other.
//   - readiness.go asks the model's is_ready, over a connection of its own: the answer comes also while the model executes.
//   - reply.go sends responses that come one by one, and calls.go makes requests to other models.
//   - interpreter.go chooses the interpreter: that of EXECUTION_ENV_PATH (a folder, or an archive that is unpacked once for each
//     content, packed.go), of a .venv in the model's folder, of its requirements.txt, of --backend-config=python,interpreter=PATH, or python3.
//   - install.go installs what a requirements.txt lists, and what a backend needs, into environments that the package environments
//     keeps. It installs nothing that was not allowed; it tells the engine what could be installed.
//   - gpus.go finds the GPUs of this machine; plan.go tells which version of TensorRT a plan needs, torch.go holds
//     TorchScript against the config.
//   - complete.go runs auto_complete_config, which is code of the model: the engine asks for trust first.
//
// The worker's main thread reads the socket itself while it waits, so that a plain request needs no second Python thread
// (lib/conch_worker/connection.py).
package python
