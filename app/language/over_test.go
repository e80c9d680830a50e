package language_test

import (
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

func examples() *language.Analysis {
	return language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
}

// TestOver: unsaved texts replace those on disk, for the model and for the ensembles that use it. What
// did not change is taken over.
func TestOver(t *testing.T) {
	disk := examples()
	saved, _ := disk.Model("digits_prepare")
	text := strings.Replace(string(saved.Text()), "dims: [ 64 ]", "dims: [ 65 ]", 1)
	texts := language.Texts{
		"digits_prepare/config.pbtxt": []byte(text), "digits_prepare/notes.txt": []byte("to do"), "gone/config.pbtxt": []byte("x"),
	}
	over := disk.Over(texts, nil)
	m, _ := over.Model("digits_prepare")
	if string(m.Text()) != text || m.Saved() != saved || over.Len() != disk.Len() {
		t.Errorf("%d models, %s", over.Len(), m.Text())
	}
	for _, name := range []string{"digits_prepare", "read_digit"} {
		m, _ := over.Model(name)
		if len(over.Diagnose(m)) == 0 {
			t.Errorf("%s is well", name)
		}
	}
	if changed, removed := over.Changed(disk); len(changed) != 1 || len(removed) != 0 {
		t.Errorf("changed %v, removed %v", changed, removed)
	}
	texts["digits/config.pbtxt"] = []byte("}")
	next := disk.Over(texts, over)
	if changed, _ := next.Changed(over); len(changed) != 1 || changed[0] != "digits" {
		t.Errorf("with one more text changed %v", changed)
	}
	if back := disk.Over(nil, next); back != disk {
		t.Error("without texts it is another analysis")
	}
}

// TestJudgedOnce: all callers get the same verdict on a text, and may change their copy.
func TestJudgedOnce(t *testing.T) {
	disk := examples()
	over := disk.Over(language.Texts{"digits/config.pbtxt": []byte("imput {}\n")}, nil)
	m, _ := over.Model("digits")
	before := language.Judged()
	first := over.Diagnose(m)
	if len(first) == 0 {
		t.Fatal("nothing is wrong")
	}
	first[0].Message = "mine"
	done := make(chan string)
	for range 8 {
		go func() { done <- over.Diagnose(m)[0].Message }()
	}
	for range 8 {
		if message := <-done; message == "mine" {
			t.Error("one who asks changes what the next gets")
		}
	}
	if n := language.Judged() - before; n != 1 {
		t.Errorf("it was judged %d times", n)
	}
}
