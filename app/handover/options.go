package handover

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"conch/app/language"
)

// Target is what the files are written for.
type Target string

// The targets.
const (
	Compose      Target = "compose"
	Kubernetes   Target = "kubernetes"
	KServe       Target = "kserve"
	TritonServer Target = "tritonserver"
)

// Targets lists the targets.
func Targets() []Target { return []Target{Compose, Kubernetes, KServe, TritonServer} }

// Options say what is exported, and for what.
type Options struct {
	Target Target
	// Roots are the folders of the repositories.
	Roots []string
	// Flags are those of the server; Flags.Release is the release of Triton and must be set.
	Flags language.Flags
	// Name is the name of everything that is written; made from the first folder when empty.
	Name string
	// Storage says where the server finds the repositories: "" for the folders themselves, pvc:NAME[/PATH], or the
	// address of an object store.
	Storage string
	// Measured is the most memory that an engine held with these models, in bytes; 0 when that is not known.
	Measured uint64
	// Pack is the folder for a copy of the repositories in which Python environments are packed, and that the server then
	// uses; "" for none. It is a folder of the name PackedName in the folder of the files.
	Pack string
}

// PackedName is the folder in an export with the copy of the repositories.
const PackedName = "repository"

// storage is Options.Storage, read.
type storage struct {
	claim, path string // a PersistentVolumeClaim, and a folder in it
	object      string // the address of an object store, without a slash at the end
}

func (s storage) local() bool { return s.claim == "" && s.object == "" }

// scheme is that of the object store, such as s3.
func (s storage) scheme() string {
	scheme, _, _ := strings.Cut(s.object, "://")
	return scheme
}

// objectStores are the schemes of the stores that Triton reads itself (docs/triton/repository.md, "Object stores").
var objectStores = map[string]bool{"s3": true, "gs": true, "as": true}

// kserveStores are the schemes that KServe's storage initializer reads, and that hold folders.
var kserveStores = map[string]bool{"s3": true, "gs": true, "hdfs": true, "https": true}

func readStorage(text string, target Target) (storage, error) {
	if text == "" {
		if target == Kubernetes || target == KServe {
			return storage{}, fmt.Errorf("pods do not see the folders of this machine: say with --storage where %s finds the repository, pvc:NAME or an address such as s3://BUCKET/PATH", target)
		}
		return storage{}, nil
	}
	if rest, ok := strings.CutPrefix(text, "pvc:"); ok {
		return readClaim(strings.TrimPrefix(rest, "//"), target)
	}
	if holdsSecret(text) {
		return storage{}, errors.New("the address of the storage holds a password or a key: leave it out, since it would be written into the files")
	}
	at, err := url.Parse(text)
	known := objectStores
	if target == KServe {
		known = kserveStores
	}
	// A server in the address, s3://https://HOST:PORT/BUCKET, is Triton's way alone: KServe has it in its Secret.
	ownServer := err == nil && strings.HasSuffix(at.Host, ":")
	if err != nil || at.Host == "" || !known[at.Scheme] || ownServer && target == KServe {
		return storage{}, fmt.Errorf("%q is not a storage that %s reads: write pvc:NAME or an address that begins with %s", text, target, schemes(known))
	}
	return storage{object: strings.TrimRight(text, "/")}, nil
}

// holdsSecret reports whether an address has a part where passwords and keys stand: before an "@", also in the address of an
// own server (s3://https://HOST:PORT/BUCKET), or behind a "?", as signed addresses have them.
func holdsSecret(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	for _, scheme := range []string{"https://", "http://"} {
		rest = strings.TrimPrefix(rest, scheme)
	}
	host, _, _ := strings.Cut(rest, "/")
	return strings.ContainsAny(host, "@") || strings.ContainsAny(rest, "?#")
}

func readClaim(text string, target Target) (storage, error) {
	if target != Kubernetes && target != KServe {
		return storage{}, fmt.Errorf("a PersistentVolumeClaim is known to clusters only, and the target is %s", target)
	}
	claim, path, _ := strings.Cut(text, "/")
	if wrong := validation.IsDNS1123Subdomain(claim); len(wrong) > 0 {
		return storage{}, fmt.Errorf("%q cannot be the name of a PersistentVolumeClaim: %s", claim, wrong[0])
	}
	path = strings.Trim(path, "/")
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return storage{}, fmt.Errorf("the path %q leads out of the volume", path)
		}
	}
	return storage{claim: claim, path: path}, nil
}

func schemes(known map[string]bool) string {
	var list []string
	for _, s := range []string{"s3", "gs", "as", "hdfs", "https"} {
		if known[s] {
			list = append(list, s+"://")
		}
	}
	return strings.Join(list, ", ")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// longestName leaves room for what is put behind a name.
const longestName = 40

// nameOf makes a name that clusters and Compose take from the name of a folder.
func nameOf(folder string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(folder), "-"), "-")
	if len(name) > longestName {
		name = strings.Trim(name[:longestName], "-")
	}
	if len(validation.IsDNS1035Label(name)) > 0 {
		name = strings.Trim("triton-"+name, "-")
	}
	return name
}

func checkName(name string) error {
	if len(name) > longestName {
		return fmt.Errorf("the name %q has %d characters; it may have %d", name, len(name), longestName)
	}
	if wrong := validation.IsDNS1035Label(name); len(wrong) > 0 {
		return fmt.Errorf("%q cannot be a name in a cluster: %s", name, wrong[0])
	}
	return nil
}
