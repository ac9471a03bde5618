/*
 * kube: Kubernetes objects as far as osm-gen reads and writes them: identity, Lists, lookup,
 * Secrets, ConfigMaps, kubeconfigs.
 *
 * Objects are values (value.h). This module parses no manifests, only documents inside objects (a
 * kubeconfig in a ConfigMap).
 */
#ifndef OSM_GEN_KUBE_KUBE_H
#define OSM_GEN_KUBE_KUBE_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/text.h"
#include "value/value.h"

/* ---- identity ---------------------------------------------------------------------------- */

struct kube_id {
	sv api_version; /* "v1", "cluster.k8s.io/v1alpha1" */
	sv kind;
	sv namespace; /* empty for an object without a namespace */
	sv name;
};

/* The memory of the values of objects. It is given back once all of them are forgotten. */
struct kube_memory {
	struct arena *arena;
	size_t object_count; /* number of objects that are not forgotten */
};

/* The root of a closed object. Looking into it is a mistake, which ends the program. */
#define KUBE_CLOSED ((struct value *)64) /* NOLINT */

/* One object of a manifest. */
struct kube_object {
	struct kube_id id;
	struct value *root;         /* null once the object is forgotten; or KUBE_CLOSED */
	struct kube_memory *memory; /* memory of root, not of the id; null if root is kept */
	const char *packed; /* root in little memory (value_pack); null if it is always open */
	struct position at; /* of a forgotten or a packed object */
	const struct source *source;
	/* Decrypted by this program, or from --secrets: every string of root is tainted already. */
	bool confidential;
	/* Known to have no credential in the clear; false if nobody has looked. */
	bool has_no_credential;
	/* Given outside of git (--secrets): takes precedence over the commit's object of that name.
	 */
	bool external;
	/* The manifest's object that a dialect made this one of (struct dialect, derive); or null.
	 */
	const struct kube_object *made_of;
};

/*
 * Reads the identity of a decoded document. Fails if it is not a map, if apiVersion, kind or
 * metadata.name is missing, empty or not a string, or if the API server would refuse the name (RFC
 * 1123 subdomain, at most 253 bytes). An object of a namespaced kind that osm-gen knows gets the
 * namespace "default" if it names none, as with kubectl.
 */
enum status kube_object_read(struct arena *arena, struct sink *sink, const struct source *source,
                             struct value *root, struct kube_object *ret_object) MUST_CHECK;

/*
 * Forgets the values of an object that nobody looks into any more, if it is packed, or has memory
 * of its own or with other objects. Its identity, source and position stay. Call it once, on one
 * thread at a time.
 */
void kube_object_forget(struct kube_object *object);

/*
 * Packs an object, which is then closed: it has its identity, source and position, but no values.
 * kube_object_open has them again until kube_object_close. A large fleet has far more manifests
 * than anybody looks at in one moment. `secret_arena` outlives the object, `scratch` does not.
 * Returns false, with the object as it was, if it cannot be packed.
 */
bool kube_object_pack(struct arena *secret_arena, struct arena *scratch,
                      struct kube_object *object);
/*
 * Opens an object if it is packed and closed; its values are in the arena. Nobody else may look at
 * the object meanwhile, apart from its identity, source and name. Returns true if it is to be
 * closed.
 */
bool kube_object_open(struct arena *secret_arena, const struct kube_object *object);
void kube_object_close(const struct kube_object *object);

/* Return the object's name for messages: "MachineDeployment kube-system/workers", "Namespace a". */
sv kube_id_describe(struct arena *arena, const struct kube_id *id);
sv kube_object_describe(struct arena *arena, const struct kube_object *object);
/* Returns the position of the object's name. */
struct position kube_object_position(const struct kube_object *object);
/* Compares by kind, namespace, name, apiVersion. */
int kube_id_compare(const struct kube_id *a, const struct kube_id *b);
/*
 * Returns true for the name of an annotation or a label that belongs to a program that applies
 * objects (Argo CD, Helm, Flux, kapp, Rancher, Config Sync, kubectl's applyset).
 */
bool kube_is_of_applier(sv name);

/* A program that applies objects, and the traces that it leaves on them. */
struct kube_applier {
	const char *name;  /* with the kind of its source: "Helm release" */
	sv mark;           /* "annotation NAME" or "label NAME": the source's name; or empty */
	sv namespace_mark; /* likewise: the source's namespace; may be empty */
	bool has_object_in_name; /* the mark has the object's own name, too */
	bool has_no_name;        /* the mark does not name a source, and other programs leave it */
	const char *managers[2]; /* its names in managedFields */
	const char *hand_over;   /* how to take objects from it without deleting them */
};
/* The trace of the program that applies a live object. */
struct kube_trace {
	const struct kube_applier *applier;
	sv mark;             /* empty if `manager` is the trace */
	sv manager;          /* in managedFields; else empty */
	sv source_namespace; /* may be empty */
	sv source_name;      /* the release, Application, ...; may be empty */
};
/* Finds the program that applies a live object. Returns false if it left no trace. */
bool kube_find_trace(const struct kube_object *object, struct kube_trace *ret_trace);
/* True for a name that the API server accepts for an object (RFC 1123 subdomain). */
bool kube_name_valid(sv name);

/* ---- Lists ------------------------------------------------------------------------------- */

/* How many Lists may be nested in each other. */
#define KUBE_LISTS_DEEP 8

enum kube_list_mistake {
	KUBE_LIST_TOO_DEEP, /* at the innermost List */
	KUBE_LIST_ITEMS,    /* `items` is neither missing nor a list; at its value */
};

/*
 * Reads an object that may be a List: of kind List or, as in MachineDeploymentList, of a kind that
 * ends so, with other objects in `items`, which may be Lists themselves.
 */
struct kube_list_reader {
	struct arena *arena; /* of the values */
	void *context;       /* for the functions */
	/*
	 * Returns true if the object is a List whose items are to be read. In *ret_item it may set
	 * the kind and the apiVersion of items that do not name a kind. `depth` is the number of
	 * Lists around the object. Null for every List (kube_is_list).
	 */
	bool (*is_list)(void *context, const struct value *root, unsigned depth,
	                struct kube_id *ret_item);
	/* Gets each object that is_list returns false for, in order; it may be of any type. */
	void (*take)(void *context, struct value *object, unsigned depth);
	/* Reports a List whose items cannot be read; null to pass it over. */
	void (*report)(void *context, enum kube_list_mistake mistake, const struct value *at);
};
void kube_list_read(const struct kube_list_reader *reader, struct value *root);
/*
 * Parses what kubectl prints, JSON if the text begins with "{" and YAML if not, and calls
 * kube_list_read for each document that has a value. Fails if it cannot be parsed.
 */
MUST_CHECK enum status kube_list_read_printed(struct sink *sink,
                                              const struct kube_list_reader *reader,
                                              const struct source *source);
/* Returns true for each kind that ends with List; its items are of that kind without the ending. */
bool kube_is_list(const struct value *root, struct kube_id *ret_item);

/* ---- lookup ------------------------------------------------------------------------------ */

/* An object from which a controller makes a Secret in the cluster: an ExternalSecret. */
struct kube_maker {
	struct kube_id id; /* of the Secret */
	sv kind;           /* of the object itself */
	struct position at;
};
VEC_TYPE(kube_makers, struct kube_maker);

/*
 * A set of objects, found by kind, namespace and name. Sets form a chain of scopes: an object that
 * the nearer one lacks is looked up in the farther one (the cluster's, then the shared one). Filled
 * by one thread, then read by many.
 */
struct kube_objects {
	struct arena *arena;
	const struct kube_objects *farther; /* may be null */
	struct map by_id;   /* const struct kube_object * by "Kind\0namespace\0name\0" */
	struct map by_kind; /* struct kube_object_list *, sorted; of a set that is complete */
	VEC(struct kube_id) names; /* of objects that exist and were not read */
	struct set failed;         /* those that could not be decrypted, by the same key */
	bool hides;                /* a file with unknown objects could not be decrypted */
	struct kube_makers makers; /* of Secrets that only the cluster has */
	bool is_complete;          /* Secrets from outside of the commit were read (--secrets) */
	bool has_unopened; /* a file with unknown objects was not decrypted, as in validate */
};

void kube_objects_init(struct arena *arena, struct kube_objects *objects,
                       const struct kube_objects *farther);
/*
 * Adds an object and returns null. If the set has one of the same kind, namespace and name, returns
 * that, and keeps the external one of the two, or else the first. The caller reports two that are
 * both external, or both not.
 */
const struct kube_object *kube_objects_add(struct kube_objects *objects,
                                           const struct kube_object *object);
/* Sorts the objects, for kube_objects_of_kind. Call it when all have been added. */
void kube_objects_complete(struct kube_objects *objects);
/* Returns null if neither this scope nor a farther one has the object. */
const struct kube_object *kube_objects_find(const struct kube_objects *objects, sv kind,
                                            sv namespace, sv name);
/* Returns ConfigMap kube-public/cluster-info, which has the API server's address, or null. */
const struct kube_object *kube_objects_cluster_info(const struct kube_objects *objects);

/*
 * Adds the name of an object that is not read: an encrypted one that nothing refers to, or that
 * could not be decrypted.
 */
void kube_objects_add_name(struct kube_objects *objects, const struct kube_id *id);
/* Adds the name of an object that could not be decrypted, for a reason that was reported. */
void kube_objects_add_failed(struct kube_objects *objects, const struct kube_id *id);
/*
 * True if a missing object needs no report of its own: the object of that name could not be
 * decrypted, or a file that hides its objects' kinds could not, and the object may be in there.
 * Both were reported.
 */
bool kube_objects_is_failed(const struct kube_objects *objects, sv kind, sv namespace, sv name);
/* The same if it is not known which object is missing. */
bool kube_objects_any_failed(const struct kube_objects *objects);
/* True if there is an object of that name that was not read. */
bool kube_objects_has_unread(const struct kube_objects *objects, sv kind, sv namespace, sv name);
/*
 * Returns the object that a missing name may have meant, as "NAMESPACE/NAME": one of the same name
 * in another namespace, or of a similar name in this one. Returns an empty string if there is none.
 */
sv kube_objects_nearest(struct arena *arena, const struct kube_objects *objects, sv kind,
                        sv namespace, sv name);

/*
 * Sets the help for a missing object: the object that makes it in the cluster, or a similar one,
 * and where to put it.
 */
void kube_objects_help_missing(struct arena *arena, struct sink *sink, struct diag *diag,
                               const struct kube_objects *objects, const struct kube_id *id);
/*
 * For runs without keys. Returns true if `generate` may have a Secret that is missing here, since
 * no Secrets from outside of the commit were read. The caller then uses a placeholder. Warns of it
 * (DIAG_SECRET_OUTSIDE) at `at`, the place that refers to it, unless a file that was not decrypted
 * may have it. If it returns false, the Secret is missing for `generate`, too.
 */
bool kube_secret_may_come(struct arena *arena, struct sink *sink,
                          const struct kube_objects *objects, sv namespace, sv name,
                          struct position at);
/*
 * The same if it is not known which Secret is missing. The caller warns, unless *ret_is_reported:
 * a file that was not decrypted may have it.
 */
bool kube_secrets_may_come(const struct kube_objects *objects, bool *ret_is_reported);

VEC_TYPE(kube_object_list, const struct kube_object *);
/* Open or close all objects of a list. */
void kube_object_list_open(struct arena *secret_arena, const struct kube_object_list *list);
void kube_object_list_close(const struct kube_object_list *list);
/*
 * Returns all objects of a kind, sorted by namespace and name, including those of farther scopes
 * that no nearer object hides.
 */
struct kube_object_list kube_objects_of_kind(struct arena *arena,
                                             const struct kube_objects *objects, sv kind);
/* Returns those of this scope alone. The set must be complete; the list belongs to it. */
const struct kube_object_list *kube_objects_own_of_kind(const struct kube_objects *objects,
                                                        sv kind);

/* ---- Secrets and ConfigMaps -------------------------------------------------------------- */

/* Returns "NAMESPACE/NAME:KEY", the name of a secret in messages and redactions. */
sv kube_secret_name(struct arena *arena, sv namespace, sv name, sv key);
/* Returns a placeholder for a value of a Secret or ConfigMap (secrecy_absent). */
struct value kube_absent_value(struct arena *arena, sv namespace, sv name, sv key);

/* Returns the Secret's type, or "Opaque" if it names none. */
sv kube_secret_type(const struct kube_object *secret);

/* The namespace and the prefix of the name by which the API server finds bootstrap tokens. */
#define KUBE_TOKEN_NAMESPACE "kube-system"
#define KUBE_TOKEN_PREFIX    "bootstrap-token-"
/* The group of every bootstrap token. */
#define KUBE_BOOTSTRAPPERS "system:bootstrappers"

/* Returns true for the Secret of a bootstrap token, by its namespace and name. */
bool kube_secret_may_be_token(const struct kube_object *object);

/* The keys of data and stringData, sorted and without duplicates. */
struct kube_keys {
	sv *items;
	size_t count;
};
struct kube_keys kube_secret_keys(struct arena *arena, const struct kube_object *secret);
bool kube_secret_has(const struct kube_object *secret, sv key);
/* True if neither data nor stringData has a member. */
bool kube_secret_is_empty(const struct kube_object *secret);
/*
 * True if the cluster fills the Secret later: it is empty, or it is a ServiceAccount's token
 * Secret, which a controller of Kubernetes completes, and lacks the key.
 */
bool kube_secret_is_unfilled(const struct kube_object *secret, sv key);
/*
 * Returns one value of a Secret as a decoded string, all of it tainted by a new struct secret named
 * by kube_secret_name. stringData takes precedence over data, as in the API server. Fails if the
 * key is missing (reported at `wanted`, the place that refers to it, with a similar key), or if the
 * value is not a string or not base64.
 */
enum status kube_secret_value(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, sv key, struct position wanted,
                              struct value *ret_string) MUST_CHECK;
/* Returns one value of a ConfigMap (data, else binaryData), with the taint that it has there. */
enum status kube_config_map_value(struct arena *arena, struct sink *sink,
                                  const struct kube_object *config_map, sv key,
                                  struct position wanted, struct value *ret_string) MUST_CHECK;

/* ---- machines ---------------------------------------------------------------------------- */

/*
 * Returns spec.replicas of a MachineDeployment of any system; -1 if it is missing, or not a number
 * that the API server takes: from 0 to 2^31-1.
 */
int64_t kube_replicas(const struct value *root);

/* ---- schema ------------------------------------------------------------------------------ */

/*
 * Reads members of a custom resource and checks them as an API server does. Mistakes are reported
 * at their place and set `failed`, so that a reader goes on and finds the others.
 */
struct shape_problem;
struct schema_terms {
	enum diag_code wrong;   /* of mistakes */
	enum diag_code unknown; /* of unknown members; a warning */
	const char *what;       /* the object, for messages: "the profile" */
};
struct schema {
	struct arena *arena;
	struct sink *sink;
	const struct schema_terms *terms;
	bool failed;
};
/*
 * Reports a problem that the reader of a shape found: an unknown or missing member, a value of a
 * wrong type, or a string that is not a choice. `subject` is the value in words ("a file"), or the
 * map that has the unknown member. Members with one of the flags `hidden` are not proposed.
 */
struct diag *schema_report(struct schema *schema, const struct shape_problem *problem, sv subject,
                           unsigned hidden);
/* Does the same for values that messages call as their members, and items as their shapes (one). */
void schema_report_named(struct schema *schema, const struct shape_problem *problem);

/* ---- kubeconfig -------------------------------------------------------------------------- */

/* The members of a kubeconfig's cluster that client-go writes again (docs/spec/controller.md 5.1).
 */
struct kube_config_cluster {
	sv name;
	struct value certificate_authority;      /* strings; VALUE_INVALID if missing */
	struct value certificate_authority_data; /* decoded */
	struct value proxy_url;
	struct value server;
	struct value tls_server_name;
	bool disable_compression;
	bool insecure_skip_tls_verify;
	struct value extensions; /* list of {extension, name}, sorted by name */
};

struct kube_config {
	struct position at;                   /* of the string that holds it */
	struct kube_config_cluster *clusters; /* as listed */
	size_t cluster_count;
	struct value extensions; /* of the top level; a list as in a cluster */
	bool preferences_colors;
	struct value preferences_extensions;
	sv api_version; /* "v1" if the kubeconfig has none */
	sv kind;        /* "Config" likewise */
};

/*
 * Reads a kubeconfig (YAML or JSON) as client-go's clientcmd does: with case-sensitive keys,
 * YAML 1.1 scalars, and without unknown keys. Fails if it is not YAML, is of another kind, has bad
 * base64, two clusters or extensions of one name, or another type where a string is expected, or if
 * a kept value has characters that the controller cannot write again. Users and contexts are
 * checked but not kept. Mistakes are reported at their place in the manifest that holds `text`.
 */
enum status kube_config_parse(struct arena *arena, struct sink *sink, const struct value *text,
                              struct kube_config *ret_config) MUST_CHECK;
/*
 * Makes the kubeconfig that a kubelet bootstraps with, as sigs.k8s.io/yaml writes it: clusters[0]
 * renamed to "c", one context "c", and one user "c" with the token, if there is any
 * (docs/spec/controller.md 5.1). The token's bytes are tainted. Fails if the token, the server or
 * an extension has a control character.
 */
enum status kube_config_bootstrap(struct arena *arena, struct sink *sink,
                                  const struct kube_config *config, const struct value *token,
                                  struct value *ret_text) MUST_CHECK;

/* ---- building ---------------------------------------------------------------------------- */

/*
 * Returns a new object with the keys apiVersion, kind, metadata {name, namespace, labels,
 * annotations}, in this order; the caller adds those of the kind. labels and annotations are maps
 * of strings, copied in their order; null or empty ones are left out.
 */
struct value kube_object_new(struct arena *arena, const struct kube_id *id,
                             const struct value *labels, const struct value *annotations);

struct kube_secret_request {
	sv namespace;
	sv name;
	sv type;                         /* left out if empty */
	bool is_immutable;               /* left out if false */
	const struct value *labels;      /* may be null */
	const struct value *annotations; /* may be null */
	const struct value *data;        /* map of strings, not yet base64 */
};
/*
 * Returns a new Secret with type, immutable and data. The strings of data are base64-encoded here,
 * with sorted keys, and stay tainted. Strings without a taint are encoded too: sealing encrypts all
 * of data.
 */
struct value kube_secret_new(struct arena *arena, const struct kube_secret_request *request);
struct value kube_namespace_new(struct arena *arena, sv name, const struct value *annotations);
/* A rule of a Role. Words are separated by commas. */
struct kube_rule {
	const char *groups; /* "" for the core group, ",events.k8s.io" for that and another */
	const char *resources;
	const char *verbs;
	const sv *names; /* of objects; null for all */
	size_t name_count;
};
struct kube_role_request {
	sv namespace; /* empty for a ClusterRole */
	sv name;
	const struct value *annotations; /* may be null */
	const struct kube_rule *rules;
	size_t rule_count;
};
/* Returns a new Role or ClusterRole. */
struct value kube_role_new(struct arena *arena, const struct kube_role_request *request);
/* Returns a new Role that allows `get` on the named Secrets of its namespace. */
struct value kube_secret_reader_role_new(struct arena *arena, sv namespace, sv name,
                                         const struct value *annotations, const sv *secret_names,
                                         size_t secret_count);
struct kube_subject {
	sv name;
	bool is_group; /* else a user */
};
struct kube_binding_request {
	sv namespace; /* empty for a ClusterRoleBinding of a ClusterRole */
	sv name;
	sv role;
	const struct value *annotations; /* may be null */
	const struct kube_subject *subjects;
	size_t subject_count;
};
/* Returns a new RoleBinding or ClusterRoleBinding. */
struct value kube_binding_new(struct arena *arena, const struct kube_binding_request *request);

/* Returns the id of a bootstrap token ("ID.SECRET"). It is public: it names the user and the
 * Secret.
 */
sv kube_token_id(const struct value *token);
struct kube_token_request {
	const struct value *token;
	sv owner;                        /* for its description */
	sv groups;                       /* auth-extra-groups; left out if empty */
	sv expiration;                   /* RFC 3339; left out if empty */
	const struct value *labels;      /* may be null */
	const struct value *annotations; /* may be null */
};
/*
 * Returns the Secret that makes a bootstrap token known to the API server. Its keys differ with the
 * request.
 */
struct value kube_token_secret_new(struct arena *arena, const struct kube_token_request *request);
/* Returns the identity of an object that was built here. */
struct kube_id kube_id_of(const struct value *object);

/* ---- variable.c -------------------------------------------------------------------------- */

/*
 * Finds the first ${NAME} of text from byte `from` on, with what may follow the name before the
 * brace (${NAME:=default}): a variable of Flux's postBuild or of envsubst.
 */
bool kube_variable_find(sv text, size_t from, size_t *ret_at, size_t *ret_length);

#endif
