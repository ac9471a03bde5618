// Command bench-templates times Go's text/template on a profile's templates and files: parsed once,
// rendered -n times with one machine's data, as the controller's two passes have it. It prints
// seconds for all renderings, seconds for the executions alone, and the bytes of one.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"syscall"
	"text/template"
	"time"

	"gopkg.in/yaml.v3"
	"k8c.io/operating-system-manager/pkg/util/funcmap"
	"osm-gen.dev/tests/oracle/template/resources"
)

type file struct {
	Path    string
	Content struct{ Inline struct{ Data string } }
}

type profile struct {
	Spec struct {
		ProvisioningConfig struct {
			Templates                  map[string]string
			Files                      []file
			SupportedContainerRuntimes []struct {
				Templates map[string]string
				Files     []file
			} `yaml:"supportedContainerRuntimes"`
		} `yaml:"provisioningConfig"`
	}
}

func parse(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(funcmap.ExtraTxtFuncMap()).Parse(text))
}

// Templates in the order of their names, and files.
func load(path string) (templates, files []*template.Template) {
	var p profile
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, &p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-templates:", err)
		os.Exit(1)
	}
	config := p.Spec.ProvisioningConfig
	texts := map[string]string{}
	all := config.Files
	if len(config.SupportedContainerRuntimes) > 0 {
		for name, text := range config.SupportedContainerRuntimes[0].Templates {
			texts[name] = text
		}
		all = append(all, config.SupportedContainerRuntimes[0].Files...)
	}
	for name, text := range config.Templates {
		texts[name] = text
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		templates = append(templates, parse(name, texts[name]))
	}
	for _, f := range all {
		if f.Content.Inline.Data != "" {
			files = append(files, parse(f.Path, f.Content.Inline.Data))
		}
	}
	return templates, files
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-templates:", err)
		os.Exit(1)
	}
}

// The sets of the files with the rendered templates in them.
func wrap(templates, files []*template.Template, data any) []*template.Template {
	sets := make([]*template.Template, len(files))
	for i, f := range files {
		sets[i] = template.Must(f.Clone())
	}
	for _, t := range templates {
		var out strings.Builder
		must(t.Execute(&out, data))
		text := "\n{{- define \"" + t.Name() + "\" }}\n" + out.String() + "\n{{- end }}"
		for _, set := range sets {
			template.Must(set.Parse(text))
		}
	}
	return sets
}

// What the process has used, its collector of garbage included: others on the machine do not count.
func processorTime() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	path := flag.String("profile", "", "the profile's manifest")
	n := flag.Int("n", 1000, "renderings")
	flag.Parse()
	templates, files := load(*path)
	data := resources.Full()
	var bytes counter
	start := processorTime()
	for i := 0; i < *n; i++ {
		bytes = 0
		for _, set := range wrap(templates, files, data) {
			must(set.Execute(&bytes, data))
		}
	}
	whole := processorTime() - start
	sets := wrap(templates, files, data)
	start = processorTime()
	for i := 0; i < *n; i++ {
		for _, t := range templates {
			must(t.Execute(io.Discard, data))
		}
		for _, set := range sets {
			must(set.Execute(io.Discard, data))
		}
	}
	fmt.Printf("%.3f %.3f %d\n", whole.Seconds(), (processorTime() - start).Seconds(), bytes)
}
