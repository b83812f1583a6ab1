package tail

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
)

const (
	headerSize = 64
	magic      = "MRTAIL1\n"
	// maxSize bounds a ring, so that a damaged header cannot make a reader reserve the memory it claims.
	maxSize = 64 << 20
	// readTries is how often a reader meets a half-written header before it believes that it is damaged.
	readTries = 64
)

// ErrDamaged says that the file is no tail, or that its header makes no sense.
var ErrDamaged = errors.New("not an output tail")

type header struct {
	size        int64
	begun, done int64
}

func (h header) encode() [headerSize]byte {
	var b [headerSize]byte
	copy(b[:], magic)
	binary.LittleEndian.PutUint64(b[8:], uint64(h.size))
	binary.LittleEndian.PutUint64(b[16:], uint64(h.begun))
	binary.LittleEndian.PutUint64(b[24:], uint64(h.done))
	binary.LittleEndian.PutUint32(b[32:], crc32.ChecksumIEEE(b[:32]))
	return b
}

func decode(b []byte) (header, error) {
	if len(b) < headerSize || string(b[:8]) != magic || binary.LittleEndian.Uint32(b[32:]) != crc32.ChecksumIEEE(b[:32]) {
		return header{}, ErrDamaged
	}
	h := header{
		size:  int64(binary.LittleEndian.Uint64(b[8:])),
		begun: int64(binary.LittleEndian.Uint64(b[16:])),
		done:  int64(binary.LittleEndian.Uint64(b[24:])),
	}
	if h.size < 1 || h.size > maxSize || h.done < 0 || h.begun < h.done {
		return header{}, ErrDamaged
	}
	return h, nil
}

func readHeader(r io.ReaderAt) (header, error) {
	var b [headerSize]byte
	for range readTries {
		if n, err := r.ReadAt(b[:], 0); n < headerSize {
			return header{}, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if h, err := decode(b[:]); err == nil {
			return h, nil
		}
		runtime.Gosched()
	}
	return header{}, ErrDamaged
}
