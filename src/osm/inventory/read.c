/*
 * Reads the lines of an inventory (docs/profiles.md, "The inventory"). Assignments and checksums
 * have the same form as in the profiles' scripts, so that profiles can share them.
 */
#include "osm/inventory/inventory.h"

/* Limits of a line's length, before and after expansion, and of the number of lines. */
#define MAX_LINE  4096
#define MAX_LINES 4096
/* Limit of defaults inside defaults. */
#define MAX_DEPTH 16

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct osm_inventory *inventory;
	struct dialect_fetches *fetches;
	struct map machine;    /* variables of the machine: name to sv */
	struct map upstream;   /* the same without addresses (mirrors) of the settings file */
	struct map *variables; /* the one of these two that expand() uses */
	struct map pins;       /* file name to sv, its SHA-256 */
	const char *problem;   /* of the current line, or null */
};

/* A line of the inventory, before variables are expanded. */
struct mark {
	sv kind;
	VEC(sv) names;
	sv version;
	sv url;
	sv file; /* name in the list of checksums; empty for the last part of the URL */
	sv fingerprint;
	sv from;
	sv setting;
	sv where; /* the setting that must name something */
};

static const char name_start[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

static size_t name_length(sv s)
{
	size_t len = 0;

	while (len < s.len && s.ptr[len] &&
	       (memchr(name_start, s.ptr[len], sizeof(name_start) - 1) ||
	        (len > 0 && s.ptr[len] >= '0' && s.ptr[len] <= '9')))
		len++;
	return len;
}

static void set_variable(struct reader *r, sv name, sv value)
{
	sv *kept = ARENA_NEW(r->arena, sv);

	*kept = value;
	map_put(r->variables, name, kept);
}

static sv variable(const struct reader *r, sv name)
{
	const sv *found = map_get(r->variables, name);

	return found ? *found : SV("");
}

/* ---- expansion ---------------------------------------------------------------------------- */

/* Returns the offset of the brace that closes one opened before `s`, or SV_NPOS. */
static size_t closing_brace(sv s)
{
	size_t depth = 1;

	for (size_t i = 0; i < s.len; i++) {
		depth += s.ptr[i] == '{';
		depth -= s.ptr[i] == '}';
		if (depth == 0)
			return i;
	}
	return SV_NPOS;
}

/*
 * An expansion with the rest of the input at each depth: a default, then the input after its brace.
 */
struct expansion {
	struct buf out;
	sv rest[MAX_DEPTH];
	size_t depth;
};

/* Expands the variable after a dollar sign: adds its value, or goes on with its default. */
static void expand_one(struct reader *r, struct expansion *x, sv text)
{
	bool braced = sv_starts_with(text, SV("{"));
	sv inner = braced ? sv_from_offset(text, 1) : text;
	size_t len = name_length(inner);
	sv name = sv_slice(inner, 0, len);
	size_t end = braced ? closing_brace(inner) : len;

	if (len == 0 || end == SV_NPOS) {
		r->problem = "a $ that begins no ${NAME}";
		return;
	}
	sv behind = sv_slice(inner, len, end);
	sv value = variable(r, name);
	bool has_default = sv_starts_with(behind, SV(":-"));
	x->rest[x->depth - 1] = sv_from_offset(inner, braced ? end + 1 : end);
	if (!has_default && !sv_empty(behind))
		r->problem = "an expansion that is neither ${NAME} nor ${NAME:-DEFAULT}";
	else if (!has_default && !map_get(r->variables, name))
		r->problem = "a ${NAME} that nothing sets";
	else if (!sv_empty(value) || !has_default)
		buf_add(&x->out, value);
	else if (x->depth == MAX_DEPTH)
		r->problem = "defaults that are nested too deep";
	else
		x->rest[x->depth++] = sv_from_offset(behind, 2);
}

/* Expands $NAME, ${NAME} and ${NAME:-DEFAULT}. Values are not expanded again. */
static sv expand(struct reader *r, sv text)
{
	struct expansion x = {.out = buf_in(r->arena), .rest = {text}, .depth = 1};

	while (!r->problem && x.depth > 0) {
		sv rest = x.rest[x.depth - 1];
		size_t at = sv_find_char(rest, '$');

		buf_add(&x.out, sv_slice(rest, 0, at));
		if (at == SV_NPOS)
			x.depth--;
		else
			expand_one(r, &x, sv_from_offset(rest, at + 1));
		if (x.out.len > MAX_LINE)
			r->problem = "more than 4096 bytes";
	}
	return buf_sv(&x.out);
}

/*
 * Expands with the upstream addresses, from which mirrors are filled. Returns `otherwise` if a
 * variable has no upstream address because only the settings file sets it.
 */
static sv expand_upstream(struct reader *r, sv text, sv otherwise)
{
	const char *problem = r->problem;

	r->variables = &r->upstream;
	sv result = expand(r, text);
	r->variables = &r->machine;
	if (r->problem && !problem)
		result = otherwise;
	r->problem = problem;
	return result;
}

static void set_both(struct reader *r, sv name, sv value, sv upstream)
{
	set_variable(r, name, value);
	r->variables = &r->upstream;
	set_variable(r, name, upstream);
	r->variables = &r->machine;
}

/* ---- settings, checksums ------------------------------------------------------------------- */

/* Reads /etc/default/osm-node as stage 2 does: NAME=value, the first one wins, without quotes. */
static void read_settings(struct reader *r, sv path)
{
	sv text = r->inventory->file ? r->inventory->file(r->inventory->context, path) : SV("");
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		sv name;
		sv value;

		if (!sv_cut(line, SV("="), &name, &value) || name_length(name) != name.len ||
		    sv_empty(name) || !sv_empty(variable(r, name)))
			continue;
		if (sv_starts_with(value, SV("'")) || sv_starts_with(value, SV("\"")))
			value = sv_from_offset(value, 1);
		if (sv_ends_with(value, SV("'")) || sv_ends_with(value, SV("\"")))
			value = sv_slice(value, 0, value.len - 1);
		if (value.len > MAX_LINE)
			r->problem = "a setting in that file is longer than 4096 bytes";
		else if (sv_contains(value, SV("://")))
			set_variable(r, name, arena_dup(r->arena, value));
		else
			set_both(r, name, arena_dup(r->arena, value), arena_dup(r->arena, value));
	}
}

/* Reads [FILE]=SHA256. */
static void read_pin(struct reader *r, sv line)
{
	sv name;
	sv sum;

	if (!sv_cut(sv_from_offset(line, 1), SV("]="), &name, &sum) || sv_empty(name) ||
	    !dialect_fetch_is_sha256(sum)) {
		r->problem = "neither [FILE]=SHA256 nor another form";
		return;
	}
	sv *kept = ARENA_NEW(r->arena, sv);
	*kept = sum;
	map_put(&r->pins, name, kept);
}

/* Reads NAME=VALUE. Returns false for any other line. */
static bool read_assignment(struct reader *r, sv line)
{
	if (sv_starts_with(line, SV("readonly ")))
		line = sv_from_offset(line, strlen("readonly "));
	size_t len = name_length(line);
	if (len == 0 || len == line.len || line.ptr[len] != '=')
		return false;
	sv value = sv_from_offset(line, len + 1);
	sv upstream = value;
	if (value.len >= 2 && sv_starts_with(value, SV("'")) && sv_ends_with(value, SV("'")))
		value = upstream = sv_slice(value, 1, value.len - 1);
	else {
		value = expand(r, value);
		upstream = expand_upstream(r, upstream, value);
	}
	if (!r->problem)
		set_both(r, sv_slice(line, 0, len), value, upstream);
	return true;
}

/* ---- marks --------------------------------------------------------------------------------- */

/* Returns the first variable of the string whose name is in capitals, as settings have. */
static sv setting_of(sv text)
{
	size_t at = sv_find(text, SV("${"));
	sv name = {0};

	if (at != SV_NPOS) {
		sv behind = sv_from_offset(text, at + 2);

		name = sv_slice(behind, 0, name_length(behind));
	}
	return !sv_empty(name) && name.ptr[0] >= 'A' && name.ptr[0] <= 'Z' ? name : SV("");
}

/* Splits a package and its version: "containerd.io=2.2*" (apt), "containerd-1.7*" (dnf, yum). */
static void part_version(struct dialect_fetch *fetch)
{
	sv name = fetch->name;
	size_t at = sv_find_char(name, '=');

	for (size_t i = 0; at == SV_NPOS && i + 1 < name.len; i++)
		if (name.ptr[i] == '-' && name.ptr[i + 1] >= '0' && name.ptr[i + 1] <= '9')
			at = i;
	if (at == SV_NPOS || at == 0)
		return;
	fetch->version = sv_from_offset(name, at + 1);
	fetch->name = sv_slice(name, 0, at);
}

static bool is_download(sv kind)
{
	return sv_eq(kind, SV("binary")) || sv_eq(kind, SV("archive"));
}

/* Adds a download, and, without a known checksum, the checksum that is published beside it. */
static void add_download(struct reader *r, struct dialect_fetch *fetch, sv file)
{
	const sv *pin = map_get(&r->pins, sv_empty(file) ? sv_after_last(fetch->url, '/') : file);
	struct dialect_fetch checksum = *fetch;

	if (pin)
		fetch->sha256 = *pin;
	VEC_PUSH(r->arena, r->fetches, *fetch);
	if (pin)
		return;
	checksum.kind = SV("checksum");
	checksum.url = ARENA_CONCAT(r->arena, fetch->url, SV(".sha256"));
	if (!sv_empty(fetch->upstream))
		checksum.upstream = ARENA_CONCAT(r->arena, fetch->upstream, SV(".sha256"));
	VEC_PUSH(r->arena, r->fetches, checksum);
}

static void add_fetch(struct reader *r, const struct mark *mark, sv name, sv architecture)
{
	struct dialect_fetch fetch = {
	    .kind = mark->kind,
	    .name = expand(r, name),
	    .version = expand(r, mark->version),
	    .architecture = architecture,
	    .url = dialect_fetch_masked(r->arena, expand(r, mark->url)),
	    .fingerprint = expand(r, mark->fingerprint),
	    .from = expand(r, mark->from),
	    .setting = mark->setting,
	};
	sv file = expand(r, mark->file);

	sv upstream = dialect_fetch_masked(r->arena, expand_upstream(r, mark->url, fetch.url));
	if (!sv_empty(upstream) && !sv_eq(upstream, fetch.url))
		fetch.upstream = upstream;
	if (sv_empty(fetch.setting))
		fetch.setting = setting_of(sv_empty(mark->url) ? name : mark->url);
	if (sv_eq(fetch.kind, SV("package")))
		part_version(&fetch);
	else if (sv_eq(fetch.kind, SV("image")))
		dialect_fetch_image(&fetch);
	if (r->problem)
		return;
	if (sv_empty(fetch.name) || (is_download(fetch.kind) && sv_empty(fetch.url)))
		r->problem = "an entry without a name, or a download without a URL";
	else if (is_download(fetch.kind))
		add_download(r, &fetch, file);
	else
		VEC_PUSH(r->arena, r->fetches, fetch);
}

/* Reads names, without a shell's quotes, and then KEY=VALUE. */
static void read_word(struct reader *r, sv word, struct mark *mark)
{
	const struct {
		sv key;
		sv *value;
	} fields[] = {
	    {SV("version="), &mark->version},
	    {SV("url="), &mark->url},
	    {SV("file="), &mark->file},
	    {SV("from="), &mark->from},
	    {SV("fingerprint="), &mark->fingerprint},
	    {SV("setting="), &mark->setting},
	    {SV("where="), &mark->where},
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (!sv_starts_with(word, fields[i].key))
			continue;
		*fields[i].value = sv_from_offset(word, fields[i].key.len);
		return;
	}
	if (word.len >= 2 && sv_starts_with(word, SV("'")) && sv_ends_with(word, SV("'")))
		word = sv_slice(word, 1, word.len - 1);
	else if (sv_find_char(word, '=') != SV_NPOS)
		r->problem = "an unknown KEY=VALUE";
	VEC_PUSH(r->arena, &mark->names, word);
}

static void add_fetches(struct reader *r, const struct mark *mark)
{
	static const struct {
		sv name;
		sv machine; /* rpm's name of the architecture */
	} architectures[] = {{SV_INIT("amd64"), SV_INIT("x86_64")},
	                     {SV_INIT("arm64"), SV_INIT("aarch64")}};
	sv where = variable(r, mark->where);
	bool by_architecture =
	    sv_contains(mark->url, SV("${arch}")) || sv_contains(mark->url, SV("${basearch}"));

	if (!sv_empty(mark->where) && (sv_empty(where) || sv_eq(where, SV("none"))))
		return;
	for (size_t i = 0; i < (by_architecture ? COUNT_OF(architectures) : 1); i++) {
		if (by_architecture) {
			set_both(r, SV("arch"), architectures[i].name, architectures[i].name);
			set_both(r, SV("basearch"), architectures[i].machine,
			         architectures[i].machine);
		}
		VEC_EACH (name, &mark->names)
			add_fetch(r, mark, *name, by_architecture ? architectures[i].name : SV(""));
	}
}

static void read_mark(struct reader *r, sv line)
{
	static const sv kinds[] = {
	    SV_INIT("binary"), SV_INIT("archive"), SV_INIT("package"),    SV_INIT("image"),
	    SV_INIT("key"),    SV_INIT("api"),     SV_INIT("repository"),
	};
	struct sv_splitter words = sv_split(line, ' ');
	struct mark mark = {0};
	bool is_known = false;
	sv word;

	if (!sv_split_next(&words, &mark.kind))
		return;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		is_known |= sv_eq(mark.kind, kinds[i]);
	if (!is_known) {
		r->problem = "not one of the forms of a line";
		return;
	}
	while (!r->problem && sv_split_next(&words, &word))
		if (!sv_empty(word))
			read_word(r, word, &mark);
	if (!r->problem && mark.names.count == 0)
		r->problem = "a kind without a name";
	if (!r->problem)
		add_fetches(r, &mark);
}

static void read_line(struct reader *r, sv line)
{
	if (line.len > MAX_LINE)
		r->problem = "more than 4096 bytes";
	else if (sv_starts_with(line, SV("settings ")))
		read_settings(r, sv_trim_space(sv_from_offset(line, strlen("settings "))));
	else if (sv_starts_with(line, SV("[")))
		read_pin(r, line);
	else if (!read_assignment(r, line))
		read_mark(r, line);
}

static enum status read_text(struct reader *r, const struct osm_inventory_text *text, size_t *count)
{
	struct sv_splitter lines = sv_split(text->text, '\n');
	enum status status = STATUS_OK;
	sv line;

	while (*count <= MAX_LINES && sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (sv_empty(line) || line.ptr[0] == '#')
			continue;
		if (++*count > MAX_LINES)
			r->problem = "more than 4096 lines";
		else
			read_line(r, line);
		if (!r->problem)
			continue;
		diag_report(r->sink, DIAG_INVENTORY, text->at, "the inventory's line \"%.*s\": %s",
		            SV_ARG(sv_slice(line, 0, 200)), r->problem);
		r->problem = NULL;
		status = STATUS_FAILED;
	}
	return status;
}

enum status osm_inventory_read(struct arena *arena, struct sink *sink,
                               const struct osm_inventory *inventory,
                               struct dialect_fetches *fetches)
{
	struct reader r = {
	    .arena = arena,
	    .sink = sink,
	    .inventory = inventory,
	    .fetches = fetches,
	    .machine = map_in(arena),
	    .upstream = map_in(arena),
	    .pins = map_in(arena),
	};
	enum status status = STATUS_OK;
	size_t count = 0;

	r.variables = &r.machine;
	for (size_t i = 0; i < inventory->text_count; i++)
		status |= read_text(&r, &inventory->texts[i], &count);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
