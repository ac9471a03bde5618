/*
 * init: makes a repository to start with, or adds what one lacks. Keys come first, outside of the
 * repository; then files. No file is replaced.
 */
#include "codec/codec.h"
#include "commands.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "init_files.h"
#include "os/os.h"
#include "schema.h"

#include <errno.h>
#include <sys/random.h>

#define SCHEMA_FILE "osm-gen.schema.json"
#define EDITOR_FILE ".vscode/settings.json"

struct start {
	struct context *context;
	sv root; /* without links */
	sv keys;
	sv recipient;
	sv fleet;           /* sealing.fleet; empty until there is one */
	bool is_new;        /* the folder does not exist yet */
	bool has_settings;  /* it has an osm-gen.yaml, whose owner has keys */
	bool has_manifests; /* an example would be in their way */
	VEC(sv) added;
	struct value steps; /* what was added or kept, in this order */
};

static sv below(const struct start *s, sv folder, const char *name)
{
	return ARENA_CONCAT(s->context->arena, folder, SV("/"), sv_from_cstr(name));
}

static enum status refuse_place(struct start *s, sv text, sv help)
{
	struct diag *diag =
	    diag_report(s->context->sink, DIAG_INIT_PLACE, NOWHERE, "%.*s", SV_ARG(text));

	diag_set_help(s->context->sink, diag, "%.*s", SV_ARG(help));
	return STATUS_FAILED;
}

static void note_step(struct start *s, const char *what, sv path)
{
	struct arena *arena = s->context->arena;

	value_list_add(arena, &s->steps,
	               VALUE_MAP(arena, {"what", value_string(sv_from_cstr(what))},
	                         {"path", value_string(path)}));
}

/* ---- before anything is written ------------------------------------------------------------ */

/* Accepts the root of a repository, or a folder outside of any. Does not make the folder yet. */
static enum status find_root(struct start *s, sv given)
{
	struct arena *arena = s->context->arena;
	sv folder;
	sv above;
	sv here;

	s->is_new = !os_real_path(arena, given, &s->root);
	if (s->is_new) {
		given = sv_trim_right(given, "/");
		if (!sv_starts_with(given, SV("/")) && os_real_path(arena, SV("."), &here))
			given = ARENA_CONCAT(arena, here, SV("/"), given);
		s->root = key_place(arena, given);
	}
	folder = s->is_new ? key_folder(arena, s->root) : s->root;
	if (os_kind(below(s, s->root, "HEAD")) == OS_FILE &&
	    os_kind(below(s, s->root, "objects")) == OS_FOLDER)
		return refuse_place(s, ARENA_CONCAT(arena, given, SV(" is a bare repository")),
		                    SV("give a clone of it"));
	if (os_kind(below(s, s->root, ".git")) == OS_ABSENT &&
	    git_would_add(arena, folder, below(s, s->root, "osm-gen.yaml"), &above))
		return refuse_place(
		    s, ARENA_CONCAT(arena, given, SV(" lies within the repository "), above),
		    SV("give that repository's root, or a folder outside of it"));
	return STATUS_OK;
}

static enum status find_keys(struct start *s)
{
	struct arena *arena = s->context->arena;
	sv config = environment("XDG_CONFIG_HOME");
	sv home = environment("HOME");
	sv real;

	s->keys = sv_trim_right(s->context->options->init.keys_folder, "/");
	if (sv_empty(s->keys)) {
		/* A relative one is invalid, by the XDG Base Directory Specification. */
		if (!sv_starts_with(config, SV("/")))
			config = sv_empty(home) ? SV("") : below(s, home, ".config");
		if (sv_empty(config))
			return refuse_place(
			    s, SV("the keys need a folder: HOME and XDG_CONFIG_HOME are not set"),
			    SV("name a folder outside of the repository: --keys DIR"));
		s->keys = ARENA_CONCAT(arena, config, SV("/osm-gen/"), sv_after_last(s->root, '/'));
	}
	if (!sv_starts_with(s->keys, SV("/")) && os_real_path(arena, SV("."), &real))
		s->keys = ARENA_CONCAT(arena, real, SV("/"), s->keys);
	if (s->has_settings)
		return STATUS_OK;
	real = key_place(arena, below(s, s->keys, "seed.txt"));
	if (sv_starts_with(real, ARENA_CONCAT(arena, s->root, SV("/")))) {
		struct diag *diag =
		    diag_report(s->context->sink, DIAG_KEY_FILE_PLACE, NOWHERE,
		                "the keys would lie in the repository, at %.*s", SV_ARG(s->keys));
		diag_set_help(s->context->sink, diag, "name a folder outside of it: --keys DIR");
		return STATUS_FAILED;
	}
	return key_check_place(s->context, below(s, s->keys, "seed.txt"));
}

/*
 * The folder of keys has a file for each repository that init made with them. Its name has that
 * repository's sealing.fleet, its content the repository's path.
 */
#define FLEET_PREFIX "fleet-"
#define FLEET_SUFFIX ".txt"

static enum status refuse_keys_of_others(struct start *s, sv other)
{
	struct arena *arena = s->context->arena;
	sv whose = sv_empty(other) ? SV("and are not known to be of this repository")
	                           : ARENA_CONCAT(arena, SV("for the repository "), other);

	return refuse_place(
	    s, ARENA_CONCAT(arena, SV("the keys in "), s->keys, SV(" were made before, "), whose),
	    ARENA_CONCAT(arena, SV("name a folder for new keys, such as --keys "), s->keys,
	                 SV("-2; only if both repositories shall have the same keys, name theirs: "
	                    "--keys "),
	                 s->keys));
}

/*
 * Finds the name that an interrupted init gave this fleet. Fails if the keys in the default folder,
 * whose name is only that of the repository's folder, are another repository's.
 */
static enum status find_fleet(struct start *s)
{
	enum { LONGEST_PATH = 64 * 1024 };
	struct arena *arena = s->context->arena;
	struct os_entries entries = {0};
	bool has_keys = false;
	sv other = {0};

	if (s->has_settings || os_kind(s->keys) != OS_FOLDER)
		return STATUS_OK;
	if (os_list_folder(arena, s->context->sink, s->keys, &entries) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &entries) {
		sv name = entry->path;
		sv repository;

		has_keys |= sv_eq(name, SV("seed.txt")) || sv_eq(name, SV("identity.txt"));
		if (!sv_starts_with(name, SV(FLEET_PREFIX)) ||
		    !sv_ends_with(name, SV(FLEET_SUFFIX)))
			continue;
		if (os_read_file(arena, s->context->sink,
		                 ARENA_CONCAT(arena, s->keys, SV("/"), name), LONGEST_PATH,
		                 &repository) != STATUS_OK)
			return STATUS_FAILED;
		repository = sv_trim_right(repository, "\n");
		if (sv_eq(repository, s->root))
			s->fleet =
			    sv_slice(name, strlen(FLEET_PREFIX), name.len - strlen(FLEET_SUFFIX));
		else
			other = repository;
	}
	if (has_keys && sv_empty(s->fleet) && sv_empty(s->context->options->init.keys_folder))
		return refuse_keys_of_others(s, other);
	return STATUS_OK;
}

/* Gives the fleet a random name, unless an interrupted init did. */
static enum status name_fleet(struct start *s)
{
	struct arena *arena = s->context->arena;
	char random[8];

	if (!sv_empty(s->fleet))
		return STATUS_OK;
	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		os_report_error(s->context->sink, errno, "read randomness from", SV("the system"));
		return STATUS_FAILED;
	}
	s->fleet = hex_encode(arena, sv_from(random, sizeof(random)));
	return os_write_new(
	    s->context->sink,
	    ARENA_CONCAT(arena, s->keys, SV("/" FLEET_PREFIX), s->fleet, SV(FLEET_SUFFIX)),
	    ARENA_CONCAT(arena, s->root, SV("\n")), OS_WRITE_PRIVATE);
}

/* Returns the path of a file of the example, without the example's folder. */
static sv example_path(const struct init_example_file *file)
{
	return sv_from_offset(sv_from_cstr(file->path), sizeof(INIT_EXAMPLE_FOLDER) - 1);
}

/* Returns true for files of init itself, so that an interrupted init can be completed. */
static bool is_ours(const struct start *s, sv path)
{
	for (size_t i = 0; i < init_file_count; i++)
		if (sv_eq_cstr(path, init_files[i].path))
			return true;
	for (size_t i = 0; s->context->options->init.example && i < init_example_file_count; i++)
		if (sv_eq(path, example_path(&init_example_files[i])))
			return true;
	return sv_eq(path, SV(SCHEMA_FILE)) || sv_eq(path, SV(EDITOR_FILE));
}

static enum status look_around(struct start *s)
{
	struct os_entries entries = {0};

	if (s->is_new)
		return STATUS_OK;
	if (os_list_tree(s->context->arena, s->context->sink, s->root, &entries) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &entries) {
		sv path = entry->path;

		if (sv_eq(path, SV(FLEET_SETTINGS_FILE)))
			s->has_settings = true;
		else if (!is_ours(s, path) &&
		         (sv_ends_with(path, SV(".yaml")) || sv_ends_with(path, SV(".yml")) ||
		          sv_ends_with(path, SV(".json"))))
			s->has_manifests = true;
	}
	if (s->context->options->init.example && (s->has_settings || s->has_manifests))
		return refuse_place(
		    s,
		    ARENA_CONCAT(s->context->arena, s->root, SV(" has "),
		                 s->has_settings ? SV(FLEET_SETTINGS_FILE) : SV("manifests")),
		    SV("give a new folder for the example"));
	return STATUS_OK;
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* Makes a key, or reads the one that an earlier init made. */
static enum status make_key(struct start *s, enum key_kind kind, const char *name, sv *ret_text)
{
	enum { MOST = 1024 * 1024 };
	sv path = below(s, s->keys, name);

	if (os_kind(path) != OS_ABSENT) {
		note_step(s, "kept", path);
		return os_read_file(s->context->secret_arena, s->context->sink, path, MOST,
		                    ret_text);
	}
	if (key_new(s->context, kind, ret_text) != STATUS_OK ||
	    key_write(s->context, path, *ret_text) != STATUS_OK)
		return STATUS_FAILED;
	note_step(s, "added", path);
	return STATUS_OK;
}

static enum status make_keys(struct start *s)
{
	sv seed;
	sv identity;

	if (s->has_settings)
		return STATUS_OK;
	if (os_make_folders(s->context->sink, s->keys) != STATUS_OK || name_fleet(s) != STATUS_OK ||
	    make_key(s, KEY_SEED, "seed.txt", &seed) != STATUS_OK ||
	    make_key(s, KEY_IDENTITY, "identity.txt", &identity) != STATUS_OK)
		return STATUS_FAILED;
	sv path = below(s, s->keys, "identity.txt");
	if (key_recipient(s->context, path, identity, &s->recipient) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_empty(s->recipient))
		return refuse_place(s,
		                    ARENA_CONCAT(s->context->arena, path, SV(" holds no identity")),
		                    SV("name another folder: --keys DIR"));
	return STATUS_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

static enum status add_start_file(struct start *s, sv path, sv text)
{
	sv whole = ARENA_CONCAT(s->context->arena, s->root, SV("/"), path);

	if (os_kind(whole) != OS_ABSENT) {
		note_step(s, "kept", path);
		return STATUS_OK;
	}
	if (os_make_folders(s->context->sink, folder_of(whole)) != STATUS_OK ||
	    os_write_new(s->context->sink, whole, text, OS_WRITE_PLAIN) != STATUS_OK)
		return STATUS_FAILED;
	note_step(s, "added", path);
	VEC_PUSH(s->context->arena, &s->added, path);
	return STATUS_OK;
}

/* Returns a manifest with a first line that names the schema to editors. */
static sv for_editors(struct arena *arena, sv path, sv text)
{
	struct buf line = buf_in(arena);

	buf_add(&line, SV("# yaml-language-server: $schema="));
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '/')
			buf_add(&line, SV("../"));
	buf_add(&line, SV(SCHEMA_FILE "\n"));
	return ARENA_CONCAT(arena, buf_sv(&line), text);
}

/* Replaces the placeholders in the text of a file. */
static sv filled_in(const struct start *s, sv path, sv text)
{
	struct arena *arena = s->context->arena;
	sv before;
	sv after;

	if (sv_cut(text, SV("@CONTRACT@"), &before, &after))
		text = ARENA_CONCAT(arena, before,
		                    arena_printf(arena, "%u", dialect_contract_newest()), after);
	while (sv_cut(text, SV(INIT_RECIPIENT), &before, &after))
		text = ARENA_CONCAT(arena, before, s->recipient, after);
	if (sv_contains(text, SV("kind: Fleet\n")) &&
	    sv_cut(text, SV(INIT_SEALING), &before, &after))
		text =
		    ARENA_CONCAT(arena, before, SV(INIT_SEALING),
		                 SV("    # Random: two fleets of one seed get different tokens by "
		                    "it. Do not change it.\n    fleet: \""),
		                 s->fleet, SV("\"\n"), after);
	if (s->context->options->init.editor && sv_ends_with(path, SV(".yaml")) &&
	    !sv_starts_with(path, SV(".")))
		text = for_editors(arena, path, text);
	return text;
}

/* Returns the text of a file of the example. */
static sv example_text(const char *path)
{
	for (size_t i = 0; i < init_example_file_count; i++)
		if (sv_eq_cstr(example_path(&init_example_files[i]), path))
			return (sv){init_example_files[i].text, init_example_files[i].len};
	BUG("init names a file that the example lacks");
}

/* Adds the example. osm-gen.yaml comes last, since it marks a complete repository. */
static enum status add_example(struct start *s)
{
	const sv last = SV(FLEET_SETTINGS_FILE);

	for (size_t i = 0; i < init_example_file_count; i++) {
		const struct init_example_file *file = &init_example_files[i];
		sv path = example_path(file);

		if (!sv_eq(path, last) &&
		    add_start_file(s, path, filled_in(s, path, (sv){file->text, file->len})) !=
		        STATUS_OK)
			return STATUS_FAILED;
	}
	return add_start_file(s, last, filled_in(s, last, example_text(FLEET_SETTINGS_FILE)));
}

/* Adds what editors check manifests by. Other editors read the first lines of manifests. */
static enum status add_editor(struct start *s)
{
	static const char settings[] = "{\n"
	                               "  \"yaml.schemas\": {\n"
	                               "    \"./" SCHEMA_FILE "\": [\"**/*.yaml\", \"**/*.yml\"]\n"
	                               "  }\n"
	                               "}\n";
	struct buf schema = buf_in(s->context->arena);

	schema_add_all(&schema);
	if (add_start_file(s, SV(SCHEMA_FILE), buf_sv(&schema)) != STATUS_OK)
		return STATUS_FAILED;
	return add_start_file(s, SV(EDITOR_FILE), sv_from_cstr(settings));
}

static enum status add_start_files(struct start *s)
{
	bool lacks_example = s->has_manifests || s->has_settings;

	if (s->context->options->init.editor && add_editor(s) != STATUS_OK)
		return STATUS_FAILED;
	if (s->context->options->init.example)
		return add_example(s);
	for (size_t i = 0; i < init_file_count; i++) {
		const struct init_file *file = &init_files[i];
		sv text = file->text ? sv_from_cstr(file->text) : example_text(file->path);

		if ((file->when == INIT_EXAMPLE && lacks_example) ||
		    (file->when == INIT_ALWAYS && s->has_settings))
			continue;
		sv path = sv_from_cstr(file->path);
		if (add_start_file(s, path, filled_in(s, path, text)) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status make_repository(struct start *s)
{
	if (os_kind(below(s, s->root, ".git")) != OS_ABSENT)
		return STATUS_OK;
	if (s->is_new && os_make_folders(s->context->sink, s->root) != STATUS_OK)
		return STATUS_FAILED;
	if (git_init(s->context->arena, s->context->sink, s->root) != STATUS_OK)
		return STATUS_FAILED;
	note_step(s, "added the repository", s->root);
	return STATUS_OK;
}

/* ---- the report ----------------------------------------------------------------------------- */

static struct value init_tree(const struct start *s)
{
	struct arena *arena = s->context->arena;
	bool example = s->context->options->init.example;

	return VALUE_MAP(
	    arena, {"steps", s->steps},
	    {"added", value_strings(arena, s->added.items, s->added.count)},
	    {"root", value_string(s->root)}, {"seed", value_string(below(s, s->keys, "seed.txt"))},
	    {"identity", value_string(below(s, s->keys, "identity.txt"))},
	    {"isNew", value_bool(s->is_new)}, {"isExample", value_bool(example)},
	    {"hasSettings", value_bool(s->has_settings)},
	    {"hasManifests", value_bool(s->has_manifests)},
	    {"hasRules", value_bool(os_kind(below(s, s->root, FLEET_SOPS_FILE)) != OS_ABSENT)});
}

int command_init(struct context *context)
{
	struct start s = {.context = context, .steps = value_list_new(context->arena)};
	struct buf progress = buf_in(context->arena);
	struct buf next = buf_in(context->arena);

	if (find_root(&s, context->options->arguments.items[0]) != STATUS_OK ||
	    look_around(&s) != STATUS_OK || find_keys(&s) != STATUS_OK ||
	    find_fleet(&s) != STATUS_OK || make_keys(&s) != STATUS_OK ||
	    make_repository(&s) != STATUS_OK || add_start_files(&s) != STATUS_OK)
		return 3;
	struct value root = init_tree(&s);
	report_form(&progress, "init", REPORT_TERMINAL, &root);
	report_form(&next, "init_next", REPORT_SHELL, &root);
	if (!context->options->print.quiet)
		print_err(buf_sv(&progress));
	return print_out(context, buf_sv(&next)) == STATUS_OK ? 0 : 3;
}
