// Package single lets one workbench of a user at a time have a folder of models, so that a second start shows the first
// instead of running a second engine. A claim is a lock that the system lets go of when its process ends, however it
// ends; beside it lies how to reach the holder: a socket that only the user can use. It knows neither windows nor
// servers: the holder of a claim says how it is shown.
//
// Any goroutine may call any method.
package single
