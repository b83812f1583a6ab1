// Package provider holds what people see when a model provider fails: a server
// that speaks the stream of a real one and breaks in each way that servers
// break, behind the real provider, the real turn engine, the real room and the
// real outbox.
//
//  1. Every turn ends, within a bounded number of requests, with exactly one
//     final message. It says what to do next.
//  2. What the model had said stays and is not said twice.
//  3. No tool runs twice, and none runs whose call was not complete.
//  4. The key is in no message, no log and no row.
//  5. A cancellation ends the turn at once, wherever the provider keeps it, and
//     so does a stop of the service, after which the next start answers.
package provider
