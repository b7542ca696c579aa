package jsonb

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// LongestWaitFunction bounds what a WaitFunction returns.
const LongestWaitFunction = 15 * time.Second

// WaitFunction is how long to wait for the caller to go on, by the probability that this happens: an expression over x, from 0
// to 1, in milliseconds, such as "20 + 500 * sqrt(x) + 2500 * x^3".
type WaitFunction struct{ value func(x float64) float64 }

// Wait returns the time for a probability, between 0 and LongestWaitFunction.
func (f *WaitFunction) Wait(x float64) time.Duration {
	ms := f.value(x)
	if math.IsNaN(ms) {
		return 0
	}
	return min(time.Duration(max(min(ms, 1e6), 0)*float64(time.Millisecond)), LongestWaitFunction)
}

// ParseWaitFunction reads numbers, x, + - * / ^, parentheses, and the functions abs, ceil, cos, exp, floor, ln, log, max, min,
// pow, round, sin and sqrt.
func ParseWaitFunction(text string) (*WaitFunction, error) {
	p := &formula{rest: text}
	if len(text) > longestFormula {
		return nil, errors.New("read wait function: it is too long")
	}
	value := p.sum()
	if p.err == nil && p.next() != 0 {
		p.fail("want an operator before %q", p.rest)
	}
	if p.err != nil {
		return nil, fmt.Errorf("read wait function: %w", p.err)
	}
	return &WaitFunction{value}, nil
}

const (
	longestFormula = 500 // bytes
	deepestFormula = 50  // parentheses within each other
)

type term = func(x float64) float64

// formula reads an expression from left to right.
type formula struct {
	rest  string
	depth int
	err   error
}

func (p *formula) fail(format string, args ...any) term {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.rest = ""
	return func(float64) float64 { return 0 }
}

// next returns the first character that is not white space; 0 at the end.
func (p *formula) next() byte {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take consumes c where it comes next.
func (p *formula) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *formula) sum() term {
	left := p.product()
	for {
		a := left
		switch {
		case p.take('+'):
			b := p.product()
			left = func(x float64) float64 { return a(x) + b(x) }
		case p.take('-'):
			b := p.product()
			left = func(x float64) float64 { return a(x) - b(x) }
		default:
			return left
		}
	}
}

func (p *formula) product() term {
	left := p.signed()
	for {
		a := left
		switch {
		case p.take('*'):
			b := p.signed()
			left = func(x float64) float64 { return a(x) * b(x) }
		case p.take('/'):
			b := p.signed()
			left = func(x float64) float64 { return a(x) / b(x) }
		default:
			return left
		}
	}
}

func (p *formula) signed() term {
	if p.take('-') {
		a := p.signed()
		return func(x float64) float64 { return -a(x) }
	}
	return p.power()
}

func (p *formula) power() term {
	base := p.operand()
	if p.take('^') {
		exponent := p.signed()
		return func(x float64) float64 { return math.Pow(base(x), exponent(x)) }
	}
	return base
}

func (p *formula) operand() term {
	if p.depth++; p.depth > deepestFormula {
		return p.fail("parentheses are too deep")
	}
	defer func() { p.depth-- }()
	c := p.next()
	switch {
	case p.take('('):
		inner := p.sum()
		if !p.take(')') {
			return p.fail("a parenthesis is open")
		}
		return inner
	case c >= '0' && c <= '9', c == '.':
		return p.number()
	case c >= 'a' && c <= 'z':
		return p.named()
	}
	return p.fail("want a number, x or a function before %q", p.rest)
}

func (p *formula) number() term {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(p.rest)
	}
	n, err := strconv.ParseFloat(p.rest[:end], 64)
	if err != nil {
		return p.fail("%q is no number", p.rest[:end])
	}
	p.rest = p.rest[end:]
	return func(float64) float64 { return n }
}

var (
	functions = map[string]func(float64) float64{
		"abs": math.Abs, "ceil": math.Ceil, "cos": math.Cos, "exp": math.Exp, "floor": math.Floor, "ln": math.Log, "log": math.Log,
		"round": math.Round, "sin": math.Sin, "sqrt": math.Sqrt,
	}
	functionsOfTwo = map[string]func(a, b float64) float64{"max": math.Max, "min": math.Min, "pow": math.Pow}
)

// named reads x or a function with its arguments.
func (p *formula) named() term {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	if name == "x" {
		return func(x float64) float64 { return x }
	}
	one, two := functions[name], functionsOfTwo[name]
	if one == nil && two == nil {
		return p.fail("there is no %q", name)
	}
	if !p.take('(') {
		return p.fail("%s wants a parenthesis", name)
	}
	a := p.sum()
	value := func(x float64) float64 { return one(a(x)) }
	if two != nil {
		if !p.take(',') {
			return p.fail("%s wants two arguments", name)
		}
		b := p.sum()
		value = func(x float64) float64 { return two(a(x), b(x)) }
	}
	if !p.take(')') {
		return p.fail("a parenthesis is open")
	}
	return value
}
