#!/usr/bin/env bash
# Every setting has an example, in docs/settings.md and in the JSON Schema, and `validate` accepts each of them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# One cluster for each example, so that each is set alone; the page's, as YAML, and the schema's, as JSON.
repo=$scratch/examples
mkdir "$repo"
git -C "$repo" -c init.defaultBranch=main init -q
sed -n 's/.*certificate-authority-data: //p' "$root/tests/golden/base/clusters/prod/cluster-info.yaml" | base64 -d >"$scratch/ca.pem"
python3 - "$root/docs" "$repo" "$scratch/ca.pem" >"$scratch/settings" <<'END'
import json, pathlib, re, sys
docs, repo = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
ca = pathlib.Path(sys.argv[3]).read_text()
properties = json.load(open(docs / "osm-gen.schema.json"))["definitions"]["settings"]["properties"]
rows = re.findall(r"^\| `(\w+)` \| `--(?:[^`]*)` \|[^|]*\|[^|]*\| `([^`]*)` \|", (docs / "settings.md").read_text(), re.M)
assert [name for name, _ in rows] == list(dict.fromkeys(name for name, _ in rows))
assert sorted(name for name, _ in rows) == sorted(properties), set(properties) ^ {name for name, _ in rows}
def cluster(folder, name, text):
    (repo / folder).mkdir()
    if name.endswith(("CABundle", "RegistryCA")):
        file = repo / folder / text.strip('"')
        file.parent.mkdir()
        file.write_text(ca)
    (repo / folder / "osm-gen.yaml").write_text(
        "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\nspec:\n  settings:\n    %s: %s\n" % (folder, name, text))
for number, (name, text) in enumerate(rows):
    cluster(f"page-{number}", name, text)
    assert len(properties[name]["examples"]) == 1
    cluster(f"schema-{number}", name, json.dumps(properties[name]["examples"][0]))
    print(name)
END
commit_all "$repo" examples
ok "there are many" test "$(wc -l <"$scratch/settings")" -gt 45
exits "every example is accepted" 0 "$program" validate --repo "$repo"
same "without a word about a setting" "" "$(grep -E 'OSG2107|error' "$scratch/err")"
# A value that is spoilt is found: the test would notice.
number=$(grep -n '^clusterDNS$' "$scratch/settings")
folder=page-$((${number%%:*} - 1))
sed -i 's/clusterDNS: .*/clusterDNS: ["10.96.0"]/' "$repo/$folder/osm-gen.yaml"
commit_all "$repo" "a wrong one"
exits "a wrong one is not" 2 "$program" validate --repo "$repo"
says "a wrong one is not" "$folder/osm-gen.yaml:6:19: error[OSG2107]"
finish
