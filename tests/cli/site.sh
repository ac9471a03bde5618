#!/usr/bin/env bash
# The site of the documents, built and read from its files in headless Chromium; and the example of its home page.
# Slow: opens every page in a browser
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
program=$(realpath "$program")
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME

# ---- the home page ----------------------------------------------------------------------------------------------------
mkdir "$scratch/bin" "$scratch/home" "$scratch/minute"
ln -s "$program" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8 \
	exits "the home page's example prints what it shows" 0 python3 "$here/_console.py" "$root/docs/index.md" "$scratch/minute"
ok "and has commands" grep -qx '9 passed, 0 failed' "$scratch/out"

# ---- the site ----------------------------------------------------------------------------------------------------------
browser=
for name in chromium chromium-browser google-chrome; do
	browser=$(command -v "$name") && break
done
if [ -z "$browser" ] || ! command -v mkdocs >/dev/null; then
	skip "the site in a browser: no chromium, or no mkdocs"
	finish
fi
# In a copy: another build of the site may be going on.
mkdir "$scratch/copy"
tar -c -C "$root" ci/site docs CONTRIBUTING.md README.md SECURITY.md | tar -x -C "$scratch/copy"
for folder in cmd src tests profiles ci Makefile LICENSE .ci out osm-gen.yaml VERSION; do
	[ -e "$scratch/copy/$folder" ] || ln -s "$root/$folder" "$scratch/copy/$folder"
done
cp -rs "$root/ci/." "$scratch/copy/ci/" 2>/dev/null
exits "it is built" 0 "$scratch/copy/ci/site/build" "$program"
timeout 120 python3 "$here/_site.py" "$browser" "$scratch/copy/build/site" >"$scratch/browser" 2>&1
status=$?
grep -v ' passed, ' "$scratch/browser"
read -r good _ bad _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/browser")
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
same "its status says so" "$((${bad:-1} > 0))" "$status"
finish
