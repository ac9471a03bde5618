module osm-gen.dev/tests/oracle

go 1.26.0

require (
	filippo.io/age v1.3.2
	go.uber.org/zap v1.27.1
	gopkg.in/yaml.v3 v3.0.1
	k8c.io/machine-controller/sdk v1.66.1
	k8c.io/operating-system-manager v1.11.3
	k8s.io/api v0.36.2
	k8s.io/apimachinery v0.36.2
	k8s.io/client-go v0.36.2
	sigs.k8s.io/controller-runtime v0.24.1
	sigs.k8s.io/yaml v1.6.0
)

// The original of this indirect dependency is gone; the controller's own
// module replaces it the same way.
replace github.com/ajeddeloh/go-json => github.com/coreos/go-json v0.0.0-20231102161613-e49c8866685a
