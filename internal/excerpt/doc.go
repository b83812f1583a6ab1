// Package excerpt cuts text to a number of bytes without cutting a character in
// half. Every bound on what is stored, shown or sent goes through it.
package excerpt
