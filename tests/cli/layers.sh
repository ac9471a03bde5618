#!/usr/bin/env bash
# A mistake against each rule of ci/layers, which holds the layers of src/, and of ci/sets, in a copy of the sources, is reported.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

copy=$scratch/copy
mkdir "$copy"
cp -r "$root/src" "$root/cmd" "$copy/"
exits "a copy of the sources has no mistake" 0 "$root/ci/layers" "$copy"
same "and none is printed" "" "$(grep . "$scratch/out")"
# Without the files that no rule looks at from another file, each check is faster.
grep -rLE --null --include="*.[ch]" "#include <(jansson|zlib)" "$copy" | xargs -0 rm

# Lists of the rule itself, so that a folder that is added to one is tested, too.
list() { # NAME
	python3 - "$root/ci/layers" "$1" <<'PYTHON'
import ast, pathlib, sys
lists = {}
for node in ast.parse(pathlib.Path(sys.argv[1]).read_text()).body:
    name = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "")
    if name in {"LIBRARY", "ORDER", "DIALECTS", "ABOVE"}:
        exec(compile(ast.Module([node], []), "layers", "exec"), lists)
print("\n".join(sorted(lists[sys.argv[2]])))
PYTHON
}

folder_of() { # MODULE
	if [ -d "$copy/src/lib/$1" ]; then echo "src/lib/$1"; else echo "src/$1"; fi
}
write() { # FILE TEXT
	mkdir -p "$copy/$(dirname "$1")"
	printf '%b\n' "$2" >"$copy/$1"
}
mistake() { # NAME FILE TEXT EXPECTED
	write "$2" "$3"
	exits "$1 is a mistake" 1 "$root/ci/layers" "$copy"
	ok "$1: the message has the place and the rule" grep -qE "^$4" "$scratch/out"
	same "$1: nothing else is reported" 1 "$(grep -c . "$scratch/out")"
	rm "$copy/$2"
}
good() { # NAME FILE TEXT
	write "$2" "$3"
	exits "$1 is right" 0 "$root/ci/layers" "$copy"
	grep . "$scratch/out"
	rm "$copy/$2"
}

# ---- includes ----------------------------------------------------------------------------------------------------
mistake "an include upward" src/kube/x.c '#include "fleet/fleet.h"' 'src/kube/x.c:1: kube includes fleet/fleet.h, which is above it'
good "an include downward" src/fleet/x.c '#include "kube/kube.h"'
mistake "another module's private header" src/plan/x.c '#include "fleet/internal.h"' \
	"src/plan/x.c:1: includes fleet/internal.h, not fleet's public header"
mistake "a room's private header" src/osm/x.c '#include "osm/extension/internal.h"' \
	"src/osm/x.c:1: includes osm/extension/internal.h, not the room's header"
mistake "another room's private header" src/osm/provider/x.c '#include "osm/extension/internal.h"' \
	"src/osm/provider/x.c:1: includes osm/extension/internal.h, not the room's header"
good "a room's own header" src/osm/x.c '#include "osm/extension/extension.h"'
good "a private header inside of the room" src/osm/extension/x.c '#include "osm/extension/internal.h"'
mistake "a library that includes something else" src/lib/yaml/x.c '#include "kube/kube.h"' \
	'src/lib/yaml/x.c:1: yaml includes kube/kube.h, which is above it'
mistake "a library that includes the outside" src/lib/tmpl/x.c '#include "os/os.h"' \
	'src/lib/tmpl/x.c:1: tmpl includes os/os.h, which is above it'
mistake "a folder that is in no list" src/attic/x.c 'int x;' 'src/attic/x.c: attic is no known layer'
mistake "a module among the libraries" src/lib/kube/x.c 'int x;' 'src/lib/kube/x.c: kube is no known layer'
mistake "a library among the modules" src/yaml/x.c 'int x;' 'src/yaml/x.c: yaml is no known layer'
mistake "a library's header in two folders" src/kube/x.c '#include <jansson.h>' '<jansson...> is included by .*kube.*: one folder only'
mistake "a library's header where others share it" src/kube/x.c '#include <zlib.h>' '<zlib...> is included by .*kube.*: one folder only'

# ---- dialects: every folder that serves all of them ---------------------------------------------------------------
for dialect in $(list DIALECTS); do
	mistake "the registry's privilege in another file: $dialect" src/dialect/x.c "int ${dialect}_render(void);" \
		"src/dialect/x.c:1: names ${dialect}_render, a dialect's"
	mistake "a macro of $dialect" src/fleet/x.c "int x = ${dialect^^}_KIND;" "src/fleet/x.c:1: names ${dialect^^}_KIND, a dialect's"
	for module in $(list ABOVE); do
		write "$(folder_of "$module")/x.c" "#include \"$dialect/$dialect.h\"\nint ${dialect}_render(void);"
	done
	exits "folders that include and name $dialect" 1 "$root/ci/layers" "$copy"
	for module in $(list ABOVE); do
		file=$(folder_of "$module")/x.c
		ok "$module includes $dialect" grep -qx "$file:1: includes $dialect/$dialect.h, a dialect's" "$scratch/out"
		ok "$module names $dialect" grep -qx "$file:2: names ${dialect}_render, a dialect's" "$scratch/out"
		rm "$copy/$file"
	done
	mistake "a command that includes $dialect" cmd/osm-gen/x.c "#include \"$dialect/$dialect.h\"" \
		"cmd/osm-gen/x.c:1: names #include \"$dialect/, a dialect's"
	mistake "a command that names $dialect" cmd/osm-gen/x.c "int ${dialect}_render(void);" \
		"cmd/osm-gen/x.c:1: names ${dialect}_render, a dialect's"
done
good "the program's own name" src/fleet/x.c 'int OSM_GEN_x;'

# ---- what only some folders may do --------------------------------------------------------------------------------
for call in 'fopen(0, 0)' 'open(0, 0)' 'unlink(0)' 'rename(0, 0)' 'execvp(0, 0)' 'pthread_create(0, 0, 0, 0)'; do
	mistake "touching the outside: $call" src/plan/x.c "\tx = $call;" 'src/plan/x.c:1: touches the outside: '
done
good "touching the outside in os/" src/os/x.c '\tx = open(0, 0);'
good "the word in a comment and in a string" src/plan/x.c '/* open() */ char *x = "open()";'
for call in 'printf("")' 'puts("")' 'fprintf(stderr, "")' 'perror("")'; do
	mistake "printing: $call" src/report/x.c "\t$call;" 'src/report/x.c:1: prints: '
done
for call in 'getenv("")' 'secure_getenv("")' 'x = environ'; do
	mistake "the environment: $call" src/os/x.c "\t$call;" 'src/os/x.c:1: reads the environment: '
done
good "the environment in a command" cmd/osm-gen/x.c '\tx = getenv("");'
for call in 'time(0)' 'clock_gettime(0, 0)' 'setlocale(0, "")' 'rand()' 'getrandom(0, 0, 0)' 'randombytes_buf(0, 0)'; do
	mistake "the clock, the locale and chance: $call" src/seal/x.c "\tx = $call;" 'src/seal/x.c:1: clock, locale or randomness: '
done
good "the clock in os/" src/os/x.c '\tx = time(0);'

# ---- sizes and orders ---------------------------------------------------------------------------------------------
lines() { # COUNT
	printf '\\tx();\\n%.0s' $(seq "$1")
}
for folder in src/plan cmd/osm-gen; do
	good "a function of 80 lines in $folder" $folder/x.c "int f(void)\n{\n$(lines 77)}"
	mistake "a function of 81 lines in $folder" $folder/x.c "int f(void)\n{\n$(lines 78)}" "$folder/x.c:1: f: 81 lines, 0 parameters: "
	good "seven parameters in $folder" $folder/x.c 'int f(int a, int b, int c, int d, int e, int g, int (*h)(int, int))\n{\n}'
	mistake "eight parameters in $folder" $folder/x.c 'int f(int a, int b, int c, int d,\n      int e, int g, int h, int i)\n{\n}' \
		"$folder/x.c:1: f: 4 lines, 8 parameters: "
	good "parameters in their order in $folder" $folder/x.c \
		'int f(struct arena *arena, struct sink *sink, const struct plan *plan, int x, int *ret_x)\n{\n}'
	mistake "a sink before the arena in $folder" $folder/x.c 'int f(struct sink *sink, struct arena *arena)\n{\n}' \
		"$folder/x.c:1: f: arena, sink, object, inputs, then ret_..."
	mistake "a result before an input in $folder" $folder/x.c 'int f(struct arena *arena, int *ret_x, int x)\n{\n}' \
		"$folder/x.c:1: f: arena, sink, object, inputs, then ret_..."
done
good "a file of 600 lines" src/plan/x.c "$(printf 'int x;\\n%.0s' $(seq 599))"
mistake "a file of 601 lines" src/plan/x.c "$(printf 'int x;\\n%.0s' $(seq 600))" 'src/plan/x.c: 601 lines: two ideas, split it'

# ---- ci/sets ------------------------------------------------------------------------------------------------------
sets=$scratch/sets
mkdir -p "$sets/src/plan"
for call in 'map_put(&seen, key, &seen)' 'map_put(seen, f(key, 1), seen)' 'map_put(&p->seen, key, p)' \
	'map_put(&p->seen, key, (void *)p)' 'map_put(&seen, key, (void *)"")'; do
	printf '\n\tif (%s)\n' "$call" >"$sets/src/plan/x.c"
	exits "$call is a mistake" 1 "$root/ci/sets" "$sets"
	ok "$call: the message has the place" grep -q '^src/plan/x.c:2: the value ' "$scratch/out"
done
for call in 'map_put(&seen, key, entry)' 'map_put(&p->seen, key, p->entry)' 'set_add(&seen, key)'; do
	printf '\t%s;\n' "$call" >"$sets/src/plan/x.c"
	exits "$call is none" 0 "$root/ci/sets" "$sets"
done
finish
