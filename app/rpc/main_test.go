//go:build unix

package rpc_test

import (
	"os"
	"testing"

	"conch/app/apptest"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }
