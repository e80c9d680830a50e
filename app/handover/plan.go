package handover

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"conch/app/handover/pack"
	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/release"
	"conch/engine/option"
	"conch/repo/scan"
)

// mountedAt is where containers see the repositories.
const mountedAt = "/models"

// plan holds the facts that every target needs.
type plan struct {
	opts    Options
	name    string
	storage storage
	index   *scan.Index
	models  []*language.Model
	image   backends.Image
	// gpus is how many GPUs the models need.
	gpus int
	// shared is the size of /dev/shm, in bytes.
	shared int64
	// memory is what a container asks for, in bytes; 0 where nothing was measured.
	memory int64
}

func makePlan(opts Options, index *scan.Index) (*plan, error) {
	p := &plan{opts: opts, index: index, name: opts.Name}
	if p.name == "" {
		p.name = nameOf(filepath.Base(index.Roots[0].Path))
	}
	if err := checkName(p.name); err != nil {
		return nil, err
	}
	var err error
	if p.storage, err = readStorage(opts.Storage, opts.Target); err != nil {
		return nil, err
	}
	analysis := language.As(index, opts.Flags)
	for _, name := range analysis.Names() {
		m, _ := analysis.Model(name)
		p.models = append(p.models, m)
	}
	p.image = p.chooseImage()
	p.gpus = p.countGPUs()
	p.shared = p.sharedMemory()
	p.memory = p.containerMemory()
	return p, nil
}

// imageName is the full name of the image.
func (p *plan) imageName() string { return p.image.Reference(p.opts.Flags.Release.Name) }

// backendsUsed lists the backends that an image of Triton has to bring, in order, each with its first model.
func (p *plan) backendsUsed() (names []string, first map[string]*language.Model) {
	first = map[string]*language.Model{}
	for _, m := range p.models {
		cfg := m.Effective()
		name := cfg.GetBackend()
		if backends.IsEnsemble(cfg) || name == "" || first[name] != nil || bringsBackend(m) {
			continue
		}
		first[name] = m
		names = append(names, name)
	}
	return names, first
}

// bringsBackend reports whether a model's folder holds the library of its backend (docs/triton/repository.md, "Layout").
func bringsBackend(m *language.Model) bool {
	library := "libtriton_" + m.Effective().GetBackend() + ".so"
	if _, found := m.Scan.File(library); found {
		return true
	}
	return slices.ContainsFunc(m.Scan.Versions, func(v scan.Version) bool {
		return slices.ContainsFunc(v.Files, func(f scan.File) bool { return f.Path == library })
	})
}

// chooseImage returns the first image that brings all backends, or else the one that brings most of them.
func (p *plan) chooseImage() backends.Image {
	names, _ := p.backendsUsed()
	best, most := backends.Full, -1
	for _, image := range backends.Images() {
		if n := len(names) - len(p.missing(image, names)); n > most {
			best, most = image, n
		}
	}
	return best
}

// missing lists which of some backends an image of the release does not bring.
func (p *plan) missing(image backends.Image, names []string) []string {
	carried := backends.In(image)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(carried, name) && !p.removed(name) })
}

// removed reports whether the release no longer has a backend.
func (p *plan) removed(name string) bool {
	since := release.Without(name)
	return since != "" && !p.opts.Flags.Release.Before(since)
}

// countGPUs returns how many GPUs the models ask for. A container numbers its GPUs from 0, so a model that names GPU 3
// needs four.
func (p *plan) countGPUs() int {
	if p.opts.Flags.GPUs != nil {
		return *p.opts.Flags.GPUs
	}
	count := 0
	for _, m := range p.models {
		count = max(count, gpusOf(m.Effective()))
	}
	return count
}

func gpusOf(cfg *modelconfig.ModelConfig) int {
	count := 0
	row := backends.Named(cfg.GetBackend())
	onGPUsAlone := row.OnGPUs || len(row.Images) > 0 && !slices.Contains(row.Images, backends.Full)
	if onGPUsAlone || len(cfg.GetOptimization().GetExecutionAccelerators().GetGpuExecutionAccelerator()) > 0 {
		count = 1
	}
	for _, group := range cfg.GetInstanceGroup() {
		if group.GetKind() == modelconfig.ModelInstanceGroup_KIND_GPU {
			count = max(count, 1)
		}
		for _, gpu := range group.GetGpus() {
			count = max(count, int(gpu)+1)
		}
	}
	return count
}

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// Requests and answers of Python models pass through shared memory. A container has 64 MiB of it unless it asks for more.
const (
	usualShared  = 64 * mebibyte
	pythonShared = 256 * mebibyte
	// mostShared is enough for hundreds of instances, of which few have large tensors at a time. It is part of the memory that
	// a pod asks for.
	mostShared = 4 * gibibyte
)

// sharedMemory gives each instance of a Python model room for large tensors. It is a value to begin with.
func (p *plan) sharedMemory() int64 {
	instances := int64(0)
	for _, m := range p.models {
		if m.Effective().GetBackend() == backends.Python {
			instances += max(1, instancesOf(m.Effective()))
		}
	}
	if instances == 0 {
		return 0
	}
	return min(pythonShared+instances*usualShared, mostShared)
}

func instancesOf(cfg *modelconfig.ModelConfig) (count int64) {
	for _, group := range cfg.GetInstanceGroup() {
		count += int64(max(1, group.GetCount())) * int64(max(1, len(group.GetGpus())))
	}
	return count
}

// containerMemory is what the engine of Conch held, a quarter more, a gibibyte for Triton itself, and the shared memory,
// rounded up to a quarter of a gibibyte.
func (p *plan) containerMemory() int64 {
	if p.opts.Measured == 0 {
		return 0
	}
	const step = gibibyte / 4
	need := int64(p.opts.Measured)*5/4 + gibibyte + p.shared
	return (need + step - 1) / step * step
}

// repositories are the paths or addresses that the server is started with.
func (p *plan) repositories(mounted string) []string {
	var list []string
	for _, at := range p.roots() {
		base := mounted
		switch {
		case p.storage.object != "" && p.opts.Target != KServe:
			base = p.storage.object
		case p.opts.Target == TritonServer:
			list = append(list, at)
			continue
		}
		if len(p.index.Roots) > 1 {
			base = base + "/" + filepath.Base(at)
		}
		list = append(list, base)
	}
	return list
}

// mounts are the folders of this machine, by where a container sees them.
func (p *plan) mounts() (from, to []string) {
	for _, at := range p.repositories(mountedAt) {
		to = append(to, path.Clean(at))
	}
	return p.roots(), to
}

// roots are the folders of the repositories, or of the copies with packed environments.
func (p *plan) roots() (list []string) {
	for _, root := range p.index.Roots {
		if p.opts.Pack == "" {
			list = append(list, root.Path)
		} else {
			list = append(list, pack.At(p.opts.Pack, root.Path))
		}
	}
	return list
}

// ports are those of Triton.
func ports() (http, grpc, metrics int) {
	usual := option.Default()
	return usual.HTTPPort, usual.GRPCPort, usual.MetricsPort
}

// command is the command line of the server.
func (p *plan) command(mounted string, more ...string) []string {
	words := []string{"tritonserver"}
	for _, at := range p.repositories(mounted) {
		words = append(words, "--model-repository="+at)
	}
	if p.opts.Flags.Strict {
		words = append(words, "--disable-auto-complete-config")
	}
	if p.opts.Flags.Variant != "" {
		words = append(words, "--model-config-name="+p.opts.Flags.Variant)
	}
	return append(words, more...)
}

// labels are those of everything in a cluster. Label selectors use the first one alone, since it never changes.
func (p *plan) labels() map[string]string {
	all := p.selector()
	all["app.kubernetes.io/version"] = p.opts.Flags.Release.Name
	all["app.kubernetes.io/component"] = "inference-server"
	return all
}

func (p *plan) selector() map[string]string {
	return map[string]string{"app.kubernetes.io/name": p.name}
}

// sameFolders reports whether two repositories have folders of one name, which cannot be told apart in a volume.
func (p *plan) sameFolders() (string, bool) {
	seen := map[string]bool{}
	for _, root := range p.index.Roots {
		base := filepath.Base(root.Path)
		if seen[base] {
			return base, true
		}
		seen[base] = true
	}
	return "", false
}

// amount writes bytes for people.
func amount(bytes int64) string {
	switch {
	case bytes < gibibyte:
		return fmt.Sprintf("%d MiB", (bytes+mebibyte-1)/mebibyte)
	case bytes%gibibyte == 0:
		return fmt.Sprintf("%d GiB", bytes/gibibyte)
	}
	return fmt.Sprintf("%.2f GiB", float64(bytes)/gibibyte)
}
