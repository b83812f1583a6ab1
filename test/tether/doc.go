// Package tether starts processes that die with the process that started them,
// however that ends.
package tether
