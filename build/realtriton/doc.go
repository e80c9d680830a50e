// Package realtriton starts the real tritonserver for tests that hold Conch against it. CONCH_TRITON names a command that serves
// the repository it is given on $HTTP_PORT, $GRPC_PORT and $METRICS_PORT, and passes other arguments on. It knows nothing
// of what is asked.
package realtriton
