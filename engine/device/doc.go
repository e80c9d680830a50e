// Package device knows the GPUs of this machine: which there are, and what they do now. NVIDIA's are read through the
// driver's management library (NVML), on Linux by go-nvml, which does not run on Windows. A machine without that library
// is an ordinary one and has no GPUs.
//
// On Linux a process of its own opens that library (Answer), so that one that crashes or ends its process harms nobody.
//
// The driver is asked by one goroutine, and everybody else reads its last answer: a driver that hangs holds nobody up, and
// is told as trouble.
package device
