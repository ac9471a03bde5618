package fleet

import "strings"

// Variations is how often each pair of a system and a provider occurs in a matrix.
var Variations = len(recipes)

// Matrix makes sets that hold every provider of every system once each. They
// differ in flags, and in everything that a MachineDeployment may say.
func Matrix(seed uint64, systems ...*System) []*Set {
	var sets []*Set
	for i, r := range recipes {
		m := newMaker(seed, uint64(i), r.name, r.namespace)
		m.useTokens, m.legacy = r.tokens, r.legacy
		m.set.Args = append(m.set.Args, r.args(m)...)
		m.sprinkle()
		for _, a := range m.set.Args {
			m.external = m.external || strings.Contains(a, "-external-cloud-provider")
		}
		m.common(i + int(seed%4))
		m.set.Floats = i%5 == 4
		for _, s := range systems {
			for _, p := range s.Providers {
				m.machineDeployment(s, p)
			}
			name := "profiles/" + s.Profile + ".yaml"
			m.set.Files[name] = withMeta(s.Text, "namespace", r.namespace)
			if s.Builtin {
				m.set.builtin = append(m.set.builtin, name)
			}
		}
		m.set.Files["machines/machinedeployments.yaml"] = strings.Join(m.mds, "---\n")
		sets = append(sets, m.set)
	}
	return sets
}
