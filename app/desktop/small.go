package desktop

// small are the variables that make WebKit's JavaScript keep less memory. Each full collection drops the compiled code of functions
// that do not run, and in the mini mode their bytecode too. The heap still doubles between collections: the mini mode alone lets it
// grow by a fifth, and large graphs then move slower.
var small = map[string]string{"JSC_forceMiniVMMode": "1", "JSC_miniVMHeapGrowthFactor": "2", "JSC_useEagerCodeBlockJettisonTiming": "1"}
