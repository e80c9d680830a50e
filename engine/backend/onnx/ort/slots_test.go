package ort_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	slot    = regexp.MustCompile(`(?m)^SLOT\((\w+), (\d+)\);`)
	comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|(?m)^\s*#[^\n]*`)
	member  = regexp.MustCompile(`ORT_API2_STATUS\(\s*(\w+)|ORT_API_T\([^,]+,\s*(\w+)|ORT_CLASS_RELEASE\(\s*(\w+)|ORT_API_CALL\s*\*\s*(\w+)`)
)

// TestSlots compares our numbers with the order of functions in ONNX Runtime's own header.
func TestSlots(t *testing.T) {
	order := functionOrder(t)
	ours, err := os.ReadFile("ort_api.h")
	if err != nil {
		t.Fatal(err)
	}
	found := slot.FindAllStringSubmatch(string(ours), -1)
	if len(found) < 40 {
		t.Fatalf("found %d slots only", len(found))
	}
	for _, m := range found {
		number, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if number >= len(order) || order[number] != m[1] {
			t.Errorf("%s is not function %d of the API", m[1], number)
		}
	}
}

// TestVersion: Open asks for the same version of the API as the binding, so that a library that is too old is told so at once.
func TestVersion(t *testing.T) {
	ours, err := os.ReadFile("ort_api.h")
	if err != nil {
		t.Fatal(err)
	}
	_, theirs, _ := strings.Cut(bindingsHeader(t), "#define ORT_API_VERSION ")
	theirs, _, _ = strings.Cut(theirs, "\n")
	if !strings.Contains(string(ours), "#define CONCH_API_VERSION "+theirs+"\n") {
		t.Errorf("the binding asks for version %s of the API: write it into ort_api.h, and into conch_open's message", theirs)
	}
	c, err := os.ReadFile("library.c")
	if err != nil || !strings.Contains(string(c), "the library is older than ONNX Runtime 1."+theirs+`"`) {
		t.Errorf("conch_open names another version than 1.%s (%v)", theirs, err)
	}
}

// functionOrder lists the members of struct OrtApi in the header that the binding brings.
func functionOrder(t *testing.T) []string {
	t.Helper()
	_, body, _ := strings.Cut(bindingsHeader(t), "struct OrtApi {")
	body, _, ok := strings.Cut(body, "\n};")
	if !ok {
		t.Fatal("the header has no struct OrtApi")
	}
	var order []string
	for _, statement := range strings.Split(comment.ReplaceAllString(body, ""), ";") {
		if m := member.FindStringSubmatch(statement); m != nil {
			name := m[1] + m[2] + m[4]
			if m[3] != "" {
				name = "Release" + m[3]
			}
			order = append(order, name)
		}
	}
	return order
}

// bindingsHeader is ONNX Runtime's header, which the binding brings.
func bindingsHeader(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	if err != nil {
		t.Fatalf("find the binding: %v", err)
	}
	header, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "onnxruntime_c_api.h"))
	if err != nil {
		t.Fatal(err)
	}
	return string(header)
}
