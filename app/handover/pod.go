package handover

import (
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The names inside a pod.
const (
	containerName = "triton"
	modelsVolume  = "models"
	sharedVolume  = "shared-memory"
	gpuResource   = "nvidia.com/gpu"
	// gpuNodes is the label that NVIDIA's GPU feature discovery sets on nodes with GPUs.
	gpuNodes = "nvidia.com/gpu.present"
)

// The paths of Triton's health endpoints.
const (
	livePath  = "/v2/health/live"
	readyPath = "/v2/health/ready"
)

// How long a container has to end: a pod first waits until nobody sends it requests any more, since Triton refuses new ones
// as soon as it is told to end. Then Triton waits 30 seconds for those that are running.
const (
	drainPeriod = 10
	gracePeriod = 45
)

// serverUser is the user triton-server of Triton's images, whose usual user is root (docs/triton/repository.md, "The user of
// the images").
const serverUser = 1000

func (p *plan) podSpec() corev1.PodSpec {
	spec := corev1.PodSpec{
		Containers:                    []corev1.Container{p.container()},
		Volumes:                       p.volumes(),
		TerminationGracePeriodSeconds: new(int64(gracePeriod)),
		AutomountServiceAccountToken:  new(false), // Triton asks nothing of the cluster
	}
	p.placeOnGPUs(&spec.NodeSelector, &spec.Tolerations)
	return spec
}

// placeOnGPUs chooses nodes with GPUs where models ask for one.
func (p *plan) placeOnGPUs(selector *map[string]string, tolerations *[]corev1.Toleration) {
	if p.gpus == 0 {
		return
	}
	*selector = map[string]string{gpuNodes: "true"}
	*tolerations = []corev1.Toleration{{Key: gpuResource, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}
}

// container is that of a pod. The image's own entry point stays: it makes CUDA ready for the driver of the node.
func (p *plan) container() corev1.Container {
	http, grpc, metrics := ports()
	c := corev1.Container{
		Name:  containerName,
		Image: p.imageName(),
		Args:  p.command(mountedAt),
		Env:   []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}}, // the server's user has no folder, and packages keep caches there
		Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: int32(http)}, {Name: "grpc", ContainerPort: int32(grpc)}, {Name: "metrics", ContainerPort: int32(metrics)},
		},
		Resources:       p.resources(),
		VolumeMounts:    p.volumeMounts(),
		StartupProbe:    probe(readyPath, startPeriod, int32(p.startTime()/(startPeriod*time.Second))),
		ReadinessProbe:  probe(readyPath, 5, 3),
		LivenessProbe:   probe(livePath, 10, 3),
		SecurityContext: restricted(),
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Exec: &corev1.ExecAction{Command: []string{"sleep", strconv.Itoa(drainPeriod)}},
		}},
	}
	if p.storage.object != "" && credentials[p.storage.scheme()] != nil {
		c.EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: p.secret()}, Optional: new(true),
		}}}
	}
	return c
}

// restricted is what clusters that enforce the standard "restricted" for pods ask for.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsNonRoot: new(true), RunAsUser: new(int64(serverUser)),
		AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// startPeriod is how many seconds lie between two questions whether a server that starts is ready.
const startPeriod = 10

// startTime is how long a server may take until all models are loaded: ten minutes, and a minute for each 2 GiB that it has
// to read, 35 MB a second.
func (p *plan) startTime() time.Duration {
	const shortest, each = 10 * time.Minute, 2 * gibibyte
	return shortest + time.Duration(p.modelBytes()/each)*time.Minute
}

// secret is the name of the Secret with the credentials for the object store. Conch does not write it.
func (p *plan) secret() string { return p.name + "-storage" }

func probe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")}},
		PeriodSeconds: period, FailureThreshold: failures, TimeoutSeconds: 3,
	}
}

// resources are what a container asks for: memory where it was measured, and GPUs.
func (p *plan) resources() corev1.ResourceRequirements {
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	if p.memory > 0 {
		requests[corev1.ResourceMemory] = *resource.NewQuantity(p.memory, resource.BinarySI)
		limits[corev1.ResourceMemory] = requests[corev1.ResourceMemory]
	}
	if p.gpus > 0 {
		limits[gpuResource] = *resource.NewQuantity(int64(p.gpus), resource.DecimalSI)
	}
	var r corev1.ResourceRequirements
	if len(requests) > 0 {
		r.Requests = requests
	}
	if len(limits) > 0 {
		r.Limits = limits
	}
	return r
}

func (p *plan) volumes() []corev1.Volume {
	var list []corev1.Volume
	if p.storage.claim != "" {
		list = append(list, corev1.Volume{Name: modelsVolume, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: p.storage.claim, ReadOnly: true},
		}})
	}
	if p.shared > 0 {
		list = append(list, corev1.Volume{Name: sharedVolume, VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: resource.NewQuantity(p.shared, resource.BinarySI)},
		}})
	}
	return list
}

func (p *plan) volumeMounts() []corev1.VolumeMount {
	var list []corev1.VolumeMount
	if p.storage.claim != "" {
		list = append(list, corev1.VolumeMount{Name: modelsVolume, MountPath: mountedAt, SubPath: filepath.ToSlash(p.storage.path), ReadOnly: true})
	}
	return append(list, p.sharedMount()...)
}

func (p *plan) sharedMount() []corev1.VolumeMount {
	if p.shared == 0 {
		return nil
	}
	return []corev1.VolumeMount{{Name: sharedVolume, MountPath: "/dev/shm"}}
}
