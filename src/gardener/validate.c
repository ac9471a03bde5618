/*
 * Checks the rules of an OSC beyond its structure (docs/spec/gardener.md 1.4). osc_shape.c
 * has reported wrong types and empty strings.
 */
#include "gardener/internal.h"

#define RESULT_PREFIX  "osc-result-"
#define NAME_MAX_BYTES 253

struct judge {
	struct arena *arena;
	struct sink *sink;
	const struct gardener_osc *osc;
	enum gardener_contract contract;
	bool failed;
};

/* Returns true if only gardener-node-agent reads the OSC: it knows its host and opens images. */
static bool is_for_node_agent(const struct judge *j)
{
	return j->contract == GARDENER_CURRENT && j->osc->purpose == GARDENER_RECONCILE;
}

static struct diag *refuse_osc(struct judge *j, enum diag_code code, struct position at,
                               const char *problem)
{
	j->failed = true;
	return diag_report(j->sink, code, at, "%s", problem);
}

/* ---- paths and names --------------------------------------------------------------------- */

/* Returns the shortest form of an absolute path, as Go's path.Clean does. */
static sv clean_path(struct arena *arena, sv path)
{
	struct sv_splitter it = sv_split(path, '/');
	struct buf out = buf_in(arena);
	sv part;

	while (sv_split_next(&it, &part)) {
		sv clean = buf_sv(&out);

		if (sv_empty(part) || sv_eq(part, SV(".")))
			continue;
		if (sv_eq(part, SV(".."))) {
			out.len = clean.len > 0 ? sv_rfind_char(clean, '/') : 0;
			continue;
		}
		buf_printf(&out, "/%.*s", SV_ARG(part));
	}
	return out.len > 0 ? buf_sv(&out) : SV("/");
}

/* Checks a path; `what` names it in messages ("a file's path"). */
static void check_path(struct judge *j, const struct value *path, const char *what)
{
	sv text = value_text(path);
	size_t nul = sv_find_char(text, '\0');
	struct diag *diag;

	if (sv_empty(text))
		return;
	if (nul != SV_NPOS) {
		diag = refuse_osc(j, DIAG_GARDENER_PATH, value_text_position(path, nul),
		                  "a path cannot hold a NUL");
		diag_set_help(j->sink, diag, "remove it");
		return;
	}
	sv clean = clean_path(j->arena, text);
	if (sv_eq(clean, SV("/"))) {
		diag = refuse_osc(j, DIAG_GARDENER_PATH, value_position(path),
		                  "the path is the root folder");
		diag_set_help(j->sink, diag, "write %s, beginning with /", what);
	} else if (text.ptr[0] != '/') {
		diag = refuse_osc(j, DIAG_GARDENER_PATH, value_position(path),
		                  "the path is not absolute");
		diag_set_help(j->sink, diag, "did you mean %.*s?", SV_ARG(clean));
	} else if (!sv_eq(clean, text)) {
		diag = refuse_osc(j, DIAG_GARDENER_PATH, value_position(path),
		                  "the path is not clean");
		diag_set_help(j->sink, diag, "write %.*s", SV_ARG(clean));
	}
}

static void check_name(struct judge *j, const struct value *name, const char *example)
{
	sv text = value_text(name);
	size_t nul = sv_find_char(text, '\0');
	size_t slash = sv_find_char(text, '/');
	struct diag *diag;

	if (nul != SV_NPOS)
		diag = refuse_osc(j, DIAG_GARDENER_NAME, value_text_position(name, nul),
		                  "a name cannot hold a NUL");
	else if (slash != SV_NPOS)
		diag = refuse_osc(j, DIAG_GARDENER_NAME, value_text_position(name, slash),
		                  "a name cannot hold a /");
	else if (sv_eq(text, SV(".")) || sv_eq(text, SV("..")))
		diag = refuse_osc(j, DIAG_GARDENER_NAME, value_position(name),
		                  "the name is . or .., a folder");
	else
		return;
	diag_set_help(j->sink, diag, "use a file's name, such as %s", example);
}

/* ---- units ------------------------------------------------------------------------------- */

/* Warns about a repeated name; `seen` maps names to the value that had it first. */
static void warn_twice(struct judge *j, struct map *seen, const struct value *name,
                       const char *what)
{
	sv text = value_text(name);
	const struct value *first = map_get(seen, text);

	if (sv_empty(text))
		return;
	if (!first) {
		map_put(seen, text, (void *)name);
		return;
	}
	struct diag *diag = diag_report(j->sink, DIAG_GARDENER_UNIT_TWICE, value_position(name),
	                                "%s \"%.*s\" is given twice: on the node they are one file",
	                                what, SV_ARG(text));
	diag_add_note(j->sink, diag, value_position(first), "the first one is here");
	diag_set_help(j->sink, diag, "merge the two");
}

static void check_command(struct judge *j, const struct value *command)
{
	/*
	 * The commands in coreos-cloudinit's documentation of units; Gardener names only the first
	 * three.
	 */
	static const sv words[] = {
	    SV_INIT("start"),
	    SV_INIT("restart"),
	    SV_INIT("stop"),
	    SV_INIT("reload"),
	    SV_INIT("try-restart"),
	    SV_INIT("reload-or-restart"),
	    SV_INIT("reload-or-try-restart"),
	};
	size_t count = j->contract == GARDENER_CURRENT ? 3 : COUNT_OF(words);
	sv text = value_text(command);

	if (sv_empty(text))
		return;
	for (size_t i = 0; i < count; i++)
		if (sv_eq(text, words[i]))
			return;
	sv nearest = diag_nearest(text, words, count);
	struct diag *diag = diag_report(j->sink, DIAG_GARDENER_COMMAND, value_position(command),
	                                "nothing runs the command \"%.*s\"", SV_ARG(text));
	diag_help_quoted(j->sink, diag, nearest, "use start, restart or stop");
}

/* Returns true if a line of the unit file is that section. */
static bool has_section(sv text, sv section)
{
	struct sv_splitter it = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&it, &line))
		if (sv_eq(sv_trim_space(line), section))
			return true;
	return false;
}

/* Warns of a unit that is to be enabled, and that systemd does not start at boot. */
static void warn_no_install(struct judge *j, const struct gardener_unit *unit)
{
	bool has_install = sv_empty(value_text(&unit->content)) ||
	                   has_section(unit->content.string, SV("[Install]"));

	for (size_t i = 0; i < unit->drop_in_count; i++)
		has_install |= has_section(value_text(&unit->drop_ins[i].content), SV("[Install]"));
	if (has_install || unit->enable != NODE_ENABLE_YES)
		return;
	struct diag *diag =
	    diag_report(j->sink, DIAG_GARDENER_NO_INSTALL,
	                value_position(value_map_get(unit->root, SV("enable"))),
	                "unit \"%.*s\" has no section [Install]: enable: true has no effect",
	                SV_ARG(value_text(&unit->name)));
	diag_set_help(j->sink, diag,
	              "add [Install] with WantedBy=multi-user.target, or remove enable");
}

static void check_unit(struct judge *j, const struct gardener_unit *unit)
{
	struct map names = map_in(j->arena);

	check_name(j, &unit->name, "kubelet.service");
	check_command(j, &unit->command);
	warn_no_install(j, unit);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		check_name(j, &unit->drop_ins[i].name, "10-proxy.conf");
		warn_twice(j, &names, &unit->drop_ins[i].name, "drop-in");
	}
}

/* Returns the paths of the OSC's files and of status.extensionFiles (in a dumped manifest). */
static struct map known_paths(const struct judge *j)
{
	const struct value *extension = value_path(j->osc->object->root, "status.extensionFiles");
	struct map paths = map_in(j->arena);

	for (size_t i = 0; i < j->osc->file_count; i++)
		map_put(&paths, value_text(&j->osc->files[i].path), (void *)&j->osc->files[i]);
	for (size_t i = 0; value_is_list(extension) && i < value_count(extension); i++) {
		const struct value *item = value_item(extension, i);

		map_put(&paths, value_text(value_map_get(item, SV("path"))), (void *)item);
	}
	return paths;
}

static void check_file_paths(struct judge *j, const struct map *paths,
                             const struct gardener_unit *unit)
{
	enum { MOST = 256 };
	sv names[MOST];
	size_t count = 0;

	for (; count < paths->count && count < MOST; count++)
		names[count] = paths->entries[count].key;
	for (size_t i = 0; i < unit->file_path_count; i++) {
		const struct value *path = &unit->file_paths[i];

		if (map_get(paths, path->string))
			continue;
		struct diag *diag = refuse_osc(j, DIAG_GARDENER_FILE_PATHS, value_position(path),
		                               "no file of spec.files has this path");
		diag_help_nearest(j->sink, diag, path->string, (struct diag_names){names, count},
		                  "add the file, or remove the path");
	}
}

static void check_units(struct judge *j)
{
	struct map paths = known_paths(j);
	struct map names = map_in(j->arena);

	for (size_t i = 0; i < j->osc->unit_count; i++) {
		const struct gardener_unit *unit = &j->osc->units[i];

		check_unit(j, unit);
		warn_twice(j, &names, &unit->name, "unit");
		if (unit->file_path_count > 0)
			check_file_paths(j, &paths, unit);
	}
}

/* ---- files ------------------------------------------------------------------------------- */

static void check_host_name(struct judge *j, const struct gardener_file *file)
{
	struct diag *diag;

	if (!file->host_name.type)
		return;
	if (!kube_name_valid(file->host_name.string)) {
		diag = refuse_osc(j, DIAG_GARDENER_HOST_NAME, value_position(&file->host_name),
		                  "hostName is not a valid host name");
		diag_set_help(j->sink, diag,
		              "use lower-case letters, digits, - and ., as the node's name has");
	} else if (!is_for_node_agent(j)) {
		diag = diag_report(j->sink, DIAG_GARDENER_FIELD, value_position(&file->host_name),
		                   "hostName has no effect in user-data, which is the same for "
		                   "all hosts");
		diag_set_help(j->sink, diag, "remove it, or give the file in purpose reconcile");
	}
}

static void check_encoding(struct judge *j, const struct gardener_file *file)
{
	sv encoding = value_text(&file->encoding);
	struct diag *diag;

	if (sv_empty(encoding) || sv_eq(encoding, SV("b64")))
		return;
	j->failed = true;
	diag = diag_report(j->sink, DIAG_GARDENER_ENCODING, value_position(&file->encoding),
	                   "unknown encoding \"%.*s\"", SV_ARG(encoding));
	if (sv_eq(encoding, SV("gzip")))
		diag_set_help(j->sink, diag,
		              "write plain text with encoding \"\", or bytes in base64 with b64: "
		              "gzip cannot be written as a string");
	else if (sv_eq(encoding, SV("gzip+b64")))
		diag_set_help(j->sink, diag,
		              "decompress the data, encode it with `base64 -w0`, and set encoding: "
		              "b64; no extension ever read gzip+b64");
	else
		diag_set_help(j->sink, diag,
		              "use b64 (the data is base64) or \"\" (the data is plain text)");
}

static void check_content(struct judge *j, const struct gardener_file *file)
{
	static const char *const sources[] = {"inline", "secretRef", "imageRef"};
	const struct value *content = value_map_get(file->root, SV("content"));
	const struct value_entry *given = NULL;
	size_t count = 0;
	struct diag *diag;

	if (!value_is_map(content))
		return;
	for (size_t i = 0; i < value_count(content); i++) {
		const struct value_entry *entry = &content->map->entries[i];

		for (size_t k = 0; k < COUNT_OF(sources); k++) {
			if (!sv_eq_cstr(entry->key, sources[k]) || value_is_null(&entry->value))
				continue;
			given = entry;
			count++;
		}
	}
	if (count == 0) {
		diag = refuse_osc(j, DIAG_GARDENER_CONTENT, value_position(content),
		                  "the content has no source");
		diag_set_help(j->sink, diag, "add inline or secretRef");
	} else if (count > 1) {
		diag = refuse_osc(j, DIAG_GARDENER_CONTENT, origin_position(given->key_origin),
		                  "the content has more than one source");
		diag_set_help(j->sink, diag, "leave one of inline, secretRef and imageRef");
	} else if (sv_eq(given->key, SV("imageRef")) && !is_for_node_agent(j)) {
		diag = refuse_osc(j, DIAG_GARDENER_CONTENT, origin_position(given->key_origin),
		                  "user-data cannot carry a file of an image");
		diag_set_help(j->sink, diag,
		              "use inline or secretRef: gardener-node-agent alone opens images "
		              "(contract current, purpose reconcile)");
	}
}

/* The files that have the same path. */
struct same_path {
	const struct gardener_file *first;
	struct map hosts; /* hostName to its file */
	bool has_all_hosts;
};

static void report_twice(struct judge *j, const struct gardener_file *file,
                         const struct gardener_file *first, const char *problem)
{
	struct diag *diag =
	    refuse_osc(j, DIAG_GARDENER_TWICE, value_position(&file->path), problem);

	diag_add_note(j->sink, diag, value_position(&first->path), "the other one is here");
	diag_set_help(j->sink, diag,
	              is_for_node_agent(j) ? "remove one, or give each a hostName of its own"
	                                   : "remove one of them");
}

static void check_twice(struct judge *j, struct map *paths, const struct gardener_file *file)
{
	sv path = value_text(&file->path);
	struct same_path *same = map_get(paths, path);
	sv host = value_text(&file->host_name);
	const struct gardener_file *of_host;

	if (sv_empty(path))
		return;
	if (!same) {
		same = ARENA_NEW(j->arena, struct same_path);
		*same = (struct same_path){file, map_in(j->arena), !sv_empty(host)};
		map_put(paths, path, same);
		map_put(&same->hosts, host, (void *)file);
		return;
	}
	of_host = map_get(&same->hosts, host);
	if (!is_for_node_agent(j) || sv_empty(host) || !same->has_all_hosts)
		report_twice(j, file, same->first, "two files have this path");
	else if (of_host)
		report_twice(j, file, of_host, "two files have this path and this hostName");
	same->has_all_hosts &= !sv_empty(host);
	map_put(&same->hosts, host, (void *)file);
}

static void check_files(struct judge *j)
{
	struct map paths = map_in(j->arena);

	for (size_t i = 0; i < j->osc->file_count; i++) {
		const struct gardener_file *file = &j->osc->files[i];

		check_path(j, &file->path, "a file's path");
		check_twice(j, &paths, file);
		check_host_name(j, file);
		check_content(j, file);
		check_encoding(j, file);
	}
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void check_cri_name(struct judge *j)
{
	static const sv names[] = {SV_INIT("containerd"), SV_INIT("docker")};
	const struct value *name = value_map_get(j->osc->cri, SV("name"));
	sv text = value_text(name);
	struct diag *diag;

	if (sv_empty(text) || sv_eq(text, names[0]))
		return;
	if (sv_eq(text, names[1])) {
		if (j->contract == GARDENER_2021)
			return;
		diag = diag_report(j->sink, DIAG_GARDENER_FIELD, value_position(name),
		                   "contract current has no container runtime docker");
		diag_set_help(j->sink, diag, "write containerd, or set gardenerContract: \"2021\"");
		return;
	}
	sv nearest = diag_nearest(text, names, j->contract == GARDENER_2021 ? 2 : 1);
	diag =
	    refuse_osc(j, DIAG_GARDENER_SCHEMA, value_position(name), "unknown container runtime");
	diag_help_quoted(j->sink, diag, nearest, "use containerd%s",
	                 j->contract == GARDENER_2021 ? " or docker" : "");
}

/* Checks the length of the OSC's name: the Secret's name, the longest made from it, must fit. */
static void check_result_name(struct judge *j)
{
	size_t len = strlen(RESULT_PREFIX) + j->osc->object->id.name.len;

	if (len <= NAME_MAX_BYTES || is_for_node_agent(j))
		return;
	j->failed = true;
	struct diag *diag = diag_report(
	    j->sink, DIAG_NAME_TOO_LONG, kube_object_position(j->osc->object),
	    "the name of its Secret, " RESULT_PREFIX "NAME, has %zu bytes, %d are allowed", len,
	    NAME_MAX_BYTES);
	diag_set_help(j->sink, diag, "use a name shorter by %zu bytes", len - NAME_MAX_BYTES);
}

enum status gardener_osc_validate(struct arena *arena, struct sink *sink,
                                  const struct gardener_osc *osc, enum gardener_contract contract)
{
	struct judge j = {arena, sink, osc, contract, false};

	check_result_name(&j);
	check_path(&j, &osc->reload_path, "the path that the user-data is applied from");
	check_cri_name(&j);
	if (contract == GARDENER_CURRENT &&
	    gardener_containerd_validate(arena, sink, osc) != STATUS_OK)
		j.failed = true;
	check_units(&j);
	check_files(&j);
	return j.failed ? STATUS_FAILED : STATUS_OK;
}
