#!/bin/sh
# A part of make bench: a fleet of Gardener's OperatingSystemConfigs beside one of as many
# MachineDeployments, each rendered, sealed and committed; their manifests are more than the default --max-input. Figures only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
osm_gen=${OSM_GEN:-$root/build/osm-gen}
count=${BENCH_UNITS:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$work/measure" "$here/measure.c"

# configs FOLDER: of both purposes, in as many clusters as the other fleet has
configs() {
	mkdir -p "$1"
	sed '/^  defaults:/s/.*/  defaults: {gardenerNodeAgentSecrets: true}/' "$work/machines/osm-gen.yaml" >"$1/osm-gen.yaml"
	awk -v out="$1" -v n="$count" 'BEGIN {
		for (c = 0; c < 100; c++) {
			dir = sprintf("%s/clusters/c%03d", out, c)
			system("mkdir -p " dir)
			printf "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c%03d}\n", c > (dir "/osm-gen.yaml")
			close(dir "/osm-gen.yaml")
			file = dir "/configs.yaml"
			printf "apiVersion: v1\nkind: Secret\nmetadata: {name: ca, namespace: shoot}\nstringData: {ca.crt: certificate-of-nobody}\n" > file
			for (i = c; i < n; i += 100) {
				printf "---\napiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\n" > file
				printf "metadata: {name: pool-%d-%s, namespace: shoot}\nspec:\n  type: ubuntu\n  purpose: %s\n", i,
					i % 2 ? "init" : "original", i % 2 ? "provision" : "reconcile" > file
				printf "  units:\n  - name: agent.service\n    command: start\n    content: |\n      [Service]\n      ExecStart=/opt/agent\n" > file
				printf "  files:\n  - {path: /etc/ca.crt, permissions: 0644, content: {secretRef: {name: ca, dataKey: ca.crt}}}\n" > file
				for (j = 0; j < 8; j++) {
					printf "  - path: /opt/script-%d\n    permissions: 0755\n    content:\n      inline:\n        encoding: \"\"\n        data: |\n", j > file
					for (k = 0; k < 40; k++)
						printf "          echo line %d of script %d of pool %d\n", k, j, i > file
				}
			}
			close(file)
		}
	}'
}
timed() { # FOLDER: leaves $seconds and $kib
	git -C "$1" init -q -b main
	git -C "$1" add -A
	git -C "$1" commit -q -m fleet
	sync
	"$work/measure" "$work/figures" "$osm_gen" --repo "$1" --max-input 1G >"$work/log" 2>&1 || {
		tail -5 "$work/log" >&2
		exit 3
	}
	read -r seconds kib _ <"$work/figures"
}

"$here/fleet.sh" "$work/machines" "$count" 100
configs "$work/configs"
timed "$work/machines"
machines=$seconds
echo "$count units in 100 clusters"
printf '  %-28s %8s s %6d MiB\n' "MachineDeployments" "$machines" $((kib / 1024))
rm -rf "$work/machines"
timed "$work/configs"
printf '  %-28s %8s s %6d MiB   %s times the others   wanted <= 1\n' "OperatingSystemConfigs" "$seconds" $((kib / 1024)) \
	"$(awk -v a="$seconds" -v b="$machines" 'BEGIN { printf "%.2f", a / b }')"
