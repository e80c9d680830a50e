// Package single gives a folder of models to one workbench of a user at a time, so that a second start
// shows the first one instead of running a second engine. A claim is a lock, which the system releases
// when its process ends, normally or not. A file beside the lock says how to reach the holder: through
// a socket that only the user can use. The package knows neither windows nor servers: the holder of a
// claim sets how it is shown.
//
// It is safe for concurrent use.
package single
