package desktop

// small are the variables that make WebKit's JavaScript keep less memory: code that has not run for long is dropped earlier,
// and its heap grows by half, not to the double, until it is collected.
var small = map[string]string{"JSC_forceMiniVMMode": "1", "JSC_miniVMHeapGrowthFactor": "1.5"}
