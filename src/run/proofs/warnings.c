/*
 * Writes the warnings of a run as trailers, and reads them again (see warnings.h).
 */
#include "run/proofs/warnings.h"
#include "audit/audit.h"
#include "run/commit/commit.h"
#include "json/json.h"

#define TRAILER "Osm-Gen-Warnings"
/* No line has a tab: strings of JSON have it as an escape. */
#define PACKED_SEPARATOR "\t"

/* ---- remembered warnings ----------------------------------------------------------------- */

enum kind {
	IS_REPEATED,
	IS_OF_THIS_RUN, /* the next run finds it itself, or does not have it */
	IS_NOT_KNOWN,   /* only a whole run shows whether the next run has the same warning */
};

static bool is_among(enum diag_code code, const enum diag_code *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code == codes[i])
			return true;
	return false;
}

static enum kind kind_of_warning(const struct diag *diag)
{
	static const enum diag_code of_this_run[] = {
	    /* found anew each time: the work tree, and git's folder */
	    DIAG_INPUT_DIRTY, DIAG_GIT_REPAIRED, DIAG_GIT_CLEARED, DIAG_GIT_JOURNAL,
	    /* changes that this run was allowed to make once */
	    DIAG_RECIPIENTS_FIRST, DIAG_RECIPIENTS_ROTATED, DIAG_CERTIFICATE_CHANGED,
	    /* changes that the commit of this run has made */
	    DIAG_REPLICAS_LEFT, DIAG_MD_STARTS};
	static const enum diag_code not_known[] = {/* compared with the output before the run */
	                                           DIAG_OSP_REPLACED,
	                                           /* from the history */
	                                           DIAG_REVISION_REVERTED, DIAG_AUDIT_UNDECIDED,
	                                           DIAG_MANIFESTS_LACKING, DIAG_AUDIT_NOBODY,
	                                           /* names the folder of the repository */
	                                           DIAG_NOTHING_FOUND};

	if (is_among(diag->code, of_this_run, COUNT_OF(of_this_run)))
		return IS_OF_THIS_RUN;
	if (diag->severity != DIAG_WARNING ||
	    diag_code_find((unsigned)diag->code)->class != DIAG_CLASS_INPUT ||
	    is_among(diag->code, not_known, COUNT_OF(not_known)))
		return IS_NOT_KNOWN;
	return IS_REPEATED;
}

/* ---- files of the commit ----------------------------------------------------------------- */

/* Many warnings may be about one file. */
struct input_texts {
	const struct run_env *env;
	struct git_repo *repo;
	struct map files; /* const struct git_file * by path */
	struct map texts; /* sv * by path, of files that were read */
};

static struct input_texts input_texts_of(const struct run_env *env, const struct run_inputs *inputs)
{
	struct input_texts texts = {
	    .env = env,
	    .repo = inputs->repo,
	    .files = map_in(env->arena),
	    .texts = map_in(env->arena),
	};

	VEC_EACH (file, &inputs->files)
		map_put(&texts.files, file->path, file);
	return texts;
}

static bool read_input(struct input_texts *texts, sv path, sv *ret_text)
{
	const struct git_file *file = map_get(&texts->files, path);
	struct sink unused = sink_in(texts->env->arena);
	sv *text = map_get(&texts->texts, path);

	if (text) {
		*ret_text = *text;
		return true;
	}
	if (!file || (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE) ||
	    git_read(texts->env->secret_arena, &unused, texts->repo, file, RUN_MAX_INPUT_BYTES,
	             ret_text) != STATUS_OK)
		return false;
	text = ARENA_NEW(texts->env->arena, sv);
	*text = *ret_text;
	map_put(&texts->texts, file->path, text);
	return true;
}

/* ---- writing ----------------------------------------------------------------------------- */

struct writing {
	struct input_texts texts;
	const struct secret_mask *mask;
	struct buf *buf;  /* the lines */
	struct buf shown; /* all that the reports show, for the leak scan */
};

static bool has_secret(const struct writing *w, sv text)
{
	size_t start;
	size_t end;

	return secret_mask_find(w->mask, text, 0, &start, &end);
}

static bool is_too_long(const struct writing *w)
{
	return w->buf->len > RUN_WARNINGS_MAX_TEXT;
}

static void add_key(struct writing *w, const char *key)
{
	buf_printf(w->buf, "%s\"%s\":", w->buf->ptr[w->buf->len - 1] == '{' ? "" : ",", key);
}

static bool add_string(struct writing *w, const char *key, sv text)
{
	if (sv_empty(text))
		return true;
	if (!utf8_valid(text) || sv_find_char(text, '\0') != SV_NPOS || has_secret(w, text))
		return false;
	add_key(w, key);
	run_add_plain_json(w->buf, text);
	buf_add(&w->shown, text);
	buf_add_char(&w->shown, '\n');
	return true;
}

/* The line that a report shows must be the file's, and must not have a secret. */
static bool is_shown_alike(struct writing *w, struct position at)
{
	const struct source *source = at.source;
	sv line = position_line(at);
	sv text;

	if (!read_input(&w->texts, source->path, &text) || !sv_eq(text, source->text))
		return false;
	return source->confidential || !has_secret(w, line);
}

static bool add_position(struct writing *w, struct position at)
{
	if (!at.source)
		return true;
	if (!map_get(&w->texts.files, at.source->path))
		return false;
	add_key(w, "at");
	buf_add_char(w->buf, '{');
	if (!add_string(w, "path", at.source->path))
		return false;
	if (at.source->confidential)
		BUF_ADD_LIT(w->buf, ",\"confidential\":true");
	if (at.source->suspected)
		BUF_ADD_LIT(w->buf, ",\"suspected\":true");
	if (at.offset != SV_NPOS) {
		if (!is_shown_alike(w, at))
			return false;
		buf_printf(w->buf, ",\"offset\":%zu,\"length\":%zu", at.offset, at.length);
	}
	buf_add_char(w->buf, '}');
	return true;
}

/* Reports distinguish sources, not paths: each file must be one source. */
static bool is_one_source(const struct diag *diag, const struct diag_note *note)
{
	const struct source *a = diag->at.source;
	const struct source *b = note->at.source;

	return a == b || !a || !b || !sv_eq(a->path, b->path);
}

static bool add_warning_notes(struct writing *w, const struct diag *diag)
{
	const char *separator = "";

	if (diag->notes.count == 0)
		return true;
	add_key(w, "notes");
	buf_add_char(w->buf, '[');
	VEC_EACH (note, &diag->notes) {
		buf_printf(w->buf, "%s{", separator);
		if (is_too_long(w) || sv_empty(note->text) || !is_one_source(diag, note) ||
		    !add_string(w, "message", note->text) || !add_position(w, note->at))
			return false;
		buf_add_char(w->buf, '}');
		separator = ",";
	}
	buf_add_char(w->buf, ']');
	return true;
}

static bool add_warning(struct writing *w, const struct diag *diag)
{
	buf_printf(w->buf, "{\"code\":%u", (unsigned)diag->code);
	if (sv_empty(diag->text) || !add_string(w, "message", diag->text) ||
	    !add_position(w, diag->at) || !add_string(w, "object", diag->object) ||
	    !add_string(w, "cluster", diag->cluster) || !add_warning_notes(w, diag) ||
	    !add_string(w, "help", diag->help))
		return false;
	BUF_ADD_LIT(w->buf, "}\n");
	return true;
}

/* Scans the strings as if they were a file of the output: their escapes would hide a secret. */
static bool holds_no_secret(const struct writing *w, const struct run_facts *facts)
{
	struct sink unused = sink_in(w->texts.env->arena);
	const struct leak_place place = {.at = NOWHERE};

	return leak_scanner_check(&unused, known_secrets_scanner(facts->plan->secrets), SV(""),
	                          buf_sv(&w->shown), &place) == STATUS_OK;
}

/* Returns how many bytes two lines have in common, at their beginnings or at their ends. */
static size_t shared_bytes(sv a, sv b, size_t most, bool at_end)
{
	size_t count = 0;

	while (count < most && (at_end ? a.ptr[a.len - 1 - count] == b.ptr[b.len - 1 - count]
	                               : a.ptr[count] == b.ptr[count]))
		count++;
	return count;
}

/* Appends the lines as one: of each, what it does not share with the line before it. */
static void pack_lines(struct buf *buf, sv lines)
{
	struct sv_splitter it = sv_split(lines, '\n');
	sv before = SV("");
	sv line;

	for (; sv_split_next(&it, &line) && !sv_empty(line); before = line) {
		size_t most = line.len < before.len ? line.len : before.len;
		size_t begin = shared_bytes(before, line, most, false);
		size_t end = shared_bytes(before, line, most - begin, true);

		buf_printf(buf, "%s%zu,%zu,%.*s", sv_empty(before) ? "" : PACKED_SEPARATOR, begin,
		           end, SV_ARG(sv_slice(line, begin, line.len - end)));
	}
}

/*
 * Returns how many bytes of the text a trailer takes: as many as fit and have no white space beside
 * the end, which git and forges may take away. The rest begins with no reference.
 */
static size_t piece_length(sv text)
{
	size_t length = RUN_BODY_MAX - (sizeof(TRAILER ": ") - 1);

	if (text.len <= length)
		return text.len;
	while (length > 1 && (ascii_is_any(text.ptr[length - 1], " \t") ||
	                      ascii_is_any(text.ptr[length], " \t") ||
	                      run_is_reference(sv_from_offset(text, length))))
		length--;
	return length;
}

static void add_trailers(struct buf *buf, sv packed)
{
	while (packed.len > 0) {
		size_t length = piece_length(packed);

		buf_printf(buf, TRAILER ": %.*s\n", SV_ARG(sv_slice(packed, 0, length)));
		packed = sv_from_offset(packed, length);
	}
}

bool run_add_warnings(const struct run_env *env, const struct run_facts *facts, struct buf *buf)
{
	struct buf lines = buf_in(env->arena);
	struct writing w = {.buf = &lines, .shown = buf_in(env->secret_arena)};
	size_t count = 0;

	for (size_t i = facts->inputs->warnings_listed; i < env->sink->diags.count; i++) {
		const struct diag *diag = env->sink->diags.items[i];
		enum kind kind = kind_of_warning(diag);

		if (kind == IS_OF_THIS_RUN)
			continue;
		if (kind == IS_NOT_KNOWN)
			return false;
		if (count++ == 0) {
			size_t secret_count;
			const struct secret *const *secrets =
			    known_secrets_items(facts->plan->secrets, &secret_count);

			w.texts = input_texts_of(env, facts->inputs);
			w.mask = secret_mask_new(env->secret_arena, secrets, secret_count);
		}
		if (!add_warning(&w, diag) || is_too_long(&w))
			return false;
	}
	struct buf packed = buf_in(env->arena);

	pack_lines(&packed, buf_sv(&lines));
	if (packed.len > RUN_WARNINGS_MAX_PACKED || (count > 0 && !holds_no_secret(&w, facts)))
		return false;
	add_trailers(buf, buf_sv(&packed));
	return true;
}

/* ---- reading ----------------------------------------------------------------------------- */

void run_claim_warnings(struct arena *arena, struct run_claimed_warnings *claim, sv line)
{
	sv piece;

	if (!audit_read_trailer(line, SV(TRAILER), &piece))
		return;
	if (!claim->packed.arena)
		claim->packed = buf_in(arena);
	if (claim->packed.len + piece.len > RUN_WARNINGS_MAX_PACKED)
		claim->is_malformed = true;
	else
		buf_add(&claim->packed, piece);
}

void run_add_claimed_warnings(struct buf *buf, const struct run_claimed_warnings *claim)
{
	add_trailers(buf, buf_sv(&claim->packed));
}

struct reading {
	struct input_texts texts;
	struct map sources; /* struct source * by path */
};

/*
 * Returns the source of a path. `has_text` is true if the text is needed; all positions in one file
 * then share it.
 */
static struct source *find_source(struct reading *r, sv path, bool has_text)
{
	struct arena *arena = r->texts.env->arena;
	sv key = ARENA_CONCAT(arena, has_text ? SV("+") : SV("-"), path);
	struct source *source = map_get(&r->sources, key);
	sv text = SV("");

	if (source || (has_text && !read_input(&r->texts, path, &text)))
		return source;
	source = source_new(arena, path, text, true);
	map_put(&r->sources, key, source);
	return source;
}

/* Returns false for a position outside of the file, or without a file. */
static bool read_position(struct reading *r, const struct json_t *at, struct position *ret_at)
{
	const struct json_t *offset = json_doc_get(at, "offset");
	int64_t first = json_doc_integer(offset);
	int64_t length = json_doc_integer(json_doc_get(at, "length"));

	*ret_at = NOWHERE;
	if (!at)
		return true;
	struct source *source =
	    find_source(r, json_doc_text(json_doc_get(at, "path")), offset != NULL);
	if (!source || first < 0 || length < 0 || (size_t)first > source->text.len)
		return false;
	source->confidential = json_doc_is_true(json_doc_get(at, "confidential"));
	source->suspected = json_doc_is_true(json_doc_get(at, "suspected"));
	*ret_at = offset ? (struct position){source, (size_t)first, (size_t)length}
	                 : position_of_source(source);
	return true;
}

static bool read_notes(struct sink *sink, struct reading *r, struct diag *diag,
                       const struct json_t *notes)
{
	for (size_t i = 0; i < json_doc_count(notes); i++) {
		const struct json_t *note = json_doc_item(notes, i);
		sv text = json_doc_text(json_doc_get(note, "message"));
		struct position at;

		if (!read_position(r, json_doc_get(note, "at"), &at))
			return false;
		diag_add_note(sink, diag, at, "%.*s", SV_ARG(text));
	}
	return true;
}

static bool read_warning(struct sink *sink, struct reading *r, const struct json_t *root)
{
	int64_t code = json_doc_integer(json_doc_get(root, "code"));
	const struct diag_code_info *info =
	    code > 0 && code <= UINT16_MAX ? diag_code_find((unsigned)code) : NULL;
	sv help = json_doc_text(json_doc_get(root, "help"));
	struct position at;

	if (!info || info->severity != DIAG_WARNING ||
	    !read_position(r, json_doc_get(root, "at"), &at))
		return false;
	DIAG_SCOPE(sink, json_doc_text(json_doc_get(root, "object")),
	           json_doc_text(json_doc_get(root, "cluster")));
	struct diag *diag = diag_report(sink, info->code, at, "%.*s",
	                                SV_ARG(json_doc_text(json_doc_get(root, "message"))));
	if (!sv_empty(help))
		diag_set_help(sink, diag, "%.*s", SV_ARG(help));
	return read_notes(sink, r, diag, json_doc_get(root, "notes"));
}

/* Takes a number and the comma after it. */
static bool take_number(sv *text, size_t most, size_t *ret_number)
{
	int64_t number;
	sv digits;

	if (!sv_cut(*text, SV(","), &digits, text) || !sv_parse_int64(digits, &number) ||
	    number < 0 || (uint64_t)number > most)
		return false;
	*ret_number = (size_t)number;
	return true;
}

VEC_TYPE(warning_lines, sv);

/* Lists the lines of packed ones. Returns false if they are malformed or too long. */
static bool unpack_lines(struct arena *arena, sv packed, struct warning_lines *lines)
{
	struct sv_splitter it = sv_split(packed, PACKED_SEPARATOR[0]);
	size_t size = 0;
	sv before = SV("");
	sv part;

	while (!sv_empty(packed) && sv_split_next(&it, &part)) {
		size_t begin;
		size_t end;

		if (!take_number(&part, before.len, &begin) ||
		    !take_number(&part, before.len - begin, &end))
			return false;
		before = ARENA_CONCAT(arena, sv_slice(before, 0, begin), part,
		                      sv_from_offset(before, before.len - end));
		size += before.len + 1;
		if (sv_empty(before) || size > RUN_WARNINGS_MAX_TEXT)
			return false;
		VEC_PUSH(arena, lines, before);
	}
	return true;
}

static bool repeat_warning(struct sink *sink, struct reading *r, sv line)
{
	JSON_DOC_AUTO root = NULL;
	struct sink unused = sink_in(r->texts.env->arena);

	return json_doc_read(&unused, source_new(r->texts.env->arena, SV(""), line, true), &root) ==
	           STATUS_OK &&
	       read_warning(sink, r, root);
}

bool run_repeat_warnings(const struct run_env *env, const struct run_inputs *inputs,
                         const struct run_claimed_warnings *claim)
{
	struct sink found = sink_in(env->arena);
	struct warning_lines lines = {0};

	if (!unpack_lines(env->arena, buf_sv(&claim->packed), &lines))
		return false;
	if (lines.count == 0)
		return true;
	struct reading r = {.texts = input_texts_of(env, inputs), .sources = map_in(env->arena)};
	VEC_EACH (line, &lines)
		if (!repeat_warning(&found, &r, *line))
			return false;
	/* Two that differ only in what is not written have become one. */
	if (found.diags.count != lines.count)
		return false;
	sink_merge(env->sink, &found);
	return true;
}
