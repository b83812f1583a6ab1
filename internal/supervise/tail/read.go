package tail

import (
	"fmt"
	"io"
)

// Chunk is a piece of the stream.
type Chunk struct {
	Data []byte
	// Start is the offset in the whole stream of the first byte of Data. It is greater than what was asked for when the ring no longer had it.
	Start int64
	// Total counts all bytes of the stream at the moment of reading.
	Total int64
}

// Next is the offset to continue from.
func (c Chunk) Next() int64 { return c.Start + int64(len(c.Data)) }

// Read returns at most max bytes from the offset on, or from the first one that is still kept. At the end of the stream Data is empty. It may be called
// while the writer writes. max below 1 means the whole ring.
func Read(r io.ReaderAt, from int64, max int) (Chunk, error) {
	for range readTries {
		h, err := readHeader(r)
		if err != nil {
			return Chunk{}, err
		}
		lo := min(clamp(from, h.done-h.size), h.done)
		hi := h.done
		if max > 0 {
			hi = min(hi, lo+int64(max))
		}
		data, err := h.copyOut(r, lo, hi)
		if err != nil {
			return Chunk{}, err
		}
		after, err := readHeader(r)
		if err != nil {
			return Chunk{}, err
		}
		safe := clamp(lo, after.begun-after.size)
		if safe < hi || lo == hi {
			safe = min(safe, hi)
			return Chunk{Data: data[safe-lo:], Start: safe, Total: after.done}, nil
		}
	}
	return Chunk{}, fmt.Errorf("output is written faster than it can be read: %w", ErrDamaged)
}

// Last returns the last n bytes, or all that is kept.
func Last(r io.ReaderAt, n int) (Chunk, error) {
	h, err := readHeader(r)
	if err != nil {
		return Chunk{}, err
	}
	return Read(r, h.done-int64(n), 0)
}

// clamp raises v to floor and both to zero.
func clamp(v, floor int64) int64 { return max(v, floor, 0) }

func (h header) copyOut(r io.ReaderAt, lo, hi int64) ([]byte, error) {
	data := make([]byte, hi-lo)
	for at := lo; at < hi; {
		pos := at % h.size
		n := min(hi-at, h.size-pos)
		if got, err := r.ReadAt(data[at-lo:at-lo+n], headerSize+pos); int64(got) < n {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		at += n
	}
	return data, nil
}
