// Package monitoring holds what `conch export` writes for the Prometheus operator against the schemas of the operator. They are
// made from its Go types and the rules in their comments, by the tool that the operator makes its own definitions with. It is
// a module of its own because KServe's module needs older Kubernetes types than the operator.
package monitoring
