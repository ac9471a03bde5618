#!/usr/bin/env bash
# Templates that ask for much: each ends by what it charges, and a profile that failed for one MachineDeployment is not
# rendered for the others, on any number of threads.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

made() { # NAME MACHINES FOLDER
	"$root/tests/bench/fleet.sh" "$3" "$2" 1
	python3 "$here/_hostile_templates.py" "$1" "$3" >/dev/null
	git -C "$3" -c init.defaultBranch=main init -q
	commit_all "$3" "$1"
}
while read -r name; do
	repo=$scratch/repo
	made "$name" 3 "$repo"
	exits "$name" 2 "$program" validate --repo "$repo" --max-steps 300000
	if grep -q OSG3004 "$scratch/err"; then passed=$((passed + 1)); else says "$name" "error[OSG1024]"; fi
	rm -rf "$repo"
done < <(python3 "$here/_hostile_templates.py")

made contains 12 "$scratch/once"
for jobs in 1 2 16; do
	exits "once, -j $jobs" 2 "$program" validate --repo "$scratch/once" -j $jobs
	says "once, -j $jobs" "in MachineDeployment kube-system/workers-00000"
	says "once, -j $jobs" "11 more MachineDeployments use the same profile, which was not rendered again"
	cp "$scratch/err" "$scratch/err.$jobs"
done
same "threads change nothing" "" "$(cat <(diff "$scratch/err.1" "$scratch/err.2") <(diff "$scratch/err.1" "$scratch/err.16"))"
finish
