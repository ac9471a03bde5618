/*
 * Private to kustomize/.
 */
#ifndef OSM_GEN_KUSTOMIZE_INTERNAL_H
#define OSM_GEN_KUSTOMIZE_INTERNAL_H

#include "kustomize/kustomize.h"

/* Bounds of one kustomization, far above real ones. */
enum { KUSTOMIZE_MAX_FILES = 20000, KUSTOMIZE_MAX_FOLDERS = 1000 };

#define KUSTOMIZE_ORIGIN "config.kubernetes.io/origin"

struct kustomize_reader {
	struct arena *arena;
	struct arena *secret_arena; /* of values */
	struct sink *sink;
	const struct kustomize_tree *tree;
	struct kustomize_inputs *inputs;
	VEC(sv) folders; /* of kustomizations, in the order in which they were named */
	struct set known_folders;
	VEC(struct position) named_at; /* of each folder */
};

/* ---- use.c ------------------------------------------------------------------------------- */

/* Returns true if the path, or a folder on its way, is a symbolic link. */
bool kustomize_is_link(struct kustomize_reader *r, sv path);
/* Reports DIAG_KUSTOMIZE_REFUSED. `text` is the whole message. Returns it, for a help. */
struct diag *kustomize_refuse(struct kustomize_reader *r, struct position at, sv text);
/*
 * Makes a path that a kustomization in `folder` names one from the root. Reports a path that it
 * must not name, and returns false then.
 */
bool kustomize_locate(struct kustomize_reader *r, sv folder, struct position at, sv path,
                      sv *ret_path);
/* Adds a file. Returns null if it cannot be read or parsed, which is reported. */
struct kustomize_file *kustomize_add_file(struct kustomize_reader *r, struct position at, sv path,
                                          enum kustomize_role role);
/* Adds a folder, to be read later; once, however often it is named. */
void kustomize_add_folder(struct kustomize_reader *r, sv folder, struct position at);
/*
 * Adds the file that a kustomization in `folder` names. Returns null if it must not name it, or if
 * the file cannot be parsed, which is reported.
 */
const struct kustomize_file *kustomize_use_file(struct kustomize_reader *r, sv folder,
                                                const struct value *path, enum kustomize_role role);
/* Does the same for a path that is a part of the value: "key=path". */
const struct kustomize_file *kustomize_use_path(struct kustomize_reader *r, sv folder,
                                                const struct value *at, sv path,
                                                enum kustomize_role role);
/* Adds a file, or the kustomization of a folder. */
void kustomize_use_resource(struct kustomize_reader *r, sv folder, const struct value *path);

/* ---- generator.c ------------------------------------------------------------------------- */

/* Uses the files of a generator: `files`, `envs`, `env`. `generator` is a map. */
void kustomize_read_generator(struct kustomize_reader *r, sv folder, const struct value *generator);
/* Uses the file that the member `path` of a map names, if it has one. */
void kustomize_read_path(struct kustomize_reader *r, sv folder, const struct value *map,
                         enum kustomize_role role);
/* Reads a patch, or an entry like one: a path, a map with `path`, or YAML itself. */
void kustomize_read_patch(struct kustomize_reader *r, sv folder, const struct value *item);

/* ---- member.c ---------------------------------------------------------------------------- */

/* Reads all members of a kustomization: uses the files that they name, and refuses others. */
void kustomize_read_members(struct kustomize_reader *r, const struct kustomize_file *file);

/* ---- plugin.c ---------------------------------------------------------------------------- */

/* Reads an entry of generators, transformers or validators: a path, or YAML. */
void kustomize_read_plugin(struct kustomize_reader *r, sv folder, const struct value *entry);

/* ---- program.c --------------------------------------------------------------------------- */

/*
 * Runs the program with its bounds, in `folder`, without variables. *ret_ended may have any exit
 * status.
 */
MUST_CHECK enum status kustomize_run(struct arena *arena, struct sink *sink,
                                     struct kustomize_program *program, sv folder,
                                     const sv *arguments, size_t count, struct os_ended *ret_ended);

/* ---- objects.c --------------------------------------------------------------------------- */

/* Takes the program's output apart. */
MUST_CHECK enum status kustomize_take_apart(struct arena *arena, struct arena *secret_arena,
                                            struct sink *sink,
                                            const struct kustomize_inputs *inputs, sv output,
                                            struct kustomize_objects_made *ret_objects);

#endif
