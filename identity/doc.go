// Package identity tells who sent a JSON Web Token: whether it is to be believed, whom it
// names, what that user may do, and until when.
//
//	verifier.go  one token
//	memory.go    those that were believed before
//	claims.go    what it says of its user
//	keyring.go   the keys that it may be signed with, as they change
//	source.go    where they come from: OpenID discovery, a JWKS address, or a file
//
// A token is never logged and never part of an error. Only signatures that are made with a
// private key are taken: a shared secret would let whoever can check a token make one.
package identity
