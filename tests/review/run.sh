#!/usr/bin/env bash
# Pull requests on a fleet of 300 MachineDeployments in 12 clusters: in each form of a report the facts that a reviewer
# needs are there, in order, and above the fold. requests.py has the pull requests and the facts.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"

fleet=$scratch/fleet
"$root/tests/bench/fleet.sh" "$fleet" 300 12
python3 "$root/tests/review/requests.py" split "$fleet"
git -C "$fleet" -c init.defaultBranch=main init -q
commit_all "$fleet" fleet
exits "the fleet" 0 env -C "$fleet" "$program" generate -q

python3 "$root/tests/review/requests.py" run "$fleet" "$program" >"$scratch/counts" 2>&1
status=$?
sed '$d' "$scratch/counts"
read -r good _ bad _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts")
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
same "its status says so" "$((${bad:-1} > 0))" "$status"
finish
