package handover

import (
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These are the fields of KServe's objects that Conch writes, with the types of Kubernetes in them. KServe's own module
// is not in the program: it needs 622 other modules, among them three clouds' and Knative's. The module in
// build/handover has it, and decodes every exported file strictly into KServe's own types.
type (
	servingRuntime struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              servingRuntimeSpec `json:"spec"`
	}
	servingRuntimeSpec struct {
		SupportedModelFormats []modelFormat       `json:"supportedModelFormats"`
		ProtocolVersions      []string            `json:"protocolVersions"`
		Annotations           map[string]string   `json:"annotations"`
		Containers            []corev1.Container  `json:"containers"`
		Volumes               []corev1.Volume     `json:"volumes,omitempty"`
		NodeSelector          map[string]string   `json:"nodeSelector,omitempty"`
		Tolerations           []corev1.Toleration `json:"tolerations,omitempty"`
	}
	modelFormat struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	inferenceService struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Predictor struct {
				Model servedModel `json:"model"`
			} `json:"predictor"`
		} `json:"spec"`
	}
	servedModel struct {
		ModelFormat     modelFormat                 `json:"modelFormat"`
		Runtime         string                      `json:"runtime"`
		ProtocolVersion string                      `json:"protocolVersion"`
		StorageURI      string                      `json:"storageUri"`
		Resources       corev1.ResourceRequirements `json:"resources"`
	}
)

// What KServe fixes: the container that it treats as the server, the port that it sends requests to, and where its
// storage initializer puts the repository.
const (
	kserveContainer = "kserve-container"
	kservePort      = 8080
	kserveMount     = "/mnt/models"
	kserveProtocol  = "v2"
)

// tritonFormat is the name and version of a whole repository of Triton among KServe's model formats.
var tritonFormat = modelFormat{Name: "triton", Version: "2"}

// kserve makes a ServingRuntime, since those that KServe brings have one release of Triton, and the InferenceService.
func (p *plan) kserve() ([]File, error) {
	return manifests(
		manifest{"serving-runtime.yaml", p.servingRuntime()},
		manifest{"inference-service.yaml", p.inferenceService()},
	)
}

func (p *plan) servingRuntime() *servingRuntime {
	_, _, metrics := ports()
	c := p.container()
	c.Name, c.EnvFrom, c.VolumeMounts = kserveContainer, nil, p.sharedMount()
	c.Lifecycle = nil // Knative takes none, and ends requests itself
	c.Args = p.command(kserveMount, "--http-port="+strconv.Itoa(kservePort))
	c.Ports = []corev1.ContainerPort{{ContainerPort: kservePort, Protocol: corev1.ProtocolTCP}}
	c.Resources = corev1.ResourceRequirements{} // the InferenceService has them
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		probe.HTTPGet.Port.Type, probe.HTTPGet.Port.IntVal, probe.HTTPGet.Port.StrVal = 0, kservePort, ""
	}
	claimless := *p
	claimless.storage = storage{}
	spec := servingRuntimeSpec{
		SupportedModelFormats: []modelFormat{tritonFormat}, ProtocolVersions: []string{kserveProtocol, "grpc-v2"},
		Annotations: map[string]string{"prometheus.kserve.io/path": "/metrics", "prometheus.kserve.io/port": strconv.Itoa(metrics)},
		Containers:  []corev1.Container{c}, Volumes: claimless.volumes(),
	}
	p.placeOnGPUs(&spec.NodeSelector, &spec.Tolerations)
	return &servingRuntime{TypeMeta: kind("serving.kserve.io/v1alpha1", "ServingRuntime"), ObjectMeta: p.meta(), Spec: spec}
}

func (p *plan) inferenceService() *inferenceService {
	s := &inferenceService{TypeMeta: kind("serving.kserve.io/v1beta1", "InferenceService"), ObjectMeta: p.meta()}
	s.Spec.Predictor.Model = servedModel{
		ModelFormat: tritonFormat, Runtime: p.name, ProtocolVersion: kserveProtocol, StorageURI: p.storageURI(), Resources: p.resources(),
	}
	return s
}

// storageURI is the storage as KServe writes it.
func (p *plan) storageURI() string {
	if p.storage.claim != "" {
		return "pvc://" + path.Join(p.storage.claim, p.storage.path)
	}
	return p.storage.object
}
