package web

// MostConnections is how many clients may be connected at a time.
const MostConnections = mostConnections
