#!/usr/bin/env bash
# Applies the exports of the examples for real: to the cluster of kubectl's current context, in a namespace of its own that is
# removed at the end, and to Docker. Says what was applied and what was not, and why. Ends with 0 when neither is there.
set -euo pipefail
cd "$(dirname "$0")/../.."

conch=build/bin/conch-headless
release=${TRITON:-24.12}
repository=examples/repository
out=$(mktemp -d)
namespace=conch-check-$$
applied=()
left=()

clean() {
  [ -z "${made:-}" ] || kubectl delete namespace "$namespace" --wait=false >/dev/null
  rm -rf "$out"
}
trap clean EXIT

export_to() { # export_to TARGET [FLAG…]
  "$conch" export --target "$1" --triton "$release" --out "$out/$1" "${@:2}" "$repository" 2>"$out/told" || {
    cat "$out/told"
    exit 1
  }
}

apply() { # apply WHAT FOLDER: into the namespace; the server checks every field
  kubectl apply --namespace "$namespace" --validate=strict -f "$2"
  applied+=("$1 to the cluster")
}

defined() { kubectl get crd "$1" >/dev/null 2>&1; }

cluster() {
  kubectl create namespace "$namespace"
  made=yes
  export_to kubernetes --storage pvc:models
  apply "Deployment, Service and PodDisruptionBudget" "$out/kubernetes"
  if defined servicemonitors.monitoring.coreos.com; then
    apply "ServiceMonitor, rule and autoscaler" "$out/kubernetes/monitoring"
  else
    left+=("monitoring: the cluster has no Prometheus operator")
  fi
  if defined inferenceservices.serving.kserve.io; then
    export_to kserve --storage pvc:models
    apply "ServingRuntime and InferenceService" "$out/kserve"
  else
    left+=("KServe: the cluster does not have it")
  fi
  left+=("pods: nobody waited for them, since the volume of models is not made here")
}

docker_here() {
  export_to compose
  docker compose -f "$out/compose/compose.yaml" config --quiet
  docker compose -f "$out/compose/compose.yaml" up --detach --wait
  docker compose -f "$out/compose/compose.yaml" down
  applied+=("Compose to Docker: the server was ready")
}

if ! command -v kubectl >/dev/null; then
  left+=("Kubernetes and KServe: there is no kubectl")
elif ! kubectl version --request-timeout=5s >/dev/null 2>&1; then
  left+=("Kubernetes and KServe: kubectl reaches no cluster")
else
  cluster
fi
if ! command -v docker >/dev/null; then
  left+=("Compose: there is no docker")
elif ! docker info >/dev/null 2>&1; then
  left+=("Compose: docker reaches no daemon")
elif ! docker compose version >/dev/null 2>&1; then
  left+=("Compose: docker has no compose")
else
  docker_here
fi

echo
for line in "${applied[@]}"; do echo "applied: $line"; done
for line in "${left[@]}"; do echo "not applied: $line"; done
[ ${#applied[@]} -gt 0 ] || echo "Nothing was applied for real: there is neither a cluster nor Docker. make test-handover checks the files against the projects' own types and schemas."
