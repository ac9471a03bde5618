#!/usr/bin/env bash
# Passwords in proxies and mirrors that are no clean URL: the run fails, and no output, log or report has the password.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
counted "passwords with any characters" python3 "$here/_unclear_urls.py" "$program" "$scratch" "$root/tests/golden/base" "${URL_CASES:-40}"
finish
