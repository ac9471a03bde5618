module osm-gen.dev/tests/oracle/gardenercases

go 1.26.4

require (
	filippo.io/age v1.3.2
	gopkg.in/yaml.v3 v3.0.1
)

require (
	filippo.io/hpke v0.4.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
