package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph"
)

// Request says which document a caller wants: by its text, by an id, or both by text
// and hash, to have it found by its hash from then on.
type Request struct {
	Text string
	// ID is one of the manifest, or "sha256:" and the hash of one that was sent before.
	ID string
	// Hash is the SHA-256 of the text, in hexadecimal digits, as automatic persisted
	// queries send it.
	Hash string
}

// Known are the documents of a manifest.
type Known struct {
	byID  map[string]string
	texts map[string]bool
}

// ReadManifest reads a JSON object of ids and texts, as graphql-codegen writes it.
// Returns an error if the file is none, or says nothing.
func ReadManifest(path string) (*Known, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	k := &Known{texts: map[string]bool{}}
	if err := json.Unmarshal(content, &k.byID); err != nil {
		return nil, fmt.Errorf("%s is no JSON object of ids and documents: %w", path, err)
	}
	for id, text := range k.byID {
		if id == "" || text == "" {
			return nil, fmt.Errorf("%s has an empty id or document", path)
		}
		k.texts[text] = true
	}
	if len(k.byID) == 0 {
		return nil, errors.New(path + " has no document")
	}
	return k, nil
}

func (k *Known) text(id string) (string, bool) {
	if k == nil {
		return "", false
	}
	if text, known := k.byID[id]; known {
		return text, true
	}
	text, known := k.byID[strings.TrimPrefix(id, hashPrefix)]
	return text, known
}

// hashPrefix says that an id is a hash of the document.
const hashPrefix = "sha256:"

// FindFor gives the document of a request.
// Returns errors, each with a code, if there is none, or it is not to be carried out.
func (d *Documents) FindFor(r Request) (*Document, gqlerror.List) {
	switch {
	case r.ID != "" && (r.Text != "" || r.Hash != ""):
		return nil, gqlerror.List{failure(errcode.ValidationFailed, "a request has a query or a documentId, not both")}
	case r.ID != "":
		return d.named(r.ID)
	case r.Hash != "":
		return d.hashed(r)
	case d.OnlyKnown && !d.Known.texts[r.Text]:
		return nil, gqlerror.List{notKnown()}
	}
	return d.Find(r.Text)
}

// named finds a document by its id alone.
func (d *Documents) named(id string) (*Document, gqlerror.List) {
	if text, known := d.Known.text(id); known {
		return d.Find(text)
	}
	if d.OnlyKnown {
		return nil, gqlerror.List{notKnown()}
	}
	if found := d.sent.get(strings.TrimPrefix(id, hashPrefix)); found != nil {
		return found, nil
	}
	return nil, gqlerror.List{notFound()}
}

// hashed finds a document by its hash, or keeps the one that is sent with it.
func (d *Documents) hashed(r Request) (*Document, gqlerror.List) {
	if r.Text == "" {
		return d.named(r.Hash)
	}
	if sum := sha256.Sum256([]byte(r.Text)); hex.EncodeToString(sum[:]) != r.Hash {
		return nil, gqlerror.List{failure(errcode.ValidationFailed, "sha256Hash is not the SHA-256 of the query, in small hexadecimal digits")}
	}
	if d.OnlyKnown && !d.Known.texts[r.Text] {
		return nil, gqlerror.List{notKnown()}
	}
	found, wrong := d.Find(r.Text)
	if wrong == nil {
		d.sent.add(r.Hash, found)
	}
	return found, wrong
}

// notFound is worded as the clients of automatic persisted queries look for it. They
// send the text then.
func notFound() *gqlerror.Error {
	return failure(graph.ErrorCodePersistedQueryNotFound, "PersistedQueryNotFound")
}

// notKnown makes no client send the text, or anybody guess.
func notKnown() *gqlerror.Error {
	return failure(graph.ErrorCodeDocumentNotKnown, "this gateway carries out the documents that it knows, and this is none of them")
}
