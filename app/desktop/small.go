package desktop

// small are the variables that make WebKit's JavaScript keep less memory: what it has compiled of functions that do not run goes
// with each full collection, not only when it has become old. In its mini mode that is so of bytecode too, and its heap would grow by a
// fifth only between collections, which moving a large graph is slower for.
var small = map[string]string{"JSC_forceMiniVMMode": "1", "JSC_miniVMHeapGrowthFactor": "2", "JSC_useEagerCodeBlockJettisonTiming": "1"}
