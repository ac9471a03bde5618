/*
 * Random profiles that try to write a secret in the clear: tables, comparisons, sorting, counting,
 * lengths, failures, the places of marks, budgets. Each is rendered with two secrets; what a reader
 * sees must be the same for both (docs/spec/templates.md 6). That a rendering fails by a secret
 * (DIAG_TEMPLATE_SECRET) is the one thing that may differ.
 *
 * secrecy_fuzz.c makes as many programs as wanted (make secrecy-fuzz).
 */
#include "secrecy/secrecy.h"
#include "tmpl/func.h"
#include "tmpl/tmpl.h"

#include "asserts.h"
#include "dice.h"
#include "tmpl_canary.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- programs ---------------------------------------------------------------------------- */

#define DEPTH 4

struct program {
	struct dice dice;
	struct buf *out;
	int variables; /* $v0 to $v(n-1) are there */
};

static void text(struct program *p, unsigned depth);
static void number(struct program *p, unsigned depth);
static void boolean(struct program *p, unsigned depth);
static void list(struct program *p, unsigned depth);
static void dict(struct program *p, unsigned depth);
static void anything(struct program *p, unsigned depth);

/*
 * Writes a production: %s %n %b %l %d %a are expressions of their kinds, the rest is as it is.
 */
static void produce(struct program *p, const char *form, unsigned depth)
{
	for (; *form; form++) {
		if (*form != '%') {
			buf_add_char(p->out, *form);
			continue;
		}
		switch (*++form) {
		case 's':
			text(p, depth);
			break;
		case 'n':
			number(p, depth);
			break;
		case 'b':
			boolean(p, depth);
			break;
		case 'l':
			list(p, depth);
			break;
		case 'd':
			dict(p, depth);
			break;
		case 'a':
			anything(p, depth);
			break;
		default: /* a percent sign of a format */
			buf_add_char(p->out, '%');
			buf_add_char(p->out, *form);
		}
	}
}

static const char *pick(struct program *p, const char *const *forms, size_t count)
{
	return forms[roll(&p->dice, (unsigned)count)];
}
#define PICK(p, forms) pick((p), (forms), COUNT_OF(forms))

static void variable_or(struct program *p, const char *otherwise)
{
	if (p->variables > 0 && roll(&p->dice, 4) == 0)
		buf_printf(p->out, "$v%u", roll(&p->dice, (unsigned)p->variables));
	else
		buf_add_cstr(p->out, otherwise);
}

static const char *const text_leaves[] = {
    "$.secret", "$.secret", "$.pin",   "$.clear", "$.other", "`a`", "`b`",
    "``",       "` `",      "`a b\n`", "$.m.a",   "$.m.b",   "`x`", "(index $.l 0)",
};

static void text(struct program *p, unsigned depth)
{
	static const char *const forms[] = {
	    "(trunc %n %s)",
	    "(substr %n %n %s)",
	    "(substr 0 1 $.secret)",
	    "(get (dict `a` `A_` `b` `B_` `0` `Z_`) (substr %n %n $.secret))",
	    "(index (dict `a` `A_` `b` `B_`) (trunc 1 %s))",
	    "(dig %s `none` (dict `a` `A_` `b` `B_`))",
	    "(get %d %s)",
	    "(regexFind `[a-m]+` %s)",
	    "(regexReplaceAll `a` %s `{}`)",
	    "(regexReplaceAll `a(.)` $.secret %s)",
	    "(replace `a` %s %s)",
	    "(replace `b` `;` $.secret)",
	    "(ternary %s %s %b)",
	    "(ternary `1` `0` (lt $.secret %s))",
	    "(ternary `1` `` (contains `a` $.secret))",
	    "(printf `[%%s]` %s)",
	    "(printf `%%q` %s)",
	    "(printf `%%*d` %n 1)",
	    "(printf `%%8s|%%-4v` %s %s)",
	    "(printf `%%[2]v %%.3s` %s %s)",
	    "(printf %s %s)",
	    "(printf `%%x %%d` %s %n)",
	    "(first %l | toString)",
	    "(last %l | toString)",
	    "(join %s %l)",
	    "(join `,` (sortAlpha %l))",
	    "(first (sortAlpha (list $.secret `g` `n` %s)) | toString)",
	    "(upper %s)",
	    "(trim %s)",
	    "(trimAll `ab` %s)",
	    "(trimPrefix `a` %s)",
	    "(b64enc %s)",
	    "(b64dec %s)",
	    "(b32enc %s)",
	    "(quote %s)",
	    "(squote %s %s)",
	    "(toJson %a)",
	    "(toYaml %a)",
	    "(toPrettyJson %d)",
	    "(urlquery %s)",
	    "(html %s)",
	    "(sha256sum %s)",
	    "(repeat %n %s)",
	    "(indent %n %s)",
	    "(nindent %n %s)",
	    "(default %s %s)",
	    "(coalesce %s %s)",
	    "(toString %a)",
	    "(cat %s %a)",
	    "(print %a %a)",
	    "(println %s)",
	    "(index (splitList `` %s) %n)",
	    "(split `a` %s)._0",
	    "(split `a` %s)._1",
	    "(fromJson (toJson %d)).a",
	    "(fromYaml %s).a",
	    "(plural %s %s %n)",
	    "(abbrev %n %s)",
	    "(wrap %n %s)",
	    "(initials %s)",
	    "(typeOf %a)",
	    "(date %s 0)",
	    "((now).Format %s)",
	    "(keys %d | first)",
	    "(and %s %s)",
	    "(or %s %s)",
	    "(nospace %s)",
	    "(snakecase %s)",
	    "(b64enc (print `a` $.secret))",
	    "(slice %s %n %n)",
	};

	if (depth == 0 || roll(&p->dice, 3) == 0)
		variable_or(p, PICK(p, text_leaves));
	else
		produce(p, PICK(p, forms), depth - 1);
}

static void number(struct program *p, unsigned depth)
{
	static const char *const leaves[] = {"0", "1", "2", "3", "5", "7", "40"};
	static const char *const forms[] = {
	    "(len %s)",
	    "(len %l)",
	    "(len %d)",
	    "(int %s)",
	    "(int $.pin)",
	    "(atoi (substr %n %n $.pin))",
	    "(add %n %n)",
	    "(mod %n 5)",
	    "(mul %n %n)",
	    "(index %s %n)",
	    "(len (split `a` %s))",
	    "(len (splitList `b` $.secret))",
	    "(max %n %n)",
	    "(sub %n %n | int)",
	    "(ternary %n %n %b)",
	    "(int64 %s)",
	    "(len (regexFindAll `a` $.secret -1))",
	};

	if (depth == 0 || roll(&p->dice, 3) > 0)
		buf_add_cstr(p->out, PICK(p, leaves));
	else
		produce(p, PICK(p, forms), depth - 1);
}

static void boolean(struct program *p, unsigned depth)
{
	static const char *const leaves[] = {"true", "false", "(empty $.secret)", "(not $.secret)"};
	static const char *const forms[] = {
	    "(eq %s %s)",           "(eq $.secret ``)", "(ne %s `\"\"`)",
	    "(lt %s %s)",           "(ge %n %n)",       "(hasPrefix %s %s)",
	    "(contains %s %s)",     "(not %a)",         "(regexMatch `^a` %s)",
	    "(hasKey %d %s)",       "(empty %a)",       "(has %s %l)",
	    "(all %a %a)",          "(any %a %s)",      "(deepEqual %a %a)",
	    "(kindIs `string` %a)", "(eq %n %n)",
	};

	if (depth == 0 || roll(&p->dice, 4) == 0)
		buf_add_cstr(p->out, PICK(p, leaves));
	else
		produce(p, PICK(p, forms), depth - 1);
}

static void list(struct program *p, unsigned depth)
{
	static const char *const leaves[] = {"$.l", "(list $.secret $.pin)", "(list `b` `a`)",
	                                     "(list)", "(splitList `` $.secret)"};
	static const char *const forms[] = {
	    "(list %a %a)",
	    "(splitList %s %s)",
	    "(sortAlpha %l)",
	    "(until %n)",
	    "(keys %d)",
	    "(values %d)",
	    "(without %l %s)",
	    "(uniq %l)",
	    "(reverse %l)",
	    "(rest %l)",
	    "(initial %l)",
	    "(compact %l)",
	    "(append %l %a)",
	    "(prepend %l %a)",
	    "(concat %l %l)",
	    "(slice %l %n)",
	    "(toStrings %l)",
	    "(pluck %s %d %d)",
	    "(regexFindAll `[a-f]` %s -1)",
	    "(chunk %n %l)",
	    "(fromJsonArray (toJson %l))",
	    "(untilStep 0 %n 1)",
	    "(regexSplit `a` %s -1)",
	    "(ternary %l %l %b)",
	};

	if (depth == 0 || roll(&p->dice, 3) == 0)
		buf_add_cstr(p->out, PICK(p, leaves));
	else
		produce(p, PICK(p, forms), depth - 1);
}

static void dict(struct program *p, unsigned depth)
{
	static const char *const leaves[] = {"$.m", "(dict `a` `A` `b` $.secret)", "(dict)", "$d",
	                                     "$d"};
	static const char *const forms[] = {
	    "(dict %s %a %s %a)",     "(set $d %s %a)",     "(unset $d %s)",
	    "(pick %d %s %s)",        "(omit %d %s)",       "(merge (dict) %d)",
	    "(merge $d %d)",          "(deepCopy %d)",      "(fromJson %s)",
	    "(split `a` %s)",         "(ternary %d %d %b)", "(mergeOverwrite $d %d)",
	    "(fromYaml (toYaml %d))", "(dict `in` %d)",
	};

	if (depth == 0 || roll(&p->dice, 3) == 0)
		buf_add_cstr(p->out, PICK(p, leaves));
	else
		produce(p, PICK(p, forms), depth - 1);
}

static void anything(struct program *p, unsigned depth)
{
	static const char *const kinds[] = {"%s", "%s", "%n", "%b", "%l", "%d"};

	produce(p, PICK(p, kinds), depth);
}

/* Mostly not by what a secret is, so that many programs run to their end. */
static void condition(struct program *p)
{
	static const char *const plain[] = {"eq $.clear `clear`",
	                                    "$.secret",
	                                    "ne $.secret ``",
	                                    "and $.clear $.secret",
	                                    "not $.nope",
	                                    "or $.pin %s",
	                                    "$.l",
	                                    "true"};
	static const char *const others[] = {"%b", "%a", "not %a", "hasKey $d `a`", "and %s $.pin"};

	produce(p, roll(&p->dice, 6) > 0 ? PICK(p, plain) : PICK(p, others), DEPTH - 2);
}

static void loop(struct program *p)
{
	static const char *const plain[] = {"list 1 2 3", "until 2", "$.l", "$.m",
	                                    "list $.secret $.pin"};
	static const char *const others[] = {"%l", "%d", "%n"};

	produce(p, roll(&p->dice, 6) > 0 ? PICK(p, plain) : PICK(p, others), DEPTH - 2);
}

static void statements(struct program *p, unsigned depth, unsigned count);

static void statement(struct program *p, unsigned depth)
{
	int outer = p->variables;

	switch (roll(&p->dice, depth > 0 ? 20 : 6)) {
	case 0:
		produce(p, "a=", 0);
		break;
	case 1:
	case 2:
		produce(p, "{{ %s }}", DEPTH);
		break;
	case 3:
		produce(p, "{{ %a }};", DEPTH);
		break;
	case 4:
		buf_printf(p->out, "{{ $v%d := ", p->variables);
		produce(p, "%s }}", DEPTH);
		p->variables++;
		break;
	case 5:
		produce(p, "{{ $_ := set $d %s %a }}", DEPTH - 1);
		break;
	case 6:
	case 7:
		BUF_ADD_LIT(p->out, "{{ if ");
		condition(p);
		BUF_ADD_LIT(p->out, " }}");
		statements(p, depth - 1, 2);
		p->variables = outer;
		BUF_ADD_LIT(p->out, "{{ else }}");
		statements(p, depth - 1, 2);
		BUF_ADD_LIT(p->out, "{{ end }}");
		break;
	case 8:
		BUF_ADD_LIT(p->out, "{{ with ");
		condition(p);
		BUF_ADD_LIT(p->out, " }}{{ . }}");
		statements(p, depth - 1, 1);
		BUF_ADD_LIT(p->out, "{{ end }}");
		break;
	case 9:
		BUF_ADD_LIT(p->out, "{{ range $i, $x := ");
		loop(p);
		BUF_ADD_LIT(p->out, " }}{{ $i }}{{ $x }}");
		statements(p, depth - 1, 2);
		BUF_ADD_LIT(p->out, "{{ end }}");
		break;
	case 10:
		BUF_ADD_LIT(p->out, "{{ define `t` }}<{{ . }}>{{ end }}");
		produce(p, "{{ template `t` %a }}", DEPTH - 1);
		break;
	case 11:
		/* For the second pass. */
		produce(p, "{{ `{{` }} %s {{ `}}` }}", DEPTH - 2);
		break;
	case 12:
		produce(p, "{{ if eq `a` `a` }}{{ fail %s }}{{ end }}", 1);
		break;
	default: /* most of all */
		produce(p, "b{{ %s }};", DEPTH);
		break;
	}
	p->variables = outer > p->variables ? outer : p->variables;
}

static void statements(struct program *p, unsigned depth, unsigned count)
{
	int outer = p->variables;

	for (unsigned i = 0; i < count; i++)
		statement(p, depth);
	p->variables = outer;
}

static sv new_text(struct arena *arena, struct dice *dice)
{
	struct buf out = buf_in(arena);
	struct program p = {.dice = *dice, .out = &out};

	BUF_ADD_LIT(&out, "{{ $d := dict `a` `A` }}");
	statements(&p, 2, 1 + roll(&p.dice, 4));
	*dice = p.dice;
	return buf_sv(&out);
}

/* ---- what a reader sees ------------------------------------------------------------------ */

struct canary {
	struct secret secret;
	struct secret pin;
	struct secret other;
};

static sv random_text(struct arena *arena, struct dice *dice, const char *alphabet, size_t length)
{
	struct buf out = buf_in(arena);

	for (size_t i = 0; i < length; i++)
		buf_add_char(&out, alphabet[roll(dice, (unsigned)strlen(alphabet))]);
	return buf_sv(&out);
}

/* Never blank; of the lengths given, since how long a whole secret is is none. */
static struct canary new_canary(struct arena *arena, struct dice *dice, const char *alphabet,
                                size_t length)
{
	return (struct canary){
	    .secret = {.name = SV("n/s:secret"),
	               .text = ARENA_CONCAT(arena, random_text(arena, dice, "ab", 1),
	                                    random_text(arena, dice, alphabet, length))},
	    .pin = {.name = SV("n/s:pin"), .text = random_text(arena, dice, "1234567", 3)},
	    .other = {.name = SV("n/s:other"),
	              .text = ARENA_CONCAT(arena, SV("z"), random_text(arena, dice, alphabet, 4))},
	};
}

static struct value data_of(struct arena *arena, const struct canary *canary)
{
	struct value data = value_map_new(arena);
	struct value map = value_map_new(arena);
	struct value items = value_list_new(arena);
	struct value secret = value_secret_string(arena, canary->secret.text, &canary->secret);
	struct value pin = value_secret_string(arena, canary->pin.text, &canary->pin);

	value_map_set(arena, &map, SV("a"), value_string(SV("A")));
	value_map_set(arena, &map, SV("b"), secret);
	value_list_add(arena, &items, pin);
	value_list_add(arena, &items, value_string(SV("c")));
	value_list_add(arena, &items, secret);
	value_map_set(arena, &data, SV("secret"), secret);
	value_map_set(arena, &data, SV("pin"), pin);
	value_map_set(arena, &data, SV("other"),
	              value_secret_string(arena, canary->other.text, &canary->other));
	value_map_set(arena, &data, SV("clear"), value_string(SV("clear")));
	value_map_set(arena, &data, SV("m"), map);
	value_map_set(arena, &data, SV("l"), items);
	return data;
}

static void add_diag(struct buf *seen, const struct diag *diag)
{
	buf_printf(seen, "%u %p %zu %.*s|%.*s|%.*s\n", (unsigned)diag->code,
	           (const void *)diag->at.source, diag->at.offset, SV_ARG(diag->text),
	           SV_ARG(diag->help), SV_ARG(diag->object));
	VEC_EACH (note, &diag->notes)
		buf_printf(seen, "%p %zu %.*s\n", (const void *)note->at.source, note->at.offset,
		           SV_ARG(note->text));
}

/* Two templates and two files, with the sources' positions. */
struct sources {
	struct value texts[4];
	struct tmpl_source items[4];
};

static sv render(struct arena *arena, const struct tmpl_funcs *funcs, const struct sources *sources,
                 const struct canary *canary, bool *ret_by_secret)
{
	struct sink sink = sink_in(arena);
	const struct tmpl_profile_texts texts = {.templates = {sources->items, 2},
	                                         .files = {sources->items + 2, 2}};
	struct tmpl_options options = tmpl_options_default();
	struct redaction redaction = {0};
	struct value data = data_of(arena, canary);
	struct buf seen = buf_in(arena);
	struct tmpl_profile *profile;
	struct tmpl_rendered *files;

	options.limits = (struct tmpl_limits){.steps = 20000,
	                                      .secret_steps = 20000,
	                                      .output_bytes = 1 << 16,
	                                      .memory_bytes = 1 << 21,
	                                      .stack_bytes = options.limits.stack_bytes};
	*ret_by_secret = false;
	if (tmpl_profile_parse(arena, &sink, funcs, &texts, &profile, NULL) == STATUS_OK &&
	    tmpl_profile_render(arena, &sink, profile, &data, &options, &files, NULL) ==
	        STATUS_OK) {
		for (size_t i = 0; i < 2; i++) {
			secrecy_redact(&seen, &redaction, &files[i].content);
			BUF_ADD_LIT(&seen, "\n----\n");
		}
	}
	VEC_EACH (diag, &sink.diags) {
		add_diag(&seen, *diag);
		*ret_by_secret |= (*diag)->code == DIAG_TEMPLATE_SECRET;
	}
	/* Such a failure is always the same. */
	if (*ret_by_secret) {
		assert_int_equal(sink.diags.count, 1);
		assert_null(sink.diags.items[0]->at.source);
		assert_string_equal(arena_cstr(arena, sink.diags.items[0]->text),
		                    "a template fails, and whether it fails depends on a secret");
	}
	return buf_sv(&seen);
}

struct tally {
	size_t programs;
	size_t rendered; /* with both secrets */
	size_t by_secret;
	size_t hidden; /* with a mark in what was rendered */
	size_t differences;
};

static void show(const struct sources *sources, uint64_t seed, sv first, sv second)
{
	printf("a secret shows: program %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < COUNT_OF(sources->texts); i++)
		printf("%.*s: %.*s\n", SV_ARG(sources->items[i].name),
		       SV_ARG(sources->texts[i].string));
	printf("with one secret:\n%.*s\nwith another:\n%.*s\n", SV_ARG(first), SV_ARG(second));
}

static void try_program(struct arena *arena, const struct tmpl_funcs *funcs, uint64_t seed,
                        bool shows, struct tally *tally)
{
	static const char *const names[] = {"a", "b", "/1", "/2"};
	static const char *const alphabets[] = {"ab0", "abcdefghijklmnopqrstuvwxyz0123456789",
	                                        "ab{}\"'\n: ,;\\`[]%"};
	struct dice dice = {seed * 0x9e3779b97f4a7c15u + 1};
	struct sources sources;
	bool by_secret[2];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv written = i == 2 || roll(&dice, 3) > 0 ? new_text(arena, &dice) : SV("none");

		if (i == 3 && roll(&dice, 2))
			written = SV("{{ template `a` }}|{{ template `b` }}");
		sources.texts[i] = value_string(written);
		sources.texts[i].origin =
		    (struct origin){source_new(arena, sv_from_cstr(names[i]), written, false), 0,
		                    (uint32_t)written.len, ORIGIN_EXACT};
		sources.items[i] = (struct tmpl_source){sv_from_cstr(names[i]), &sources.texts[i]};
	}
	const char *alphabet = alphabets[roll(&dice, COUNT_OF(alphabets))];
	size_t length = roll(&dice, 9);
	const struct canary one = new_canary(arena, &dice, alphabet, length);
	const struct canary other = new_canary(arena, &dice, alphabet, length);
	sv first = render(arena, funcs, &sources, &one, &by_secret[0]);
	sv second = render(arena, funcs, &sources, &other, &by_secret[1]);

	tally->programs++;
	tally->by_secret += by_secret[0] || by_secret[1];
	if (by_secret[0] || by_secret[1])
		return;
	tally->rendered += sv_contains(first, SV("\n----\n"));
	tally->hidden += sv_contains(first, SV("<sealed:"));
	if (sv_eq(first, second))
		return;
	tally->differences++;
	if (shows)
		show(&sources, seed, first, second);
}

static struct tally try_programs(const struct tmpl_funcs *funcs, uint64_t first, size_t count,
                                 bool until_found)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct tally tally = {0};

	for (size_t i = 0; i < count && !(until_found && tally.differences > 0); i++) {
		try_program(arena, funcs, first + i, !until_found, &tally);
		arena_reset(arena);
	}
	return tally;
}

/* ---- tests ------------------------------------------------------------------------------- */

static size_t case_count = 3000;
static uint64_t first_seed = 1;

static void test_no_program_shows_a_secret(void **state)
{
	struct tally tally = try_programs(&tmpl_funcs_profile, first_seed, case_count, false);

	(void)state;
	printf("%zu programs: %zu rendered, %zu with marks, %zu fail by a secret, %zu show one\n",
	       tally.programs, tally.rendered, tally.hidden, tally.by_secret, tally.differences);
	assert_int_equal(tally.differences, 0);
	/* Else the programs would try nothing. */
	assert_true(tally.rendered > tally.programs / 10);
	assert_true(tally.hidden > tally.programs / 20);
}

/* With one function's flags as they must not be, some program shows a secret. */
static void test_wrong_flags_are_found(void **state)
{
	static const struct {
		const char *name;
		unsigned flags;
		uint64_t first; /* program to try: no long way before one that shows the secret */
	} wrong[] = {
	    {"get", FUNC_KEEPS_TAINT, 7200}, {"contains", FUNC_KEEPS_TAINT, 1},
	    {"sha256sum", FUNC_TRUTH, 100},  {"int", FUNC_TRUTH, 1},
	    {"splitList", FUNC_TRUTH, 100},  {"replace", FUNC_TRUTH, 1},
	    {"upper", FUNC_TRUTH, 1},
	};
	const struct tmpl_func_table *tables[64];
	size_t count = 1;

	(void)state;
	for (; count <= tmpl_funcs_profile.table_count; count++)
		tables[count] = tmpl_funcs_profile.tables[count - 1];
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct tmpl_func func =
		    *tmpl_func_find(&tmpl_funcs_profile, sv_from_cstr(wrong[i].name));
		const struct tmpl_func_table table = {&func, 1};
		const struct tmpl_funcs funcs = {tables, count};

		func.flags = wrong[i].flags;
		tables[0] = &table;
		if (try_programs(&funcs, wrong[i].first, 60000, true).differences == 0)
			fail_msg("%s keeps what it must not, and no program shows it",
			         wrong[i].name);
	}
}

UNIT_TESTS(tmpl_canary)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_program_shows_a_secret),
	    cmocka_unit_test(test_wrong_flags_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int tmpl_canary_search(size_t programs, uint64_t seed)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_program_shows_a_secret)};

	case_count = programs;
	first_seed = seed;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
