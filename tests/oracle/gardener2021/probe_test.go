package gardener2021
import (
	_ "github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig/oscommon/actuator"
	_ "github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig/oscommon/generator"
	_ "github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig"
	_ "github.com/gardener/gardener/pkg/apis/extensions/validation"
	_ "sigs.k8s.io/controller-runtime/pkg/client/fake"
	_ "k8s.io/api/core/v1"
	_ "sigs.k8s.io/yaml"
	_ "osm-gen.dev/tests/oracle/gardenercases"
)
