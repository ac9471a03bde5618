#!/usr/bin/env bash
# Completion in real shells, and manual pages under real readers of them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
mkdir -p "$scratch/site" "$scratch/work/a folder" "$scratch/home"
cd "$scratch/work" || exit 1
touch sealed.yaml
exits "bash" 0 "$program" completion bash
cp "$scratch/out" "$scratch/osm-gen.bash"
exits "zsh" 0 "$program" completion zsh
cp "$scratch/out" "$scratch/site/_osm-gen"
exits "fish" 0 "$program" completion fish
cp "$scratch/out" "$scratch/osm-gen.fish"
exits "no other shell" 64 "$program" completion powershell
says "and which there are" "the shells are bash, zsh and fish"
exits "a shell is needed" 64 "$program" completion
mapfile -t commands < <("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p')
ok "there are commands" test "${#commands[@]}" -gt 15

# ---- each shell: what it makes of a line, as "WORD WORD" -------------------------------------------------------
# As readline parts words: "=" is one of its own.
in_bash() {
	bash --norc -c '
		. "$1"
		line=${2//=/ = }
		read -ra COMP_WORDS <<<"$line"
		[[ $2 == *[\ =] ]] && COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_osm_gen 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' bash "$scratch/osm-gen.bash" "$1" | LC_ALL=C sort | paste -sd ' '
}
in_fish() {
	HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home XDG_DATA_HOME=$scratch/home \
		fish --no-config -c "source $scratch/osm-gen.fish; complete -C '$1'" </dev/null | cut -f 1 | LC_ALL=C sort | paste -sd ' '
}

has_fish=
if command -v fish >/dev/null 2>&1; then
	has_fish=yes
else
	skip "fish is not installed: its completion is not run"
fi
completes() { # NAME LINE WANT
	same "bash: $1" "$3" "$(in_bash "$2")"
	[ -z "$has_fish" ] || same "fish: $1" "$3" "$(in_fish "$2")"
}
completes "a command" "osm-gen va" validate
completes "all commands" "osm-gen " "$(printf '%s\n' "${commands[@]}" | LC_ALL=C sort | paste -sd ' ')"
completes "a command behind options" "osm-gen --repo x ver" "verify version"
completes "an option of the command" "osm-gen plan --rotate-rec" --rotate-recipients
completes "none of another" "osm-gen explain --rotate" ""
completes "of the default command" "osm-gen --no-c" --no-commit
completes "a setting" "osm-gen check --cluster-d" --cluster-dns
completes "settings where they apply alone" "osm-gen list --cluster-d" ""
completes "a value" "osm-gen render --print b" bootstrap
same "bash: a value behind =" bootstrap "$(in_bash "osm-gen render --print=b")"
[ -z "$has_fish" ] || same "fish: a value behind =" --print=bootstrap "$(in_fish "osm-gen render --print=b")"
completes "a format" "osm-gen plan -o j" json
completes "a file where it is one" "osm-gen keygen identity -o sea" sealed.yaml
completes "an argument" "osm-gen keygen i" identity
completes "a command for help" "osm-gen help va" validate
completes "what comes first" "osm-gen profiles " "list show"
completes "and what behind it" "osm-gen profiles show osp-amzn20" osp-amzn2023
completes "nothing where a name is to come" "osm-gen config show s" ""
completes "nothing behind the last" "osm-gen keygen seed " ""
completes "a diagnostic" "osm-gen explain OSG300" "$("$program" explain | grep -o '^OSG300[0-9]' | paste -sd ' ')"
completes "a file" "osm-gen unseal sea" sealed.yaml
same "bash: the report's formats" "json= junit=" "$(in_bash "osm-gen --report j")"
same "bash: a folder with a blank" "a folder" "$(in_bash "osm-gen --repo a")"
ok "bash: it is registered" bash --norc -c ". $scratch/osm-gen.bash; complete -p osm-gen"

if ! command -v zsh >/dev/null 2>&1; then
	skip "zsh is not installed: its completion is not run"
elif ! zsh -f -c 'zmodload zsh/zpty && zpty one true' >/dev/null 2>&1; then
	skip "this system gives no pseudo-terminal (/dev/pts): zsh's completion is not run"
else
	while IFS='|' read -r line want; do
		same "zsh: $line" "$want" "$(timeout 60 zsh -f "$here/_zsh.zsh" "$scratch/site" "$line" </dev/null 2>&1 | tail -n 1)"
	done <<'END'
osm-gen plan --rotate-rec|osm-gen plan --rotate-recipients 
osm-gen explain --rotate-rec|osm-gen explain --rotate-rec
osm-gen render --print boot|osm-gen render --print bootstrap 
osm-gen keygen identity -o sea|osm-gen keygen identity -o sealed.yaml 
osm-gen --repo a|osm-gen --repo a\ folder/
osm-gen profiles sh|osm-gen profiles show 
osm-gen profiles show osp-amzn20|osm-gen profiles show osp-amzn2023 
osm-gen config show sche|osm-gen config show sche
osm-gen explain OSG1002|osm-gen explain OSG1002 
END
fi

# ---- names of the repository ---------------------------------------------------------------------------------------
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH
repo=$(small names)
for name in batch edge; do
	sed "s/name: workers/name: $name/" "$repo/clusters/prod/workers.yaml" >"$repo/clusters/prod/$name.yaml"
done
mkdir "$repo/clusters/two"
sed 's/name: prod/name: two/' "$repo/clusters/prod/osm-gen.yaml" >"$repo/clusters/two/osm-gen.yaml"
cp "$repo/clusters/prod/"{cluster-info,workers}.yaml "$repo/clusters/two/"
commit_all "$repo" "two clusters"
completes "nothing outside of a repository" "osm-gen roll wo" ""
completes "nor clusters" "osm-gen plan --cluster pr" ""
same "bash: quietly" "" "$(in_bash "osm-gen roll wo" 2>&1)"
completes "clusters of another folder" "osm-gen plan -C ../names --cluster " "prod two"
same "bash: clusters of a folder behind =" "prod two" "$(in_bash "osm-gen plan --repo=../names --cluster ")"
exits "the names" 0 "$program" list -o names --repo "$repo"
same "one a line" "prod/kube-system/batch prod/kube-system/edge prod/kube-system/workers two/kube-system/workers" "$(paste -sd ' ' <"$scratch/out")"
exits "of a cluster" 0 "$program" list -o names --repo "$repo" --cluster two
same "alone" "two/kube-system/workers" "$(cat "$scratch/out")"
exits "names of nothing else" 64 "$program" plan -o names --repo "$repo"
cd "$repo" || exit 1
completes "a cluster" "osm-gen diff --cluster t" two
completes "an inventory's cluster" "osm-gen inventory p" prod
completes "a cluster whose settings are shown" "osm-gen config show t" two
completes "a live cluster" "osm-gen observe --cluster p" prod
completes "no cluster where a new one is named" "osm-gen adopt --cluster p" ""
completes "a MachineDeployment" "osm-gen roll kube-system/b" kube-system/batch
completes "with its cluster" "osm-gen render --machine-deployment prod/kube-system/e" prod/kube-system/edge
completes "as an argument" "osm-gen render prod/kube-system/e" prod/kube-system/edge
if command -v zsh >/dev/null 2>&1 && zsh -f -c 'zmodload zsh/zpty && zpty one true' >/dev/null 2>&1; then
	while IFS='|' read -r line want; do
		same "zsh: $line" "$want" "$(timeout 60 zsh -f "$here/_zsh.zsh" "$scratch/site" "$line" </dev/null 2>&1 | tail -n 1)"
	done <<'END'
osm-gen plan --cluster tw|osm-gen plan --cluster two 
osm-gen config show tw|osm-gen config show two 
osm-gen roll kube-system/b|osm-gen roll kube-system/batch 
osm-gen render --machine-deployment prod/kube-system/e|osm-gen render --machine-deployment prod/kube-system/edge 
END
fi
echo 'nonsense: [' >osm-gen.yaml
commit_all . "cannot be read"
completes "settings that cannot be read hide nothing" "osm-gen roll kube-system/b" kube-system/batch
same "bash: quietly" "" "$(in_bash "osm-gen roll kube-system/x" 2>&1)"
cd "$scratch/work" || exit 1

# ---- manual pages ----------------------------------------------------------------------------------------------
pages=()
for command in "" "${commands[@]}"; do
	exits "the page of ${command:-osm-gen}" 0 "$program" man ${command:+"$command"}
	cp "$scratch/out" "$scratch/osm-gen${command:+-$command}.1"
	pages+=("$scratch/osm-gen${command:+-$command}.1")
done
exits "no page of what is no command" 64 "$program" man nonsense
# A word that is longer than a line, where groff 1.23 warns, and with it lintian of Ubuntu 24.04.
same "each word fits on a line" "" "$(sed '/^\.nf$/,/^\.fi$/d; s/\\f[A-Z]//g; s/\\-/-/g; s/\\:/ /g' "${pages[@]}" | tr ' ' '\n' | grep -E '.{61}')"
same "each page is left-aligned after headings" "${#pages[@]}" "$(grep -lx '\.ds AD l' "${pages[@]}" | wc -l)"
if command -v mandoc >/dev/null 2>&1; then
	# What mandoc calls style is about the source, which nobody edits.
	exits "mandoc finds nothing" 0 mandoc -Tlint -Wwarning "${pages[@]}"
	same "at all" "" "$(cat "$scratch/out")"
	mandoc -Tutf8 -Owidth=100 "$scratch/osm-gen.1" | col -bx >"$scratch/overview"
	mandoc -Tutf8 -Owidth=100 "$scratch/osm-gen-plan.1" | col -bx >"$scratch/plan"
	for option in $(for command in "${commands[@]}"; do "$program" help "$command"; done | grep -oE '^  (-., )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u); do
		ok "the overview has $option" grep -qE -- "^ +(-., )?$option( |\$)" "$scratch/overview"
	done
	ok "a page has its command's alone" test "$(grep -c -- '^ *--inputs-rev' "$scratch/plan")" -eq 0
	ok "and examples" grep -qF 'osm-gen plan -o json |' "$scratch/plan"
	ok "and the variables" grep -qF '[OSM_GEN_ROTATE_SEED]' "$scratch/plan"
	ok "and when it ends how" grep -qF 'the inputs are wrong' "$scratch/plan"
else
	skip "mandoc is not installed"
fi
finish
