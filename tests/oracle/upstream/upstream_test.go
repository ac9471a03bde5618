package upstream_test

import (
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/upstream"
)

// How many rows each table has: an empty one would test nothing.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		path, function string
		rows           int
		key            string // one that every row has
	}{
		{"pkg/controllers/osc/osc_reconciler_test.go", "TestReconciler_Reconcile", 8, "oscFile"},
		{"pkg/generator/generator_test.go", "TestDefaultCloudConfigGenerator_Generate", 12, "expectedCloudConfig"},
		{"pkg/generator/generator_test.go", "TestDeduplicateSSHKeys", 8, "name"},
		{"pkg/containerruntime/containerd_test.go", "TestContainerd_Configs", 20, "name"},
		{"pkg/containerruntime/config_test.go", "TestContainerdRegistryMirror", 7, "desc"},
		{"pkg/containerruntime/flags_test.go", "TestRegistryMirrorsFlags_Set", 2, "input"},
		{"pkg/containerruntime/flags_test.go", "TestRegistryMirrorsFlagsWithFlagParse", 9, "name"},
	} {
		source, err := upstream.Parse(c.path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := source.Table(c.function)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.function, len(rows), c.rows)
		}
		for i, row := range rows {
			if upstream.Text(row, c.key) == "" {
				t.Errorf("%s: row %d has no %s", c.function, i, c.key)
			}
		}
	}
}

func TestValues(t *testing.T) {
	source, err := upstream.Parse("pkg/controllers/osc/osc_reconciler_test.go")
	if err != nil {
		t.Fatal(err)
	}
	ca, err := source.Constant("dummyCACert")
	if err != nil || !strings.HasSuffix(ca, "-----END CERTIFICATE-----") {
		t.Errorf("the CA: %q, %v", ca, err)
	}
	rows, err := source.Table("TestReconciler_Reconcile")
	if err != nil {
		t.Fatal(err)
	}
	if got := upstream.Text(rows[4], "kubeletVersion"); got != "1.31.0" {
		t.Errorf("kubelet %q", got)
	}
	if got := upstream.Map(rows[0], "config")["externalCloudProvider"]; got != true {
		t.Errorf("external cloud provider %v", got)
	}
	if got := upstream.Text(upstream.Map(rows[6], "cloudProviderSpec"), "Raw"); got != `{"securityGroupName": "fake-sg"}` {
		t.Errorf("spec %q", got)
	}
	if _, err := source.Constant("nothing"); err == nil {
		t.Error("a constant that is not there")
	}
	if _, err := source.Table("TestNothing"); err == nil {
		t.Error("a table that is not there")
	}
}
