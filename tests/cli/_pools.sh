# Sourced behind _lib.sh by tests of an edited index: clusters and pools of $repo, made from the golden base.
# shellcheck shell=bash disable=SC2154 # program, root, scratch and repo are the sourcing script's
pool() { # CLUSTER NAME REPLICAS
	sed "s/workers/$2/; s/pool: workers/pool: $2/g; s/replicas: 3/replicas: $3/" "$root/tests/golden/base/clusters/prod/workers.yaml" \
		>"$repo/clusters/$1/$2.yaml"
}
cluster() { # NAME
	mkdir -p "$repo/clusters/$1"
	sed "s/name: prod$/name: $1/" "$scratch/cluster.yaml" >"$repo/clusters/$1/osm-gen.yaml"
	sed "s/prod-us-1/$1/" "$root/tests/golden/base/clusters/prod/cluster-info.yaml" >"$repo/clusters/$1/cluster-info.yaml"
}

# What a pull request does beside its edit: three pools gone, one emptied, another recipient.
three() { rm "$repo"/clusters/prod/[abc].yaml; }
emptied() { : >"$repo/clusters/prod/a.yaml"; }
other=$("$program" keygen identity 2>/dev/null | sed -n 's/^# public key: //p')
reader() { sed -i "/recipients:/s/\[/[$other, /" "$repo/osm-gen.yaml"; }
