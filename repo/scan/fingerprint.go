package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
)

// fingerprint sums up what would make Triton see a change: names, sizes,
// modification and change times. Folders count by their names only, not by
// their times as in Triton, because an editor's swap file, which does not
// count here, moves those.
type fingerprint struct{ hash hash.Hash }

func newFingerprint() fingerprint { return fingerprint{sha256.New()} }

func (f fingerprint) file(path string, info fs.FileInfo) {
	fmt.Fprintf(f.hash, "f %q %d %d %d %o\n", path, info.Size(), info.ModTime().UnixNano(), changeTime(info), info.Mode())
}

func (f fingerprint) folder(path string) { fmt.Fprintf(f.hash, "d %q\n", path) }

func (f fingerprint) text(text []byte) { fmt.Fprintf(f.hash, "t %x\n", sha256.Sum256(text)) }

func (f fingerprint) broken(path string, code ProblemCode) {
	fmt.Fprintf(f.hash, "e %q %s\n", path, code)
}

func (f fingerprint) add(sum string) { fmt.Fprintf(f.hash, "s %s\n", sum) }

// String is 128 bits of the sum: far more than enough to tell states apart.
func (f fingerprint) String() string { return hex.EncodeToString(f.hash.Sum(nil)[:16]) }
