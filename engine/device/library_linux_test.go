package device

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// readVariable has this test program read the GPUs and print them, as a process of its own: an unknown library may end it.
const readVariable = "CONCH_TEST_READ_GPUS"

func TestMain(m *testing.M) {
	if os.Getenv(answerVariable) != "" {
		if err := Answer(os.Stdin, os.NewFile(AnswersFile, "answers"), func() { os.Exit(1) }); err != nil {
			panic(err)
		}
		return
	}
	if os.Getenv(readVariable) == "" {
		os.Exit(m.Run())
	}
	s := Read(context.Background(), nil, time.Minute)
	for i := range s.GPUs { // JSON has no NaN
		s.GPUs[i] = GPU{Index: s.GPUs[i].Index, UUID: s.GPUs[i].UUID, Name: s.GPUs[i].Name, MIG: s.GPUs[i].MIG, Instances: s.GPUs[i].Instances, Processes: s.GPUs[i].Processes}
	}
	if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
		panic(err)
	}
}

// readWith reads the GPUs in a process that finds a management library in a folder.
func readWith(t *testing.T, dir, machine string) (s Snapshot) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readVariable+"=1", "LD_LIBRARY_PATH="+dir, "FAKE_NVML="+machine)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil {
		t.Errorf("the process that reads them: %v", err)
	}
	return s
}

// compile makes a management library of a C program.
func compile(t *testing.T, source string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-o", filepath.Join(dir, libraryName), "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A management library that is none, was cut off, or lacks functions is told, and ends no process.
func TestOddLibraries(t *testing.T) {
	fake, err := os.ReadFile("testdata/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	whole := compile(t, string(fake))
	machine := filepath.Join(t.TempDir(), "machine")
	put(t, machine, "gpu 85899345920 1 0 0 30 0 NVIDIA H100\n")
	if s := readWith(t, whole, machine); s.Trouble != "" || len(s.GPUs) != 1 || s.GPUs[0].Name != "NVIDIA H100" { // it lacks half of what is asked
		t.Errorf("a library that lacks functions: %+v", s)
	}

	put(t, machine, "gpu 85899345920 1 0 0 30 0 NVIDIA H100\ninstance 0 9 0 10200547328 1 NVIDIA H100 MIG 1g.10gb\n")
	if s := readWith(t, whole, machine); len(s.GPUs) != 1 || !s.GPUs[0].MIG || s.GPUs[0].Profiles() != "1g.10gb" || s.GPUs[0].Instances[0].Number != 9 {
		t.Errorf("a divided GPU: %+v", s)
	}

	empty, text, bare, cut := t.TempDir(), t.TempDir(), compile(t, "int nvmlInit_v2(void) { return 0; }"), t.TempDir()
	library, err := os.ReadFile(filepath.Join(whole, libraryName))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(cut, libraryName), string(library[:len(library)/4]))
	put(t, filepath.Join(empty, libraryName), "")
	put(t, filepath.Join(text, libraryName), "This is no library at all, whatever its name says of it.")
	for dir, want := range map[string]string{
		empty: filepath.Join(empty, libraryName) + " is damaged: its headers cannot be read (EOF). Install NVIDIA's driver again.",
		cut:   filepath.Join(cut, libraryName) + " is damaged: its headers cannot be read (EOF). Install NVIDIA's driver again.",
		text:  "open the driver's library: ",
		bare:  libraryName + " lacks nvmlShutdown, so it is not the library of a driver",
	} {
		if s := readWith(t, dir, machine); !strings.HasPrefix(s.Trouble, "The GPUs of this machine cannot be read: "+want) {
			t.Errorf("want %s, got %+v", want, s)
		}
	}
	if s := readWith(t, whole, "/nowhere"); s.Trouble != "" || s.GPUs != nil {
		t.Errorf("a library without its driver: %+v", s)
	}
}

// The programs that compute on a GPU are listed. A library that says of them what cannot be ends no process, and tells the rest.
func TestLibraryThatLiesOfPrograms(t *testing.T) {
	fake, err := os.ReadFile("testdata/nvml.c")
	if err != nil {
		t.Fatal(err)
	}
	dir, machine := compile(t, string(fake)), filepath.Join(t.TempDir(), "machine")
	const gpus = "gpu 85899345920 1 0 0 30 0 NVIDIA H100\ngpu 85899345920 1 0 0 30 0 NVIDIA L4\nprocess 1 77 5242880\nprocess 1 78 1024\n"
	for _, c := range []struct {
		lie  string
		want []Process
	}{
		{"", []Process{{77, 5 << 20}, {78, 1024}}}, {"listing 4000000000 0\n", nil}, {"listing 0 7\n", nil}, {"listing 1 7\n", nil}, {"listing 0 15\n", nil},
	} {
		put(t, machine, gpus+c.lie)
		if s := readWith(t, dir, machine); s.Trouble != "" || len(s.GPUs) != 2 || s.GPUs[0].Processes != nil || !slices.Equal(s.GPUs[1].Processes, c.want) {
			t.Errorf("%q: %+v", c.lie, s)
		}
	}
}
