/*
 * What to do about a template that fails.
 */
#include "tmpl/help.h"

#include "golang/golang.h"

/* What to say when the message holds some words; the first that fits is it. */
struct advice {
	sv words;
	const char *help;
};

static const char *find_advice(const struct advice *advice, size_t count, sv message)
{
	for (size_t i = 0; i < count; i++)
		if (sv_contains(message, advice[i].words))
			return advice[i].help;
	return NULL;
}

/* The braces of crictl, kubectl and other programs with templates of their own. */
#define LITERAL_BRACES                                                                             \
	"Where the braces are for another program, such as crictl or kubectl, write "              \
	"{{`{{%.*s}}`}}"

/* ---- texts that cannot be parsed --------------------------------------------------------- */

#define OPERATORS                                                                                  \
	"templates have no operators, only functions, which stand in front: eq A B, ne A B, "      \
	"and A B, or A B, not A, add A B"

static const struct advice parse_advice[] = {
    {SV_INIT("unexpected EOF"),
     "each if, range, with, define and block ends with an {{ end }} of its own"},
    {SV_INIT("unclosed action"), "the action ends with }}"},
    {SV_INIT("unexpected {{end}}"),
     "no if, range, with, define or block is open here: remove it, or open one"},
    {SV_INIT("unexpected {{else}}"), "no if, range or with is open here: remove it, or open one"},
    {SV_INIT("expected end; found {{else}}"), "the last {{ else }} takes no other behind it: the "
                                              "ones before are {{ else if CONDITION }}"},
    {SV_INIT("undefined variable"),
     "a variable is declared first, {{ $name := VALUE }}, in the same text, and lasts until the "
     "{{ end }} of what it stands in; a field of the data is .Name, inside range and with $.Name"},
    {SV_INIT("unexpected \"=\""), OPERATORS},
    {SV_INIT("unexpected \"&\""), OPERATORS},
    {SV_INIT("unexpected \"!\""), OPERATORS},
    {SV_INIT("unexpected \"<\""), OPERATORS},
    {SV_INIT("unexpected \">\""), OPERATORS},
    {SV_INIT("unexpected \"|\""),
     "a value stands before every | and a function behind it; \"or\" is a function: or A B"},
    {SV_INIT("unexpected \"}\""), "an action ends with two braces: }}"},
    {SV_INIT("unexpected <.>"), "a field's name stands right behind its dot"},
    {SV_INIT("unexpected . after term"), "only the data, variables and (...) have fields"},
    {SV_INIT("too many declarations"),
     "only range declares two variables, $index and $element, and "
     "nothing declares more"},
    {SV_INIT("unexpected \"*\""), OPERATORS},
    {SV_INIT("illegal number syntax"), OPERATORS},
    {SV_INIT("unexpected \"/\" in command"), "a comment has no space before /* and behind */: "
                                             "{{/* ... */}}, or {{- /* ... */ -}}"},
    {SV_INIT("comment ends before"), "nothing stands between */ and }}: {{/* ... */}}"},
    {SV_INIT("unclosed comment"), "a comment ends with */}}"},
    {SV_INIT("bad character U+002D"), "a key with - in it is read with {{ index .Map \"a-b\" }}; a "
                                      "trim marker has a space before it: {{ .Name -}}"},
    {SV_INIT("bad number syntax: \"-"), "a trim marker has a space behind it: {{- .Name }}"},
    {SV_INIT("bad number syntax"), "a text stands in double quotes or backquotes"},
    {SV_INIT("in template clause"), "the name stands in quotes: {{ template \"NAME\" . }}"},
    {SV_INIT("in define clause"), "the name stands in quotes: {{ define \"NAME\" }}"},
    {SV_INIT("unexpected <define>"),
     "a define stands outside of every other if, range, with, define and block"},
    {SV_INIT("multiple definition"), "remove or rename one of the definitions"},
    {SV_INIT("outside {{range}}"),
     "break and continue stand between {{ range }} and its {{ end }}"},
    {SV_INIT("unterminated"), "close the quote; a text of several lines stands in backquotes"},
    {SV_INIT("malformed character constant"), "a text stands in double quotes or backquotes"},
    {SV_INIT("invalid syntax"),
     "a backslash in double quotes begins an escape: write \\\\ for itself, or use backquotes"},
    {SV_INIT("unclosed left paren"), "close the parenthesis before }}"},
    {SV_INIT("unexpected right paren"), "remove it, or open the parenthesis"},
    {SV_INIT("missing value for"), "write what it shall look at or print behind the word"},
    {SV_INIT("non executable command"),
     "what stands behind a | is a function: it takes the value before it as its last argument"},
};

/* Other languages' words for what templates have, and what Helm has besides. */
static const struct advice function_advice[] = {
    {SV_INIT("include"),
     "include is Helm's: write {{ template \"NAME\" . }}, which cannot be piped"},
    {SV_INIT("required"),
     "required is Helm's: write {{ if not .Name }}{{ fail \"...\" }}{{ end }}"},
    {SV_INIT("tpl"), "tpl is Helm's: what a text under `templates` gives is rendered once more by "
                     "itself"},
    {SV_INIT("lookup"), "lookup is Helm's: a profile sees nothing of the cluster but its data, "
                        "which `osm-gen explain OSG3002` lists"},
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

	for (size_t i = 0; i < COUNT_OF(function_advice); i++) {
		if (sv_eq(name, function_advice[i].words)) {
			diag_set_help(sink, diag, "%s", function_advice[i].help);
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
		diag_set_help(
		    sink, diag,
		    "profiles have Go's own functions, those of sprig, and toYaml fromYaml "
		    "fromYamlArray toJson fromJson fromJsonArray toToml fromToml; Helm's are "
		    "not among them. " LITERAL_BRACES,
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
	const char *help =
	    is_secret ? NULL : find_advice(parse_advice, COUNT_OF(parse_advice), job->error);
	diag_set_help(sink, diag, "%s",
	              help ? help
	                   : "actions stand between {{ and }}; if, range, with, define and block "
	                     "end with {{ end }}; braces of another language are written {{`{{`}}");
}

/* ---- what is refused --------------------------------------------------------------------- */

/* What to write instead of a function that is refused; words is where the function's begins. */
static const struct advice instead_of[] = {
    {SV_INIT("env"),
     "write the value into the template; where clusters differ, into a profile in the "
     "cluster's own folder"},
    {SV_INIT("expandenv"),
     "write the value into the template; where clusters differ, into a profile "
     "in the cluster's own folder"},
    {SV_INIT("getHostByName"),
     "write the address into the template, or have the node ask: getent hosts NAME"},
    {SV_INIT("rand"), "derive a text from what is there, {{ .KubeVersion | toString | sha256sum | "
                      "trunc 8 }}, or have the node draw it: od -An -N8 -tx1 /dev/urandom"},
    {SV_INIT("uuidv4"), "have the node make it: cat /proc/sys/kernel/random/uuid"},
    {SV_INIT("shuffle"), "write the text as it shall be, or have the node shuffle: shuf"},
    {SV_INIT("bcrypt"), "hash once, with htpasswd -nB, and write the hash into the template"},
    {SV_INIT("htpasswd"), "hash once, with htpasswd -nB, and write the line into the template"},
    {SV_INIT("encryptAES"), "encrypt once and write the result into the template"},
    {SV_INIT("gen"), "make key and certificate once and write them into the template, or have the "
                     "node make them: openssl req -x509"},
};

static void help_refused_function(struct sink *sink, struct diag *diag)
{
	const sv mark = SV("function \"");
	size_t at = sv_find(diag->text, mark);
	sv name = at == SV_NPOS ? SV("") : sv_from_offset(diag->text, at + mark.len);

	for (size_t i = 0; i < COUNT_OF(instead_of); i++) {
		if (!sv_starts_with(name, instead_of[i].words))
			continue;
		diag_set_help(sink, diag, "the same commit must give the same bytes: %s",
		              instead_of[i].help);
		return;
	}
	diag_set_help(sink, diag,
	              "the same commit must give the same bytes: write what it shall give into the "
	              "template");
}

static void help_refused(struct sink *sink, struct diag *diag)
{
	if (sv_contains(diag->text, SV("is a pointer of type *int32")))
		diag_set_help(sink, diag, "make it a number first: {{ .MaxPods | int | quote }}");
	else if (sv_contains(diag->text, SV("is a pointer of type *string")))
		diag_set_help(sink, diag,
		              "pass it through trim, which takes the text itself: {{ .HTTPProxy | "
		              "trim | quote }}");
	else if (sv_contains(diag->text, SV("is a pointer of type")))
		diag_set_help(sink, diag,
		              "print its fields, or what toYaml or toJson makes of it: {{ "
		              ".NetworkConfig | toJson }}");
	else if (sv_contains(diag->text, SV("a time zone other than UTC")))
		diag_set_help(
		    sink, diag,
		    "print times in UTC, moved by dateModify where a fixed offset will do; or have "
		    "the node print the time: TZ=Europe/Berlin date -d @{{ now | unixEpoch }}");
	else if (sv_contains(diag->text, SV("would change the data")))
		diag_set_help(
		    sink, diag,
		    "all templates share the data: write the entries into a dict first, and "
		    "merge into that");
	else
		help_refused_function(sink, diag);
}

/* ---- what fails when it runs ------------------------------------------------------------- */

static const struct advice run_advice[] = {
    {SV_INIT("v1alpha1.CloudProvider"),
     "CloudProviderName is a type of its own: compare it with eq, or make it a string with "
     "toString"},
    {SV_INIT("*string and string"),
     "the left side is a pointer to a string: pass it through trim before comparing"},
    {SV_INIT("string and *string"),
     "the right side is a pointer to a string: pass it through trim, eq A (.HTTPProxy | trim)"},
    {SV_INIT("*int32"), "one side is a pointer to a number: make it one with int, (int .MaxPods)"},
    {SV_INIT("invalid type for comparison"),
     "numbers and texts can be compared, pointers to them cannot: (int .MaxPods)"},
    {SV_INIT("error calling fail: "),
     "the template itself ends here, by its call of fail: give what the message asks for, or "
     "change the condition around it"},
    {SV_INIT("\" not defined"),
     "define it in the same text, or under `templates` of the same bootstrapConfig or "
     "provisioningConfig; texts under `templates` do not know each other"},
    {SV_INIT("wrong number of args"),
     "give the function the arguments it takes; what is piped into it is the last of them"},
    {SV_INIT("incompatible types for comparison"),
     "both sides must be of one kind: toString makes texts, int makes numbers"},
    {SV_INIT("expected string"), "make it a string with toString; a text stands in double quotes "
                                 "or backquotes"},
    {SV_INIT("expected integer"), "make it a number with int; numbers stand without quotes"},
    {SV_INIT("range can't iterate over"),
     "range takes a list, a map or a number; splitList \",\" .Text makes a list of a text"},
    {SV_INIT("undefined variable: "), "a variable is declared with := and then changed with ="},
    {SV_INIT("has arguments but cannot be invoked"),
     "a value takes no arguments: only functions do, and their names stand first"},
    {SV_INIT("exceeded maximum template depth"), "the template calls itself without an end"},
    {SV_INIT("improper constraint"),
     "a constraint is written like \">= 1.33.0, < 1.35.0\", before the version"},
};

static const struct type *struct_of(const struct type *type)
{
	while (type && type->kind == KIND_POINTER)
		type = type->elem;
	return type && type->kind == KIND_STRUCT ? type : NULL;
}

VEC_TYPE(names, sv);

/* What a template may write behind a dot: fields, those of embedded structs, too. */
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

static sv nearest_field(struct arena *arena, const struct type *type, sv name)
{
	struct names names = {0};

	collect_fields(arena, type, &names);
	return diag_nearest(name, names.items, names.count);
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
	VEC_EACH (name, &names) {
		buf_add_cstr(&list, list.len > 0 ? ", ." : ".");
		buf_add(&list, *name);
	}
	if (list.len > 0)
		diag_set_help(sink, diag, "its fields are %.*s", SV_ARG(buf_sv(&list)));
	else
		diag_set_help(sink, diag,
		              "a value of this type has no fields: `osm-gen explain OSG3002` lists "
		              "those of the data");
}

/* A field that is not there: it is misspelt, or dot is not what it was taken for. */
static void help_unknown_field(struct sink *sink, struct diag *diag, const struct tmpl_run *run)
{
	struct ref root = run->vars.count > 0 ? run->vars.items[0].value : REF_INVALID;
	sv name = run->unknown.name;
	sv near = nearest_field(sink->arena, run->unknown.type, name);
	bool is_known = struct_of(run->data) && go_type_has_field(struct_of(run->data), name);

	if (near.len > 0)
		diag_set_help(sink, diag, "did you mean .%.*s?", SV_ARG(near));
	else if (is_known && go_ref_valid(root) &&
	         struct_of(go_ref_type(root)) == struct_of(run->data))
		diag_set_help(sink, diag,
		              "inside range and with, dot is what they look at: $.%.*s is the "
		              "data's",
		              SV_ARG(name));
	else if (is_known)
		diag_set_help(
		    sink, diag,
		    "a template knows what its caller hands over: {{ template \"%.*s\" . }} "
		    "hands over the data",
		    SV_ARG(run->tree->name));
	else
		list_fields(sink, diag, run);
}

void help_run(struct sink *sink, struct diag *diag, const struct tmpl_run *run)
{
	if (run->failure == TMPL_DECIDES)
		diag_set_help(
		    sink, diag,
		    "only whether a whole value is empty may be tested: {{ if .HTTPProxy }}; "
		    "leave other decisions to a script on the node, or make them a setting");
	if (run->failure == TMPL_REFUSED)
		help_refused(sink, diag);
	if (run->failure != TMPL_EXEC || !run->tree || run->tree->source->taint)
		return;
	const char *help = find_advice(run_advice, COUNT_OF(run_advice), run->error);
	if (run->unknown.name.len > 0)
		help_unknown_field(sink, diag, run);
	else if (help)
		diag_set_help(sink, diag, "%s", help);
}
