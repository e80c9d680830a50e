package serve

// LimitTo is limitTo for tests.
var LimitTo = limitTo
