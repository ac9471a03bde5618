/*
 * Notes of changes that are easily overlooked, in a config or in objects of RBAC. Each kind of note
 * has one title (report_note_info). The note's text names the thing, so that equal notes of many
 * units are one.
 */
#include "review/internal.h"

static void add(struct review_finder *finder, enum report_note_kind kind, sv text)
{
	sv key = arena_printf(finder->arena, "%d\n%.*s", (int)kind, SV_ARG(text));

	if (set_add(&finder->known, key))
		VEC_PUSH(finder->arena, &finder->findings, (struct review_finding){kind, text});
}

/* ---- versions ---------------------------------------------------------------------------- */

/*
 * Reads "1.34.2", also with "v" before it and more after it, into parts that are 0. Returns false
 * for anything else.
 */
static bool read_version(sv text, uint64_t ret_parts[3])
{
	size_t at = sv_starts_with(text, SV("v")) ? 1 : 0;

	for (size_t i = 0; i < 3; i++) {
		size_t start = at;

		while (at < text.len && at - start < 9 &&
		       ascii_is_digit((unsigned char)text.ptr[at]))
			ret_parts[i] = ret_parts[i] * 10 + (uint64_t)(text.ptr[at++] - '0');
		if (at == start)
			return false;
		if (at == text.len || text.ptr[at] != '.')
			return i > 0;
		at++;
	}
	return true;
}

void review_note_version(struct review_finder *finder, enum dialect_fact_kind kind, sv name,
                         sv before, sv after)
{
	uint64_t old[3] = {0};
	uint64_t new[3] = {0};
	size_t i = 0;

	if (kind == DIALECT_FACT_VALUE || !read_version(before, old) || !read_version(after, new))
		return;
	sv text = ARENA_CONCAT(finder->arena, name, SV(" "), before, SV(" -> "), after);
	while (i < 2 && old[i] == new[i])
		i++;
	if (new[i] < old[i])
		add(finder, REPORT_NOTE_DOWNGRADE, text);
	else if (old[0] != new[0] && kind != DIALECT_FACT_PROFILE)
		add(finder, REPORT_NOTE_MAJOR, text);
}

/* ---- commands that are not safe ---------------------------------------------------------- */

static bool is_letter(char c)
{
	return ascii_is_alphanumeric((unsigned char)c) || c == '_' || c == '-';
}

/* Returns true for a URL with http:// that is neither a proxy nor on the machine itself. */
static bool is_without_tls(sv line)
{
	static const sv local[] = {SV_INIT("localhost"), SV_INIT("127."), SV_INIT("[::1]"),
	                           SV_INIT("169.254.")};
	size_t at = sv_find(line, SV("http://"));
	sv host = sv_from_offset(line, at == SV_NPOS ? line.len : at + SV("http://").len);

	if (sv_empty(host) || sv_contains(line, SV("proxy")) || sv_contains(line, SV("Proxy")) ||
	    sv_contains(line, SV("PROXY")))
		return false;
	for (size_t i = 0; i < COUNT_OF(local); i++)
		if (sv_starts_with(host, local[i]))
			return false;
	return true;
}

/* Returns true, and the kind of its note, for a line that is not safe. */
static bool is_unsafe(sv line, enum report_note_kind *ret_kind)
{
	static const sv shells[] = {SV_INIT("| bash"),      SV_INIT("|bash"),
	                            SV_INIT("| sh"),        SV_INIT("|sh"),
	                            SV_INIT("| sudo bash"), SV_INIT("| sudo sh")};
	static const sv unverified[] = {SV_INIT("--insecure"),
	                                SV_INIT("curl -k"),
	                                SV_INIT("--no-check-certificate"),
	                                SV_INIT("skip_verify = true"),
	                                SV_INIT("gpgcheck=0"),
	                                SV_INIT("sslverify=0"),
	                                SV_INIT("--allow-unauthenticated"),
	                                SV_INIT("--no-gpg-check"),
	                                SV_INIT("trusted=yes")};

	for (size_t i = 0; i < COUNT_OF(shells); i++) {
		size_t at = sv_find(line, shells[i]);
		size_t end = at + shells[i].len;

		*ret_kind = REPORT_NOTE_SHELL;
		if (at != SV_NPOS && (end == line.len || !is_letter(line.ptr[end])))
			return true;
	}
	*ret_kind = REPORT_NOTE_UNVERIFIED;
	for (size_t i = 0; i < COUNT_OF(unverified); i++)
		if (sv_contains(line, unverified[i]))
			return true;
	*ret_kind = REPORT_NOTE_PLAIN_HTTP;
	return is_without_tls(line);
}

/* Adds a note for each line of a file that is not safe and was not there before. */
static void note_unsafe(struct review_finder *finder, const struct set *before,
                        const struct dialect_node_file *file)
{
	enum { SHOWN = 120 };
	struct sv_splitter lines = sv_split(file->text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		enum report_note_kind kind;

		line = sv_trim_space(line);
		if (is_unsafe(line, &kind) && !sv_starts_with(line, SV("#")) &&
		    !set_has(before, line))
			add(finder, kind,
			    ARENA_CONCAT(finder->arena, file->path, SV(": "),
			                 sv_slice(line, 0, SHOWN)));
	}
}

/* Adds the lines of the text that are not safe. */
static void list_unsafe(struct arena *arena, sv text, struct set *unsafe)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		enum report_note_kind ignored;

		line = sv_trim_space(line);
		if (is_unsafe(line, &ignored) && !set_has(unsafe, line))
			set_add(unsafe, arena_dup(arena, line));
	}
}

static void find_unsafe(struct review_finder *finder, const struct dialect_description *before,
                        const struct dialect_description *after)
{
	struct set was = set_in(finder->arena);

	VEC_EACH (file, &before->files)
		list_unsafe(finder->arena, file->text, &was);
	VEC_EACH (file, &after->files)
		note_unsafe(finder, &was, file);
}

/* ---- hosts ------------------------------------------------------------------------------- */

static bool is_host(char c)
{
	return ascii_is_alphanumeric((unsigned char)c) || sv_find_char(SV(".-_:[]$"), c) != SV_NPOS;
}

/* Adds a host, in lower case, unless it is there; `path` is where it is. */
static void add_host(struct arena *arena, struct map *hosts, sv host, sv path)
{
	if (map_get(hosts, host))
		return;
	sv lower = arena_lower_ascii(arena, host);
	if (map_get(hosts, lower))
		return;
	sv *place = ARENA_NEW(arena, sv);
	*place = path;
	map_put(hosts, lower, place);
}

/* Adds the host and port of each URL in the text, without "user@". */
static void list_hosts(struct arena *arena, sv text, struct map *hosts, sv path)
{
	for (;;) {
		size_t at = sv_find(text, SV("://"));
		size_t end = 0;

		if (at == SV_NPOS)
			return;
		bool has_scheme = at > 0 && ascii_is_alphanumeric((unsigned char)text.ptr[at - 1]);
		text = sv_from_offset(text, at + 3);
		while (end < text.len && (is_host(text.ptr[end]) || text.ptr[end] == '@'))
			end++;
		sv host = sv_slice(text, 0, end);
		if (sv_find_char(host, '@') != SV_NPOS)
			host = sv_after_last(host, '@');
		host = sv_trim_right(host, ".:");
		/* Skip a variable: its value is found where it is assigned. */
		if (has_scheme && !sv_empty(host) && sv_find_char(host, '$') == SV_NPOS) {
			add_host(arena, hosts, host, path);
		}
	}
}

static struct map hosts_of(struct arena *arena, const struct dialect_description *config)
{
	struct map hosts = map_in(arena);

	VEC_EACH (file, &config->files)
		list_hosts(arena, file->text, &hosts, file->path);
	return hosts;
}

static void note_hosts(struct review_finder *finder, const struct map *was,
                       const struct dialect_description *after)
{
	struct map is = hosts_of(finder->arena, after);

	for (size_t i = 0; i < is.count; i++) {
		const sv *path = is.entries[i].value;

		if (!map_get(was, is.entries[i].key))
			add(finder, REPORT_NOTE_HOST,
			    ARENA_CONCAT(finder->arena, is.entries[i].key, SV(", in "), *path));
	}
}

static void find_hosts(struct review_finder *finder, const struct dialect_description *before,
                       const struct dialect_description *after)
{
	struct map was = hosts_of(finder->arena, before);

	note_hosts(finder, &was, after);
}

struct review_hosts {
	struct map names;
	struct set unsafe; /* lines that are not safe (list_unsafe) */
};

struct review_hosts *review_hosts_new(struct arena *arena)
{
	struct review_hosts *hosts = ARENA_NEW(arena, struct review_hosts);

	*hosts = (struct review_hosts){map_in(arena), set_in(arena)};
	return hosts;
}

void review_hosts_add(struct review_hosts *hosts, sv config)
{
	list_hosts(hosts->names.arena, config, &hosts->names, SV(""));
	list_unsafe(hosts->names.arena, config, &hosts->unsafe);
}

void review_find_new(struct review_finder *finder, const struct review_hosts *known,
                     const struct dialect_description *config)
{
	note_hosts(finder, &known->names, config);
	VEC_EACH (file, &config->files)
		note_unsafe(finder, &known->unsafe, file);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Counts hexadecimal digests, and commands that compare them. */
static size_t count_checksums(sv text)
{
	static const sv commands[] = {SV_INIT("sha256sum"), SV_INIT("sha512sum"),
	                              SV_INIT("sha1sum"), SV_INIT("gpg --verify")};
	size_t count = 0;
	size_t run = 0;

	for (size_t i = 0; i <= text.len; i++) {
		char c = i < text.len ? text.ptr[i] : ' ';

		if (ascii_is_digit((unsigned char)c) || (c >= 'a' && c <= 'f')) {
			run++;
			continue;
		}
		count += run == 40 || run == 64 || run == 96 || run == 128;
		run = 0;
	}
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		sv rest = text;

		for (size_t at; (at = sv_find(rest, commands[i])) != SV_NPOS; count++)
			rest = sv_from_offset(rest, at + commands[i].len);
	}
	return count;
}

/* Maps paths to files. If a path occurs in both stages, the first file counts. */
static struct map files_of(struct arena *arena, const struct dialect_description *config)
{
	struct map files = map_in(arena);

	VEC_EACH (file, &config->files)
		if (!map_get(&files, file->path))
			map_put(&files, file->path, file);
	return files;
}

static bool grants_access(sv path)
{
	return sv_contains(path, SV("authorized_keys")) || sv_contains(path, SV("/sudoers"));
}

static void find_files(struct review_finder *finder, const struct dialect_description *before,
                       const struct dialect_description *after)
{
	const struct map old = files_of(finder->arena, before);
	const struct map new = files_of(finder->arena, after);

	for (size_t i = 0; i < new.count; i++) {
		const struct dialect_node_file *is = new.entries[i].value;
		const struct dialect_node_file *was = map_get(&old, is->path);

		if (was && (is->mode & ~was->mode) != 0 && was->mode != 0)
			add(finder, REPORT_NOTE_MODE,
			    arena_printf(finder->arena, "%.*s: %04o, it was %04o", SV_ARG(is->path),
			                 is->mode, was->mode));
		if (was && count_checksums(is->text) < count_checksums(was->text))
			add(finder, REPORT_NOTE_CHECKSUM, is->path);
		if (is->is_unnamed && (!was || !sv_eq(was->text, is->text)))
			add(finder, REPORT_NOTE_UNNAMED,
			    ARENA_CONCAT(finder->arena, SV("no unit names "), is->path,
			                 SV("; with gardenerRestart: all each change restarts all "
			                    "units")));
		if (grants_access(is->path) && (!was || !sv_eq(was->text, is->text)))
			add(finder, REPORT_NOTE_ACCESS_FILE, is->path);
	}
}

/* ---- units, users, keys ------------------------------------------------------------------ */

static void find_units(struct review_finder *finder, const struct dialect_description *before,
                       const struct dialect_description *after)
{
	struct set disabled = set_in(finder->arena);

	VEC_EACH (was, &before->units)
		if (was->is_disabled)
			set_add(&disabled, was->name);
	VEC_EACH (is, &after->units)
		if (is->is_disabled && !set_has(&disabled, is->name))
			add(finder, REPORT_NOTE_UNIT_DISABLED, is->name);
}

static struct set set_of(struct arena *arena, const sv *items, size_t count)
{
	struct set set = set_in(arena);

	for (size_t i = 0; i < count; i++)
		set_add(&set, items[i]);
	return set;
}

sv review_short_key(struct arena *arena, sv key)
{
	enum { TAIL = 12 };
	sv kind;
	sv rest;
	sv comment = {0};

	if (!sv_cut(key, SV(" "), &kind, &rest))
		return key;
	sv_cut(rest, SV(" "), &rest, &comment);
	if (rest.len <= TAIL)
		return key;
	return sv_trim_right(ARENA_CONCAT(arena, kind, SV(" ..."),
	                                  sv_from_offset(rest, rest.len - TAIL), SV(" "), comment),
	                     " ");
}

static void find_access(struct review_finder *finder, const struct dialect_description *before,
                        const struct dialect_description *after)
{
	struct arena *arena = finder->arena;
	const struct set keys = set_of(arena, before->ssh_keys.items, before->ssh_keys.count);
	const struct set users = set_of(arena, before->users.items, before->users.count);

	VEC_EACH (key, &after->ssh_keys)
		if (!set_has(&keys, *key))
			add(finder, REPORT_NOTE_SSH_KEY, review_short_key(arena, *key));
	VEC_EACH (user, &after->users)
		if (!set_has(&users, *user))
			add(finder, REPORT_NOTE_USER, *user);
}

void review_find(struct review_finder *finder, const struct dialect_description *before,
                 const struct dialect_description *after)
{
	find_hosts(finder, before, after);
	find_unsafe(finder, before, after);
	find_files(finder, before, after);
	find_units(finder, before, after);
	find_access(finder, before, after);
}

/* ---- RBAC -------------------------------------------------------------------------------- */

static bool lists(const struct value *list, sv text)
{
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++) {
		sv item = value_text(value_item(list, i));

		if (sv_eq(item, text) || sv_eq(item, SV("*")))
			return true;
	}
	return false;
}

static bool covers(const struct value *wide, const struct value *narrow)
{
	for (size_t i = 0; value_is_list(narrow) && i < value_count(narrow); i++)
		if (!lists(wide, value_text(value_item(narrow, i))))
			return false;
	return true;
}

/* Returns the name without the digest that it ends in, or all of it. */
static sv name_before_digest(sv name)
{
	enum { DIGEST_DIGITS = 32 };
	size_t dash = sv_rfind_char(name, '-');

	if (dash == SV_NPOS || name.len - dash - 1 != DIGEST_DIGITS)
		return name;
	for (size_t i = dash + 1; i < name.len; i++)
		if (!ascii_is_lower_hex((unsigned char)name.ptr[i]))
			return name;
	return sv_slice(name, 0, dash);
}

/* The same for names of objects: one with another digest takes the place of an earlier one. */
static bool covers_names(const struct value *wide, const struct value *narrow)
{
	for (size_t i = 0; value_is_list(narrow) && i < value_count(narrow); i++) {
		sv name = value_text(value_item(narrow, i));
		bool is_there = lists(wide, name);

		for (size_t j = 0; j < value_count(wide) && !is_there; j++) {
			sv other = value_text(value_item(wide, j));
			sv prefix = name_before_digest(other);

			is_there =
			    prefix.len < other.len && sv_eq(prefix, name_before_digest(name));
		}
		if (!is_there)
			return false;
	}
	return true;
}

/* Returns true if an earlier rule allowed everything that this one allows. */
static bool rule_covers(const struct value *was, const struct value *is)
{
	static const sv members[] = {SV_INIT("apiGroups"), SV_INIT("resources"), SV_INIT("verbs"),
	                             SV_INIT("nonResourceURLs")};
	const struct value *names = value_map_get(was, SV("resourceNames"));
	const struct value *wanted = value_map_get(is, SV("resourceNames"));

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (!covers(value_map_get(was, members[i]), value_map_get(is, members[i])))
			return false;
	return value_count(names) == 0 || (value_count(wanted) > 0 && covers_names(names, wanted));
}

/*
 * Returns true if the subject is in the list, or the user of a bootstrap token, which a rotation
 * replaces.
 */
static bool subject_is_there(const struct value *subjects, const struct value *subject)
{
	static const sv members[] = {SV_INIT("kind"), SV_INIT("namespace"), SV_INIT("name")};

	if (sv_eq(value_text(value_map_get(subject, SV("kind"))), SV("User")) &&
	    sv_starts_with(value_text(value_map_get(subject, SV("name"))),
	                   SV(REVIEW_BOOTSTRAP_USER)))
		return true;

	for (size_t i = 0; value_is_list(subjects) && i < value_count(subjects); i++) {
		size_t same = 0;

		for (size_t j = 0; j < COUNT_OF(members); j++)
			same +=
			    sv_eq(value_text(value_map_get(value_item(subjects, i), members[j])),
			          value_text(value_map_get(subject, members[j])));
		if (same == COUNT_OF(members))
			return true;
	}
	return false;
}

static bool rules_widened(const struct value *was, const struct value *is)
{
	for (size_t i = 0; value_is_list(is) && i < value_count(is); i++) {
		bool covered = false;

		for (size_t j = 0; value_is_list(was) && j < value_count(was) && !covered; j++)
			covered = rule_covers(value_item(was, j), value_item(is, i));
		if (!covered)
			return true;
	}
	return false;
}

void review_find_rbac(struct review_finder *finder, const struct value *before,
                      const struct value *after)
{
	struct arena *arena = finder->arena;
	const struct value *was = value_map_get(before, SV("subjects"));
	const struct value *subjects = value_map_get(after, SV("subjects"));
	sv version = value_text(value_map_get(after, SV("apiVersion")));
	sv name = ARENA_CONCAT(arena, value_text(value_map_get(after, SV("kind"))), SV(" "),
	                       value_text(value_path(after, "metadata.namespace")), SV("/"),
	                       value_text(value_path(after, "metadata.name")));
	size_t added = 0;
	size_t removed = 0;

	if (!sv_starts_with(version, SV("rbac.authorization.k8s.io/")))
		return;
	for (size_t i = 0; value_is_list(subjects) && i < value_count(subjects); i++)
		added += !subject_is_there(was, value_item(subjects, i));
	for (size_t i = 0; value_is_list(was) && i < value_count(was); i++)
		removed += !subject_is_there(subjects, value_item(was, i));
	if (rules_widened(value_map_get(before, SV("rules")), value_map_get(after, SV("rules"))))
		add(finder, REPORT_NOTE_RBAC,
		    ARENA_CONCAT(arena, name, SV(" allows more than before")));
	if (added > removed)
		add(finder, REPORT_NOTE_RBAC,
		    ARENA_CONCAT(arena, name, SV(" has more subjects than before")));
	else if (added > 0)
		add(finder, REPORT_NOTE_RBAC_CHANGED,
		    ARENA_CONCAT(arena, name, SV(" has one subject removed and one added")));
}
