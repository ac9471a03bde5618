/*
 * Reads cloud-init's document back (userdata.h), piece by piece. The writer's own words are right,
 * so that a piece is right wherever it is if it is right in a small document of its own, with
 * something after it. Most pieces need no document: a look at their characters is enough.
 */
#include "userdata/userdata.h"

struct reader {
	struct arena *arena;
	bool drops_blanks;
	struct userdata_misreads *misreads;
};

/* The place of a piece in the document, as userdata_cloud_init writes it. */
enum place {
	PLACE_VALUE,   /* k: TEXT */
	PLACE_COMMAND, /* - TEXT */
	PLACE_KEY,     /* TEXT: v */
	PLACE_SINGLE,  /* 'TEXT' */
	PLACE_DOUBLE,  /* "TEXT" */
	PLACE_BLOCK,   /* |-, and TEXT indented */
};

enum outcome { READS_RIGHT, READS_OTHERWISE, READS_NOTHING };

/* ---- characters -------------------------------------------------------------------------- */

/* Returns true for what PyYAML's reader takes. */
static bool is_printable(uint32_t rune)
{
	return rune == '\t' || rune == '\n' || rune == '\r' || (rune >= 0x20 && rune <= 0x7E) ||
	       rune == 0x85 || (rune >= 0xA0 && rune <= 0xFFFD) || rune >= 0x10000;
}

/* Returns true for a line break other than LF and CR LF. */
static bool is_odd_break(sv s, size_t at, uint32_t rune)
{
	if (rune == '\r')
		return at + 1 == s.len || s.ptr[at + 1] != '\n';
	return rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

/*
 * Returns the offset of the first character that PyYAML refuses, or SV_NPOS. Sets *ret_odd to that
 * of the first odd line break, or to SV_NPOS.
 */
static size_t find_odd(sv s, size_t *ret_odd)
{
	size_t width = 1;

	*ret_odd = SV_NPOS;
	for (size_t i = 0; i < s.len; i += width) {
		unsigned char c = (unsigned char)s.ptr[i];

		width = 1;
		if ((c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t')
			continue;
		uint32_t rune = utf8_decode_at(s, i, &width);
		if (!is_printable(rune))
			return i;
		if (*ret_odd == SV_NPOS && is_odd_break(s, i, rune))
			*ret_odd = i;
	}
	return SV_NPOS;
}

/* ---- strings that need no document ------------------------------------------------------- */

/* Returns true for a plain scalar that has no indicator in it: its type alone is open. */
static bool is_simple_plain(sv s)
{
	if (s.len == 0 || s.len > 1000 || strchr("-?:,[]{}#&*!|>'\"%@` \t", s.ptr[0]) ||
	    strchr(": \t", s.ptr[s.len - 1]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x20 || c >= 0x7F || (c == '#' && s.ptr[i - 1] == ' ') ||
		    (c == ':' && s.ptr[i + 1] == ' '))
			return false;
	}
	return true;
}

/*
 * Returns the offset of a TAB that PyYAML refuses in a plain scalar, where libyaml takes it for a
 * blank, or SV_NPOS. TABs are allowed in quotes and comments.
 */
static size_t find_tab(sv s)
{
	size_t tab = sv_find_char(s, '\t');
	size_t comment = sv_find(s, SV(" #"));
	bool is_other = s.len > 0 && strchr("\"'#", s.ptr[0]);

	return is_other || comment < tab ? SV_NPOS : tab;
}

static bool is_simple_quoted(sv s, enum place place)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x20 || c >= 0x7F || c == (place == PLACE_SINGLE ? '\'' : '"') ||
		    (c == '\\' && place == PLACE_DOUBLE))
			return false;
	}
	return true;
}

/*
 * Returns true if a block needs no explicit indentation: neither its first line that is not blank
 * nor a blank line before that begins with a space. Sets *ret_at to the last line that was read.
 */
static bool is_simple_block(sv s, size_t *ret_at)
{
	size_t at = 0;

	for (;;) {
		*ret_at = at;
		if (at == s.len)
			return true;
		if (s.ptr[at] == ' ')
			return false;
		if (s.ptr[at] == '\r' && at + 1 < s.len)
			at++;
		if (s.ptr[at] != '\n')
			return true;
		at++;
	}
}

/* ---- small documents --------------------------------------------------------------------- */

static sv small_document(struct arena *arena, enum place place, sv text)
{
	struct buf buf = buf_in(arena);
	struct sv_splitter lines = sv_split(text, '\n');
	bool is_first = true;
	sv line;

	switch (place) {
	case PLACE_VALUE:
		BUF_ADD_LIT(&buf, "k:\n    c: ");
		buf_add(&buf, text);
		break;
	case PLACE_COMMAND:
		BUF_ADD_LIT(&buf, "k:\n- ");
		buf_add(&buf, text);
		break;
	case PLACE_KEY:
		BUF_ADD_LIT(&buf, "k:\n    ");
		buf_add(&buf, text);
		BUF_ADD_LIT(&buf, ": v");
		break;
	case PLACE_SINGLE:
		BUF_ADD_LIT(&buf, "k:\n- '");
		buf_add(&buf, text);
		BUF_ADD_LIT(&buf, "'");
		break;
	case PLACE_DOUBLE:
		BUF_ADD_LIT(&buf, "k:\n  - \"");
		buf_add(&buf, text);
		BUF_ADD_LIT(&buf, "\"");
		break;
	case PLACE_BLOCK:
		BUF_ADD_LIT(&buf, "k:\n- |-\n");
		while (sv_split_next(&lines, &line)) {
			if (!is_first)
				BUF_ADD_LIT(&buf, "\n");
			is_first = false;
			BUF_ADD_LIT(&buf, "    ");
			buf_add(&buf, line);
		}
		break;
	}
	BUF_ADD_LIT(&buf, "\nz: z\n");
	return buf_sv(&buf);
}

/* Returns the text as a block scalar keeps it: CR LF is LF, and nothing blank is at the end. */
static sv as_kept(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\r' || i + 1 == text.len || text.ptr[i + 1] != '\n')
			buf_add_char(&buf, text.ptr[i]);
	return sv_trim_right(buf_sv(&buf), " \t\n");
}

/*
 * Returns true if YAML only took a comment away that a shell would skip, too: no quote is open
 * where it begins.
 */
static bool lost_a_comment(sv command, sv read)
{
	size_t quotes = 0;
	size_t doubles = 0;

	if (!sv_starts_with(command, read) || sv_find_char(command, '\n') != SV_NPOS ||
	    !sv_starts_with(sv_trim_space(sv_from_offset(command, read.len)), SV("#")))
		return false;
	for (size_t i = 0; i < read.len; i++) {
		quotes += read.ptr[i] == '\'';
		doubles += read.ptr[i] == '"';
	}
	return quotes % 2 == 0 && doubles % 2 == 0;
}

static enum outcome compare_scalar(struct arena *arena, enum place place, sv text,
                                   const struct yml_python_value *read)
{
	if (place == PLACE_BLOCK)
		return sv_eq(as_kept(arena, text), as_kept(arena, read->text)) ? READS_RIGHT
		                                                               : READS_OTHERWISE;
	/* A value with quotes of its own is written for YAML. */
	if (read->is_quoted && (place == PLACE_VALUE || place == PLACE_COMMAND))
		return READS_RIGHT;
	if (read->kind != YML_PYTHON_STRING && !(read->prints_same && place == PLACE_VALUE))
		return READS_OTHERWISE;
	if (sv_eq(sv_trim_right(text, "\n"), read->text) ||
	    (place == PLACE_COMMAND && lost_a_comment(text, read->text)))
		return READS_RIGHT;
	return READS_OTHERWISE;
}

/* Reads the piece in a document of its own. */
static enum outcome read_document(struct arena *arena, enum place place, sv text,
                                  enum yml_python *ret_kind)
{
	struct yml_python_nodes nodes = {0};
	bool is_key = place == PLACE_KEY;
	/* The map, k, the map or list in it, then the piece; after it z and z. */
	size_t at = place == PLACE_VALUE ? 4 : 3;
	size_t count = at + 3 + is_key;

	*ret_kind = YML_PYTHON_STRING;
	if (!yml_python_read(arena, small_document(arena, place, text), &nodes))
		return READS_NOTHING;
	if (nodes.count < count || nodes.items[nodes.count - 1].depth != 1 ||
	    !sv_eq(nodes.items[nodes.count - 1].text, SV("z")))
		return READS_OTHERWISE;
	const struct yml_python_value *read = &nodes.items[at];
	*ret_kind = read->kind;
	/* A command in brackets is a list of words, which cloud-init runs without a shell. */
	if (place == PLACE_COMMAND && read->kind == YML_PYTHON_LIST &&
	    sv_starts_with(text, SV("[")))
		return READS_RIGHT;
	if (read->kind == YML_PYTHON_LIST || read->kind == YML_PYTHON_MAP || nodes.count != count)
		return READS_OTHERWISE;
	return compare_scalar(arena, place, text, read);
}

/* ---- pieces ------------------------------------------------------------------------------ */

static bool is_simple(enum place place, sv text, size_t *ret_at)
{
	switch (place) {
	case PLACE_SINGLE:
	case PLACE_DOUBLE:
		return is_simple_quoted(text, place);
	case PLACE_BLOCK:
		return is_simple_block(text, ret_at);
	case PLACE_VALUE:
	case PLACE_COMMAND:
	case PLACE_KEY:
		break;
	}
	return false;
}

/* Reads a string at its place. *ret_at is where the mistake is, as far as it is known. */
static enum outcome read_string_at(struct arena *arena, enum place place, sv text, size_t *ret_at,
                                   enum yml_python *ret_kind)
{
	size_t odd;
	bool prints_same;

	*ret_kind = YML_PYTHON_STRING;
	*ret_at = 0;
	if (place <= PLACE_KEY && is_simple_plain(text)) {
		*ret_kind = yml_python_scalar(text, &prints_same);
		if (*ret_kind == YML_PYTHON_REFUSED)
			return READS_NOTHING;
		return *ret_kind == YML_PYTHON_STRING || (prints_same && place == PLACE_VALUE)
		           ? READS_RIGHT
		           : READS_OTHERWISE;
	}
	size_t refused = find_odd(text, &odd);
	if (refused == SV_NPOS && place <= PLACE_KEY)
		refused = find_tab(text);
	if (refused != SV_NPOS) {
		*ret_at = refused;
		return READS_NOTHING;
	}
	if (odd == SV_NPOS && is_simple(place, text, ret_at))
		return READS_RIGHT;
	if (odd != SV_NPOS)
		*ret_at = odd;
	return read_document(arena, place, text, ret_kind);
}

static void add_misread(struct reader *r, struct userdata_misread misread, enum outcome outcome)
{
	if (outcome == READS_RIGHT)
		return;
	misread.is_fatal = outcome == READS_NOTHING;
	VEC_PUSH(r->arena, r->misreads, misread);
}

/* Reads a piece that no template has made. An empty one is right: it means none. */
static void read_piece(struct reader *r, enum userdata_piece part, sv name, enum place place,
                       const struct value *text)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	struct userdata_misread misread = {.part = part, .name = name, .text = text};

	if (sv_empty(value_text(text)))
		return;
	enum outcome outcome =
	    read_string_at(scratch, place, value_text(text), &misread.offset, &misread.kind);
	add_misread(r, misread, outcome);
}

/* ---- contents ---------------------------------------------------------------------------- */

/* Returns the text as machine-controller leaves it: lines of blanks and TABs are empty. */
static sv without_blank_lines(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);
	struct sv_splitter lines = sv_split(text, '\n');
	bool is_first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (!is_first)
			buf_add_char(&buf, '\n');
		is_first = false;
		if (sv_trim_right(line, " \t").len > 0)
			buf_add(&buf, line);
	}
	return buf_sv(&buf);
}

static enum outcome read_block(struct arena *arena, const struct reader *r, sv text, size_t *ret_at)
{
	enum yml_python kind;
	enum outcome outcome = read_string_at(arena, PLACE_BLOCK, text, ret_at, &kind);
	size_t unused;

	if (outcome == READS_RIGHT || !r->drops_blanks)
		return outcome;
	return read_string_at(arena, PLACE_BLOCK, without_blank_lines(arena, text), &unused, &kind);
}

/* Returns a copy in which an x is in place of each byte of a secret. */
static sv without_secrets(struct arena *arena, const struct value *text)
{
	struct buf buf = buf_in(arena);
	size_t at = 0;

	if (taint_derived_from(text->taint)) {
		buf_add_repeat(&buf, 'x', text->string.len);
		return buf_sv(&buf);
	}
	for (size_t i = 0; i < text->taint->count; i++) {
		const struct taint_span *span = &text->taint->spans[i];

		buf_add(&buf, sv_slice(text->string, at, span->start));
		buf_add_repeat(&buf, 'x', span->end - span->start);
		at = span->end;
	}
	buf_add(&buf, sv_from_offset(text->string, at));
	return buf_sv(&buf);
}

/*
 * Reads the content of a file or unit. A mistake without the secrets in it is listed in full, since
 * that reveals nothing of them. One that the secrets make is listed if it is fatal.
 */
static void read_content(struct reader *r, struct userdata_misread misread,
                         const struct value *text)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	sv clear = text->taint ? without_secrets(scratch, text) : value_text(text);

	misread.text = text;
	enum outcome outcome = read_block(scratch, r, clear, &misread.offset);
	if (outcome == READS_RIGHT && text->taint &&
	    read_block(scratch, r, value_text(text), &misread.offset) == READS_NOTHING) {
		misread.by_secret = true;
		outcome = READS_NOTHING;
	}
	add_misread(r, misread, outcome);
}

static void read_node_file(struct reader *r, const struct node_config *node, size_t number)
{
	const struct node_file *file = &node->files[number];
	sv path = value_text(&file->path);

	read_piece(r, USERDATA_FILE_PATH, path, PLACE_SINGLE, &file->path);
	read_piece(r, USERDATA_FILE_ENCODING, path, PLACE_SINGLE, &file->encoding);
	if (sv_eq_cstr(value_text(&file->encoding), "b64"))
		return;
	read_content(r,
	             (struct userdata_misread){USERDATA_FILE_CONTENT, .name = path, .file = number},
	             &file->content);
}

static void read_node_unit(struct reader *r, const struct node_unit *unit)
{
	const struct userdata_misread misread = {USERDATA_UNIT, .name = value_text(&unit->name)};

	read_piece(r, USERDATA_UNIT, misread.name, PLACE_DOUBLE, &unit->name);
	if (!sv_empty(value_text(&unit->content)))
		read_content(r, misread, &unit->content);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		read_piece(r, USERDATA_UNIT, misread.name, PLACE_DOUBLE, &unit->drop_ins[i].name);
		read_content(r, misread, &unit->drop_ins[i].content);
	}
}

/* ---- modules ----------------------------------------------------------------------------- */

/* cloud-init takes auto-attach for a boolean. */
static void read_subscription(struct reader *r, const struct node_modules *modules)
{
	for (size_t i = 0; i < modules->rh_subscription_count; i++) {
		const struct node_pair *pair = &modules->rh_subscription[i];

		if (!sv_eq_cstr(pair->key, "auto-attach"))
			read_piece(r, USERDATA_SUBSCRIPTION, pair->key, PLACE_VALUE, &pair->text);
	}
}

/* cloud-init writes true as 1 and false as 0, which is right but for names and passwords. */
static bool may_be_boolean(sv key)
{
	static const char *const names[] = {"name", "username", "password", "proxy_username",
	                                    "proxy_password"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq_cstr(key, names[i]))
			return false;
	return true;
}

static void read_repository(struct reader *r, const struct node_repository *repository)
{
	struct value *name = ARENA_NEW(r->arena, struct value);
	bool prints_same;

	*name = value_string(repository->name);
	/* The name's own place is that of a member. */
	if (repository->pair_count > 0)
		name->origin = repository->pairs[0].text.origin;
	read_piece(r, USERDATA_REPOSITORY, repository->name, PLACE_KEY, name);
	for (size_t i = 0; i < repository->pair_count; i++) {
		const struct node_pair *pair = &repository->pairs[i];

		if (!may_be_boolean(pair->key) ||
		    yml_python_scalar(value_text(&pair->text), &prints_same) != YML_PYTHON_BOOL)
			read_piece(r, USERDATA_REPOSITORY, pair->key, PLACE_VALUE, &pair->text);
	}
}

static void read_modules(struct reader *r, const struct node_modules *modules)
{
	for (size_t i = 0; i < modules->bootcmd_count; i++)
		read_piece(r, USERDATA_BOOTCMD, SV(""), PLACE_COMMAND, &modules->bootcmd[i]);
	for (size_t i = 0; i < modules->runcmd_count; i++)
		read_piece(r, USERDATA_RUNCMD, SV(""), PLACE_COMMAND, &modules->runcmd[i]);
	read_subscription(r, modules);
	for (size_t i = 0; i < modules->yum_repo_count; i++)
		read_repository(r, &modules->yum_repos[i]);
	read_piece(r, USERDATA_REPOSITORY, SV("yum_repo_dir"), PLACE_VALUE, &modules->yum_repo_dir);
}

void userdata_read_back(struct arena *arena, const struct node_config *node, bool drops_blanks,
                        struct userdata_misreads *misreads)
{
	struct reader r = {arena, drops_blanks, misreads};

	if (!sv_eq_cstr(value_text(&node->hostname), NODE_MACHINE_NAME))
		read_piece(&r, USERDATA_HOSTNAME, SV(""), PLACE_VALUE, &node->hostname);
	for (size_t i = 0; i < node->ssh_key_count; i++)
		read_piece(&r, USERDATA_SSH_KEY, SV(""), PLACE_SINGLE, &node->ssh_keys[i]);
	for (size_t i = 0; i < node->file_count; i++)
		read_node_file(&r, node, i);
	for (size_t i = 0; i < node->unit_count; i++)
		read_node_unit(&r, &node->units[i]);
	/* Without a file the units' key is on the line of write_files, and is a part of its name.
	 */
	if (node->unit_count > 0 && node->file_count == 0 && sv_empty(value_text(&node->hostname)))
		add_misread(&r,
		            (struct userdata_misread){USERDATA_UNIT,
		                                      .name = value_text(&node->units[0].name),
		                                      .text = &node->units[0].name},
		            READS_OTHERWISE);
	if (node->modules)
		read_modules(&r, node->modules);
}
