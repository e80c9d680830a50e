// Package handover checks the files that `conch export` writes against the projects that read them: KServe's own types
// and the schemas of its definitions, and the schemas of Kubernetes' objects. It is a module of its own, since KServe's
// needs hundreds of others that the program must not have.
package handover
