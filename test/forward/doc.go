// Package forward stands between a client and a server without losing answers.
package forward
