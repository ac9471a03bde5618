# The Secret has the whole config; or all but some files, which are in the ConfigMap that its first line names, with the
# digest of what is in there.
local map digest text
read -r map digest <"$config" || :
if [[ $digest =~ ^[0-9a-f]{64}$ ]]; then
  fetch_secret "${url%/secrets/*}/configmaps/$map" '|@base64' "$config.map"
  [[ $(jq -r 'to_entries | sort_by(.key)[] | .key, (.value | split("\n")[] | " " + .)' "$config.map" | sha256sum) == "$digest  -" ]] ||
    die "the ConfigMap $map is not the one that $url names"
  # <NAME OF THE CONFIGMAP> is where the list of files was, and <KEY> in that list a file.
  text=$({ tail -n +2 "$config" | jq -Rs . && cat "$config.map"; } | jq -sj --arg map "<$map>" '.[1] as $data |
    (reduce ($data | del(.config) | to_entries[]) as $file ($data.config; split("<" + $file.key + ">") | join($file.value | @base64)))
    as $files | .[0] | split($map) | join($files)' && echo .) || die "cannot join $url and $map"
  printf %s "${text%.}" >"$config"
  rm "$config.map"
fi
