# Sourced by run.sh and fuzz.sh: use_modules NAME. Wants $here, tests/oracle, and $work.
#
# go.mod names the newest version of the controller that the module proxy serves. A newer one, in a
# folder, can be put in its place by a go.mod of one's own: GOFLAGS=-modfile=FILE.
#
# Without one the modules are read through a copy of go.mod, $work/NAME.mod, so that checksums which
# the download adds never dirty the work tree.
# shellcheck shell=sh disable=SC2154 # here and work are the sourcing script's

use_modules() {
	case ${GOFLAGS-} in
	*-modfile=*) return ;;
	esac
	cp "$here/go.mod" "$work/$1.mod"
	cp "$here/go.sum" "$work/$1.sum"
	GOFLAGS="${GOFLAGS-} -modfile=$work/$1.mod"
	export GOFLAGS
}
