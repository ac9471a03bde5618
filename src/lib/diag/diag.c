/*
 * Sources and their lines, diagnostics, sinks and their order.
 */
#include "diag/diag.h"

/* Moves *at past the next line feed. Returns false if no line feed follows. */
static bool next_line(sv text, size_t *at)
{
	const char *end = *at < text.len ? memchr(text.ptr + *at, '\n', text.len - *at) : NULL;

	if (end)
		*at = (size_t)(end - text.ptr) + 1;
	return end != NULL;
}

struct source *source_new(struct arena *arena, sv path, sv text, bool confidential)
{
	struct source *source = ARENA_NEW(arena, struct source);
	size_t lines = 1;
	size_t line = 1;

	BUG_ON(text.len >= UINT32_MAX);
	for (size_t at = 0; next_line(text, &at);)
		lines++;
	uint32_t *starts = ARENA_ARRAY(arena, uint32_t, lines);
	for (size_t at = 0; next_line(text, &at);)
		starts[line++] = (uint32_t)at;
	*source = (struct source){
	    .path = arena_dup(arena, path),
	    .text = text,
	    .confidential = confidential,
	    .line_starts = starts,
	    .line_count = lines,
	};
	return source;
}

struct position position_without_line(struct arena *arena, struct position at)
{
	struct source *hidden;

	if (!at.source || at.source->confidential)
		return at;
	hidden = ARENA_NEW(arena, struct source);
	*hidden = *at.source;
	hidden->confidential = true;
	hidden->suspected = true;
	at.source = hidden;
	return at;
}

/* Index of the line that holds the position; the position must have a place. */
static size_t line_index(struct position at)
{
	const struct source *source = at.source;
	size_t low = 0;
	size_t high = source->line_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (source->line_starts[middle] <= at.offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool has_place(struct position at)
{
	return at.source && at.offset != SV_NPOS;
}

struct line_column position_line_column(struct position at)
{
	if (!has_place(at))
		return (struct line_column){0, 0};
	size_t line = line_index(at);
	return (struct line_column){line + 1, at.offset - at.source->line_starts[line] + 1};
}

sv position_line(struct position at)
{
	if (!has_place(at))
		return (sv){0};
	size_t start = at.source->line_starts[line_index(at)];
	sv rest = sv_from_offset(at.source->text, start);
	return sv_trim_right(sv_slice(rest, 0, sv_find_char(rest, '\n')), "\r");
}

static const struct diag_code_info codes[] = {
#define DIAG_CODE(name, number, severity, class, title, explanation)                               \
	{name, #name, severity, class, title, explanation},
#include "diag/codes.def"
#undef DIAG_CODE
};

const struct diag_code_info *diag_code_find(unsigned number)
{
	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if ((unsigned)codes[i].code == number)
			return &codes[i];
	return NULL;
}

sv diag_code_text(struct arena *arena, enum diag_code code)
{
	return arena_printf(arena, "OSG%04u", (unsigned)code);
}

const struct diag_code_info *diag_codes(size_t *ret_count)
{
	*ret_count = COUNT_OF(codes);
	return codes;
}

static bool is_equal(const struct diag *a, const struct diag *b)
{
	return a->code == b->code && a->at.source == b->at.source && a->at.offset == b->at.offset &&
	       sv_eq(a->text, b->text) && sv_eq(a->object, b->object) &&
	       sv_eq(a->cluster, b->cluster);
}

static struct diag *search(const struct sink *sink, const struct diag *diag)
{
	VEC_EACH (known, &sink->diags)
		if (is_equal(*known, diag))
			return *known;
	return NULL;
}

/*
 * Returns the key to find a diagnostic by. Different diagnostics may have equal keys: compare what
 * was found.
 */
static sv key_of_diag(struct arena *arena, const struct diag *diag)
{
	return arena_printf(arena, "%d %p %zu %.*s %.*s %.*s", (int)diag->code,
	                    (const void *)diag->at.source, diag->at.offset, SV_ARG(diag->text),
	                    SV_ARG(diag->object), SV_ARG(diag->cluster));
}

/* A few are searched one by one; of many each one would be compared with all. */
static struct diag *find_equal(struct sink *sink, const struct diag *diag)
{
	enum { FEW = 16 };
	size_t count = sink->diags.count;

	if (count < FEW)
		return search(sink, diag);
	if (sink->known.count == 0)
		sink->known = map_in(sink->arena);
	for (; sink->known_count < count; sink->known_count++) {
		sv key = key_of_diag(sink->arena, sink->diags.items[sink->known_count]);

		map_put(&sink->known, key, (void *)(uintptr_t)(sink->known_count + 1));
	}
	size_t number = (size_t)(uintptr_t)map_get(&sink->known, key_of_diag(sink->arena, diag));

	/* One that was taken back may still be in the map. */
	if (number == 0 || number > count || !is_equal(sink->diags.items[number - 1], diag))
		return NULL;
	return sink->diags.items[number - 1];
}

static struct diag *add_diag(struct sink *sink, struct diag diag)
{
	struct diag *known = find_equal(sink, &diag);

	if (known)
		return known;
	struct diag *kept = ARENA_NEW(sink->arena, struct diag);
	*kept = diag;
	VEC_PUSH(sink->arena, &sink->diags, kept);
	sink->error_count += kept->severity == DIAG_ERROR;
	return kept;
}

static struct diag *add_diag_text(struct sink *sink, enum diag_code code,
                                  enum diag_severity severity, struct position at, sv text)
{
	return add_diag(sink, (struct diag){
	                          .code = code,
	                          .severity = severity,
	                          .at = at,
	                          .object = arena_dup(sink->arena, sink->object),
	                          .cluster = arena_dup(sink->arena, sink->cluster),
	                          .text = text,
	                      });
}

struct diag *diag_report(struct sink *sink, enum diag_code code, struct position at,
                         const char *format, ...)
{
	const struct diag_code_info *info = diag_code_find((unsigned)code);
	va_list args;

	BUG_ON(!info);
	va_start(args, format);
	sv text = arena_vprintf(sink->arena, format, args);
	va_end(args);
	return add_diag_text(sink, code, info->severity, at, text);
}

struct diag *diag_warn(struct sink *sink, enum diag_code code, struct position at,
                       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(sink->arena, format, args);
	va_end(args);
	return add_diag_text(sink, code, DIAG_WARNING, at, text);
}

/* The number of last notes that a new one is compared with. */
enum { LAST_NOTES = 64 };

void diag_add_note(struct sink *sink, struct diag *diag, struct position at, const char *format,
                   ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(sink->arena, format, args);
	va_end(args);
	for (size_t i = diag->notes.count; i > 0 && diag->notes.count - i < LAST_NOTES; i--) {
		const struct diag_note *note = &diag->notes.items[i - 1];

		if (sv_eq(note->text, text) && note->at.source == at.source &&
		    note->at.offset == at.offset)
			return;
	}
	VEC_PUSH(sink->arena, &diag->notes, (struct diag_note){at, text});
}

void diag_set_help(struct sink *sink, struct diag *diag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag->help = arena_vprintf(sink->arena, format, args);
	va_end(args);
}

struct diag_scope diag_scope_begin(struct sink *sink, sv object, sv cluster)
{
	struct diag_scope scope = {sink, sink->object, sink->cluster};

	sink->object = object;
	sink->cluster = cluster;
	return scope;
}

void diag_scope_end(struct diag_scope *scope)
{
	scope->sink->object = scope->object;
	scope->sink->cluster = scope->cluster;
}

void sink_forget(struct sink *sink, size_t count)
{
	while (sink->diags.count > count)
		sink->error_count -= sink->diags.items[--sink->diags.count]->severity == DIAG_ERROR;
	if (sink->known_count > sink->diags.count)
		sink->known_count = sink->diags.count;
}

void sink_merge(struct sink *into, const struct sink *from)
{
	VEC_EACH (diag, &from->diags) {
		struct diag copy = **diag;

		copy.object = arena_dup(into->arena, copy.object);
		copy.cluster = arena_dup(into->arena, copy.cluster);
		copy.text = arena_dup(into->arena, copy.text);
		copy.help = arena_dup(into->arena, copy.help);
		memset(&copy.notes, 0, sizeof(copy.notes));
		VEC_EACH (note, &(*diag)->notes) {
			VEC_PUSH(into->arena, &copy.notes,
			         (struct diag_note){note->at, arena_dup(into->arena, note->text)});
		}
		add_diag(into, copy);
	}
}

/* "--flag", or "OSM_GEN_FLAG"; manifests have an ending. */
static bool is_command_line(sv path)
{
	return sv_starts_with(path, SV("--")) ||
	       (sv_starts_with(path, SV("OSM_GEN_")) && sv_find_char(path, '.') == SV_NPOS);
}

/* A setting's wrong value is wrong usage when it was given as a flag, or in its variable. */
static enum diag_class class_of(const struct diag *diag)
{
	if (diag->code == DIAG_SETTING_VALUE && diag->at.source &&
	    is_command_line(diag->at.source->path))
		return DIAG_CLASS_USAGE;
	return diag_code_find((unsigned)diag->code)->class;
}

int sink_exit_status(const struct sink *sink)
{
	int status = 0;

	VEC_EACH (diag, &sink->diags) {
		if ((*diag)->severity != DIAG_ERROR)
			continue;
		switch (class_of(*diag)) {
		case DIAG_CLASS_USAGE:
			return 64;
		case DIAG_CLASS_SURROUNDINGS:
			status = 3;
			break;
		case DIAG_CLASS_INPUT:
			if (status == 0)
				status = 2;
			break;
		}
	}
	return status;
}

void diag_help_meant(struct sink *sink, struct diag *diag, sv name, const char *format, ...)
{
	va_list args;

	if (!sv_empty(name)) {
		diag_set_help(sink, diag, "did you mean %.*s?", SV_ARG(name));
		return;
	}
	va_start(args, format);
	diag->help = arena_vprintf(sink->arena, format, args);
	va_end(args);
}

const char *diag_meant(struct arena *arena, sv name, const char *otherwise)
{
	return sv_empty(name)
	           ? otherwise
	           : arena_cstr(arena, arena_printf(arena, "did you mean \"%.*s\"?", SV_ARG(name)));
}

void diag_help_quoted(struct sink *sink, struct diag *diag, sv name, const char *format, ...)
{
	va_list args;

	if (!sv_empty(name)) {
		diag_set_help(sink, diag, "%s", diag_meant(sink->arena, name, NULL));
		return;
	}
	va_start(args, format);
	diag->help = arena_vprintf(sink->arena, format, args);
	va_end(args);
}

void diag_help_nearest(struct sink *sink, struct diag *diag, sv word, struct diag_names names,
                       const char *help)
{
	diag_help_meant(sink, diag, diag_nearest(word, names.items, names.count), "%s", help);
}

/* Letters that are compared for one word: all of a list that people wrote, some of a made one. */
enum { NEAREST_WORK = 32 * 1024 };

/*
 * Returns the only candidate that begins with the word, as a name that was cut short does, or an
 * empty string. A word of less than a third of the name is too little to go by.
 */
static sv only_longer(sv word, const sv *candidates, size_t count)
{
	enum { SHORTEST = 4 };
	sv found = {0};

	for (size_t i = 0; i < count && i < NEAREST_WORK && word.len >= SHORTEST; i++) {
		sv one = candidates[i];

		if (!one.ptr || !sv_starts_with(one, word) || one.len > 3 * word.len)
			continue;
		if (found.ptr && !sv_eq(found, one))
			return (sv){0};
		found = one;
	}
	return found;
}

sv diag_nearest(sv word, const sv *candidates, size_t count)
{
	size_t work = 0;

	/* A third of the word may be wrong, two letters of a short one; more is another word. */
	size_t limit = word.len < 4 ? 1 : word.len < 6 ? 2 : word.len / 3;
	sv best = {0};

	for (size_t i = 0; i < count && work < NEAREST_WORK; i++) {
		size_t distance = sv_distance(word, candidates[i], limit);

		work += 1 + (distance <= limit || word.len == candidates[i].len
		                 ? word.len * candidates[i].len
		                 : candidates[i].len);

		if (sv_eq_fold_ascii(word, candidates[i]))
			return candidates[i];
		if (distance <= limit) {
			best = candidates[i];
			limit = distance ? distance - 1 : 0;
		}
	}
	return best.ptr ? best : only_longer(word, candidates, count);
}

sv diag_nearest_path(sv word, const sv *candidates, size_t count)
{
	sv last = sv_after_last(word, '/');

	for (size_t i = 0; i < count; i++)
		if (sv_eq(sv_after_last(candidates[i], '/'), last))
			return candidates[i];
	return diag_nearest(word, candidates, count);
}
