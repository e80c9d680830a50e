package python_test

import (
	"os/exec"
	"testing"
)

// overtaken begins a batch while another thread begins to wait for an answer, which comes when the batch runs.
const overtaken = `
import queue
import socket
import sys
import threading

from conch_worker import connection, wire

ours, theirs = socket.socketpair()
answers = queue.SimpleQueue()
c = connection.Connection(theirs, None, lambda kind, number, payload: answers.put(number))
thread = threading.Thread(target=lambda: c.take(answers), daemon=True)
receive_now = connection.receive_now


def receive_late(sock, view):
    count = receive_now(sock, view)
    thread.start()
    while not c._waiting:
        pass
    thread.join(0.2)
    return count


connection.receive_now = receive_late
c.catch_up()
ours.sendall(wire.Writer(wire.ANSWER, 1).done())
thread.join(10)
sys.exit("the thread has no answer" if thread.is_alive() else 0)
`

// A thread of the model that waits for an answer gets it, also when it began to wait while a batch began.
func TestThreadWaitsWhileABatchBegins(t *testing.T) {
	cmd := exec.Command(interpreter(t), "-c", overtaken)
	cmd.Dir = "lib"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
