// Package guard decides which network addresses a page may be read from, and
// makes connections to those only (requirements: spec/runtime.md 6.1).
//
// A URL is written by a model, or by a page that a model read, so it must not
// become a way into the networks this process can reach: its own host, its
// neighbours, a cloud's metadata service.
//
// Invariants:
//
//  1. The address that is dialled is the address that was judged: a name is
//     resolved once for a connection, and what the socket is about to connect to is
//     judged again in the dialer, so a second answer of the DNS changes nothing.
//  2. What is not known to be public is refused. IPv6 is judged by an allow
//     list (2000::/3) with exceptions, and every form that carries an IPv4
//     address inside (mapped, compatible, NAT64, 6to4, Teredo) is refused.
//  3. Private allowed opens the host's own and its neighbours' networks, and
//     nothing else: link-local and metadata addresses stay refused.
//  4. A host that some resolver could read as a number (127.1, 0x7f000001 and the
//     like) is refused before anything is resolved.
package guard
