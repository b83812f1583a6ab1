// Package runtime is the composition root: it builds every part of the primary,
// joins neighbours that may not import each other, starts them in order and
// stops them in the reverse one. Nothing is decided here.
//
// Start: store, registry, configuration, room, run manager, listeners; then,
// while the API already tells how far it is: accounts, rooms, sync, dispatch,
// turns.
//
// Stop: no new messages and launches; calls answer 503; runs revoked, begun
// calls drained; turns stopped; process trees ended and proven dead; a last pass
// of the outbox; transports; listeners; store. Each step has a share of the
// budget, and a second signal leaves at once.
package runtime
