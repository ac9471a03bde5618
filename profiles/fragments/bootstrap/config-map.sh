# The Secret has the whole config; or all but some files, which are in the ConfigMap that its first line names, with the
# digest of what is in there.
local map digest data at text
read -r map digest <"$config" || :
if [[ $digest =~ ^[0-9a-f]{64}$ ]]; then
  data=$(fetch_secret "${url%/secrets/*}/configmaps/$map" '|@base64' /dev/stdout)
  [[ $(jq -r 'to_entries | sort_by(.key)[] | .key, (.value | split("\n")[] | " " + .)' <<<"$data" | sha256sum) == "$digest  -" ]] ||
    die "the ConfigMap $map is not the one that $url names"
  # <NAME OF THE CONFIGMAP> is where the list of files was, and <KEY> in that list a file. jq reads only JSON here: until 1.7 it breaks
  # letters of a long line of text.
  at=$(LC_ALL=C grep -aboF "<$map>" "$config") || die "$url has no place for the files of $map"
  at=${at%%:*}
  text=$(head -c "$at" "$config" | tail -n +2 && jq -j 'reduce (del(.config) | to_entries[]) as $file
    (.config; split("<" + $file.key + ">") | join($file.value | @base64))' <<<"$data" &&
    tail -c "+$((at + ${#map} + 3))" "$config" && echo .) || die "cannot join $url and $map"
  printf %s "${text%.}" >"$config"
fi
