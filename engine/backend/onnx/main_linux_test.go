package onnx_test

import (
	"os"
	"testing"

	"conch/build/fulldisk"
)

func TestMain(m *testing.M) {
	fulldisk.WithoutTestLog()
	os.Exit(m.Run())
}
