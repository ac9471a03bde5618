// Command hosts lets containerd's own reader load the folder of hosts.toml files that its configuration names:
// hosts FOLDER REGISTRY... prints, as JSON, what containerd would ask for images of each registry, in order.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/containerd/containerd/v2/core/remotes/docker"
	"github.com/containerd/containerd/v2/core/remotes/docker/config"
)

type host struct {
	URL          string      `json:"url"`
	Capabilities []string    `json:"capabilities"`
	SkipVerify   bool        `json:"skipVerify"`
	Header       http.Header `json:"header,omitempty"`
}

func capabilities(has docker.HostCapabilities) []string {
	names := []string{}
	for _, one := range []struct {
		name string
		bit  docker.HostCapabilities
	}{{"pull", docker.HostCapabilityPull}, {"resolve", docker.HostCapabilityResolve}, {"push", docker.HostCapabilityPush},
		{"referrers", docker.HostCapabilityReferrers}} {
		if has.Has(one.bit) {
			names = append(names, one.name)
		}
	}
	return names
}

func skipsVerification(client *http.Client) bool {
	transport, ok := client.Transport.(*http.Transport)
	return ok && transport.TLSClientConfig != nil && transport.TLSClientConfig.InsecureSkipVerify
}

func main() {
	registries := config.ConfigureHosts(context.Background(), config.HostOptions{HostDir: config.HostDirFromRoot(os.Args[1])})
	result := map[string][]host{}
	for _, registry := range os.Args[2:] {
		found, err := registries(registry)
		if err != nil {
			log.Fatalf("%s: %v", registry, err)
		}
		for _, one := range found {
			result[registry] = append(result[registry], host{one.Scheme + "://" + one.Host + one.Path,
				capabilities(one.Capabilities), skipsVerification(one.Client), one.Header})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}
