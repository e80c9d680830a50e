//go:build unix

package write_test

import (
	"os/signal"
	"syscall"
	"testing"

	"conch/repo/write"
)

// On a full disk a piece is written in part. When there is room again, the same piece is taken.
func TestPieceThatDidNotFit(t *testing.T) {
	stage, err := write.NewStage(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := stage.Append("1/model.onnx", 0, []byte("abcd")); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var room syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		t.Fatal(err)
	}
	full := syscall.Rlimit{Cur: 6, Max: room.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	err = stage.Append("1/model.onnx", 4, []byte("efgh"))
	if limitErr := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); limitErr != nil {
		t.Fatal(limitErr)
	}
	if err == nil {
		t.Fatal("a piece was taken for which there was no room")
	}
	if err := stage.Append("1/model.onnx", 4, []byte("efgh")); err != nil {
		t.Errorf("the same piece again: %v", err)
	}
	if err := stage.Discard(); err != nil {
		t.Error(err)
	}
}
