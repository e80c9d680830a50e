// Package backends is the table of backends: what each is called, which platforms
// and model files belong to it, in which order Triton looks for them, who completes
// a config, which of Triton's images carry it, and whether Conch runs it. Every
// other package asks here; a test in build/rules fails where a platform or a
// default file name is written anywhere else.
//
// The package holds facts and no rules. Its tables are not to be changed.
package backends
