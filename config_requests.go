package main

import (
	"time"

	"occupy/graph/documents"
	"occupy/graph/gateway"
)

// RequestConfig bounds what a request may be and cost.
type RequestConfig struct {
	MaxBody       int           `env:"OCCUPY_MAX_BODY" envDefault:"1048576" help:"bytes of a request, or of a message on a WebSocket"`
	MaxTokens     int           `env:"OCCUPY_MAX_TOKENS" envDefault:"10000" help:"names, numbers, texts and punctuation of a GraphQL document"`
	MaxFields     int           `env:"OCCUPY_MAX_FIELDS" envDefault:"800" help:"its fields and fragments, each counted as often as it is spread, and once for itself"`
	MaxDepth      int           `env:"OCCUPY_MAX_DEPTH" envDefault:"20" help:"its fields within fields"`
	MaxAliases    int           `env:"OCCUPY_MAX_ALIASES" envDefault:"50" help:"its aliases"`
	MaxRootFields int           `env:"OCCUPY_MAX_ROOT_FIELDS" envDefault:"20" help:"fields at the root of an operation"`
	MaxFragments  int           `env:"OCCUPY_MAX_FRAGMENTS" envDefault:"50" help:"fragments that a document defines"`
	MaxDirectives int           `env:"OCCUPY_MAX_DIRECTIVES" envDefault:"50" help:"its directives"`
	MaxCost       int           `env:"OCCUPY_MAX_COST" envDefault:"50000" help:"what an operation may cost: 1 a field, 50 one that asks the database, what is within a list as often as the list is long"`
	DocumentCache int           `env:"OCCUPY_DOCUMENT_CACHE" envDefault:"33554432" help:"bytes of documents that are kept read"`
	Documents     string        `env:"OCCUPY_DOCUMENTS" envDefault:"any" help:"any, or known: no document is carried out but those of OCCUPY_DOCUMENTS_FILE"`
	DocumentsFile string        `env:"OCCUPY_DOCUMENTS_FILE" help:"the known documents, JSON of ids and texts, as graphql-codegen writes it (persistedDocuments); they can be asked for by their id. Read at the start"`
	Introspection string        `env:"OCCUPY_INTROSPECTION" envDefault:"auto" help:"on, off, or auto: on with OCCUPY_AUTH=dev"`
	GetHeader     string        `env:"OCCUPY_GET_HEADER" help:"a header that a GET must have, such as X-Requested-With, so that no foreign page can cause one unasked; none if empty. EventSource can not send any"`
	Timeout       time.Duration `env:"OCCUPY_REQUEST_TIMEOUT" envDefault:"40s" help:"for a query or mutation; its statements end with it"`

	known *documents.Known // nil without OCCUPY_DOCUMENTS_FILE
}

func (c *RequestConfig) check(must func(holds bool, format string, args ...any)) {
	for _, bound := range []struct {
		name  string
		value int
	}{
		{"OCCUPY_MAX_BODY", c.MaxBody}, {"OCCUPY_MAX_TOKENS", c.MaxTokens}, {"OCCUPY_MAX_FIELDS", c.MaxFields},
		{"OCCUPY_MAX_DEPTH", c.MaxDepth}, {"OCCUPY_MAX_ALIASES", c.MaxAliases}, {"OCCUPY_MAX_ROOT_FIELDS", c.MaxRootFields},
		{"OCCUPY_MAX_FRAGMENTS", c.MaxFragments}, {"OCCUPY_MAX_DIRECTIVES", c.MaxDirectives}, {"OCCUPY_MAX_COST", c.MaxCost},
		{"OCCUPY_DOCUMENT_CACHE", c.DocumentCache},
	} {
		must(bound.value >= 1, "%s must be at least 1", bound.name)
	}
	c.checkDocuments(must)
	must(c.Introspection == "on" || c.Introspection == "off" || c.Introspection == "auto",
		"OCCUPY_INTROSPECTION is on, off or auto, not %q", c.Introspection)
	must(c.Timeout > 0, "OCCUPY_REQUEST_TIMEOUT must be longer than 0")
}

// checkDocuments reads the known ones, too.
func (c *RequestConfig) checkDocuments(must func(holds bool, format string, args ...any)) {
	must(c.Documents == "any" || c.Documents == "known", "OCCUPY_DOCUMENTS is any or known, not %q", c.Documents)
	must(c.Documents != "known" || c.DocumentsFile != "", "OCCUPY_DOCUMENTS_FILE has to say which are known, if OCCUPY_DOCUMENTS is known")
	if c.DocumentsFile == "" {
		return
	}
	var err error
	c.known, err = documents.ReadManifest(c.DocumentsFile)
	must(err == nil, "OCCUPY_DOCUMENTS_FILE: %v", err)
}

func (c *Config) documents() gateway.Documents {
	return gateway.Documents{
		Limits: documents.Limits{
			Tokens: c.MaxTokens, Fields: c.MaxFields, Depth: c.MaxDepth, Aliases: c.MaxAliases, Roots: c.MaxRootFields,
			Fragments: c.MaxFragments, Directives: c.MaxDirectives, Cost: c.MaxCost,
		},
		Introspection: c.Introspection == "on" || c.Introspection == "auto" && c.Auth == "dev",
		Known:         c.known, OnlyKnown: c.Documents == "known",
		CacheBytes: c.DocumentCache,
	}
}
