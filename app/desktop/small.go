package desktop

// small are the variables that make WebKit's JavaScript keep less memory: what it has compiled of functions that do not run goes
// with each full collection, not only when it has become old.
var small = map[string]string{"JSC_useEagerCodeBlockJettisonTiming": "1", "JSC_useUnlinkedCodeBlockJettisoning": "1"}
