// Package wire holds what the providers that speak HTTP share: the watch over a silent connection, the meaning of a
// status and of Retry-After, and a provider's explanation made safe to log.
package wire
