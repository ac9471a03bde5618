/*
 * Remedies for templates that fail.
 */
#include "tmpl/set.h"

#include "golang/golang.h"

/* The help on a function; `name` is its name, or the beginning of several names. */
struct function_help {
	sv name;
	const char *help;
};

/* The braces of crictl, kubectl and other programs with templates of their own. */
#define LITERAL_BRACES                                                                             \
	"Where the braces are for another program, such as crictl or kubectl, write "              \
	"{{`{{%.*s}}`}}"

/* ---- templates that cannot be parsed ----------------------------------------------------- */

#define OPERATORS                                                                                  \
	"templates have no operators, only functions, which are written first: eq A B, ne A B, "   \
	"and A B, or A B, not A, add A B"

static const char *const parse_helps[] = {
    [PARSE_ADVICE_NONE] = "actions are written between {{ and }}; if, range, with, define and "
                          "block end with {{ end }}; "
                          "braces of another language are written {{`{{`}}",
    [PARSE_ADVICE_MISSING_END] =
        "each if, range, with, define and block ends with an {{ end }} of its own",
    [PARSE_ADVICE_UNCLOSED_ACTION] = "the action ends with }}",
    [PARSE_ADVICE_SURPLUS_END] =
        "no if, range, with, define or block is open here: remove the word, or open one",
    [PARSE_ADVICE_SURPLUS_ELSE] = "no if, range or with is open here: remove the word, or open one",
    [PARSE_ADVICE_ELSE_AFTER_ELSE] = "only the last branch is {{ else }}; write the branches "
                                     "before it as {{ else if CONDITION }}",
    [PARSE_ADVICE_UNDECLARED_VARIABLE] =
        "declare a variable first, with {{ $name := VALUE }} in the same template; it lasts until "
        "the {{ end }} around it; a field of the data is .Name, or $.Name inside range and with",
    [PARSE_ADVICE_OPERATOR] = OPERATORS,
    [PARSE_ADVICE_PIPE] =
        "every | has a value before it and a function after it; \"or\" is a function: or A B",
    [PARSE_ADVICE_SINGLE_BRACE] = "an action ends with two braces: }}",
    [PARSE_ADVICE_DOT_ALONE] = "a field's name follows its dot without a space",
    [PARSE_ADVICE_FIELD_OF_CONSTANT] = "only the data, variables and (...) have fields",
    [PARSE_ADVICE_DECLARATIONS] = "only range declares two variables, $index and $element, and "
                                  "nothing declares more",
    [PARSE_ADVICE_COMMENT_SPACES] = "a comment has no space before /* and after */: "
                                    "{{/* ... */}}, or {{- /* ... */ -}}",
    [PARSE_ADVICE_COMMENT_END] = "nothing comes between */ and }}: {{/* ... */}}",
    [PARSE_ADVICE_UNCLOSED_COMMENT] = "a comment ends with */}}",
    [PARSE_ADVICE_KEY_WITH_DASH] = "a key with - in it is read with {{ index .Map \"a-b\" }}; a "
                                   "trim marker has a space before it: {{ .Name -}}",
    [PARSE_ADVICE_TRIM_MARKER] = "a trim marker has a space after it: {{- .Name }}",
    [PARSE_ADVICE_QUOTES] = "a string is written in double quotes or backquotes",
    [PARSE_ADVICE_TEMPLATE_NAME] = "the name is written in quotes: {{ template \"NAME\" . }}",
    [PARSE_ADVICE_DEFINE_NAME] = "the name is written in quotes: {{ define \"NAME\" }}",
    [PARSE_ADVICE_NESTED_DEFINE] =
        "a define is outside of every other if, range, with, define and block",
    [PARSE_ADVICE_DEFINED_TWICE] = "remove or rename one of the definitions",
    [PARSE_ADVICE_OUTSIDE_RANGE] =
        "break and continue are used between {{ range }} and its {{ end }}",
    [PARSE_ADVICE_UNTERMINATED_QUOTE] =
        "close the quote; a string of several lines is written in backquotes",
    [PARSE_ADVICE_ESCAPE] =
        "a backslash in double quotes begins an escape: write \\\\ for itself, or use backquotes",
    [PARSE_ADVICE_UNCLOSED_PAREN] = "close the parenthesis before }}",
    [PARSE_ADVICE_SURPLUS_PAREN] = "remove the parenthesis, or open it before",
    [PARSE_ADVICE_MISSING_VALUE] = "write a value after the word",
    [PARSE_ADVICE_NOT_A_FUNCTION] =
        "after a | comes a function: it takes the value before it as its last argument",
};

/* The help on names that are functions of Helm or words of other languages. */
static const struct function_help function_helps[] = {
    {SV_INIT("include"),
     "include is a function of Helm: write {{ template \"NAME\" . }}, which cannot be piped"},
    {SV_INIT("required"),
     "required is a function of Helm: write {{ if not .Name }}{{ fail \"...\" }}{{ end }}"},
    {SV_INIT("tpl"), "tpl is a function of Helm; here the output of a template under `templates` "
                     "is rendered a second time without it"},
    {SV_INIT("lookup"), "lookup is a function of Helm; a profile sees only its data, which "
                        "`osm-gen explain OSG3002` lists"},
    {SV_INIT("elif"), "write {{ else if CONDITION }}"},
    {SV_INIT("elseif"), "write {{ else if CONDITION }}"},
    {SV_INIT("endif"), "write {{ end }}"},
    {SV_INIT("base64"), "did you mean b64enc?"},
    {SV_INIT("upcase"), "did you mean upper?"},
    {SV_INIT("uppercase"), "did you mean upper?"},
    {SV_INIT("downcase"), "did you mean lower?"},
    {SV_INIT("lowercase"), "did you mean lower?"},
    {SV_INIT("length"), "did you mean len?"},
    {SV_INIT("format"), "did you mean printf?"},
};

static void help_unknown_function(struct arena *arena, struct sink *sink, struct diag *diag,
                                  const struct tmpl_funcs *funcs, sv name)
{
	size_t width;
	size_t count;

	for (size_t i = 0; i < COUNT_OF(function_helps); i++) {
		if (sv_eq(name, function_helps[i].name)) {
			diag_set_help(sink, diag, "%s", function_helps[i].help);
			return;
		}
	}
	const sv *names = tmpl_funcs_names(arena, funcs, &count);
	sv near = diag_nearest(name, names, count);
	if (near.len > 0)
		diag_set_help(sink, diag, "did you mean %.*s?", SV_ARG(near));
	else if (go_rune_is_upper(utf8_decode(name, &width)))
		diag_set_help(sink, diag,
		              "a field of the data has a dot before it: .%.*s; inside range and "
		              "with $.%.*s",
		              SV_ARG(name), SV_ARG(name));
	else
		diag_set_help(sink, diag,
		              "profiles have the functions of Go, those of sprig, and toYaml "
		              "fromYaml fromYamlArray toJson fromJson fromJsonArray toToml "
		              "fromToml, but not those of Helm. " LITERAL_BRACES,
		              SV_ARG(name));
}

void help_parse(struct arena *arena, struct sink *sink, struct diag *diag,
                const struct parse_job *job)
{
	bool is_secret = job->source->text->taint;

	if (job->unknown_function.len > 0 && !is_secret) {
		help_unknown_function(arena, sink, diag, job->funcs, job->unknown_function);
		return;
	}
	diag_set_help(sink, diag, "%s", parse_helps[is_secret ? PARSE_ADVICE_NONE : job->advice]);
}

/* ---- refused functions ------------------------------------------------------------------- */

/* The help on functions that are refused, by the beginnings of their names. */
static const struct function_help instead_of[] = {
    {SV_INIT("env"),
     "write the value into the template; where clusters differ, into a profile in the "
     "cluster's own folder"},
    {SV_INIT("expandenv"),
     "write the value into the template; where clusters differ, into a profile "
     "in the cluster's own folder"},
    {SV_INIT("getHostByName"),
     "write the address into the template, or have the node ask: getent hosts NAME"},
    {SV_INIT("rand"), "derive a string from the data, {{ .KubeVersion | toString | sha256sum | "
                      "trunc 8 }}, or have the node draw it: od -An -N8 -tx1 /dev/urandom"},
    {SV_INIT("uuidv4"), "have the node make it: cat /proc/sys/kernel/random/uuid"},
    {SV_INIT("shuffle"), "write the final string, or have the node shuffle: shuf"},
    {SV_INIT("bcrypt"), "hash once, with htpasswd -nB, and write the hash into the template"},
    {SV_INIT("htpasswd"), "hash once, with htpasswd -nB, and write the line into the template"},
    {SV_INIT("encryptAES"), "encrypt once and write the result into the template"},
    {SV_INIT("gen"), "make key and certificate once and write them into the template, or have the "
                     "node make them: openssl req -x509"},
};

static void help_refused_function(struct sink *sink, struct diag *diag, sv name)
{
	for (size_t i = 0; i < COUNT_OF(instead_of); i++) {
		if (!sv_starts_with(name, instead_of[i].name))
			continue;
		diag_set_help(sink, diag, "the same commit must give the same bytes: %s",
		              instead_of[i].help);
		return;
	}
	diag_set_help(
	    sink, diag,
	    "the same commit must give the same bytes: write the result into the template");
}

/* ---- errors at run time ------------------------------------------------------------------ */

static const char *const run_helps[] = {
    [RUN_ADVICE_NONE] = NULL,
    [RUN_ADVICE_CLOUD_PROVIDER] =
        "CloudProviderName is a type of its own: compare it with eq, or make it a string with "
        "toString",
    [RUN_ADVICE_LEFT_STRING_POINTER] =
        "the left side is a pointer to a string: pass it through trim before comparing",
    [RUN_ADVICE_RIGHT_STRING_POINTER] =
        "the right side is a pointer to a string: pass it through trim, eq A (.HTTPProxy | trim)",
    [RUN_ADVICE_NUMBER_POINTER] =
        "one side is a pointer to a number: make it one with int, (int .MaxPods)",
    [RUN_ADVICE_NOT_ORDERED] =
        "numbers and strings can be compared, pointers to them cannot: (int .MaxPods)",
    [RUN_ADVICE_FAIL] = "the template calls fail here: provide what its message asks for, or "
                        "change the condition around the call",
    [RUN_ADVICE_UNDEFINED_TEMPLATE] =
        "define it in the same file, or under `templates` of the same bootstrapConfig or "
        "provisioningConfig; entries of `templates` do not see each other",
    [RUN_ADVICE_ARGUMENT_COUNT] = "give the function the arguments it takes; a value that is piped "
                                  "into it is the last argument",
    [RUN_ADVICE_INCOMPATIBLE_TYPES] =
        "both sides must be of one kind: toString makes strings, int makes numbers",
    [RUN_ADVICE_STRING_EXPECTED] =
        "make it a string with toString; a string is written in double quotes or backquotes",
    [RUN_ADVICE_INTEGER_EXPECTED] = "make it a number with int; numbers are written without quotes",
    [RUN_ADVICE_RANGE] =
        "range takes a list, a map or a number; splitList \",\" .Text makes a list of a string",
    [RUN_ADVICE_UNDECLARED_VARIABLE] = "a variable is declared with := and then changed with =",
    [RUN_ADVICE_FIELD_WITH_ARGUMENTS] =
        "a value takes no arguments: only functions do, and their names are written first",
    [RUN_ADVICE_RECURSION] = "the template calls itself without an end",
    [RUN_ADVICE_VERSION_CONSTRAINT] =
        "a constraint is written like \">= 1.33.0, < 1.35.0\", before the version",
    [RUN_ADVICE_PRINTS_NUMBER_POINTER] = "make it a number first: {{ .MaxPods | int | quote }}",
    [RUN_ADVICE_PRINTS_STRING_POINTER] =
        "pass it through trim, which takes the string itself: {{ .HTTPProxy | trim | quote }}",
    [RUN_ADVICE_PRINTS_POINTER] =
        "print its fields, or convert it with toYaml or toJson: {{ .NetworkConfig | toJson }}",
    [RUN_ADVICE_TIME_ZONE] =
        "print times in UTC, moved by dateModify if a fixed offset is enough; or have the node "
        "print the time: TZ=Europe/Berlin date -d @{{ now | unixEpoch }}",
    [RUN_ADVICE_CHANGES_DATA] =
        "all templates share the data: write the entries into a dict first, and merge into that",
};

static const struct type *struct_of(const struct type *type)
{
	while (type && type->kind == KIND_POINTER)
		type = type->elem;
	return type && type->kind == KIND_STRUCT ? type : NULL;
}

VEC_TYPE(names, sv);

/* Adds the names that a template may write after a dot, with those of embedded structs. */
static void collect_fields(struct arena *arena, const struct type *type, struct names *names)
{
	const struct type *of = struct_of(type);

	for (size_t i = 0; of && i < of->field_count; i++) {
		const struct type_field *field = &of->fields[i];

		if (field->embedded)
			collect_fields(arena, field->type, names);
		else if (field->exported)
			VEC_PUSH(arena, names, field->name);
	}
}

static void list_fields(struct sink *sink, struct diag *diag, const struct tmpl_run *run)
{
	struct buf list = buf_in(sink->arena);
	struct names names = {0};
	sv dotted = ARENA_CONCAT(sink->arena, SV("."), run->unknown.name);

	collect_fields(sink->arena, run->unknown.type, &names);
	if (struct_of(run->unknown.type) == struct_of(run->data)) {
		diag_set_help(sink, diag,
		              "the data has no such field: `osm-gen explain OSG3002` lists those "
		              "it has. " LITERAL_BRACES,
		              SV_ARG(dotted));
		return;
	}
	VEC_EACH (name, &names)
		buf_add_item(&list, ARENA_CONCAT(sink->arena, SV("."), *name));
	if (list.len > 0)
		diag_set_help(sink, diag, "its fields are %.*s", SV_ARG(buf_sv(&list)));
	else
		diag_set_help(sink, diag,
		              "a value of this type has no fields: `osm-gen explain OSG3002` lists "
		              "those of the data");
}

/* The help on a field that does not exist: it is misspelt, or dot is not the data. */
static void help_unknown_field(struct sink *sink, struct diag *diag, const struct tmpl_run *run)
{
	struct ref root = run->vars.count > 0 ? run->vars.items[0].value : REF_INVALID;
	sv name = run->unknown.name;
	struct names fields = {0};
	bool is_known = struct_of(run->data) && go_type_has_field(struct_of(run->data), name);

	collect_fields(sink->arena, run->unknown.type, &fields);
	sv near = diag_nearest(name, fields.items, fields.count);
	if (near.len > 0)
		diag_set_help(sink, diag, "did you mean .%.*s?", SV_ARG(near));
	else if (is_known && go_ref_valid(root) &&
	         struct_of(go_ref_type(root)) == struct_of(run->data))
		diag_set_help(
		    sink, diag,
		    "inside range and with, . is the current item; use $.%.*s for the data",
		    SV_ARG(name));
	else if (is_known)
		diag_set_help(sink, diag,
		              "a template sees only what its caller passes; {{ template \"%.*s\" . "
		              "}} passes the data",
		              SV_ARG(run->tree->name));
	else
		list_fields(sink, diag, run);
}

void help_run(struct sink *sink, struct diag *diag, const struct tmpl_run *run)
{
	if (run->failure == TMPL_DECIDES)
		diag_set_help(
		    sink, diag,
		    "a template may only test whether a whole secret is empty: {{ if .HTTPProxy "
		    "}}; leave other decisions to a script on the node, or make them a setting");
	const char *help = run_helps[run->advice];
	if (run->failure == TMPL_REFUSED && help)
		diag_set_help(sink, diag, "%s", help);
	else if (run->failure == TMPL_REFUSED)
		help_refused_function(sink, diag, run->refused_function);
	if (run->failure != TMPL_EXEC || !run->tree || run->tree->source->taint)
		return;
	if (run->unknown.name.len > 0)
		help_unknown_field(sink, diag, run);
	else if (help)
		diag_set_help(sink, diag, "%s", help);
}
