/*
 * Reads YAML as PyYAML's safe loader does, which is cloud-init's: the scalars of YAML 1.1 by
 * PyYAML's own expressions (yaml/resolver.py), and what its constructors refuse
 * (yaml/constructor.py).
 */
#include "yaml/yaml.h"

#include "yaml/events.h"
#include "yaml/resolve.h"

/* ---- scalars ----------------------------------------------------------------------------- */

/* Returns the number of characters from `from` on that are digits of the base, or '_' if allowed.
 */
static size_t count_digits(sv s, size_t from, unsigned base, bool takes_underscore)
{
	size_t i = from;

	while (i < s.len &&
	       (ascii_digit_value(s.ptr[i]) < base || (takes_underscore && s.ptr[i] == '_')))
		i++;
	return i - from;
}

/* Skips parts of base 60, (:[0-5]?[0-9])+, from `from` on. Returns their end, or `from`. */
static size_t skip_sixtieths(sv s, size_t from)
{
	while (from < s.len && s.ptr[from] == ':') {
		size_t digits = count_digits(s, from + 1, 10, false);

		if (digits == 0 || digits > 2 || (digits == 2 && s.ptr[from + 1] > '5'))
			break;
		from += 1 + digits;
	}
	return from;
}

/* Python's int() takes 0x and 0b with nothing but underscores after them for a mistake. */
static bool has_digit(sv digits)
{
	for (size_t i = 0; i < digits.len; i++)
		if (digits.ptr[i] != '_')
			return true;
	return false;
}

static bool resolve_int(sv text, enum yml_python *ret_kind, bool *ret_prints_same)
{
	bool has_sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
	sv s = sv_from_offset(text, has_sign);
	size_t whole = count_digits(s, 0, 10, true);

	*ret_kind = YML_PYTHON_INT;
	*ret_prints_same = false;
	if (s.len == 0 || !ascii_is_digit(s.ptr[0]))
		return false;
	if (s.ptr[0] == '0' && s.len > 1) {
		unsigned base = s.ptr[1] == 'x' ? 16 : s.ptr[1] == 'b' ? 2 : 8;
		size_t from = base == 8 ? 1 : 2;

		if (from == s.len || from + count_digits(s, from, base, true) != s.len)
			return false;
		if (base != 8 && !has_digit(sv_from_offset(s, from)))
			*ret_kind = YML_PYTHON_REFUSED;
		return true;
	}
	if (whole == s.len) {
		*ret_prints_same =
		    sv_find_char(s, '_') == SV_NPOS && text.ptr[0] != '+' && !sv_eq(text, SV("-0"));
		return true;
	}
	return s.ptr[0] != '0' && skip_sixtieths(s, whole) == s.len;
}

/* Returns true if Python writes the float as it is written here: no more digits than it needs. */
static bool prints_same_float(sv s, size_t point)
{
	size_t fraction = s.len - point - 1;
	bool has_leading_zero = point > 1 && s.ptr[0] == '0';

	if (has_leading_zero || fraction == 0 || point + fraction > 15)
		return false;
	if (s.ptr[s.len - 1] == '0' && fraction > 1)
		return false;
	/* Python writes small numbers with an exponent. */
	return !sv_starts_with(s, SV("0.0000"));
}

static bool resolve_float(sv text, bool *ret_prints_same)
{
	static const char *const words[] = {".inf", ".Inf", ".INF", NULL};
	static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
	bool has_sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
	sv s = sv_from_offset(text, has_sign);

	*ret_prints_same = false;
	if (yml_is_one_of(s, words) || yml_is_one_of(text, nans))
		return true;
	if (s.len == 0 || (!ascii_is_digit(s.ptr[0]) && (s.ptr[0] != '.' || has_sign)))
		return false;
	size_t whole = count_digits(s, 0, 10, true);
	size_t point = skip_sixtieths(s, whole);
	bool is_base60 = point > whole;

	if (point == s.len || s.ptr[point] != '.')
		return false;
	if (whole == 0 && (s.len < 2 || !ascii_is_digit(s.ptr[1])))
		return false;
	size_t end = point + 1 + count_digits(s, point + 1, 10, true);
	if (end == s.len) {
		*ret_prints_same = !is_base60 && text.ptr[0] != '+' && whole > 0 &&
		                   sv_find_char(s, '_') == SV_NPOS && prints_same_float(s, point);
		return true;
	}
	if (is_base60 || (s.ptr[end] != 'e' && s.ptr[end] != 'E') || end + 2 >= s.len ||
	    (s.ptr[end + 1] != '-' && s.ptr[end + 1] != '+'))
		return false;
	return end + 2 + count_digits(s, end + 2, 10, false) == s.len;
}

/* ---- times ------------------------------------------------------------------------------- */

struct clock_reader {
	sv rest;
	bool is_short; /* a number had one digit */
};

/* Takes a number of `least` to `most` digits. */
static bool take_clock_digits(struct clock_reader *at, size_t least, size_t most, unsigned *ret)
{
	size_t digits = count_digits(at->rest, 0, 10, false);

	if (digits > most)
		digits = most;
	if (digits < least)
		return false;
	*ret = 0;
	for (size_t i = 0; i < digits; i++)
		*ret = *ret * 10 + (unsigned)(at->rest.ptr[i] - '0');
	at->is_short |= digits < most;
	at->rest = sv_from_offset(at->rest, digits);
	return true;
}

static bool take_char(struct clock_reader *at, char c)
{
	if (at->rest.len == 0 || at->rest.ptr[0] != c)
		return false;
	at->rest = sv_from_offset(at->rest, 1);
	return true;
}

static size_t take_blanks(struct clock_reader *at)
{
	size_t count = 0;

	while (count < at->rest.len && (at->rest.ptr[count] == ' ' || at->rest.ptr[count] == '\t'))
		count++;
	at->rest = sv_from_offset(at->rest, count);
	return count;
}

static bool is_day(unsigned year, unsigned month, unsigned day)
{
	static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] + (month == 2 && leap);
}

/* Reads the zone: nothing, Z, +1, +01:30. Returns false if it is not one. */
static bool take_zone(struct clock_reader *at, bool *ret_right)
{
	unsigned hours;
	unsigned minutes = 0;

	*ret_right = true;
	(void)take_blanks(at);
	if (at->rest.len == 0 || take_char(at, 'Z'))
		return at->rest.len == 0;
	if (!take_char(at, '+') && !take_char(at, '-'))
		return false;
	if (!take_clock_digits(at, 1, 2, &hours) ||
	    (take_char(at, ':') && !take_clock_digits(at, 2, 2, &minutes)))
		return false;
	*ret_right = hours * 60 + minutes < 24 * 60;
	return at->rest.len == 0;
}

static bool resolve_time(sv text, enum yml_python *ret_kind, bool *ret_prints_same)
{
	struct clock_reader at = {.rest = text};
	unsigned year;
	unsigned month;
	unsigned day;
	unsigned hour;
	unsigned minute;
	unsigned second;
	bool zone_is_right;

	if (!take_clock_digits(&at, 4, 4, &year) || !take_char(&at, '-') ||
	    !take_clock_digits(&at, 1, 2, &month) || !take_char(&at, '-') ||
	    !take_clock_digits(&at, 1, 2, &day))
		return false;
	*ret_kind = is_day(year, month, day) ? YML_PYTHON_TIME : YML_PYTHON_REFUSED;
	*ret_prints_same = true;
	if (at.rest.len == 0)
		return !at.is_short;
	*ret_prints_same = at.rest.ptr[0] == ' ' && !at.is_short && text.len == 19;
	if (!take_char(&at, 'T') && !take_char(&at, 't') && take_blanks(&at) == 0)
		return false;
	if (!take_clock_digits(&at, 1, 2, &hour) || !take_char(&at, ':') ||
	    !take_clock_digits(&at, 2, 2, &minute) || !take_char(&at, ':') ||
	    !take_clock_digits(&at, 2, 2, &second))
		return false;
	if (take_char(&at, '.'))
		at.rest = sv_from_offset(at.rest, count_digits(at.rest, 0, 10, false));
	if (!take_zone(&at, &zone_is_right))
		return false;
	if (hour > 23 || minute > 59 || second > 59 || !zone_is_right)
		*ret_kind = YML_PYTHON_REFUSED;
	return true;
}

enum yml_python yml_python_scalar(sv text, bool *ret_prints_same)
{
	static const char *const bools[] = {"yes",   "Yes",  "YES", "no",  "No", "NO",    "true",
	                                    "True",  "TRUE", "on",  "On",  "ON", "false", "False",
	                                    "FALSE", "off",  "Off", "OFF", NULL};
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
	enum yml_python kind;

	*ret_prints_same = false;
	if (text.len <= 5 && yml_is_one_of(text, bools)) {
		*ret_prints_same = sv_eq(text, SV("True")) || sv_eq(text, SV("False"));
		return YML_PYTHON_BOOL;
	}
	if (text.len <= 4 && yml_is_one_of(text, nulls))
		return YML_PYTHON_NULL;
	/* The safe loader has no constructor for the tags of these two. */
	if (sv_eq(text, SV("=")) || sv_eq(text, SV("<<")))
		return YML_PYTHON_REFUSED;
	if (resolve_int(text, &kind, ret_prints_same) || resolve_time(text, &kind, ret_prints_same))
		return kind;
	if (resolve_float(text, ret_prints_same))
		return YML_PYTHON_FLOAT;
	*ret_prints_same = true;
	return YML_PYTHON_STRING;
}

/* ---- documents --------------------------------------------------------------------------- */

enum { DEEPEST = 64 };

/* Walks the events of one small document. */
struct walk {
	struct arena *arena;
	struct yml_events events;
	bool is_map[DEEPEST]; /* the open lists and maps */
	size_t members[DEEPEST];
	size_t depth;
	bool is_refused; /* the constructor fails */
};

/* Reads a scalar as the loader constructs it. */
static struct yml_python_value scalar_of(struct walk *w, const yaml_event_t *event)
{
	struct yml_python_value v = {
	    .kind = YML_PYTHON_STRING,
	    .text = arena_dup(w->arena, yml_scalar_text(event)),
	    .prints_same = true,
	    .is_quoted = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
	                 event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE,
	    .depth = w->depth,
	};
	sv tag = sv_from_cstr((const char *)event->data.scalar.tag);

	if (!sv_empty(tag) && !sv_eq(tag, SV("!")) && !sv_eq(tag, SV(YAML_STR_TAG)))
		v.kind = YML_PYTHON_REFUSED; /* some would do; nobody means them here */
	else if (event->data.scalar.plain_implicit)
		v.kind = yml_python_scalar(v.text, &v.prints_same);
	return v;
}

/* Counts a node into the list or map around it. A list or map as a key cannot be hashed. */
static void count_node(struct walk *w, bool is_scalar)
{
	if (w->depth == 0)
		return;
	size_t number = w->members[w->depth - 1]++;
	w->is_refused |= w->is_map[w->depth - 1] && number % 2 == 0 && !is_scalar;
}

static bool open_collection(struct walk *w, bool is_map)
{
	count_node(w, false);
	if (w->depth == DEEPEST)
		return false;
	w->is_map[w->depth] = is_map;
	w->members[w->depth++] = 0;
	return true;
}

/*
 * Takes an event. Sets *ret_node if it begins a node. Returns false if the document is refused.
 */
static bool take_event(struct walk *w, struct yml_python_value *ret_node, bool *ret_begins)
{
	const yaml_event_t *event = &w->events.current;
	bool is_map = event->type == YAML_MAPPING_START_EVENT;

	*ret_begins = true;
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		*ret_node = scalar_of(w, event);
		count_node(w, true);
		/* `<<` as a key merges what is a map: nobody means it here. */
		w->is_refused |= ret_node->kind == YML_PYTHON_REFUSED;
		return true;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		*ret_node = (struct yml_python_value){
		    .kind = is_map ? YML_PYTHON_MAP : YML_PYTHON_LIST, .depth = w->depth};
		return open_collection(w, is_map);
	case YAML_ALIAS_EVENT:
		return false; /* of an anchor that is nowhere */
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		w->depth--;
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	*ret_begins = false;
	return true;
}

static void walk_document(struct walk *w, struct yml_python_nodes *ret_nodes)
{
	struct yml_python_value node;
	size_t documents = 0;
	bool begins;

	for (;;) {
		if (!yml_events_next(&w->events)) {
			w->is_refused = true;
			return;
		}
		if (w->events.current.type == YAML_STREAM_END_EVENT)
			return;
		documents += w->events.current.type == YAML_DOCUMENT_START_EVENT;
		if (documents > 1 || !take_event(w, &node, &begins)) {
			w->is_refused = true;
			return;
		}
		if (begins)
			VEC_PUSH(w->arena, ret_nodes, node);
	}
}

bool yml_python_read(struct arena *arena, sv text, struct yml_python_nodes *ret_nodes)
{
	struct walk w = {.arena = arena};

	yml_events_open(&w.events, text, YAML_UTF8_ENCODING);
	walk_document(&w, ret_nodes);
	yml_events_close(&w.events);
	return !w.is_refused;
}
