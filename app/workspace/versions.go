package workspace

import (
	"fmt"
	"slices"
	"strings"

	"conch/app/api"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// versions joins the version folders with the engine's states of them, ascending.
func versions(on *scan.Model, running *enginepb.Model) []*api.Version {
	byNumber := map[int64]*api.Version{}
	for _, v := range on.Versions { // none of a model that only a server has
		byNumber[v.Number] = &api.Version{Number: v.Number, State: api.ModelState_MODEL_STATE_UNLOADED}
	}
	for _, v := range running.GetVersions() {
		byNumber[v.Number] = &api.Version{Number: v.Number, State: versionState(running, v), Reason: v.Reason}
	}
	out := make([]*api.Version, 0, len(byNumber))
	for _, number := range sortedKeys(byNumber) {
		out = append(out, byNumber[number])
	}
	return out
}

func versionState(m *enginepb.Model, v *enginepb.Version) api.ModelState {
	switch v.State {
	case enginepb.State_STATE_LOADING:
		return api.ModelState_MODEL_STATE_LOADING
	case enginepb.State_STATE_UNLOADING:
		return api.ModelState_MODEL_STATE_UNLOADING
	case enginepb.State_STATE_READY:
		if v.NewestFailed {
			return api.ModelState_MODEL_STATE_OLDER_SERVES
		}
		return api.ModelState_MODEL_STATE_READY
	case enginepb.State_STATE_UNAVAILABLE:
		switch {
		case v.Died:
			return api.ModelState_MODEL_STATE_DIED
		case isFailure(v.Reason) && m.WaitsForTrust:
			return api.ModelState_MODEL_STATE_UNTRUSTED
		case isFailure(v.Reason):
			return api.ModelState_MODEL_STATE_FAILED
		}
	}
	return api.ModelState_MODEL_STATE_UNLOADED
}

// tellUnserved says of each version that rests beside one that serves that the version policy leaves it out, if it does. The list is
// ascending; the policy is nil while it is not known.
func tellUnserved(list []*api.Version, policy *modelconfig.ModelVersionPolicy) {
	isReady := func(v *api.Version) bool { return v.State == api.ModelState_MODEL_STATE_READY }
	if policy == nil || !slices.ContainsFunc(list, isReady) {
		return
	}
	numbers := make([]int64, 0, len(list))
	for _, v := range list {
		numbers = append(numbers, v.Number)
	}
	served := derive.Versions(policy, numbers)
	for _, v := range list {
		if v.State == api.ModelState_MODEL_STATE_UNLOADED && !slices.Contains(served, v.Number) {
			v.Reason = "not served: version_policy is " + policyWords(policy) + ". To serve each version, write version_policy { all {} } into the config"
		}
	}
}

// policyWords returns a version policy in short: "latest 1", "specific 1, 3".
func policyWords(policy *modelconfig.ModelVersionPolicy) string {
	switch choice := policy.GetPolicyChoice().(type) {
	case *modelconfig.ModelVersionPolicy_Latest_:
		return fmt.Sprintf("latest %d", choice.Latest.GetNumVersions())
	case *modelconfig.ModelVersionPolicy_Specific_:
		return "specific " + strings.Trim(strings.ReplaceAll(fmt.Sprint(choice.Specific.GetVersions()), " ", ", "), "[]")
	}
	return "all"
}
