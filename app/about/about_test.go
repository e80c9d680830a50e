package about_test

import (
	"strings"
	"testing"

	"conch/app/about"
)

// TestNotices: the licences are there for all parts: of the page, of the program, and of the files
// beside it.
func TestNotices(t *testing.T) {
	text, err := about.Notices()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Go's standard library", "google.golang.org/grpc v", "modernc.org/sqlite v", "wailsapp/wails/v2 v", "react-dom 1", "@codemirror/view 6",
		"@fontsource-variable/inter", "ONNX Runtime", "SIL OPEN FONT LICENSE", "Permission is hereby granted", "Copyright (c) Microsoft Corporation",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the notices", want)
		}
	}
	if !strings.HasPrefix(about.Full(), about.Version) {
		t.Errorf("the version is %q", about.Full())
	}
}
