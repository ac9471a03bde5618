package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// What an expression may be wanted to be, and what functions take and give. A letter, as in the
// program's own signatures, or a word for a string or a number with a meaning. Behind a '!' stands
// a parameter that is always given as it should be: functions that take the time of day for
// anything else, and counts that would make output without end.
//
//	s string  i int  I int64  f float64  b bool  l []any  S []string  N []int  m map[string]any
//	M map[string]string  t time.Time  v *semver.Version  a anything
const functionTable = `
trim s>s; trimAll sep s>s; trimall sep s>s; trimPrefix s s>s; trimSuffix s s>s; upper s>s; lower s>s
title s>s; untitle s>s; swapcase s>s; substr n n s>s; trunc n s>s; abbrev n s>s; abbrevboth n n s>s
repeat n! s>s; nospace s>s; initials s>s; cat *a>s; quote *a>s; squote *a>s; indent n! s>s; nindent n! s>s
replace s s s>s; plural s s i>s; contains s s>b; hasPrefix s s>b; hasSuffix s s>b; snakecase s>s
camelcase s>s; kebabcase s>s; wrap n s>s; wrapWith n s s>s; toString a>s; split sep s>M
splitn sep n s>M; splitList sep s>S; join sep a>s; toStrings a>S; sortAlpha a>S; hello >s
regexMatch re s>b; regexFind re s>s; regexFindAll re s n>S; regexReplaceAll re s repl>s
regexReplaceAllLiteral re s s>s; regexSplit re s n>S; regexQuoteMeta s>s; mustRegexMatch re s>b
mustRegexFind re s>s; mustRegexFindAll re s n>S; mustRegexReplaceAll re s repl>s
mustRegexReplaceAllLiteral re s s>s; mustRegexSplit re s n>S
atoi num>i; int a>i; int64 a>I; float64 a>f; toDecimal a>I; add *a>I; add1 a>I; sub a a>I; mul a *a>I
div a a>I; mod a a>I; max a *a>I; biggest a *a>I; min a *a>I; addf *a>f; add1f a>f; subf a *a>f
mulf a *a>f; divf a *a>f; maxf a *a>f; minf a *a>f; ceil a>f; floor a>f; round a n>f; round a n f>f
until n!>N; untilStep n! n! n!>N; seq n!>s; seq n! n!>s; seq n! n! n!>s
list *a>l; tuple *a>l; first l>a; last l>a; rest l>l; initial l>l; append l a>l; push l a>l; prepend l a>l
concat *l>l; reverse l>l; uniq l>l; without l *a>l; has a l>b; compact l>l; slice l *n>l; chunk n l>l
mustAppend l a>l; mustPush l a>l; mustPrepend l a>l; mustFirst l>a; mustLast l>a; mustRest l>l
mustInitial l>l; mustReverse l>l; mustUniq l>l; mustWithout l *a>l; mustHas a l>b; mustCompact l>l
mustSlice l *n>l; mustChunk n l>l
get m key>a; set m key leaf>m; unset m key>m; hasKey m key>b; pluck key *m>l; pick m *key>m
omit m *key>m; merge m *m>m; mergeOverwrite m *m>m; mustMerge m *m>m; mustMergeOverwrite m *m>m
dig key a m>a; dig key key a m>a; deepCopy a>a; mustDeepCopy a>a
default a a>a; empty a>b; coalesce *a>a; all *a>b; any *a>b; ternary a a b>a; fail s>never; deepEqual a a>b
typeOf a>s; kindOf a>s; typeIs type a>b; kindIs type a>b; typeIsLike type a>b
b64enc s>s; b32enc s>s; b64dec b64>s; b32dec b32>s; toJson a>s; toPrettyJson a>s; toRawJson a>s
mustToJson a>s; mustToPrettyJson a>s; mustToRawJson a>s; fromJson json>m; mustFromJson json>a
fromJsonArray json>l; toYaml a>s; fromYaml yaml>m; fromYamlArray yaml>l; toToml a>s; toToml m>s
fromToml toml>m
date layout t!>s; dateInZone layout t! zone>s; date_in_zone layout t! zone>s; htmlDate t!>s
htmlDateInZone t! zone>s; dateModify dur t!>t; date_modify dur t!>t; mustDateModify dur t!>t
must_date_modify dur t!>t; toDate layout day>t; mustToDate layout day>t; unixEpoch t>s; duration num>s
duration I>s; durationRound num!>s; durationRound dur!>s
base path>s; dir path>s; clean path>s; ext path>s; isAbs path>b; osBase path>s; osDir path>s
osClean path>s; osExt path>s; osIsAbs path>b; urlParse url>m; urlJoin m>s
sha1sum s>s; sha256sum s>s; sha512sum s>s; adler32sum s>s; decryptAES s b64>s
semver sem>v; semverCompare con sem>b
and a *a>a; or a *a>a; not a>b; len a>i; index l n>a; index m key>a; index a a>a; eq a *a>b; ne a a>b
lt a a>b; le a a>b; gt a a>b; ge a a>b; print *a>s; println *a>s; html *a>s; js *a>s; urlquery *a>s
call a *a>a
`

type function struct {
	name     string
	params   []string
	variadic string // the type of the parameter that repeats, or ""
	result   string
}

var (
	allFunctions []*function
	giving       = map[string][]*function{} // by result
)

func init() {
	for _, entry := range strings.FieldsFunc(functionTable, func(r rune) bool { return r == ';' || r == '\n' }) {
		signature, result, _ := strings.Cut(strings.TrimSpace(entry), ">")
		words := strings.Fields(signature)
		f := &function{name: words[0], result: result}
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "*") {
				f.variadic = word[1:]
			} else {
				f.params = append(f.params, word)
			}
		}
		allFunctions = append(allFunctions, f)
		giving[result] = append(giving[result], f)
	}
}

// A generator writes one case. Nothing but the random source decides, so a seed gives the same cases.
type generator struct {
	*rand.Rand
	fields   []field // of the data
	vars     []variable
	dots     []string // types of dot, the innermost last; "" is the data
	loops    int
	names    []string // templates that may be called
	mistakes int      // percent of what is written wrong on purpose
	counts   bool     // numbers without end may come: not what range is given
}

type field struct{ path, kind string }
type variable struct{ name, kind string }

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }
func (g *generator) chance(percent int) bool {
	return g.IntN(100) < percent
}

// text is one of the samples of a kind.
func (g *generator) text(kind string) string {
	if words, ok := samples[kind]; ok {
		return pick(g, words)
	}
	return pick(g, samples["s"])
}

// quoted writes a string as one of the literals that mean it.
func (g *generator) quoted(s string) string {
	if g.chance(25) && !strings.ContainsAny(s, "`\r") {
		return "`" + s + "`"
	}
	if g.chance(10) {
		return strings.ReplaceAll(fmt.Sprintf("%+q", s), "{{", `{\x7b`)
	}
	return fmt.Sprintf("%q", s)
}

func (g *generator) literal(kind string) string {
	switch kind {
	case "i", "I":
		if !g.counts {
			return fmt.Sprint(g.IntN(12) - 3)
		}
		return pick(g, integers)
	case "n":
		if g.counts && g.chance(8) {
			return pick(g, integers)
		}
		return fmt.Sprint(g.IntN(12) - 3)
	case "small":
		return fmt.Sprint(g.IntN(9) - 2)
	case "f":
		if !g.counts {
			return fmt.Sprintf("%d.5", g.IntN(12)-3)
		}
		return pick(g, floats_)
	case "num":
		if !g.counts {
			return fmt.Sprintf("\"%d\"", g.IntN(12)-3)
		}
	case "b":
		return pick(g, []string{"true", "false"})
	case "l", "S", "N":
		return "(list" + strings.Repeat(" "+g.scalar(), g.IntN(3)) + " " + g.scalar() + ")"
	case "m", "M":
		out := "(dict"
		for n := g.IntN(4); n > 0; n-- {
			out += " " + g.quoted(g.text("key")) + " " + g.scalar()
		}
		return out + ")"
	case "t":
		return "(toDate \"2006-01-02\" " + g.quoted(g.text("day")) + ")"
	case "v":
		return "(semver " + g.quoted(g.text("sem")) + ")"
	case "a", "leaf":
		return g.scalar()
	}
	return g.quoted(g.text(kind))
}

func (g *generator) scalar() string {
	if g.chance(4) {
		return "nil"
	}
	return g.literal(pick(g, []string{"i", "i", "f", "b", "s", "s", "num", "key", "path"}))
}

func isText(kind string) bool {
	_, ok := samples[kind]
	return ok
}

// leaf is something that is no call: a literal, a field, a variable, dot.
func (g *generator) leaf(kind string) string {
	var fitting []string
	for _, f := range g.fields {
		if !g.counts && (f.kind == "d" || strings.HasSuffix(f.path, ".Unix")) {
			continue
		}
		if f.kind == kind || kind == "a" || isText(kind) && (f.kind == "s" || f.kind == "ps") ||
			kind == "n" && f.kind == "i" {
			fitting = append(fitting, g.fieldPath(f.path))
		}
	}
	for _, v := range g.vars {
		if v.kind == kind || kind == "a" || isText(kind) && v.kind == "s" {
			fitting = append(fitting, v.name, v.name)
		}
	}
	if dot := g.dots[len(g.dots)-1]; dot == kind || kind == "a" {
		fitting = append(fitting, ".", ".")
	}
	if len(fitting) == 0 || g.chance(45) {
		return g.literal(kind)
	}
	return pick(g, fitting)
}

// fieldPath leads to a field of the data, wherever dot is; sometimes it does not.
func (g *generator) fieldPath(path string) string {
	if g.chance(g.mistakes / 2) {
		path += pick(g, []string{".Nope", ".k", ".a.b", ".String", ".Duration", ".x.y.z", ".Seconds"})
	}
	if g.dots[len(g.dots)-1] != "" && !g.chance(g.mistakes) || g.chance(10) {
		return "$" + path
	}
	return path
}

var wanted = []string{"s", "i", "I", "f", "b", "l", "S", "m", "M", "a", "t", "v", "sem", "json", "num", "N"}

// operand is an expression that stands as an argument.
func (g *generator) operand(kind string, depth int) string {
	strict := strings.HasSuffix(kind, "!")
	kind = strings.TrimSuffix(kind, "!")
	if kind == "set" || kind == "leaf" {
		return g.scalar()
	}
	if strict {
		if kind == "n" {
			return g.literal("small")
		}
		return g.literal(kind)
	}
	if g.chance(g.mistakes) {
		kind = pick(g, wanted)
	}
	if depth <= 0 || g.chance(40) {
		return g.leaf(kind)
	}
	inner := g.pipeline(kind, depth-1)
	if g.chance(g.mistakes / 2) {
		return "(" + inner + ")" + pick(g, []string{".a", ".k", ".Nope", ".Major", ".Year", ".String", ".Unix", ".Kind"})
	}
	return "(" + inner + ")"
}

func (g *generator) choose(kind string) *function {
	fitting := giving[kind]
	switch {
	case kind == "a" || kind == "n" || g.chance(g.mistakes):
		fitting = allFunctions
		if kind == "n" {
			fitting = giving["i"]
		}
	case isText(kind):
		fitting = giving["s"]
	case g.chance(15) && len(giving["a"]) > 0:
		fitting = giving["a"]
	}
	if len(fitting) == 0 {
		fitting = allFunctions
	}
	return pick(g, fitting)
}

func isStrict(f *function) bool {
	for _, p := range f.params {
		if strings.HasSuffix(p, "!") {
			return true
		}
	}
	return false
}

// pipeline is what stands in an action or in parentheses.
func (g *generator) pipeline(kind string, depth int) string {
	kind = strings.TrimSuffix(kind, "!")
	if depth <= 0 && g.chance(70) || g.chance(8) {
		return g.leaf(kind)
	}
	if isText(kind) && g.chance(18) {
		return g.printf(depth)
	}
	if kind == "s" && g.chance(5) {
		return g.orderless(depth)
	}
	if kind == "m" && g.chance(20) {
		return g.dictionary(depth)
	}
	if kind == "m" && g.chance(5) {
		return g.merged(depth)
	}
	if kind == "t" && g.chance(20) {
		return g.moved()
	}
	f := g.choose(kind)
	params := append([]string(nil), f.params...)
	if f.variadic != "" {
		for n := g.IntN(4); n > 0; n-- {
			params = append(params, f.variadic)
		}
	}
	if !isStrict(f) && g.chance(g.mistakes/3) {
		if g.chance(50) && len(params) > 0 {
			params = params[1:]
		} else {
			params = append(params, "a")
		}
	}
	piped := ""
	if len(params) > 0 && g.chance(40) {
		last := params[len(params)-1]
		params = params[:len(params)-1]
		if strings.HasSuffix(last, "!") {
			piped = g.operand(last, depth) + " | "
		} else {
			piped = g.pipeline(last, depth-1) + " | "
		}
	}
	out := piped + f.name
	for _, p := range params {
		out += " " + g.operand(p, depth-1)
	}
	return out
}

func (g *generator) dictionary(depth int) string {
	out := "dict"
	for n := g.IntN(4); n > 0; n-- {
		out += " " + g.operand("key", 0) + " " + g.operand("a", depth-1)
	}
	return out
}

// merged merges maps, of one type or two, under one key.
func (g *generator) merged(depth int) string {
	of := func() string {
		return " (dict \"k\" " + g.operand(pick(g, []string{"m", "m", "mb", "M", "a"}), depth-1) + ")"
	}
	return pick(g, []string{"merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"}) + of() + of()
}

// moved calls the methods that make one time of another.
func (g *generator) moved() string {
	days := func() string { return " " + g.literal("small") }
	return "(" + g.literal("t") + ")" + pick(g, []string{
		".AddDate" + days() + days() + days(),
		".Add (" + g.literal("t") + ".Sub " + g.literal("t") + ")",
	})
}

// orderless calls what has no order in Go, so that the order cannot be seen.
func (g *generator) orderless(depth int) string {
	if g.chance(50) {
		return "keys " + g.operand("m", depth-1) + " | sortAlpha | join \",\""
	}
	return "values (dict \"k\" " + g.operand("a", depth-1) + ") | toJson"
}

func (g *generator) printf(depth int) string {
	var format strings.Builder
	var args []string
	for n := g.IntN(4) + 1; n > 0; n-- {
		if g.chance(30) {
			format.WriteString(pick(g, []string{"a", " ", "é", "-", "%%", "\n", ":"}))
		}
		verb := pick(g, strings.Split("v v v s s d d q q x X t T f g e G E F b o O c U p%%w", ""))
		switch verb {
		case " ":
			verb = "v"
		case "p":
			verb = "s"
		}
		format.WriteByte('%')
		for g.chance(25) {
			format.WriteString(pick(g, []string{"+", "-", "#", " ", "0"}))
		}
		if g.chance(4) {
			fmt.Fprintf(&format, "[%d]", g.IntN(4))
		}
		if g.chance(20) {
			fmt.Fprint(&format, g.IntN(15))
		} else if g.chance(3) {
			format.WriteByte('*')
			args = append(args, g.literal("small"))
		}
		if g.chance(15) {
			fmt.Fprintf(&format, ".%d", g.IntN(8))
		} else if g.chance(3) {
			format.WriteString(pick(g, []string{".", ".*"}))
		}
		format.WriteString(verb)
		kind := "a"
		switch verb {
		case "s", "q":
			kind = pick(g, []string{"s", "s", "S", "a"})
		case "d", "b", "o", "O", "c", "U":
			kind = pick(g, []string{"i", "I", "a"})
		case "f", "g", "e", "G", "E", "F":
			kind = pick(g, []string{"f", "f", "a"})
		case "t":
			kind = pick(g, []string{"b", "a"})
		}
		if g.chance(95) {
			args = append(args, g.operand(kind, depth-1))
		}
	}
	if g.chance(4) {
		args = append(args, g.operand("a", 0))
	}
	if g.chance(2) {
		format.WriteByte('%')
	}
	out := "printf " + fmt.Sprintf("%q", format.String())
	if len(args) > 0 && g.chance(30) {
		last := args[len(args)-1]
		return strings.Join(append([]string{last + " | " + out}, args[:len(args)-1]...), " ")
	}
	return strings.Join(append([]string{out}, args...), " ")
}

// ---- statements ------------------------------------------------------------------------------

func (g *generator) left() string {
	return pick(g, []string{"{{", "{{", "{{", "{{ ", "{{- ", "{{-  ", "{{\n"})
}
func (g *generator) right() string {
	return pick(g, []string{"}}", "}}", "}}", " }}", " -}}", "\t-}}", "\n}}"})
}

func (g *generator) action(inside string) string { return g.left() + inside + g.right() }

func (g *generator) plain() string {
	return pick(g, []string{"", " ", "\n", "a", "x: ", "\n  - ", "é☃", "}", "{", "}}", "%d", "\t\n\n", "\r\n", "end"})
}

func (g *generator) kind() string {
	return pick(g, []string{"s", "s", "s", "a", "a", "i", "I", "f", "b", "l", "S", "m", "M", "N"})
}

func (g *generator) block(depth int, dot string) string {
	vars := len(g.vars)
	g.dots = append(g.dots, dot)
	out := g.list(depth)
	g.dots = g.dots[:len(g.dots)-1]
	g.vars = g.vars[:vars]
	return out
}

func (g *generator) otherwise(keyword string, depth int) string {
	out := ""
	for keyword != "range" && g.chance(15) {
		out += g.action("else "+keyword+" "+g.pipeline(g.kind(), 2)) + g.block(depth-1, g.dots[len(g.dots)-1])
	}
	if g.chance(40) {
		out += g.action("else") + g.block(depth-1, g.dots[len(g.dots)-1])
	}
	return out
}

func (g *generator) newVariable(kind string) string {
	name := "$" + pick(g, []string{"x", "y", "z", "v1", "é", "_"})
	g.vars = append(g.vars, variable{name, kind})
	return name
}

func (g *generator) ranged(depth int) string {
	kind := pick(g, []string{"l", "l", "S", "m", "M", "N", "a", "s", "count"})
	over := ""
	if kind == "count" {
		over = g.literal("small")
	} else {
		g.counts = false
		over = g.pipeline(kind, 2)
		g.counts = true
	}
	vars := len(g.vars)
	head, elem := "", "a"
	if kind == "S" || kind == "M" {
		elem = "s"
	}
	switch g.IntN(4) {
	case 0:
		head = g.newVariable(elem) + " := "
	case 1:
		key := g.newVariable("a")
		head = key + ", " + g.newVariable(elem) + " := "
	}
	g.loops++
	out := g.action("range "+head+over) + g.block(depth-1, elem)
	g.loops--
	g.vars = g.vars[:vars]
	return out + g.otherwise("range", depth) + g.action("end")
}

func (g *generator) call() string {
	name := pick(g, append([]string{"nope"}, g.names...))
	if len(g.names) > 0 && g.chance(92) {
		name = pick(g, g.names)
	}
	out := "template " + fmt.Sprintf("%q", name)
	if g.chance(80) {
		out += " " + pick(g, []string{".", "$", g.pipeline("a", 1)})
	}
	return g.action(out)
}

func (g *generator) statement(depth int) string {
	choice := g.IntN(100)
	if depth <= 0 && choice >= 62 {
		choice = g.IntN(62)
	}
	switch {
	case choice < 48:
		return g.action(g.pipeline(g.kind(), g.IntN(4)))
	case choice < 49:
		// what a profile does with a list of lines: names that a body has to quote
		g.counts = false
		over := g.operand("S", 1)
		g.counts = true
		return g.action("range "+over) + "\n- " + g.action(pick(g, []string{". | quote", ". | squote",
			"toJson .", "toYaml .", "indent 2 .", "printf \"%q\" .", "trim . | upper"})) + g.action("end")
	case choice < 52:
		kind := g.kind()
		inner := g.pipeline(kind, 2)
		return g.action(g.newVariable(kind) + " := " + inner)
	case choice < 54 && len(g.vars) > 0:
		return g.action(pick(g, g.vars).name + " = " + g.pipeline(g.kind(), 2))
	case choice < 56:
		return pick(g, []string{"{{/* c */}}", "{{- /* a }} b */ -}}", "{{/**/}}", "{{/* x\ny */}}"})
	case choice < 58 && g.loops > 0:
		return g.action(pick(g, []string{"break", "continue"}))
	case choice < 61:
		return g.call()
	case choice < 62 && g.mistakes > 0:
		return g.action(pick(g, []string{"$", ".", "nil", "$nope", "end", "else", "break", "()", "1 2", "nil | print"}))
	case choice < 74:
		return g.action("if "+g.pipeline(g.kind(), 2)) + g.block(depth-1, g.dots[len(g.dots)-1]) +
			g.otherwise("if", depth) + g.action("end")
	case choice < 83:
		kind := g.kind()
		head, vars := "", len(g.vars)
		over := g.pipeline(kind, 2)
		if g.chance(30) {
			head = g.newVariable(kind) + " := "
		}
		out := g.action("with "+head+over) + g.block(depth-1, kind)
		out += g.otherwise("with", depth) + g.action("end")
		g.vars = g.vars[:vars]
		return out
	case choice < 96:
		return g.ranged(depth)
	}
	return g.define("block")
}

// define writes {{define}} or {{block}}; calls in it go to templates that were there before.
func (g *generator) define(keyword string) string {
	name := pick(g, []string{"x", "y", "z z", "t", "/etc/x"})
	vars, loops := g.vars, g.loops
	g.vars, g.loops = nil, 0
	head := keyword + " " + fmt.Sprintf("%q", name)
	if keyword == "block" {
		g.vars = vars
		head += " " + g.pipeline("a", 1)
		g.vars = nil
	}
	out := g.action(head) + g.block(1, "a") + g.action("end")
	g.vars, g.loops = vars, loops
	g.names = append(g.names, name)
	return out
}

func (g *generator) list(depth int) string {
	var out strings.Builder
	for n := g.IntN(3) + 1; n > 0; n-- {
		out.WriteString(g.plain())
		out.WriteString(g.statement(depth))
	}
	out.WriteString(g.plain())
	return out.String()
}

func (g *generator) whole() string {
	g.vars, g.dots, g.loops = nil, []string{""}, 0
	out := ""
	for g.chance(15) {
		out += g.define("define")
	}
	out += g.list(2)
	if g.chance(4) {
		out = g.damaged(out)
	}
	return out
}

// damaged takes something away from a template or puts something in.
func (g *generator) damaged(s string) string {
	for _, f := range allFunctions {
		if isStrict(f) && strings.Contains(s, f.name+" ") {
			return s
		}
	}
	at := g.IntN(len(s) + 1)
	switch g.IntN(3) {
	case 0:
		end := min(len(s), at+1+g.IntN(4))
		return s[:at] + s[end:]
	case 1:
		return s[:at] + pick(g, []string{"{{", "}}", "\"", "(", ")", "|", ".", "$", " ", "-", "'", "`", "\n",
			"{{end}}", "{{else}}", ":=", "=", ",", "0x", "\x00", "é", "/*", "1e", "_", "@"}) + s[at:]
	}
	return s[:at]
}

// generate writes case number n of a seed.
func generate(seed, n uint64) *oneCase {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, n)), counts: true}
	g.mistakes = pick(g, []int{0, 0, 0, 2, 6})
	c := &oneCase{ID: fmt.Sprintf("%d-%d", seed, n)}
	switch g.IntN(10) {
	case 0, 1:
		c.Dataset, g.fields = "osp-min", profileFields
	case 2, 3, 4, 5:
		c.Dataset, g.fields = "osp-full", profileFields
	default:
		c.Data, g.fields = g.data()
		if g.chance(4) {
			c.Data = nil // the zero reflect.Value, and nothing in any field
		}
	}
	switch g.IntN(12) {
	case 0:
		g.profile(c)
		return c
	case 1:
		c.Name = pick(g, []string{"", "/etc/x", "é", "a b"})
		c.After = []named{{Text: ""}}
		c.After[0].Text = g.whole()
		if g.chance(30) {
			c.After = append(c.After, named{Text: g.whole()})
		}
	}
	c.Template = g.whole()
	if g.chance(3) {
		c.Option = pick(g, []string{"missingkey=zero", "missingkey=error", "missingkey=default"})
	}
	if g.chance(1) {
		c.Funcs = "none"
	}
	return c
}

// profile makes a case of the controller's two passes.
func (g *generator) profile(c *oneCase) {
	c.OSP = true
	c.Name = pick(g, []string{"/etc/x", "/opt/bin/setup", "t"})
	for n := g.IntN(3) + 1; n > 0; n-- {
		name := pick(g, []string{"safe", "setup", "other", "/etc/x"}) + fmt.Sprint(n)
		if g.chance(8) {
			name = pick(g, []string{"q\"x", "b\\s", "a b", "é", "{{", "/etc/x", "n\nl", "a\" }}x{{ define \"b"})
		}
		g.names = nil
		text := g.whole()
		if g.chance(40) {
			text += "{{`" + g.action(g.pipeline("s", 1)) + "`}}"
		}
		c.After = append(c.After, named{Name: name, Text: text})
	}
	g.names = nil
	for _, a := range c.After {
		g.names = append(g.names, a.Name)
	}
	c.Template = g.whole() + g.call()
}

func (c *oneCase) line() []byte {
	out, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}
