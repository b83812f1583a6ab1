// Package unread answers requests whose bodies are not read.
package unread
