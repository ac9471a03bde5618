#!/usr/bin/env bash
# Fills a folder with what machines download, as HOST/PATH of each address:
#     bash mirror.sh DIR
# What is there and has its checksum stays; what was cut short is taken up again.
# Made by `osm-gen inventory --mirror-script`; `--check-mirror DIR` checks the result.
set -euo pipefail

mkdir -p -- "${1:?usage: mirror.sh DIR}"
cd -- "$1"

has_sum() { sha256sum --check --status <<<"$2  $1"; }

download() {
  curl --fail --location --silent --show-error --retry 3 --globoff --netrc-optional "$@"
}

# get PATH URL [SHA256]
get() {
  local path=./$1 url=$2 sum=${3:-} status=0
  if [[ -f $path ]] && { [[ -z $sum ]] || has_sum "$path" "$sum"; }; then
    return
  fi
  echo "$url"
  mkdir -p "${path%/*}"
  # Without a checksum nobody knows what was begun.
  if [[ -z $sum ]]; then rm -f "$path.part"; fi
  if [[ ! -f $path.part ]]; then
    download --output "$path.part" "$url"
  elif ! has_sum "$path.part" "$sum"; then
    download --continue-at - --output "$path.part" "$url" || status=$?
    # Perhaps the server does not go on where it was cut short, or what was begun is another file.
    case $status in
    0 | 22 | 33)
      if ! has_sum "$path.part" "$sum"; then
        rm -f "$path.part"
        download --output "$path.part" "$url"
      fi
      ;;
    *) exit "$status" ;;
    esac
  fi
  if [[ -n $sum ]] && ! has_sum "$path.part" "$sum"; then
    rm "$path.part"
    echo "$url does not have the checksum $sum" >&2
    exit 1
  fi
  mv "$path.part" "$path"
}

# The same for a file whose checksum is published beside it.
get_published() {
  local sum
  get "$1.sha256" "$2.sha256"
  read -r sum _ <"$1.sha256" || true
  if [[ ! $sum =~ ^[0-9a-fA-F]{64}$ ]]; then
    rm "$1.sha256"
    echo "$2.sha256 is no checksum" >&2
    exit 1
  fi
  get "$1" "$2" "$sum"
}
