// Package scenario plays small stories of requests on a server and writes down what came of them: who ran with whom, who
// was turned away and in which words, in which order the answers came, what was counted. Each story is a file in
// testdata: models, a script, and the outcome recorded from the real Triton; `make scenarios` plays all of them there
// again and records it. The test of this package plays them on Conch's engine, whose outcome must be the same; where it is
// meant to differ, the file says what Conch does and why.
//
// Every model is python/model.py, a Python model that takes as long as it is told and answers with the list of requests
// that ran together. Conch's tests play the stories with that model too, in real time, and with a backend that does the
// same, on a clock that they turn.
package scenario
