package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"google.golang.org/protobuf/encoding/prototext"

	"conch/app/visible"
	"conch/configedit/modelconfig"
)

func TestLine(t *testing.T) {
	for given, want := range map[string]string{
		"digits":                         "digits",
		"größe 数字 می\u200cخواهم":         "größe 数字 می\u200cخواهم",
		"a\\b":                           `a\b`,
		"a\nb\r\tc":                      `a\nb\r\tc`,
		"\x1b[31mred\x1b[0m\x07\x7f\x00": `\x1b[31mred\x1b[0m\a\x7f\x00`,
		"\u009b31m":                      `\u009b31m`,
		"gpj\u202e.exe\u2066\u200f":      `gpj\u202e.exe\u2066\u200f`,
		"a\u2028b\u2029c\ufeff":          `a\u2028b\u2029c\ufeff`,
		"tag\U000e0041":                  `tag\U000e0041`,
		"\xff\xfe!\xc3":                  `\xff\xfe!\xc3`,
		"::error::x":                     `\x3a:error::x`,
		"  ::error::x":                   `  \x3a:error::x`,
		"a::b":                           "a::b",
		":":                              `\x3a`, // a colon may follow it
		"\t::error::x":                   `\t::error::x`,
		"a ##[group]b ##vso[task.x]":     `a #\x23[group]b #\x23vso[task.x]`,
		"###[group]":                     `##\x23[group]`,
		"## heading":                     "## heading",
	} {
		if got := visible.Line(given); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	if got := visible.Lines("a\n::b\tc"); got != "a\n"+`\x3a:b\tc` {
		t.Errorf("Lines: %q", got)
	}
	if got := visible.Source("\ta\x1b"); got != "\t"+`a\x1b` {
		t.Errorf("Source: %q", got)
	}
}

// TestCommandsBehindWhiteSpace: GitHub's runner skips all white space of Unicode before it looks for a
// command.
func TestCommandsBehindWhiteSpace(t *testing.T) {
	for r := range rune(unicode.MaxRune) {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Z) || unicode.Is(unicode.Join_Control, r) {
			for _, s := range []string{string(r) + "::error::x", " " + string([]rune{r, r}) + "::set-output name=a::b"} {
				if got := visible.Line(s); command(got) {
					t.Errorf("%+q becomes %+q", s, got)
				}
			}
		}
	}
}

// command reports whether a runner takes a line for a command.
func command(line string) bool {
	seen := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return strings.HasPrefix(seen, "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[")
}

// FuzzLine: no output moves a cursor or gives a command, and a safe text stays as it is.
func FuzzLine(f *testing.F) {
	f.Add("a\n::error::b\x1b##[x")
	f.Add("\u00a0\u3000\u200d::error::b")
	f.Add("#\u200d##[x\u2003:")
	f.Fuzz(func(t *testing.T, s string) {
		line := visible.Line(s)
		if strings.ContainsFunc(line, unicode.IsControl) || command(line) || command(line+":") {
			t.Errorf("%q", line)
		}
		if again := visible.Line(line); again != line {
			t.Errorf("%q becomes %q", line, again)
		}
	})
}

func TestJSON(t *testing.T) {
	given := "##[a\x1b\u009b\u202e\U000e0041\u2028\u007fé\n"
	encoded, err := json.Marshal(map[string]string{given: given})
	if err != nil {
		t.Fatal(err)
	}
	safe := visible.JSON(encoded)
	if strings.Contains(string(safe), "##[") || strings.ContainsFunc(string(safe), func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl) }) {
		t.Errorf("%q", safe)
	}
	var back map[string]string
	if err := json.Unmarshal(safe, &back); err != nil || back[given] != given {
		t.Errorf("%q, %v", back, err)
	}
}

func TestConfig(t *testing.T) {
	given := "a\u009b\u202e##[é"
	safe := visible.Config([]byte(`name: "` + given + `"` + "\n"))
	if want := `name: "a\302\233\342\200\256#\043[é"` + "\n"; string(safe) != want {
		t.Errorf("%s, want %s", safe, want)
	}
	var back modelconfig.ModelConfig
	if err := prototext.Unmarshal(safe, &back); err != nil || back.Name != given {
		t.Errorf("%q, %v", back.Name, err)
	}
}
