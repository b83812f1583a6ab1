// Package pythonsdk carries the Python package "mindroom" inside the binary: the SDK scripts call tools with, and the shim
// that starts them (S32).
//
// Each run gets a copy outside the agent's workspace. Compiling the sources takes Python longer than everything else the SDK
// does before the first call, so Lay and Precompile make one template for an interpreter, and a run's copy is a plain copy
// of that folder (os.CopyFS), compiled files included.
package pythonsdk
