/*
 * kustomize: makes manifests of a kustomization in the commit, with kustomize's own program.
 *
 * Whoever opens a pull request may write any kustomization, and kustomize fetches, reads and, with
 * plugins, runs what it is asked to. So it gets a private folder with copies of only those files of
 * the commit that the kustomization uses, and it runs only after all of the kustomization's files
 * were read here and nothing was found in them but known members and paths that lead to files of
 * the commit. Refused are remote bases and files, Helm charts, plugins (generators, transformers
 * and validators that kustomize itself does not carry), paths out of the repository, symbolic
 * links, members that osm-gen does not know, and encrypted files that a generator would wrap. The
 * program has no network where the system allows to take it away, no variables, and bounds on time,
 * memory and output.
 *
 *   read.c      finds all files that a kustomization uses
 *   member.c    the members of a kustomization, and what each may name
 *   plugin.c    entries of generators, transformers and validators
 *   generator.c the files that generators wrap
 *   use.c       one file or folder that is named, or refused
 *   program.c   finds the program, its version and its digest
 *   build.c     lays the files out, and runs the program
 *   place.c     from a place in an object to the place in the commit
 *   objects.c   takes its output apart: one text an object, with the file that it comes from
 *
 * Origins
 *   The private copy of the outermost kustomization has `buildMetadata: [originAnnotations]`, so
 *   that kustomize names the file of each object in the annotation config.kubernetes.io/origin. It
 *   is removed from the result, unless the kustomization asks for it itself.
 *
 * Encrypted objects
 *   Nothing is decrypted here. A SOPS file passes through kustomize like any other; kustomize may
 *   change the object's metadata, which breaks its MAC. The result names the document of the
 *   commit's file that has the same encrypted values, to be opened in place of the object.
 */
#ifndef OSM_GEN_KUSTOMIZE_KUSTOMIZE_H
#define OSM_GEN_KUSTOMIZE_KUSTOMIZE_H

#include "os/os.h"
#include "seal/seal.h"
#include "shape/shape.h"
#include "yaml/yaml.h"

/* ---- kustomizations ---------------------------------------------------------------------- */

enum { KUSTOMIZE_FILE_NAMES = 3 };
/* The names that a kustomization may have. */
extern const sv kustomize_file_names[KUSTOMIZE_FILE_NAMES];

/* Lists of a kustomization, by what their entries are; several members may have the same. */
enum kustomize_entries {
	KUSTOMIZE_RESOURCE_ENTRIES = SHAPE_OWN, /* files and folders; components are among them */
	KUSTOMIZE_COMPONENT_ENTRIES = SHAPE_OWN << 1, /* folders */
	KUSTOMIZE_PATCH_ENTRIES = SHAPE_OWN << 2, /* files, YAML, or maps with `path` or `patch` */
	KUSTOMIZE_REPLACEMENT_ENTRIES = SHAPE_OWN << 3,
	KUSTOMIZE_LAST_ENTRIES = KUSTOMIZE_REPLACEMENT_ENTRIES,
};

/* A walk through entries of a kustomization, which may be any value. */
struct kustomize_walk {
	const struct value *root;
	enum kustomize_entries of;
	size_t member; /* of the next entry */
	size_t item;
};
/* Returns the next entry, member by member, or null after the last one. */
const struct value *kustomize_next_entry(struct kustomize_walk *walk);
/* Returns true for an entry that is YAML itself, and not a path. */
bool kustomize_is_inline(sv text);

/* ---- reading ----------------------------------------------------------------------------- */

enum kustomize_kind { KUSTOMIZE_ABSENT, KUSTOMIZE_FILE, KUSTOMIZE_LINK, KUSTOMIZE_OTHER };

/* The files of the commit. Paths are relative to the root. */
struct kustomize_tree {
	void *context;
	enum kustomize_kind (*kind)(void *context, sv path);
	/* Returns false if the file cannot be read. The text must live as long as the result. */
	bool (*read)(void *context, sv path, sv *ret_text);
	struct quota *values; /* charged for the values of what is read; may be null */
};

enum kustomize_role {
	KUSTOMIZE_KUSTOMIZATION,
	KUSTOMIZE_RESOURCE, /* its objects are in the result */
	KUSTOMIZE_PATCH,
	KUSTOMIZE_DATA, /* what a generator wraps, or a list of fields */
};

struct kustomize_file {
	sv path;
	enum kustomize_role role;
	const struct source *source;
	struct yml_documents documents; /* none for KUSTOMIZE_DATA */
	bool is_sealed;                 /* a document is encrypted */
};

/* A kustomization and all files that it uses. */
struct kustomize_inputs {
	sv folder;          /* empty for the root */
	struct position at; /* where `kustomize: DIR` is */
	const struct kustomize_file *top;
	struct map files; /* struct kustomize_file by path, in the order in which they were found */
	bool keeps_origins; /* the kustomization itself asks for the annotation */
};

/*
 * Reads the kustomization of a folder, and all that it uses. `at` is where its folder is named.
 * Fails if anything in it must not run (DIAG_KUSTOMIZE_REFUSED, DIAG_KUSTOMIZE_SECRET) or cannot be
 * parsed. *ret_inputs is set in any case, to the files that were found so far. Values go to
 * `secret_arena`, as any file may hold secrets.
 */
MUST_CHECK enum status kustomize_read(struct arena *arena, struct arena *secret_arena,
                                      struct sink *sink, const struct kustomize_tree *tree,
                                      sv folder, struct position at,
                                      struct kustomize_inputs *ret_inputs);

/* ---- the program ------------------------------------------------------------------------- */

struct kustomize_program {
	sv path;
	sv digest;       /* SHA-256 of its file, 64 hex digits */
	sv version;      /* empty until kustomize_ask_version */
	bool is_kubectl; /* `kubectl kustomize` in place of `kustomize build` */
	sv folder;       /* that private folders are made in */
	/* The time that all its runs together may still take. */
	uint64_t left_ms;
};

/* The time for all runs of a program: for the first cluster, and for each further one. */
enum { KUSTOMIZE_MS = 60 * 1000, KUSTOMIZE_MS_MORE = 5 * 1000 };

/*
 * Finds kustomize, or else kubectl, in the folders of PATH that are not in `untrusted`. Returns
 * false if there is neither, or if its file cannot be read. `path` and `folder` are the variables
 * PATH and TMPDIR, which may be empty.
 */
bool kustomize_find_program(struct arena *arena, sv path, sv folder, sv untrusted,
                            struct kustomize_program *ret_program);
/* Runs the program once for its version, in its own words. Signals must be held. */
MUST_CHECK enum status kustomize_ask_version(struct arena *arena, struct sink *sink,
                                             struct kustomize_program *program);

/* ---- building ---------------------------------------------------------------------------- */

/* One object of the result. */
struct kustomize_object {
	sv text; /* one document of YAML */
	/* The file that it comes from; for one that a generator made, the kustomization. */
	const struct kustomize_file *origin;
	/* For an encrypted object: the number of its document among the encrypted ones of `origin`.
	 */
	bool is_sealed;
	size_t sealed_number;
};
VEC_TYPE(kustomize_objects_made, struct kustomize_object);

/*
 * Runs the program and takes its output apart. Fails if it fails, or exceeds a bound
 * (DIAG_KUSTOMIZE_FAILED), or if it changes encrypted values (DIAG_KUSTOMIZE_SECRET). Texts go to
 * `secret_arena`. Signals must be held.
 */
MUST_CHECK enum status kustomize_build(struct arena *arena, struct arena *secret_arena,
                                       struct sink *sink, const struct kustomize_inputs *inputs,
                                       struct kustomize_program *program,
                                       struct kustomize_objects_made *ret_objects);

/* ---- places ------------------------------------------------------------------------------ */

/*
 * Returns the place in the commit that a place in the object's text comes from: in the patch that
 * has the value, or else in the object's file. *ret_is_exact is false if neither has the value,
 * because kustomize made it of several; the place is then the nearest one in the object's file.
 * `offset` is SV_NPOS for the object as a whole.
 *
 * CIRCLE: walk: values are nested.
 */
struct position kustomize_place(struct arena *arena, const struct kustomize_inputs *inputs,
                                const struct kustomize_object *object, size_t offset,
                                bool *ret_is_exact);

#endif
