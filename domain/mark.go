package domain

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	// markForm is the first byte of a cursor; another one is of another version.
	markForm = 1
	// maxRunning is how many running transactions a cursor names at most.
	maxRunning = 64
	// maxSystem bounds the name of a database.
	maxSystem = 100
	// maxMark is longer than the text of any.
	maxMark = 1200
)

// Mark is a Position and its text, the cursor, which is made only if somebody asks.
type Mark struct {
	Position
	text func() string
}

func newMark(p Position) *Mark {
	return &Mark{Position: p, text: sync.OnceValue(p.encode)}
}

// nowhere is the cursor of an event that nobody can go on after: of a snapshot
// that is not all there yet. It names no database, so that who comes with it is
// told to take another snapshot.
var nowhere = newMark(Position{})

// later is the later of two cursors.
func later(a, b *Mark) *Mark {
	if b.covers(a.Position) {
		return b
	}
	return a
}

// encode writes a position as a text of bounded length. The sum at its end is
// there to find what was cut or mistyped, not to keep anybody from making one:
// a cursor shows nothing that its bearer could not ask for.
func (p Position) encode() string {
	s := p.Snapshot.upTo(maxRunning)
	b := []byte{markForm, byte(len(p.System))}
	b = append(b, p.System...)
	b = binary.AppendVarint(b, p.Timeline)
	b = binary.AppendVarint(b, p.Started.UnixMicro())
	b = binary.AppendVarint(b, p.Clock.UnixMicro())
	b = binary.AppendUvarint(b, s.Xmin)
	b = binary.AppendUvarint(b, s.Xmax-s.Xmin)
	last := s.Xmin
	for _, tx := range s.Running {
		b = binary.AppendUvarint(b, tx-last)
		last = tx
	}
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// upTo is a snapshot that names no more than n running transactions: it has
// seen nothing from the first one on that it does not name, so that who goes on
// from it is told some changes again and misses none.
func (s Snapshot) upTo(n int) Snapshot {
	if len(s.Running) > n {
		return Snapshot{Xmin: s.Xmin, Xmax: s.Running[n], Running: s.Running[:n]}
	}
	return s
}

// decodeMark reads what encode writes. Returns false if it is anything else.
func decodeMark(text string) (p Position, ok bool) {
	if len(text) > maxMark {
		return p, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	end := len(b) - 4
	if err != nil || end < 2 || b[0] != markForm || crc32.ChecksumIEEE(b[:end]) != binary.BigEndian.Uint32(b[end:]) {
		return p, false
	}
	r := &numbers{rest: b[2:end], ok: true}
	p.System = string(r.bytes(int(b[1])))
	p.Timeline = r.signed()
	p.Started, p.Clock = r.time(), r.time()
	p.Snapshot, ok = r.snapshot()
	return p, ok
}

// numbers reads numbers from bytes until something is wrong.
type numbers struct {
	rest []byte
	ok   bool
}

func (r *numbers) bytes(n int) []byte {
	if n > min(len(r.rest), maxSystem) {
		r.ok = false
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *numbers) signed() int64 {
	n, length := binary.Varint(r.rest)
	r.skip(length)
	return n
}

func (r *numbers) unsigned() uint64 {
	n, length := binary.Uvarint(r.rest)
	r.skip(length)
	return n
}

func (r *numbers) skip(length int) {
	if length <= 0 {
		r.ok, r.rest = false, nil
		return
	}
	r.rest = r.rest[length:]
}

func (r *numbers) time() time.Time { return time.UnixMicro(r.signed()).UTC() }

// snapshot reads to the end.
func (r *numbers) snapshot() (s Snapshot, ok bool) {
	s.Xmin = r.unsigned()
	s.Xmax = s.Xmin + r.unsigned()
	last := s.Xmin
	for r.ok && len(r.rest) > 0 && len(s.Running) < maxRunning {
		last += r.unsigned()
		s.Running = append(s.Running, last)
	}
	inOrder := slices.IsSorted(s.Running) && s.Xmin <= s.Xmax && s.Xmax <= math.MaxInt64 &&
		(len(s.Running) == 0 || s.Running[0] >= s.Xmin && last < s.Xmax)
	return s, r.ok && len(r.rest) == 0 && inOrder
}

// mark reads a cursor that may be absent. Returns nil then.
func (k *checker) mark(argument, text string) *Mark {
	if text == "" {
		return nil
	}
	p, ok := decodeMark(text)
	if !ok {
		k.fail(argument, "is not a cursor of this service")
	}
	return newMark(p)
}
