package device

import (
	"io"
	"testing"
	"testing/synctest"
)

// The process that reads the GPUs ends with the one that asks, also where the driver's library does not answer any more.
func TestAnswerEndsWithItsAsker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 1, hang: make(chan struct{})}
		asks, asker := io.Pipe()
		exited, returned := make(chan struct{}), make(chan error, 1)
		go func() { returned <- answerBy(s, asks, io.Discard, func() { close(exited) }) }()
		if _, err := asker.Write([]byte{'?'}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := asker.Close(); err != nil {
			t.Fatal(err)
		}
		<-exited // the bubble's clock goes on
		close(s.hang)
		if err := <-returned; err != nil {
			t.Error(err)
		}
		if opens, closes := s.counts(); opens != 1 || closes != 1 {
			t.Errorf("opened %d times and closed %d times", opens, closes)
		}
	})
}
