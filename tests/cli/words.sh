#!/usr/bin/env bash
# ci/words: each mistake in a comment, a message or a document is reported at its line; exceptions are not.
# shellcheck disable=SC2016 # backquotes are those of Markdown
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

copy=$scratch/copy
mkdir -p "$copy/ci" "$copy/docs" "$copy/src"
cp "$root/ci/words" "$copy/ci/"

good() { # NAME FILE TEXT
	printf '%b\n' "$3" >"$copy/$2"
	exits "$1: nothing is reported" 0 "$copy/ci/words"
	rm "$copy/$2"
}
mistake() { # NAME FILE TEXT LINE
	printf '%b\n' "$3" >"$copy/$2"
	exits "$1: a mistake" 1 "$copy/ci/words"
	ok "$1: the report has the line" grep -q "^$2:$4: " "$scratch/out"
	rm "$copy/$2"
}

good "a comment that begins with a verb" src/a.c '/* Returns the first node, or null. */'
good "code" src/a.c 'int text_behind = stands;'
good "a word of a document in code" docs/a.md 'The member `text` and\n\n```\nit stands\n```'
good "a proxy" docs/a.md 'A machine behind a proxy.'
good "people" docs/a.md 'Reviewers say so.'
good "there is none" src/a.c '/* There is none. */'
good "a placeholder" docs/a.md 'It stands for the name.'
mistake "an opening" src/a.c 'int a;\n/* What it has. */' 2
mistake "an opening of a comment of several lines" src/a.h '/*\n * Whether it is.\n */' 2
mistake "a contract" src/a.h 'char *a; /* null: missing */' 1
mistake "stands" src/a.h '/* Returns it\n * where it stands. */' 2
mistake "is none" docs/a.md 'One\n\nthat is none.' 3
mistake "is no" src/a.c '/* It is no name. */' 1
mistake "a message" src/a.c 'report("it is\\n"\n       "behind it");' 2
mistake "a document" docs/a.md 'A text.' 1
mistake "a thing that says" docs/a.md 'The index says so.' 1
mistake "an invented name" src/a.c 'struct sighting a;' 1
mistake "a comment without a subject" src/a.c '/* As Go does. */' 1
mistake "what a check needs" src/a.c 'report("is it sealed: that takes the seed");' 1
mistake "a comparison" src/a.c 'report("to compare it takes the seed");' 1
mistake "a pronoun without its noun" src/a.c 'report("correct the path: it, or a folder above, is missing");' 1
mistake "an author without a name" src/a.c 'report("whoever opens it may change it");' 1
mistake "a subject that is missing" src/a.c 'report("one changes in what no machine reads");' 1
mistake "a search" src/a.c 'report("the program is in no folder");' 1
mistake "something that nobody sees" src/a.c 'report("the history cannot be seen");' 1
good "a function that takes a string" src/a.c 'report("a function that takes a string");'
mistake "an explanation" src/a.def 'CODE(A, "it stands there")' 1
finish
