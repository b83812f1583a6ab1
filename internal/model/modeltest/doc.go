// Package modeltest is the conformance suite of the model port.
//
// Run holds what every provider promises, whatever it is made of. RunHTTP adds what a provider over HTTP promises
// about a server that fails: it plays a server that speaks the provider's own stream, described by a Dialect, and
// breaks it in each way that servers break. RunParameters looks at what is sent. Test sentences name the numbered ones of package model.
package modeltest
