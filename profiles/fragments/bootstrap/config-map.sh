  # The Secret has the whole config; or all but some files, which are in the ConfigMap that its first line names, with the
  # digest of what is in there.
  local text map digest
  text=$(jq -r '.data["cloud-config"]' <<<"$answer" | base64 -d && echo .) || text=
  read -r map digest <<<"$text"
  if [[ $digest =~ ^[0-9a-f]{64}$ ]]; then
    answer=$(fetch_secret "${config_url%/secrets/*}/configmaps/${map}" 'header = "Authorization: Bearer {{ .Token }}"') || exit
    [[ $(jq -r '.data | to_entries | sort_by(.key)[] | .key, (.value | split("\n")[] | " " + .)' <<<"$answer" |
      sha256sum) == "${digest}  -" ]] || die "the ConfigMap ${map} is not the one that ${config_url} names"
    # <NAME OF THE CONFIGMAP> is where the list of files was, and <KEY> in that list a file.
    text=${text#*$'\n'}
    answer=$({ printf %s "${text%.}" | jq -Rs . && echo "$answer"; } | jq -s --arg map "<${map}>" '.[1].data as $data |
      (reduce ($data | del(.config) | to_entries[]) as $file ($data.config; split("<" + $file.key + ">") | join($file.value | @base64)))
      as $files | {data: {"cloud-config": (.[0] | split($map) | join($files) | @base64)} }') || die "cannot join ${config_url} and ${map}"
  fi
