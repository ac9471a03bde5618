/*
 * Patterns as gitignore(5) describes them, matched as git's wildmatch does with WM_PATHNAME.
 */
#include "codec/codec.h"

struct pattern {
	sv text;
	bool negated;
	bool folders_only;
	bool anchored; /* has a slash before its end: matches from the top, else a name anywhere */
	sv ending;     /* the plain characters that every match ends in */
};

/*
 * Patterns without a wildcard are looked up in maps: a string's last pattern counts. The others are
 * tried one by one. A number is an index of patterns + 1.
 */
struct gitignore {
	VEC(struct pattern) patterns;
	VEC(size_t) wild;
	struct map plain[2][2]; /* numbers, by: is anchored, is for folders only */
};

/* Trailing spaces go, unless quoted by a backslash. */
static sv trim_trailing_spaces(sv line)
{
	size_t end = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\\' && i + 1 < line.len) {
			i++;
			end = i + 1;
		} else if (line.ptr[i] != ' ') {
			end = i + 1;
		}
	}
	return sv_slice(line, 0, end);
}

/* Returns the characters after the last one with a meaning: they match themselves. */
static sv plain_ending(sv text)
{
	size_t start = text.len;

	while (start > 0 && !ascii_is_any(text.ptr[start - 1], "*?[]\\/"))
		start--;
	return sv_from_offset(text, start);
}

static bool parse_pattern(sv line, struct pattern *ret_pattern)
{
	struct pattern pattern = {0};

	line = trim_trailing_spaces(sv_ends_with(line, SV("\r")) ? sv_slice(line, 0, line.len - 1)
	                                                         : line);
	if (line.len == 0 || line.ptr[0] == '#')
		return false;
	if (line.ptr[0] == '!') {
		pattern.negated = true;
		line = sv_from_offset(line, 1);
	}
	if (sv_ends_with(line, SV("/"))) {
		pattern.folders_only = true;
		line = sv_slice(line, 0, line.len - 1);
	}
	pattern.anchored = sv_find_char(line, '/') != SV_NPOS;
	if (sv_starts_with(line, SV("/")))
		line = sv_from_offset(line, 1);
	pattern.text = line;
	pattern.ending = plain_ending(line);
	*ret_pattern = pattern;
	return line.len > 0;
}

static bool is_plain_pattern(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (strchr("*?[\\", text.ptr[i]))
			return false;
	return true;
}

static void sort_in(struct arena *arena, struct gitignore *ignore, const struct pattern *pattern)
{
	size_t number = ignore->patterns.count;

	if (is_plain_pattern(pattern->text))
		map_put(&ignore->plain[pattern->anchored][pattern->folders_only], pattern->text,
		        (void *)(uintptr_t)number);
	else
		VEC_PUSH(arena, &ignore->wild, number);
}

struct gitignore *gitignore_parse(struct arena *arena, sv text)
{
	struct gitignore *ignore = ARENA_NEW(arena, struct gitignore);
	struct sv_splitter lines = sv_split(text, '\n');
	struct pattern pattern;
	sv line;

	if (sv_starts_with(text, SV("\xef\xbb\xbf")))
		lines = sv_split(sv_from_offset(text, 3), '\n');
	for (int i = 0; i < 4; i++)
		ignore->plain[i / 2][i % 2] = map_in(arena);
	while (sv_split_next(&lines, &line)) {
		if (!parse_pattern(line, &pattern))
			continue;
		VEC_PUSH(arena, &ignore->patterns, pattern);
		sort_in(arena, ignore, &pattern);
	}
	return ignore;
}

/* Sets *member if c is in the class. Returns false if the class is unknown. */
static bool named_class(sv name, uint8_t c, bool *member)
{
	bool upper = ascii_is_upper(c);
	bool lower = ascii_is_lower(c);
	bool digit = ascii_is_digit(c);
	bool print = c >= ' ' && c < 0x7f;
	const struct {
		sv name;
		bool member;
	} classes[] = {
	    {SV("alnum"), upper || lower || digit},
	    {SV("alpha"), upper || lower},
	    {SV("blank"), c == ' ' || c == '\t'},
	    {SV("cntrl"), c < ' ' || c == 0x7f},
	    {SV("digit"), digit},
	    {SV("graph"), print && c != ' '},
	    {SV("lower"), lower},
	    {SV("print"), print},
	    {SV("punct"), print && c != ' ' && !(upper || lower || digit)},
	    {SV("space"), c == ' ' || (c >= '\t' && c <= '\r')},
	    {SV("upper"), upper},
	    {SV("xdigit"), digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
	};

	for (size_t i = 0; i < COUNT_OF(classes); i++)
		if (sv_eq(name, classes[i].name)) {
			*member = *member || classes[i].member;
			return true;
		}
	return false;
}

/* A character of a bracket expression at *at, backslash resolved; false at the text's end. */
static bool take_member(sv pattern, size_t *at, uint8_t *ret_c)
{
	if (*at < pattern.len && pattern.ptr[*at] == '\\')
		++*at;
	if (*at >= pattern.len)
		return false;
	*ret_c = (uint8_t)pattern.ptr[(*at)++];
	return true;
}

/*
 * Matches the bracket expression whose "[" is before *at, and moves *at past its "]". *ret_closed
 * is false if there is no "]", or for an unknown class: the pattern then matches nothing. Never
 * matches
 * "/".
 */
static bool match_bracket(sv pattern, size_t *at, uint8_t c, bool *ret_closed)
{
	bool negated = *at < pattern.len && (pattern.ptr[*at] == '!' || pattern.ptr[*at] == '^');
	bool member = false;
	bool first = true;

	*at += negated;
	*ret_closed = false;
	for (;; first = false) {
		uint8_t low;
		uint8_t high;

		if (*at >= pattern.len)
			return false;
		if (pattern.ptr[*at] == ']' && !first)
			break;
		if (sv_starts_with(sv_from_offset(pattern, *at), SV("[:"))) {
			sv name = sv_from_offset(pattern, *at + 2);
			size_t end = sv_find(name, SV(":]"));

			if (end != SV_NPOS &&
			    sv_find_char(sv_slice(name, 0, end), ']') == SV_NPOS) {
				if (!named_class(sv_slice(name, 0, end), c, &member))
					return false;
				*at += end + 4;
				continue;
			}
		}
		if (!take_member(pattern, at, &low))
			return false;
		high = low;
		if (*at + 1 < pattern.len && pattern.ptr[*at] == '-' &&
		    pattern.ptr[*at + 1] != ']') {
			++*at;
			if (!take_member(pattern, at, &high))
				return false;
		}
		/* A range that runs backwards still has its first character. */
		member = member || c == low || (c >= low && c <= high);
	}
	++*at;
	*ret_closed = true;
	return member != negated && c != '/';
}

/* Matches one step of a pattern other than a star, and moves both offsets past it. */
static bool match_one(sv pattern, size_t *p, sv text, size_t *t)
{
	bool closed;

	if (*p >= pattern.len || *t >= text.len)
		return false;
	char c = text.ptr[(*t)++];

	switch (pattern.ptr[*p]) {
	case '?':
		++*p;
		return c != '/';
	case '[':
		++*p;
		return match_bracket(pattern, p, (uint8_t)c, &closed) && closed;
	case '\\':
		if (++*p >= pattern.len)
			return false; /* a trailing backslash matches nothing */
		break;
	}
	return pattern.ptr[(*p)++] == c;
}

/*
 * Returns true if the stars at p match "/", too: "**" does only as a whole part of a path.
 */
static bool crosses_slashes(sv pattern, size_t p, size_t end)
{
	return end - p == 2 && (p == 0 || pattern.ptr[p - 1] == '/') &&
	       (end == pattern.len || pattern.ptr[end] == '/');
}

/*
 * Backtracking over the last star of each kind: a later star makes an earlier one of its kind
 * needless to try again, and a "**" does so for both. Time is at worst the product of the lengths
 * for each "**".
 */
struct retry {
	size_t pattern; /* where to go on, or SV_NPOS */
	size_t text;
};

static bool match(sv pattern, sv text, uint64_t *left)
{
	struct retry star = {SV_NPOS, 0};
	struct retry globstar = {SV_NPOS, 0};
	size_t p = 0;
	size_t t = 0;

	while (p < pattern.len || t < text.len) {
		if (*left == 0)
			return false;
		--*left;
		if (p < pattern.len && pattern.ptr[p] == '*') {
			size_t end = p;

			while (end < pattern.len && pattern.ptr[end] == '*')
				end++;
			if (crosses_slashes(pattern, p, end)) {
				if (end == pattern.len)
					return t < text.len;
				/* "**" and its slash: no part at all, or any number. */
				p = end + 1;
				globstar = (struct retry){p, t};
				star.pattern = SV_NPOS;
			} else {
				p = end;
				star = (struct retry){p, t};
			}
			continue;
		}
		size_t next_p = p;
		size_t next_t = t;

		if (match_one(pattern, &next_p, text, &next_t)) {
			p = next_p;
			t = next_t;
			continue;
		}
		if (star.pattern != SV_NPOS && star.text < text.len && text.ptr[star.text] != '/') {
			p = star.pattern;
			t = ++star.text;
			continue;
		}
		if (globstar.pattern == SV_NPOS)
			return false;
		size_t slash = sv_find_char(sv_from_offset(text, globstar.text), '/');

		if (slash == SV_NPOS)
			return false;
		globstar.text += slash + 1;
		star.pattern = SV_NPOS;
		p = globstar.pattern;
		t = globstar.text;
	}
	return true;
}

static bool pattern_matches(const struct pattern *pattern, sv path, bool is_folder, uint64_t *left)
{
	if ((pattern->folders_only && !is_folder) || !sv_ends_with(path, pattern->ending))
		return false;
	return match(pattern->text, pattern->anchored ? path : sv_after_last(path, '/'), left);
}

static size_t find_plain(const struct gitignore *ignore, bool anchored, bool is_folder, sv text)
{
	size_t any = (size_t)(uintptr_t)map_get(&ignore->plain[anchored][false], text);
	size_t folder =
	    is_folder ? (size_t)(uintptr_t)map_get(&ignore->plain[anchored][true], text) : 0;

	return any > folder ? any : folder;
}

/* The last pattern that matches decides. */
bool gitignore_excludes(const struct gitignore *ignore, sv path, bool is_folder, uint64_t *left)
{
	size_t number = find_plain(ignore, true, is_folder, path);
	size_t named = find_plain(ignore, false, is_folder, sv_after_last(path, '/'));

	if (named > number)
		number = named;
	for (size_t i = ignore->wild.count; i-- > 0 && ignore->wild.items[i] > number;) {
		if (*left == 0)
			return false;
		--*left;
		if (pattern_matches(&ignore->patterns.items[ignore->wild.items[i] - 1], path,
		                    is_folder, left))
			number = ignore->wild.items[i];
	}
	return number > 0 && !ignore->patterns.items[number - 1].negated;
}
