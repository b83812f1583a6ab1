// Package wirekit holds both ends of the public script protocol for tests: a gateway, a client, and the checks a gateway must
// pass. Nothing in the product imports it.
//
//   - FakeGateway serves the protocol from memory, with faults on demand, so that clients can be tested against a server that
//     misbehaves exactly where the test says.
//   - CheckGateway points a table of checks at any gateway, the product's or another's (S33, S36, S70).
//   - LayPublicClient writes a client that behaves on the wire as the public Python SDK does: it polls every half second,
//     sends no Prefer header and closes every connection. It is frozen: gateways must go on serving it.
//
// What the checks hold of every gateway:
//
//  1. A receipt has exactly nine fields, and its digest is the canonical one of internal/canonical.
//  2. 202 means pending, 200 on a submission means final; a poll is always 200.
//  3. The same id with the same request joins, however it is spelt; with another request it is refused with 409 and changes nothing.
//  4. Every refusal of a capability is the same 404, byte for byte, on both routes.
//  5. A malformed request is answered with 400, 413 or 422 and a JSON detail, never with a retryable status.
//  6. An accepted call runs to its end though its submitter has gone.
package wirekit
