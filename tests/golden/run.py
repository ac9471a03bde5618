#!/usr/bin/env bash
# Golden cases: see README.md. Arguments: --accept, and names of cases.
set -u
cd "$(dirname "$0")" || exit 1
root=$(cd ../.. && pwd)
program=${OSM_GEN:-$root/build/asan/osm-gen}
accept=
[ "${1:-}" = --accept ] && { accept=1; shift; }
seed=$(grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# A run signs its commits where whoever runs this has configured git so.
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
quiet_git() { git -c user.name=t -c user.email=t@example.com -c commit.gpgsign=false -c init.defaultBranch=main "$@" >/dev/null 2>&1; }

commit() {
	cd "$1" || exit 1
	quiet_git add -A
	GIT_AUTHOR_DATE=2026-01-02T03:04:05Z GIT_COMMITTER_DATE=2026-01-02T03:04:05Z quiet_git commit -m inputs
	cd - >/dev/null || exit 1
}

# Every diagnostic, up to its empty line, says what to do.
remedies() {
	awk '
		/(error|warning)\[OSG[0-9]+\]: / { where = $0; helped = 0 }
		/^  help: / { helped = 1 }
		/^$/ { if (where != "" && !helped) { print where; bad = 1 } where = "" }
		END { exit bad }
	' "$1"
}

run_case() {
	local name=$1 repo=$scratch/$1 status want before after line target
	mkdir -p "$repo"
	cp -r base/. "$repo"
	(cd "$repo" && quiet_git init)
	if [ -d "$name/before" ]; then
		cp -r "$name/before/." "$repo"
		commit "$repo"
		if ! (cd "$repo" && OSM_GEN_SEAL_SEED=$seed "$program" -q); then
			echo "$name: the run before failed"
			failed=$((failed + 1))
			return
		fi
	fi
	[ -d "$name/repo" ] && cp -r "$name/repo/." "$repo"
	if [ -f "$name/links" ]; then
		while read -r line target; do mkdir -p "$repo/${line%/*}" && ln -s "$target" "$repo/$line"; done <"$name/links"
	fi
	if [ -f "$name/remove" ]; then
		while read -r line; do rm -rf "${repo:?}/$line"; done <"$name/remove"
	fi
	commit "$repo"
	before=$(cd "$repo" && git rev-parse HEAD && git status --porcelain && find . -path ./.git -prune -o -print | sort)
	(
		cd "$repo" || exit 1
		export OSM_GEN_SEAL_SEED=$seed
		unset OSM_GEN_SEAL_SEED_FILE SOPS_AGE_KEY SOPS_AGE_KEY_FILE
		if [ -f "$root/tests/golden/$name/env" ]; then
			while read -r line; do
				if [ "$line" = no-seed ]; then unset OSM_GEN_SEAL_SEED; else export "${line?}"; fi
			done <"$root/tests/golden/$name/env"
		fi
		args=(generate)
		[ -f "$root/tests/golden/$name/args" ] && eval "args=($(cat "$root/tests/golden/$name/args"))"
		"$program" "${args[@]}" --color never -j 2 >"$scratch/stdout" 2>"$scratch/stderr"
		echo $? >"$scratch/status"
	)
	sed -i -E "s|$repo|REPOSITORY|g; s/committed [0-9a-f]{40}/committed COMMIT/" "$scratch/stderr"
	status=$(cat "$scratch/status")
	want=$(cat "$name/status" 2>/dev/null || echo 2)
	if [ -n "$accept" ]; then
		cp "$scratch/stderr" "$name/expected"
		[ ! -f "$name/stdout" ] || cp "$scratch/stdout" "$name/stdout"
	fi
	after=$(cd "$repo" && git rev-parse HEAD && git status --porcelain && find . -path ./.git -prune -o -print | sort)
	if [ "$status" != "$want" ]; then
		echo "$name: exit status $status, want $want"
		cat "$scratch/stderr"
		failed=$((failed + 1))
	elif ! diff -u "$name/expected" "$scratch/stderr"; then
		echo "$name: stderr differs"
		failed=$((failed + 1))
	elif [ -f "$name/stdout" ] && ! diff -u "$name/stdout" "$scratch/stdout"; then
		echo "$name: stdout differs"
		failed=$((failed + 1))
	elif ! remedies "$scratch/stderr"; then
		echo "$name: a diagnostic without a remedy"
		failed=$((failed + 1))
	elif [ "$status" -gt 1 ] && [ "$before" != "$after" ]; then
		echo "$name: the repository was changed"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
	rm -rf "$repo"
}

cases=("$@")
[ ${#cases[@]} -eq 0 ] && mapfile -t cases < <(find . -mindepth 2 -maxdepth 2 -name expected -printf '%h\n' | sed 's|^\./||' | sort)
[ ${#cases[@]} -eq 0 ] && failed=1
for name in "${cases[@]}"; do run_case "$name"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
