// Package hooks runs what an operator put around every tool call. Hooks see all
// doors alike (S17): a chain asks each hook in order before a body, the first
// that declines ends the call, and every hook sees how a call ended, refusals
// included.
package hooks
