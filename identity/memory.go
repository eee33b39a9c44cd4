package identity

import (
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// remembered is how many tokens are kept that were believed: as many as have users.
const remembered = 20_000

// memory keeps tokens that were believed, for a screen sends the same one with every
// request, and to check a signature costs as much as the rest of a request. It forgets
// them with the keys: one of a key that was withdrawn has to be checked anew.
type memory struct {
	tokens *lru.Cache[[sha256.Size]byte, believed]
}

type believed struct {
	Token
	keys int64 // the keyring's version
}

func newMemory() memory {
	tokens, err := lru.New[[sha256.Size]byte, believed](remembered)
	if err != nil {
		panic(err) // of a size below one only
	}
	return memory{tokens}
}

// find returns false if a token is not known, has ended, or was believed by other keys.
func (m memory) find(text string, keys int64, now time.Time) (Token, bool) {
	b, known := m.tokens.Get(sha256.Sum256([]byte(text)))
	return b.Token, known && b.keys == keys && now.Before(b.Until)
}

func (m memory) keep(text string, t Token, keys int64) {
	m.tokens.Add(sha256.Sum256([]byte(text)), believed{t, keys})
}
