package single

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"conch/app/userfile"
)

// longestPath is a length that every system accepts for the path of a socket.
const longestPath = 100

// askTime limits one conversation.
const askTime = 10 * time.Second

// door is the socket through which other processes ask this one to show itself.
type door struct {
	path     string
	temp     *userfile.Scratch // a folder of its own, where the path of the data folder is too long
	listener net.Listener
	answer   func(gone <-chan struct{}) (Holder, bool)
	gone     chan struct{}
	running  sync.WaitGroup
	once     sync.Once
}

// doors numbers the doors of this process.
var doors atomic.Int64

func openDoor(dir string, answer func(gone <-chan struct{}) (Holder, bool)) (*door, error) {
	name := fmt.Sprintf("%d-%d.sock", os.Getpid(), doors.Add(1))
	d := &door{path: filepath.Join(dir, name), answer: answer, gone: make(chan struct{})}
	if len(d.path) > longestPath {
		temp, err := userfile.MakeScratch("", "conch-door")
		if err != nil {
			return nil, fmt.Errorf("make a folder for a socket: %w", err)
		}
		d.temp, d.path = temp, filepath.Join(temp.Path(), "s")
	}
	_ = os.Remove(d.path) // of a killed process with the same numbers
	listener, err := net.Listen("unix", d.path)
	if err == nil {
		err = os.Chmod(d.path, userfile.FileMode)
	}
	if err != nil {
		if d.temp != nil {
			_ = d.temp.Remove()
		}
		return nil, fmt.Errorf("listen for other starts of Conch: %w", err)
	}
	d.listener = listener
	d.running.Go(d.serve)
	return d, nil
}

func (d *door) serve() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		d.running.Go(func() {
			defer func() { _ = conn.Close() }()
			if me, ok := d.answer(d.gone); ok {
				_ = conn.SetDeadline(time.Now().Add(askTime))
				_ = json.NewEncoder(conn).Encode(me)
			}
		})
	}
}

func (d *door) close() {
	d.once.Do(func() {
		close(d.gone)
		_ = d.listener.Close() // this removes the socket
		d.running.Wait()
		if d.temp != nil {
			_ = d.temp.Remove()
		}
	})
}

// knock asks the process behind a socket to show itself.
func knock(path string) (*Holder, error) {
	conn, err := net.DialTimeout("unix", path, askTime)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(askTime))
	var held Holder
	if err := json.NewDecoder(conn).Decode(&held); err != nil {
		return nil, err
	}
	return &held, nil
}

// where is the file beside a lock.
type where struct {
	Socket string
	PID    int
	Roots  []string // the real paths of what was opened together
}

func wherePath(dir, key string) string { return filepath.Join(dir, key+".json") }

func writeWhere(path string, here where) error {
	text, err := json.Marshal(here)
	if err != nil {
		return fmt.Errorf("write how to reach this workbench: %w", err)
	}
	half := path + ".new" // only the holder of the lock writes it
	if err := errors.Join(os.WriteFile(half, text, userfile.FileMode), os.Rename(half, path)); err != nil {
		return fmt.Errorf("write how to reach this workbench: %w", err)
	}
	return nil
}

func readWhere(path string) (where, error) {
	var w where
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &w)
	}
	return w, err
}
