// Package serve is the process of `conch serve`: an engine with flags named as in tritonserver, ports, logs
// and signals.
//
// Listeners are open before the first model is loaded. So a port in use is reported at once, and health requests
// are answered from the beginning. A signal, or the end of the parent's pipe, begins the shutdown: running
// requests are answered, then the process exits with status 0.
package serve
