// Package memory is the toolkit with which an agent remembers (spec/runtime.md
// 6.5). What it works on is internal/memory; an agent whose memory backend is
// none has no function of it. Scripts never have it (S07).
//
// Results are texts, each memory as "[id=…] text". A list or a search is bounded
// in number and in bytes, and says what it left out.
package memory
