// Package serve is the process of `conch serve`: flags named as tritonserver names them, ports, logs, signals,
// and an engine in between.
//
// Listeners are open before the first model is loaded, so that a port that is taken is found out at once, and that
// health answers from the first moment. The end begins with a signal or with the parent's pipe: running requests
// are answered, then the process ends with status 0.
package serve
