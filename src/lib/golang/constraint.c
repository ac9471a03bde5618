/*
 * Constraints as Masterminds/semver v3.4.0 reads and checks them. The library is written with
 * regular expressions whose accidents are part of the language: a segment may hold "|", a hyphen
 * range is found anywhere in the text, before it is split at "||".
 */
#include "golang/golang.h"

#include "golang/scan.h"

enum operator{
	OPERATOR_NONE,
	OPERATOR_NOT_EQUAL,
	OPERATOR_GREATER,
	OPERATOR_LESS,
	OPERATOR_GREATER_EQUAL,
	OPERATOR_LESS_EQUAL,
	OPERATOR_TILDE,
	OPERATOR_CARET,
};

struct operator_name {
	sv text;
	enum operator operator;
};

/* Longer ones first. "=" and none are one operator. */
static const struct operator_name operators[] = {
    {SV_INIT("!="), OPERATOR_NOT_EQUAL},     {SV_INIT(">="), OPERATOR_GREATER_EQUAL},
    {SV_INIT("=>"), OPERATOR_GREATER_EQUAL}, {SV_INIT("<="), OPERATOR_LESS_EQUAL},
    {SV_INIT("=<"), OPERATOR_LESS_EQUAL},    {SV_INIT("~>"), OPERATOR_TILDE},
    {SV_INIT("="), OPERATOR_NONE},           {SV_INIT(">"), OPERATOR_GREATER},
    {SV_INIT("<"), OPERATOR_LESS},           {SV_INIT("~"), OPERATOR_TILDE},
    {SV_INIT("^"), OPERATOR_CARET},
};

struct constraint {
	enum operator operator;
	struct semver version;
	bool dirty; /* some part was left out or a wildcard */
	bool minor_dirty;
	bool patch_dirty;
};

/* All of them must hold. */
VEC_TYPE(constraint_group, struct constraint);

struct semver_constraints {
	VEC(struct constraint_group) groups; /* one of them must hold */
};

static bool in_wild_segment(uint32_t c)
{
	return ascii_is_digit(c) || c == 'x' || c == 'X' || c == '*' || c == '|';
}

static size_t scan_operand(sv text, size_t from, struct scan_version *ret_parts)
{
	return scan_version(text, from, in_wild_segment, ret_parts);
}

/* Scans "A - B" at `from`, with white space around it. Returns its end, or SV_NPOS. */
static size_t scan_range(sv text, size_t from, sv *ret_low, sv *ret_high)
{
	struct scan_version low;
	struct scan_version high;
	size_t at = scan_operand(text, scan_while(text, from, scan_is_space), &low);

	if (at == SV_NPOS)
		return SV_NPOS;
	size_t hyphen = scan_while(text, at, scan_is_space);

	if (hyphen == at || hyphen == text.len || text.ptr[hyphen] != '-')
		return SV_NPOS;
	size_t second = scan_while(text, hyphen + 1, scan_is_space);

	if (second == hyphen + 1)
		return SV_NPOS;
	at = scan_operand(text, second, &high);
	if (at == SV_NPOS)
		return SV_NPOS;
	*ret_low = low.text;
	*ret_high = high.text;
	return scan_while(text, at, scan_is_space);
}

/* Writes hyphen ranges as pairs of comparisons. */
static sv rewrite_ranges(struct arena *arena, sv text)
{
	sv rewritten = text;

	for (size_t from = 0; from < text.len;) {
		sv low;
		sv high;
		size_t end = scan_range(text, from, &low, &high);

		if (end == SV_NPOS) {
			from++;
			continue;
		}
		/* COMPAT: the first occurrence of that string is replaced, wherever it is. */
		sv range = sv_slice(text, from, end);
		size_t place = sv_find(rewritten, range);

		BUG_ON(place == SV_NPOS);
		rewritten =
		    ARENA_CONCAT(arena, sv_slice(rewritten, 0, place), SV(">= "), low, SV(", <= "),
		                 high, SV(" "), sv_from_offset(rewritten, place + range.len));
		from = end;
	}
	return rewritten;
}

static bool is_wildcard(sv segment)
{
	return segment.len == 0 ||
	       (segment.len == 1 &&
	        (segment.ptr[0] == 'x' || segment.ptr[0] == 'X' || segment.ptr[0] == '*'));
}

static bool read_operand(struct arena *arena, const struct scan_version *parts,
                         struct constraint *constraint)
{
	sv minus = parts->prerelease.len > 0 ? SV("-") : (sv){0};
	sv version = parts->text;
	sv error;

	if (is_wildcard(parts->segments[0])) {
		constraint->dirty = true;
		version = ARENA_CONCAT(arena, SV("0.0.0"), minus, parts->prerelease);
	} else if (is_wildcard(parts->segments[1])) {
		constraint->dirty = true;
		constraint->minor_dirty = true;
		version =
		    ARENA_CONCAT(arena, parts->segments[0], SV(".0.0"), minus, parts->prerelease);
	} else if (is_wildcard(parts->segments[2])) {
		constraint->dirty = true;
		constraint->patch_dirty = true;
		version = ARENA_CONCAT(arena, parts->segments[0], SV("."), parts->segments[1],
		                       SV(".0"), minus, parts->prerelease);
	}
	return go_semver_parse(arena, version, &constraint->version, &error);
}

static size_t scan_operator(sv text, size_t from, enum operator* ret_operator)
{
	sv rest = sv_from_offset(text, from);

	*ret_operator = OPERATOR_NONE;
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		if (sv_starts_with(rest, operators[i].text)) {
			*ret_operator = operators[i].operator;
			return from + operators[i].text.len;
		}
	}
	return from;
}

/*
 * Parses comparisons joined by white space or commas. *ret_well_formed is true if the form is
 * right; versions may still be invalid. The library checks the whole form before it reads any
 * version.
 */
static bool parse_group(struct arena *arena, sv text, struct constraint_group *ret_group,
                        bool *ret_well_formed)
{
	struct constraint_group group = {0};
	size_t at = scan_while(text, 0, scan_is_space);
	bool readable = true;

	*ret_well_formed = false;
	for (;;) {
		struct constraint constraint = {0};
		struct scan_version parts;

		at = scan_operator(text, at, &constraint.operator);
		at = scan_operand(text, scan_while(text, at, scan_is_space), &parts);
		if (at == SV_NPOS)
			return false;
		readable = readable && read_operand(arena, &parts, &constraint);
		VEC_PUSH(arena, &group, constraint);
		size_t next = scan_while(text, at, scan_is_space);

		if (next == text.len)
			break;
		if (text.ptr[next] == ',')
			next = scan_while(text, next + 1, scan_is_space);
		else if (next == at)
			return false;
		at = next;
	}
	*ret_well_formed = true;
	*ret_group = group;
	return readable;
}

bool go_semver_constraints_parse(struct arena *arena, sv text,
                                 struct semver_constraints **ret_constraints, sv *ret_error)
{
	struct semver_constraints *constraints = ARENA_NEW(arena, struct semver_constraints);
	sv rest = rewrite_ranges(arena, text);
	bool more = true;

	while (more) {
		struct constraint_group group;
		bool well_formed;
		sv part;

		more = sv_cut(rest, SV("||"), &part, &rest);
		if (!parse_group(arena, part, &group, &well_formed)) {
			*ret_error = well_formed
			                 ? SV("constraint parser error")
			                 : ARENA_CONCAT(arena, SV("improper constraint: "), part);
			return false;
		}
		VEC_PUSH(arena, &constraints->groups, group);
	}
	*ret_constraints = constraints;
	return true;
}

static bool not_equal(const struct semver *v, const struct constraint *c)
{
	const struct semver *want = &c->version;

	if (!c->dirty)
		return go_semver_compare(v, want) != 0;
	if (v->major != want->major)
		return true;
	if (c->minor_dirty)
		return false;
	if (v->minor != want->minor)
		return true;
	if (c->patch_dirty)
		return scan_compare_prerelease(v->prerelease, want->prerelease) != 0;
	return v->patch != want->patch || go_semver_compare(v, want) != 0;
}

static bool greater(const struct semver *v, const struct constraint *c)
{
	const struct semver *want = &c->version;

	if (c->dirty && v->major != want->major)
		return v->major > want->major;
	if (c->minor_dirty)
		return false;
	if (c->patch_dirty)
		return v->minor > want->minor;
	return go_semver_compare(v, want) > 0;
}

static bool less_equal(const struct semver *v, const struct constraint *c)
{
	const struct semver *want = &c->version;

	if (!c->dirty)
		return go_semver_compare(v, want) <= 0;
	if (v->major != want->major)
		return v->major < want->major;
	return c->minor_dirty || v->minor <= want->minor;
}

static bool tilde(const struct semver *v, const struct constraint *c)
{
	const struct semver *want = &c->version;

	if (go_semver_compare(v, want) < 0)
		return false;
	/* COMPAT: ~0.0.0 and ~* allow everything. */
	if (want->major == 0 && want->minor == 0 && want->patch == 0 && !c->minor_dirty &&
	    !c->patch_dirty)
		return true;
	return v->major == want->major && (c->minor_dirty || v->minor == want->minor);
}

static bool caret(const struct semver *v, const struct constraint *c)
{
	const struct semver *want = &c->version;

	if (go_semver_compare(v, want) < 0 || v->major != want->major)
		return false;
	if (want->major > 0 || c->minor_dirty)
		return true;
	if (v->minor != want->minor)
		return false;
	return want->minor > 0 || c->patch_dirty || v->patch == want->patch;
}

static bool holds(const struct semver *v, const struct constraint *c)
{
	switch (c->operator) {
	case OPERATOR_NONE:
		return c->dirty ? tilde(v, c) : go_semver_compare(v, &c->version) == 0;
	case OPERATOR_NOT_EQUAL:
		return not_equal(v, c);
	case OPERATOR_GREATER:
		return greater(v, c);
	case OPERATOR_LESS:
		return go_semver_compare(v, &c->version) < 0;
	case OPERATOR_GREATER_EQUAL:
		return go_semver_compare(v, &c->version) >= 0;
	case OPERATOR_LESS_EQUAL:
		return less_equal(v, c);
	case OPERATOR_TILDE:
		return tilde(v, c);
	case OPERATOR_CARET:
		return caret(v, c);
	}
	BUG("unknown operator");
}

static bool group_holds(const struct constraint_group *group, const struct semver *version)
{
	bool takes_prereleases = version->prerelease.len == 0;

	VEC_EACH (constraint, group)
		takes_prereleases = takes_prereleases || constraint->version.prerelease.len > 0;
	if (!takes_prereleases)
		return false;
	VEC_EACH (constraint, group)
		if (!holds(version, constraint))
			return false;
	return true;
}

bool go_semver_constraints_check(const struct semver_constraints *constraints,
                                 const struct semver *version)
{
	VEC_EACH (group, &constraints->groups)
		if (group_holds(group, version))
			return true;
	return false;
}
