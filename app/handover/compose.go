package handover

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"

	"conch/engine/option"
)

// compose makes the Compose file. Ports are open to this machine alone.
func (p *plan) compose() ([]File, error) {
	service := types.ServiceConfig{
		ContainerSpec: types.ContainerSpec{
			Image: p.imageName(), Command: escaped(p.command(mountedAt)),
			ShmSize: types.UnitBytes(p.shared), StopGracePeriod: span(gracePeriod * time.Second),
			Environment: p.composeCredentials(), SecurityOpt: []string{"no-new-privileges:true"},
		},
		WorkloadSpec: types.WorkloadSpec{Ports: composePorts(), HealthCheck: p.healthCheck()},
		Restart:      "unless-stopped",
		Deploy:       p.composeResources(),
	}
	if p.storage.local() {
		from, to := p.mounts()
		for i := range from {
			service.Volumes = append(service.Volumes, types.ServiceVolumeConfig{
				Type: types.VolumeTypeBind, Source: escape(from[i]), Target: escape(to[i]), ReadOnly: true,
				Bind: &types.ServiceVolumeBind{CreateHostPath: false}, // a repository that moved is an error, not an empty folder
			})
		}
	}
	project := &types.Project{Name: p.name, Services: types.Services{containerName: service}}
	text, err := project.MarshalYAML()
	if err != nil {
		return nil, fmt.Errorf("write the Compose file: %w", err)
	}
	return []File{{Name: "compose.yaml", Text: string(text)}}, nil
}

// escape writes a text so that Compose fills no variables into it.
func escape(text string) string { return strings.ReplaceAll(text, "$", "$$") }

func escaped(words []string) types.ShellCommand {
	list := make(types.ShellCommand, len(words))
	for i, word := range words {
		list[i] = escape(word)
	}
	return list
}

func span(d time.Duration) *types.Duration { return new(types.Duration(d)) }

func composePorts() []types.ServicePortConfig {
	http, grpc, metrics := ports()
	var list []types.ServicePortConfig
	for _, port := range []int{http, grpc, metrics} {
		list = append(list, types.ServicePortConfig{
			HostIP: option.Default().HTTPAddress, Target: uint32(port), Published: strconv.Itoa(port), Protocol: "tcp",
		})
	}
	return list
}

// healthCheck uses curl, which Triton's images bring.
func (p *plan) healthCheck() *types.HealthCheckConfig {
	http, _, _ := ports()
	return &types.HealthCheckConfig{
		Test:     types.HealthCheckTest{"CMD", "curl", "-fsS", fmt.Sprintf("http://127.0.0.1:%d%s", http, readyPath)},
		Interval: span(10 * time.Second), Timeout: span(3 * time.Second), Retries: new(uint64(3)), StartPeriod: span(p.startTime()),
	}
}

// composeResources reserves GPUs and bounds the memory where they are known.
func (p *plan) composeResources() *types.DeployConfig {
	var deploy types.DeployConfig
	if p.gpus > 0 {
		deploy.Resources.Reservations = &types.Resource{
			Devices: []types.DeviceRequest{{Driver: "nvidia", Count: types.DeviceCount(p.gpus), Capabilities: []string{"gpu"}}},
		}
	}
	if p.memory > 0 {
		deploy.Resources.Limits = &types.Resource{MemoryBytes: types.UnitBytes(p.memory)}
	}
	if p.gpus == 0 && p.memory == 0 {
		return nil
	}
	return &deploy
}

// credentials are the variables in which Triton finds the keys to an object store (docs/triton/repository.md, "Object
// stores").
var credentials = map[string][]string{
	"s3": {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"},
	"as": {"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY"},
}

// composeCredentials hands the variables on from the operator's shell. No value is written into the file.
func (p *plan) composeCredentials() types.MappingWithEquals {
	variables := types.MappingWithEquals{}
	for _, name := range credentials[p.storage.scheme()] {
		variables[name] = nil
	}
	return variables
}
