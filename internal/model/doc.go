// Package model holds the transcript of a conversation with a language model, and the port through which MindRoom
// reaches one. Nothing of a provider's SDK is visible here: the packages below this one (anthropic, openai, scripted)
// translate, and the rest of the program knows only these types.
//
// # Transcript
//
//  1. A Message is an ordered list of parts. Its JSON form carries a version; a version this build does not know is
//     an *UnknownVersionError and never a guess.
//  2. A call's arguments are kept as the model sent them, broken JSON included. Whoever runs the call decides what a
//     broken one means; the transcript does not repair it.
//  3. Opaque parts (signed thinking, reasoning items) return byte for byte to the provider and model that made them
//     and are dropped for any other. Prepare does it.
//  4. Every call that goes out has exactly one result, directly after it, because providers refuse anything else.
//     Prepare supplies an honest one ("no result was recorded") where a crash left none.
//
// # Port
//
//  5. Provider.Stream always streams. It calls the sink from its own goroutine only, never after it returned.
//  6. A failure is an *Error with a stable Kind. Its text and its Sentence hold no secret and no raw response body;
//     the Sentence says what a person can do.
//  7. With an error the Response still holds the text received so far, and no call: a call that was cut off is not a
//     call.
//  8. Only an attempt that has streamed nothing may be repeated (Retrying). There is no total timeout; a stream on
//     which no byte arrives for IdleTimeout ends as KindTimeout.
//  9. A model that answers nothing is not an error: the Response has no parts and the caller says so in the room.
//
// Providers are found by name in a Registry value that the composition root fills; there is no global state.
package model
