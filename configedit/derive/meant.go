package derive

import (
	"google.golang.org/protobuf/proto"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// Meant returns a config as written, with the backend and the platform that its wrong platform most likely means. It
// returns nil if the platform is right, or if nobody can say what it means. The files of the folder tell formats of one
// backend apart.
func Meant(cfg *modelconfig.ModelConfig, facts Facts) *modelconfig.ModelConfig {
	backend, platform := cfg.GetBackend(), cfg.GetPlatform()
	if platform == "" || platform == backends.Ensemble || cfg.GetEnsembleScheduling() != nil {
		return nil
	}
	b, right, known := backends.OfPlatform(platform, facts.fits)
	if !known || right == platform || backend != "" && backend != b.Name {
		return nil
	}
	meant := proto.Clone(cfg).(*modelconfig.ModelConfig)
	meant.Backend, meant.Platform = b.Name, right
	return meant
}
