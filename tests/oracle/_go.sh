# Sourced by scripts of sh and bash that build Go programs for tests. Wants $root.
# shellcheck shell=sh disable=SC2154,SC2034,SC2089,SC2090 # root is the sourcing script's, which uses what is set here; go parses the quotes

# One set of flags for all, so that each package is compiled once. Optimizing what runs for a moment takes longer than running
# it, and vet would read the sources of each module.
go_flags="'-gcflags=all=-N -l' '-ldflags=-s -w' -vet=off"
go_flags_given=${GOFLAGS-}
GOFLAGS=$go_flags
export GOFLAGS

# For make oracle and make oracle-fuzz: use_modules NAME. Wants $here, tests/oracle, and $work.
#
# go.mod names the newest version of the controller that the module proxy serves. A newer one, in a
# folder, can be put in its place by a go.mod of one's own: GOFLAGS=-modfile=FILE.
#
# Without one the modules are read through a copy of go.mod, $work/NAME.mod, so that checksums which
# the download adds never dirty the work tree.
# shellcheck disable=SC2154 # here and work are the sourcing script's
use_modules() {
	case $go_flags_given in
	*-modfile=*)
		GOFLAGS="$go_flags $go_flags_given"
		return
		;;
	esac
	cp "$here/go.mod" "$work/$1.mod"
	cp "$here/go.sum" "$work/$1.sum"
	GOFLAGS="$go_flags -modfile=$work/$1.mod"
}

# Builds sops, which as a library would bring every cloud's SDK: build/sops/sops-VERSION.
# The first version whose files look as osm-gen's, and the newest.
sops_versions="v3.9.0 v3.13.3"
newest_sops=$root/build/sops/sops-${sops_versions##* }
build_sops() { # VERSION
	[ -x "$root/build/sops/sops-$1" ] && return
	mkdir -p "$root/build/sops/$1"
	GOFLAGS=$go_flags GOBIN=$root/build/sops/$1 go install "github.com/getsops/sops/v3/cmd/sops@$1" &&
		mv "$root/build/sops/$1/sops" "$root/build/sops/sops-$1" && rmdir "$root/build/sops/$1"
}
