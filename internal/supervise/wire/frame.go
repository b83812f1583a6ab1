package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxFrame bounds one frame's JSON, in bytes. The largest honest frame is a Start with its environment, its stdin and its text.
const MaxFrame = 8 << 20

// ErrFrame marks bytes that are not a frame of this protocol: too long, cut short, or not the JSON that was expected.
var ErrFrame = errors.New("not a supervisor frame")

// WriteFrame writes v as one frame with a single Write, so that a frame is never interleaved with another writer's.
func WriteFrame(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	if len(body) > MaxFrame {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrFrame, len(body), MaxFrame)
	}
	buf := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(buf, uint32(len(body)))
	if _, err := w.Write(append(buf, body...)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// ReadFrame reads one frame into v. It returns io.EOF, unwrapped, when the peer closed between two frames, and ErrFrame when what came is
// no frame; after ErrFrame the stream cannot be used any more.
func ReadFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read frame length: %w", err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > MaxFrame {
		return fmt.Errorf("%w: length %d", ErrFrame, n)
	}
	// Grown as bytes arrive: a made-up length must not make us reserve eight megabytes.
	body, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return fmt.Errorf("read frame: %w", err)
	}
	if len(body) != int(n) {
		return fmt.Errorf("%w: %d of %d bytes", ErrFrame, len(body), n)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return nil
}
