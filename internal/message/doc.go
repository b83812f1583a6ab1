// Package message builds the content of Matrix events: text, edits, thread and
// reply relations, mentions, tool traces. It sends nothing and knows no rows,
// so everything that writes into a room builds its content here and hands it
// to the outbox.
//
// Invariants:
//
//  1. body is the Markdown source; formatted_body is that source rendered and
//     reduced to the HTML a Matrix client may be shown. Raw HTML in the source
//     never gets through.
//  2. The JSON of what Text builds is at most MaxContent bytes, and wrapped as
//     an edit at most 1 KiB more. Longer text is cut at a character, says so to
//     the reader in its last line, and carries io.mindroom.cut for programs.
//  3. An edit carries a complete new content and an outer content that is
//     valid by itself, for clients that know no edits.
//  4. A message is only marked as mentioning somebody when its text names them
//     outside code, or the caller asked for it; m.mentions is always present,
//     so that no client guesses from the body.
//  5. Previews of arguments and results never mention anybody, are bounded,
//     and pass the caller's mask before they are cut.
package message
