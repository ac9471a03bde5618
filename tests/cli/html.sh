#!/usr/bin/env bash
# The HTML report in a real browser: headless Chromium, a fleet of ten thousand units, no network.
# Slow: opens pages in a browser
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

browser=
for name in chromium chromium-browser google-chrome; do
	browser=$(command -v "$name") && break
done
if [ -z "$browser" ]; then
	skip "no chromium"
	finish
fi

# ---- ten thousand units ---------------------------------------------------------------------------------------------
"$root/tests/bench/fleet.sh" "$scratch/fleet" 10000 40
git -C "$scratch/fleet" -c init.defaultBranch=main init -q
commit_all "$scratch/fleet" fleet
exits "a page of ten thousand units" 0 "$program" validate --repo "$scratch/fleet" --report "html=$scratch/page.html"

# Where a network of its own can be had, the browser has one in which nothing can be reached.
alone=()
unshare -n true 2>/dev/null && alone=(unshare -n)
timeout 120 "${alone[@]}" python3 "$here/_browser.py" "$browser" "$scratch/page.html" 10000 >"$scratch/browser" 2>&1
status=$?
grep -v ' passed, ' "$scratch/browser"
counts=$(grep ' passed, ' "$scratch/browser" | tr -cd '0-9 ')
read -r good bad <<<"${counts:-0 1}"
passed=$((passed + good)) failed=$((failed + bad))
[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || failed=$((failed + 1))
finish
