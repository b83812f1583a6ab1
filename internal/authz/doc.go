// Package authz answers one question: may this person reach this agent in this
// room, now. The answer is made from the newest configuration and the rooms'
// present membership, each time it is asked; nothing is remembered (S15).
//
// A person may when all of this holds:
//
//  1. The agent is configured.
//  2. The room lets the person in: own accounts, authorization.global_users,
//     then the room's entry of room_permissions (which ends the search), then
//     default_room_access.
//  3. The agent's reply policy, or the one for every entity, lets the person
//     through: by a pattern, or by being joined to a grant room.
//  4. The person is joined to the room.
//
// What cannot be told yet (membership still loading) is CannotTell, unless
// something else is already a definite no.
package authz
