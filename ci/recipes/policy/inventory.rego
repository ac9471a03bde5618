# Rules for conftest over `osm-gen inventory -o json`: machines fetch from mirrors only. docs/howto/policy.md has the commands.
package inventory

import rego.v1

allowed := {mirror | some mirror in data.osm_gen.hosts}

host(url) := regex.find_all_string_submatch_n(`^[a-z]+://([^/:]+)`, url, 1)[0][1]

deny contains sprintf("%s: %s of %s comes from %s (%s moves it)", [item.kind, item.name, item.units[0], host(item.url), object.get(item, "setting", "no setting")]) if {
	some item in input.items
	not item.kind in ["api"]
	not host(item.url) in allowed
}

deny contains sprintf("%s: %s has no checksum", [item.kind, item.name]) if {
	some item in input.items
	item.kind == "archive"
	not item.sha256
}

deny contains sprintf("%v has no inventory", [entry]) if some entry in input.notInventoried
