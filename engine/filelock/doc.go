// Package filelock locks files for one process. The kernel frees a lock however the process ends, so that it tells a
// process that runs from one that has ended, where a process number may be another's by now. The engine and the
// workbench use it. Some disks have no locks; Absent tells that.
package filelock
