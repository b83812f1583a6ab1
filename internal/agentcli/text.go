package agentcli

import "strings"

// maxDetail and maxHint bound what is repeated of a server's refusal, so that the error document stays below 64 KiB however its
// characters have to be escaped. In bytes.
const (
	maxDetail = 8 << 10
	maxHint   = 1 << 10
)

// printable makes any text fit for JSON.
func printable(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// cut shortens a text to at most n bytes and says so.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
