/*
 * Go's names of character classes in RE2's words.
 */
#include "tmpl/funcs/regex.h"

/* Unicode's long names of general categories, without case and separators (UTS 18, 1.2.5). */
static const struct {
	const char *name;
	const char *category;
} category_aliases[] = {
    {"casedletter", "LC"},
    {"closepunctuation", "Pe"},
    {"cntrl", "Cc"},
    {"combiningmark", "M"},
    {"connectorpunctuation", "Pc"},
    {"control", "Cc"},
    {"currencysymbol", "Sc"},
    {"dashpunctuation", "Pd"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"enclosingmark", "Me"},
    {"finalpunctuation", "Pf"},
    {"format", "Cf"},
    {"initialpunctuation", "Pi"},
    {"letter", "L"},
    {"letternumber", "Nl"},
    {"lineseparator", "Zl"},
    {"lowercaseletter", "Ll"},
    {"mark", "M"},
    {"mathsymbol", "Sm"},
    {"modifierletter", "Lm"},
    {"modifiersymbol", "Sk"},
    {"nonspacingmark", "Mn"},
    {"number", "N"},
    {"openpunctuation", "Ps"},
    {"other", "C"},
    {"otherletter", "Lo"},
    {"othernumber", "No"},
    {"otherpunctuation", "Po"},
    {"othersymbol", "So"},
    {"paragraphseparator", "Zp"},
    {"privateuse", "Co"},
    {"punct", "P"},
    {"punctuation", "P"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"spacingmark", "Mc"},
    {"surrogate", "Cs"},
    {"symbol", "S"},
    {"titlecaseletter", "Lt"},
    {"uppercaseletter", "Lu"},
};

static bool is_separator(char c)
{
	return c == ' ' || c == '_' || c == '-';
}

static bool same_loosely(sv name, const char *plain)
{
	for (size_t i = 0; i < name.len; i++) {
		if (is_separator(name.ptr[i]))
			continue;
		if (ascii_lower(name.ptr[i]) != *plain)
			return false;
		plain++;
	}
	return *plain == '\0';
}

bool regex_class_is_known(struct arena *arena, sv name)
{
	sv pattern = ARENA_CONCAT(arena, SV("\\p{"), name, SV("}"));
	REGEX_AUTO re = regex_compile(pattern.ptr, pattern.len);

	return regex_error_code(re) == REGEX_OK;
}

/* "GREEK" and "gre_ek" to "Greek". */
static sv canonical_name(struct arena *arena, sv name)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		if (!is_separator(c))
			buf_add_char(&buf, buf.len == 0 ? ascii_upper(c) : ascii_lower(c));
	}
	return buf_sv(&buf);
}

sv regex_class_name(struct arena *arena, sv name)
{
	for (size_t i = 0; i < COUNT_OF(category_aliases); i++)
		if (same_loosely(name, category_aliases[i].name))
			return sv_from_cstr(category_aliases[i].category);
	if (same_loosely(name, "lc"))
		return SV("LC");
	if (same_loosely(name, "ascii"))
		return SV("ASCII");
	sv canonical = canonical_name(arena, name);
	return regex_class_is_known(arena, canonical) ? canonical : (sv){NULL, 0};
}

/* Classes without a name in RE2, as the contents of brackets: the class and its complement. */
static const struct {
	const char *name;
	const char *ranges;
	const char *others;
} nameless[] = {
    {"ASCII", "\\x00-\\x7F", "\\x{80}-\\x{10FFFF}"},
    {"LC", "\\p{Lu}\\p{Ll}\\p{Lt}", "\\P{L}\\p{Lm}\\p{Lo}"},
};

sv regex_class_pattern(struct arena *arena, sv class, bool negated, bool in_brackets)
{
	for (size_t i = 0; i < COUNT_OF(nameless); i++) {
		sv ranges = sv_from_cstr(negated ? nameless[i].others : nameless[i].ranges);

		if (!sv_eq_cstr(class, nameless[i].name))
			continue;
		if (in_brackets)
			return ranges;
		return ARENA_CONCAT(arena, negated ? SV("[^") : SV("["),
		                    sv_from_cstr(nameless[i].ranges), SV("]"));
	}
	return ARENA_CONCAT(arena, negated ? SV("\\P{") : SV("\\p{"), class, SV("}"));
}
