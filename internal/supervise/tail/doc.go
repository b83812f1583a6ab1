// Package tail keeps the last bytes of a stream in a file of fixed size, so that another process can read them while they are written and after the writer
// was killed.
//
// The file is a header and a ring. The header counts two things: bytes whose writing has begun, and bytes whose writing is done.
//
//  1. The writer announces, writes, then confirms; so a byte below done-size is lost, a byte below begun-size may be, and every other one below done is
//     whole.
//  2. A reader copies first and looks at the header again after; what the writer may have overtaken meanwhile is cut off the front and counted as missed.
//  3. The header has a checksum. A reader that meets a half-written one reads it again; a writer killed between two steps leaves a header that still tells
//     the truth.
//  4. The file belongs to the page cache: it survives the death of every process, not of the machine.
package tail
