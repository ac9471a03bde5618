#!/usr/bin/env bash
# Pull requests on a fleet of 120 MachineDeployments in 12 clusters, and on one of Gardener's OperatingSystemConfigs: in each form
# of a report, and in the commit's message, the facts that a reviewer needs are there, in order, and above the fold. requests.py
# and gardener.py have the pull requests and the facts.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"

requests() { python3 -B "$root/tests/review/requests.py" "$@"; }

review() { # SET HOW UNITS CLUSTERS [DOCUMENT]
	local fleet=$scratch/$1 status good bad
	"$root/tests/bench/fleet.sh" "$fleet" "$3" "$4"
	requests "$2" "$fleet"
	git -C "$fleet" -c init.defaultBranch=main init -q
	commit_all "$fleet" fleet
	exits "the fleet" 0 env -C "$fleet" "$program" generate -q
	requests run "$fleet" "$program" "$1" ${5:+"$5"} >"$scratch/counts" 2>&1
	status=$?
	sed '$d' "$scratch/counts"
	read -r good _ bad _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts")
	passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
	same "its status says so" "$((${bad:-1} > 0))" "$status"
}

review machines split 120 12 "$root/docs/spec/reports.md"
review gardener gardener 1 1
finish
