package checkcmd_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"conch/app/checkcmd"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// TestLongLine: the time to show a mistake does not depend on the length of its line.
func TestLongLine(t *testing.T) {
	memory := func(count int) uint64 {
		file := text.NewFile("config.pbtxt", []byte(strings.Repeat(`parameters { key:"ä" value { `, count)))
		middle := file.Len() / 2
		list := []diag.Diagnostic{{Code: "X", Message: "wrong", Span: diag.Span{Start: middle, End: file.Len()}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out bytes.Buffer
		if err := checkcmd.Text(&out, &checkcmd.Result{Models: 1, Reports: []checkcmd.Report{{Path: "p", File: file, List: list}}}, false); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if out.Len() > 2000 {
			t.Errorf("%d bytes are shown", out.Len())
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := memory(2_000), memory(16_000); many > 2*few {
		t.Errorf("%d bytes of memory for a line, %d for one eight times as long", few, many)
	}
}
