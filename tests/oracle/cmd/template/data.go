package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"time"

	"osm-gen.dev/tests/oracle/template/resources"
)

// NamedString is a string with a name, as CloudProviderName is.
type NamedString string

type stringer struct{ s string }

func (s stringer) String() string { return "<<" + s.s + ">>" }

func floats(raw json.RawMessage) (f float64) {
	_ = json.Unmarshal(raw, &f)
	return f
}

func ints(raw json.RawMessage) int64 {
	i, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return int64(floats(raw))
	}
	return i
}

func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

func decoded[T any](raw json.RawMessage) (v T) {
	_ = json.Unmarshal(raw, &v)
	return v
}

func keyed[K comparable, V any](raw json.RawMessage, key func(string) K) map[K]V {
	m := map[K]V{}
	for k, v := range decoded[map[string]V](raw) {
		m[key(k)] = v
	}
	return m
}

func wrapped(word string, raw json.RawMessage) (any, error) {
	switch word {
	case "$int":
		return int(ints(raw)), nil
	case "$int8":
		return int8(ints(raw)), nil
	case "$int32":
		return int32(ints(raw)), nil
	case "$int64":
		return ints(raw), nil
	case "$uint":
		return uint(ints(raw)), nil
	case "$uint8":
		return uint8(ints(raw)), nil
	case "$uint64":
		return strconv.ParseUint(string(raw), 10, 64)
	case "$f32":
		return float32(floats(raw)), nil
	case "$f64":
		return floats(raw), nil
	case "$spf":
		return map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
			"-0": math.Copysign(0, -1)}[text(raw)], nil
	case "$bytes":
		return base64.StdEncoding.DecodeString(text(raw))
	case "$b64str":
		b, err := base64.StdEncoding.DecodeString(text(raw))
		return string(b), err
	case "$strs":
		return decoded[[]string](raw), nil
	case "$ints":
		return decoded[[]int](raw), nil
	case "$mss":
		return decoded[map[string]string](raw), nil
	case "$msi":
		return decoded[map[string]int](raw), nil
	case "$msb":
		return decoded[map[string]bool](raw), nil
	case "$mis":
		return keyed[int, string](raw, func(s string) int { i, _ := strconv.Atoi(s); return i }), nil
	case "$mbs":
		return keyed[bool, string](raw, func(s string) bool { return s == "true" }), nil
	case "$mfs":
		return keyed[float64, string](raw, func(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }), nil
	case "$T":
		return newT(), nil
	case "$pT":
		t := newT()
		return &t, nil
	case "$named":
		return NamedString(text(raw)), nil
	case "$pstr":
		return decoded[*string](raw), nil
	case "$pint":
		return decoded[*int](raw), nil
	case "$nilmap":
		return map[string]any(nil), nil
	case "$nilslice":
		return []any(nil), nil
	case "$ip":
		return net.ParseIP(text(raw)), nil
	case "$ips":
		ips := []net.IP{}
		for _, s := range decoded[[]string](raw) {
			ips = append(ips, net.ParseIP(s))
		}
		return ips, nil
	case "$time":
		return time.Unix(ints(raw), 0).UTC(), nil
	case "$dur":
		return time.Duration(ints(raw)), nil
	case "$err":
		return errors.New(text(raw)), nil
	case "$stringer":
		return stringer{text(raw)}, nil
	}
	return nil, fmt.Errorf("unknown wrapper %s", word)
}

func convert(raw json.RawMessage) (any, error) {
	var object map[string]json.RawMessage
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		out := make([]any, len(list))
		for i := range list {
			v, err := convert(list[i])
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	}
	if json.Unmarshal(raw, &object) != nil || object == nil {
		var v any
		err := json.Unmarshal(raw, &v)
		return v, err
	}
	if len(object) == 1 {
		for word, inner := range object {
			if word != "" && word[0] == '$' {
				return wrapped(word, inner)
			}
		}
	}
	out := make(map[string]any, len(object))
	for key, inner := range object {
		v, err := convert(inner)
		if err != nil {
			return nil, err
		}
		out[key] = v
	}
	return out, nil
}

// Sub and T are the structs of $T and $pT: a field and a method of every sort.
type Sub struct{ N int }

type T struct {
	A      string
	S      Sub
	PS, NS *Sub
	P, NP  *string
	I      any
	E      error
	M      map[string]int
	C      []string
	F      func(int) string
	Self   *T
	u      int
}

func (T) Hello(s string) string          { return "hello " + s }
func (T) NoArg() string                  { return "noarg" }
func (T) Fail() (string, error)          { return "", errors.New("my failure") }
func (T) Panics() string                 { panic("boom") }
func (T) Var(s string, is ...int) string { return s + fmt.Sprint(is) }
func (*T) PtrMeth() string               { return "ptr" }

func newT() T {
	p := "pointed"
	t := T{
		A: "a", S: Sub{3}, PS: &Sub{4}, P: &p, I: map[string]any{"k": "v"}, M: map[string]int{"one": 1},
		C: []string{"x", "y"}, F: func(i int) string { return fmt.Sprint("f", i) },
	}
	self := t
	t.Self = &self
	return t
}

func caseData(c *oneCase) (any, error) {
	switch c.Dataset {
	case "osp-min":
		return resources.Minimal(), nil
	case "osp-full":
		return resources.Full(), nil
	case "":
	default:
		return nil, fmt.Errorf("unknown data set %s", c.Dataset)
	}
	if c.Data == nil {
		return nil, nil
	}
	if string(c.Data) == `"@fuzzdata"` {
		file, err := os.ReadFile(*fuzzdata)
		if err != nil {
			return nil, err
		}
		return convert(file)
	}
	return convert(c.Data)
}
