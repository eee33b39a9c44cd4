package documents

import (
	"errors"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Config says what documents may be carried out.
type Config struct {
	Schema *ast.Schema
	// Rules make a document valid, but for what this package judges itself.
	Rules  *rules.Rules
	Limits Limits
	// Introspection lets callers ask for the schema.
	Introspection bool
	// Known are the documents that may be asked for by an id; OnlyKnown lets no others be
	// carried out, and needs Known.
	Known     *Known
	OnlyKnown bool
	// CacheBytes bounds what is kept of texts that came before, and what is kept by hash.
	CacheBytes int
}

// Documents finds documents. Make it with New; it may be used by many at once.
type Documents struct {
	Config
	rules []core.Rule
	kept  *cache
	sent  *cache // by their hash, if they were sent with it
}

// Document is one that may be carried out. Nobody may change it.
type Document struct {
	Text string
	AST  *ast.QueryDocument

	tokens  int
	weights map[*ast.OperationDefinition]weight
}

// New makes Documents.
func New(c Config) *Documents {
	c.Limits = c.Limits.orDefault()
	d := &Documents{Config: c, kept: newCache(c.CacheBytes), sent: newCache(c.CacheBytes)}
	c.Rules.RemoveRule(subscriptionRule.Name)
	c.Rules.AddRule(subscriptionRule.Name, subscriptionRule.RuleFunc)
	c.Rules.AddRule(literalRule.Name, literalRule.RuleFunc)
	if !c.Introspection {
		c.Rules.AddRule(introspectionRule.Name, introspectionRule.RuleFunc)
	}
	for name, f := range c.Rules.GetInner() {
		d.rules = append(d.rules, core.Rule{Name: name, RuleFunc: f})
	}
	slices.SortFunc(d.rules, func(a, b core.Rule) int { return strings.Compare(a.Name, b.Name) })
	return d
}

// Find gives the document of a text.
// Returns errors, each with a code and a place, if it is not to be carried out.
func (d *Documents) Find(text string) (*Document, gqlerror.List) {
	if found := d.kept.get(text); found != nil {
		return found, nil
	}
	made, wrong := d.make(text)
	if wrong == nil {
		d.kept.add(text, made)
	}
	return made, wrong
}

// make reads a text that is new.
func (d *Documents) make(text string) (*Document, gqlerror.List) {
	source := &ast.Source{Input: text}
	tokens, large := scan(source, d.Limits.Tokens)
	if large != nil {
		return nil, gqlerror.List{large}
	}
	document, err := parser.ParseQuery(source)
	if err != nil {
		return nil, gqlerror.List{unreadable(err)}
	}
	if len(document.Operations) == 0 {
		return nil, gqlerror.List{failure(errcode.ValidationFailed, "there is no operation in the request")}
	}
	if err := d.Limits.measure(document); err != nil {
		return nil, gqlerror.List{err}
	}
	if wrong := d.validate(document); wrong != nil {
		return nil, wrong
	}
	made := &Document{Text: text, AST: document, tokens: tokens, weights: map[*ast.OperationDefinition]weight{}}
	for _, o := range document.Operations {
		made.weights[o] = weigh(o, nil)
	}
	return made, nil
}

func unreadable(err error) *gqlerror.Error {
	var told *gqlerror.Error
	if !errors.As(err, &told) {
		told = gqlerror.Wrap(err)
	}
	errcode.Set(told, errcode.ParseFailed)
	return told
}

// Afford returns an error if an operation of a document costs more than it may.
func (d *Documents) Afford(document *Document, o *ast.OperationDefinition, variables map[string]any) *gqlerror.Error {
	w := document.weights[o]
	if w.varies {
		w = weigh(o, variables)
	}
	return within("cost", w.fixed, d.Limits.Cost)
}
