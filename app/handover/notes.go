package handover

import (
	"fmt"
	"strings"
)

// notes says what a person has to know or to decide.
func (p *plan) notes() []string {
	list := append(append([]string{p.runsOn()}, p.aboutPacked()...), p.aboutBare()...)
	if p.opts.Target == TritonServer {
		return list
	}
	list = append(list, p.aboutMemory())
	if p.shared > 0 {
		list = append(list, fmt.Sprintf("Shared memory: %s for Python models, a value to begin with. Raise it where tensors are large.", amount(p.shared)))
	}
	if p.opts.Target == Compose {
		list = append(list, "Ports are open to this machine alone. Triton asks clients for no password, so put a proxy that does before it.")
	}
	return append(append(list, p.aboutStorage()...), p.aboutTarget()...)
}

// aboutPacked says which folder the server uses.
func (p *plan) aboutPacked() []string {
	if p.opts.Pack == "" {
		return nil
	}
	text := fmt.Sprintf("Python environments: packed in a copy of the repository, %s, which the files use. The repository itself stays as it is.", p.opts.Pack)
	if !p.storage.local() {
		text = fmt.Sprintf("Python environments: packed in a copy of the repository, %s. Put that copy into the storage. The repository itself stays as it is.", p.opts.Pack)
	}
	return []string{text}
}

// aboutBare names the Python models that have the packages of the image alone. Here they may have those of another Python.
func (p *plan) aboutBare() []string {
	names := p.bare()
	if len(names) == 0 {
		return nil
	}
	const most = 5
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return []string{fmt.Sprintf("Python packages: there is no .venv and no requirements.txt of %s. They get the Python of the server alone. "+
		"Packages of the Python that Conch uses here are not handed over.", list)}
}

func (p *plan) runsOn() string {
	gpus := "no GPU"
	if p.gpus > 0 {
		gpus = fmt.Sprintf("GPUs: %d, as many as models ask for", p.gpus)
	}
	if p.opts.Target == TritonServer {
		return fmt.Sprintf("Release %s of Triton, %s.", p.opts.Flags.Release.Name, gpus)
	}
	return fmt.Sprintf("Image %s, %s.", p.imageName(), gpus)
}

func (p *plan) aboutMemory() string {
	if p.memory == 0 {
		return "Memory: not measured, so the files ask for none. Serve the repository in Conch for a while and export again, or write a limit."
	}
	return fmt.Sprintf("Memory: %s. Conch's engine held at most %s with these models in the last 30 days; a quarter more, 1 GiB for Triton and the shared memory come on top.",
		amount(p.memory), amount(int64(p.opts.Measured)))
}

func (p *plan) aboutStorage() (list []string) {
	switch {
	case p.storage.claim != "":
		list = append(list, fmt.Sprintf("Storage: the PersistentVolumeClaim %s must exist and hold the repository. For more than one pod on several nodes it has to allow ReadOnlyMany or ReadWriteMany.", p.storage.claim))
	case p.storage.scheme() == "gs" && p.opts.Target == Kubernetes:
		list = append(list, "Storage: Triton reads Google's store as the service account of the pods (serviceAccountName). For a key file, mount it from a Secret and name it in GOOGLE_APPLICATION_CREDENTIALS.")
	case p.storage.scheme() == "gs" && p.opts.Target != KServe:
		list = append(list, "Storage: Triton reads Google's store as this machine may. For a key file, let the server see it and name it in GOOGLE_APPLICATION_CREDENTIALS.")
	case p.storage.object != "" && p.opts.Target == Kubernetes:
		list = append(list, fmt.Sprintf("Storage: the keys come from the Secret %s, if it exists%s.", p.secret(), variables(p.storage.scheme())))
	case p.storage.object != "" && p.opts.Target == KServe:
		list = append(list, "Storage: KServe takes the keys from the service account of the InferenceService.")
	case p.storage.object != "":
		list = append(list, "Storage: the keys come from the environment"+variables(p.storage.scheme())+".")
	}
	if len(p.index.Roots) > 1 && !p.storage.local() && p.opts.Target != KServe {
		list = append(list, "The storage holds each repository in a folder of its name.")
	}
	return list
}

func variables(scheme string) string {
	if names := credentials[scheme]; len(names) > 0 {
		return ", in " + strings.Join(names, ", ")
	}
	return ""
}

func (p *plan) aboutTarget() []string {
	switch p.opts.Target {
	case Kubernetes:
		return []string{
			"The files in monitoring need the Prometheus operator. The autoscaler also needs an adapter that serves " + queueMetric + " as a metric of pods; with the usual rules of prometheus-adapter it does.",
		}
	case KServe:
		list := []string{"The ServingRuntime is there because those of KServe have one release of Triton, which is seldom this one."}
		if p.gpus > 0 {
			list = append(list, "Where KServe runs on Knative, its features kubernetes.podspec-nodeselector and kubernetes.podspec-tolerations must be enabled, or remove nodeSelector and tolerations.")
		}
		return list
	}
	return nil
}
