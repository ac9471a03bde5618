# Rules for conftest over out/: nothing of it is unsealed, or sealed for somebody else. docs/howto/policy.md has the commands.
package main

import rego.v1

# Values that data.osm_gen.recipients lists are allowed to open the output.
allowed := {recipient | some recipient in data.osm_gen.recipients}

name := sprintf("%s %s/%s", [input.kind, object.get(input.metadata, "namespace", ""), input.metadata.name])

deny contains sprintf("%s: %s.%s is not sealed", [name, member, key]) if {
	input.kind == "Secret"
	some member in ["data", "stringData"]
	some key, value in input[member]
	not regex.match(`^ENC\[AES256_GCM,data:.*,type:(str|bytes)\]$`, value)
}

deny contains sprintf("%s: a Secret without the part of SOPS", [name]) if {
	input.kind == "Secret"
	not input.sops.mac
}

deny contains sprintf("%s: %s may open it, and is not in the list", [name, recipient]) if {
	some recipient in recipients
	not recipient in allowed
}

deny contains sprintf("%s: it is sealed with a key that is not an age key", [name]) if {
	some kind in ["kms", "gcp_kms", "azure_kv", "hc_vault", "pgp"]
	count(object.get(input.sops, kind, [])) > 0
}

recipients contains entry.recipient if some entry in input.sops.age

recipients contains entry.recipient if {
	some group in input.sops.key_groups
	some entry in group.age
}

# Machines must not get more rights than to read their own Secrets.
deny contains sprintf("%s: it permits %v", [name, rule.verbs]) if {
	input.kind in ["Role", "ClusterRole"]
	some rule in input.rules
	some verb in rule.verbs
	not verb in ["get", "list", "watch"]
}
