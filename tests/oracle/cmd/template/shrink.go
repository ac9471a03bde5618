package main

import "regexp"

// What a template is taken apart into: what is left out is left out whole.
var piece = regexp.MustCompile("(?s)\\{\\{-? ?|\\s*-?\\}\\}|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[()|]|[\\w.$]+|\\s+|.")

// The parts of a case that can be made smaller.
func (c *oneCase) parts() []*string {
	out := []*string{&c.Template}
	for i := range c.After {
		out = append(out, &c.After[i].Text)
	}
	return out
}

func (c *oneCase) copy() *oneCase {
	d := *c
	d.After = append([]named(nil), c.After...)
	return &d
}

// smaller gives the cases with one run of pieces left out of one part.
func smaller(c *oneCase, run int) []*oneCase {
	var out []*oneCase
	for i, part := range c.parts() {
		pieces := piece.FindAllStringIndex(*part, -1)
		for at := 0; at < len(pieces); at += max(run/2, 1) {
			end := min(at+run, len(pieces))
			d := c.copy()
			*d.parts()[i] = (*part)[:pieces[at][0]] + (*part)[pieces[end-1][1]:]
			out = append(out, d)
		}
	}
	return out
}

// shrink takes away what the difference does not need.
func (f *fuzzer) shrink(c *oneCase, theirs, ours outcome) (*oneCase, outcome, outcome, error) {
	run := 0
	for _, part := range c.parts() {
		run = max(run, len(piece.FindAllStringIndex(*part, -1)))
	}
	for budget := 4000; run > 0 && budget > 0; {
		found := false
		candidates := smaller(c, run)
		budget -= len(candidates)
		t, o, err := f.ask(candidates)
		if err != nil {
			return nil, theirs, ours, err
		}
		for i := range candidates {
			if judge(t[i], o[i]) == different && t[i].Key == theirs.Key && o[i].Key == ours.Key {
				c, theirs, ours, found = candidates[i], t[i], o[i], true
				break
			}
		}
		if !found {
			run /= 2
		}
	}
	return c, theirs, ours, nil
}
