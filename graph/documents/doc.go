// Package documents turns the text of a request into a document that may be carried
// out: read, within the limits, valid, and with its cost.
//
// A text that is new goes, each step being linear in what the one before has let pass:
//
//	scan ── parse ── measure ── validate ── weigh ── keep
//	tokens           fragments   the rules   cost     by its text, and its hash if asked for
//	                 in place
//
// One that is kept goes none of it. What is kept is bounded in bytes.
//
// A document may be asked for by an id instead of its text: one of the manifest of
// known documents, or the SHA-256 of one that was sent before (automatic persisted
// queries).
package documents
