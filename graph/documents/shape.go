package documents

import (
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// huge is what sums stop at.
const huge = 1 << 30

func plus(a, b int) int { return min(a+b, huge) }

// scan counts the tokens of a text, as far as they can be read and are allowed.
func scan(source *ast.Source, most int) (tokens int, err *gqlerror.Error) {
	for l := lexer.New(source); ; {
		token, bad := l.ReadToken()
		switch {
		case bad != nil || token.Kind == lexer.EOF:
			return tokens, nil // the parser tells what is wrong, and where
		case token.Kind == lexer.Name && len(token.Value) > longestName:
			return tokens, within("letters of a name", len(token.Value), longestName)
		}
		if tokens++; tokens > most {
			return tokens, within("tokens", tokens, most)
		}
	}
}

// shape measures a document, fragments being in the place of their spreads. Each is
// measured once, so that it takes no longer than the document is.
type shape struct {
	fragments           map[string]*fragment
	aliases, directives int
	cyclic              string // a fragment that spreads itself; "" if there is none
}

// part is the size of a selection set.
type part struct {
	fields int // all of them, and fragments
	depth  int
	width  int // fields of its own, not those within them
}

type fragment struct {
	definition *ast.FragmentDefinition
	begun      bool
	done       bool
	part       part
}

// measure returns an error if a document is larger than it may be, or has a fragment
// that spreads itself.
func (l Limits) measure(document *ast.QueryDocument) *gqlerror.Error {
	if err := within("fragments", len(document.Fragments), l.Fragments); err != nil {
		return err
	}
	s := shape{fragments: make(map[string]*fragment, len(document.Fragments))}
	for _, f := range document.Fragments {
		if s.fragments[f.Name] == nil {
			s.fragments[f.Name] = &fragment{definition: f}
		}
	}
	var all, roots part
	for _, f := range document.Fragments {
		all = all.and(s.definition(f))
	}
	for _, o := range document.Operations {
		s.directives += len(o.Directives)
		for _, v := range o.VariableDefinitions {
			s.directives += len(v.Directives)
		}
		p := s.set(o.SelectionSet)
		all, roots.width = all.and(p), max(roots.width, p.width)
	}
	if s.cyclic != "" {
		return failure(errcode.ValidationFailed, "fragment %s spreads itself", s.cyclic)
	}
	return firstOf(
		within("fields", all.fields, l.Fields), within("depth", all.depth, l.Depth), within("root fields", roots.width, l.Roots),
		within("aliases", s.aliases, l.Aliases), within("directives", s.directives, l.Directives),
	)
}

func firstOf(all ...*gqlerror.Error) *gqlerror.Error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// and is the size of two selection sets beside each other.
func (p part) and(q part) part {
	return part{plus(p.fields, q.fields), max(p.depth, q.depth), plus(p.width, q.width)}
}

func (s *shape) set(selections ast.SelectionSet) (p part) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			s.directives += len(selection.Directives)
			if selection.Alias != selection.Name {
				s.aliases++
			}
			inner := s.set(selection.SelectionSet)
			p = p.and(part{plus(inner.fields, 1), inner.depth + 1, 1})
		case *ast.InlineFragment:
			s.directives += len(selection.Directives)
			inner := s.set(selection.SelectionSet)
			p = p.and(part{plus(inner.fields, 1), inner.depth, inner.width})
		case *ast.FragmentSpread:
			s.directives += len(selection.Directives)
			inner := s.spread(selection.Name)
			p = p.and(part{plus(inner.fields, 1), inner.depth, inner.width})
		}
	}
	return p
}

// definition is the size of a fragment by itself.
func (s *shape) definition(f *ast.FragmentDefinition) part {
	if known := s.fragments[f.Name]; known.definition == f {
		return s.spread(f.Name)
	}
	s.directives += len(f.Directives)
	return s.set(f.SelectionSet) // another of the same name, which is an error told later
}

// spread is the size of the fragment of that name; nothing if there is none, which is
// an error told later.
func (s *shape) spread(name string) part {
	f := s.fragments[name]
	switch {
	case f == nil:
		return part{}
	case f.done:
		return f.part
	case f.begun:
		s.cyclic = name
		return part{}
	}
	f.begun = true
	s.directives += len(f.definition.Directives)
	f.part = s.set(f.definition.SelectionSet)
	f.done = true
	return f.part
}
