// Package sibling finds the small programs that are installed beside this one.
package sibling
