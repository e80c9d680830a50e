package scan

// DiagnoseBelow is Diagnose for tests, which must not depend on what lies above their folders.
var DiagnoseBelow = diagnoseBelow
