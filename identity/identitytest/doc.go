// Package identitytest is an issuer of tokens for tests: a real key server, and what
// somebody would send who has no right to.
package identitytest
