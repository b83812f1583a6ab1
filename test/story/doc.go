// Package story plays the main job with real parts: a homeserver, the built
// binaries, a page that changes, and a person in a room who asks an agent to
// watch it. The demo plays it for people, the end-to-end test for us. A step
// counts only when it was seen in the homeserver's own timeline.
package story
