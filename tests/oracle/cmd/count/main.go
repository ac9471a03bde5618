// count FILE: the output of failed tests, what the others say about their
// seeds, then "N passed, M failed", from what go test -json wrote. Only leaves
// count: a test with subtests is not one more.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: count FILE")
	}
	f, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	results := map[string]string{}
	parents := map[string]bool{}
	output := map[string][]string{}
	var order []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(os.Stderr, lines.Text())
			continue
		}
		name := e.Package + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			output[name] = append(output[name], e.Output)
		case "pass", "fail", "skip":
			if _, seen := results[name]; !seen {
				order = append(order, name)
			}
			results[name] = e.Action
			for at := strings.LastIndexByte(e.Test, '/'); at > 0; at = strings.LastIndexByte(e.Test[:at], '/') {
				parents[e.Package+" "+e.Test[:at]] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}

	packageHasFailure := map[string]bool{}
	for name, r := range results {
		if pkg, test, _ := strings.Cut(name, " "); test != "" && r == "fail" {
			packageHasFailure[pkg] = true
		}
	}
	passed, failed, skipped := 0, 0, 0
	for _, name := range order {
		pkg, test, _ := strings.Cut(name, " ")
		result := results[name]
		// a package counts only where it failed without a test to blame
		isLeaf := test != "" && !parents[name]
		if test == "" && result == "fail" && !packageHasFailure[pkg] {
			isLeaf = true
		}
		for _, line := range output[name] {
			if result == "fail" || strings.Contains(line, ".go:") && strings.Contains(line, ": seed ") {
				fmt.Fprint(os.Stderr, line)
			}
		}
		switch {
		case !isLeaf:
		case result == "pass":
			passed++
		case result == "fail":
			failed++
		default:
			skipped++
		}
	}
	if skipped > 0 {
		fmt.Fprintf(os.Stderr, "oracle: %d skipped\n", skipped)
	}
	if passed+failed == 0 {
		fmt.Fprintln(os.Stderr, "oracle: no test ran")
		failed = 1
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
}
