/*
 * kube: Kubernetes objects as far as osm-gen reads and writes them: identity, lookup, Secrets,
 * ConfigMaps, kubeconfigs.
 *
 * Objects are values (value.h); this module never decodes a manifest's text itself, except for
 * texts inside objects (a kubeconfig in a ConfigMap).
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
	sv namespace; /* empty for objects that have none */
	sv name;
};

/* One manifest. */
struct kube_object {
	struct kube_id id;
	struct value *root;
	const struct source *source;
	/* Decrypted by this program, or from --secrets: every string of root is tainted already. */
	bool confidential;
	/* Given outside of git (--secrets): wins over the commit's object of the same name. */
	bool external;
};

/*
 * Reads the identity of a decoded document. Wrong are: no map, no or empty apiVersion, kind or
 * metadata.name, texts that are no strings, names that the API server would refuse (RFC 1123
 * subdomain, at most 253 bytes). Namespaced kinds that osm-gen knows and that name no namespace get
 * "default", as kubectl does.
 */
enum status kube_object_read(struct arena *arena, struct sink *sink, const struct source *source,
                             struct value *root, struct kube_object *ret_object) MUST_CHECK;

/* "MachineDeployment kube-system/workers", "Namespace cloud-init-settings": for messages. */
sv kube_id_describe(struct arena *arena, const struct kube_id *id);
sv kube_object_describe(struct arena *arena, const struct kube_object *object);
/* Where the object's name is written. */
struct position kube_object_position(const struct kube_object *object);
/* By kind, namespace, name, apiVersion. */
int kube_id_compare(const struct kube_id *a, const struct kube_id *b);
/* A name that the API server takes for an object (RFC 1123 subdomain). */
bool kube_name_valid(sv name);

/* ---- lookup ------------------------------------------------------------------------------ */

/*
 * Objects by kind, namespace and name. Scopes chain: what is not found in the nearer one is looked
 * up in the farther one (cluster, then shared). Filled by one thread, then read by many.
 */
struct kube_objects {
	struct arena *arena;
	const struct kube_objects *farther; /* or null */
	struct map by_id;          /* "Kind\0namespace\0name" to const struct kube_object * */
	VEC(struct kube_id) names; /* of objects that are there and were not read */
	struct map failed;         /* those of them that could not be opened, by id */
	bool hides;                /* a file could not be opened, and nobody knows what is in it */
};

void kube_objects_init(struct arena *arena, struct kube_objects *objects,
                       const struct kube_objects *farther);
/*
 * Adds an object. When one of the same kind, namespace and name is there already it is returned:
 * the external one of the two stays; two of one sort are the caller's mistake to report. Null:
 * added.
 */
const struct kube_object *kube_objects_add(struct kube_objects *objects,
                                           const struct kube_object *object);
/* Null when neither this scope nor a farther one has it. */
const struct kube_object *kube_objects_find(const struct kube_objects *objects, sv kind,
                                            sv namespace, sv name);

/*
 * Remembers the name of an object that is not read: an encrypted one that nobody asked for, or that
 * could not be opened.
 */
void kube_objects_add_name(struct kube_objects *objects, const struct kube_id *id);
/* Remembers one that could not be opened, for a reason that was reported. */
void kube_objects_add_failed(struct kube_objects *objects, const struct kube_id *id);
/*
 * Whether a missing object needs no report of its own: one of its name could not be opened, or a
 * file that hides its kinds could not, so that the object may be in there. Both were reported.
 */
bool kube_objects_is_failed(const struct kube_objects *objects, sv kind, sv namespace, sv name);
/* The same where it is not known which object is missing. */
bool kube_objects_any_failed(const struct kube_objects *objects);
/* Whether there is one of that name that was not read. */
bool kube_objects_has_unread(const struct kube_objects *objects, sv kind, sv namespace, sv name);
/*
 * What may have been meant by a name that is not there: "NAMESPACE/NAME" of one that has the same
 * name in another namespace, or nearly the same in this one; or empty.
 */
sv kube_objects_nearest(struct arena *arena, const struct kube_objects *objects, sv kind,
                        sv namespace, sv name);

/* Of an object that is not there: the one that was meant, perhaps, and where to put it. */
void kube_objects_help_missing(struct arena *arena, struct sink *sink, struct diag *diag,
                               const struct kube_objects *objects, const struct kube_id *id);

VEC_TYPE(kube_object_list, const struct kube_object *);
/*
 * All objects of a kind, sorted by namespace and name; farther scopes' included where no nearer
 * object has their name.
 */
struct kube_object_list kube_objects_of_kind(struct arena *arena,
                                             const struct kube_objects *objects, sv kind);

/* ---- Secrets and ConfigMaps -------------------------------------------------------------- */

/* "NAMESPACE/NAME:KEY": what a secret is called in messages and redactions. */
sv kube_secret_name(struct arena *arena, sv namespace, sv name, sv key);

/* "Opaque" when the object names no type. */
sv kube_secret_type(const struct kube_object *secret);
/* The keys of data and stringData, sorted, each once. */
struct kube_keys {
	sv *items;
	size_t count;
};
struct kube_keys kube_secret_keys(struct arena *arena, const struct kube_object *secret);
bool kube_secret_has(const struct kube_object *secret, sv key);
/* Neither data nor stringData has a member. */
bool kube_secret_is_empty(const struct kube_object *secret);
/*
 * True for a Secret that the cluster fills: it is empty, or it is a ServiceAccount's token Secret,
 * which a controller of Kubernetes completes, and lacks the key. An encrypted one is neither.
 */
bool kube_secret_is_unfilled(const struct kube_object *secret, sv key);
/*
 * One value of a Secret as a string, decoded, all of it tainted by a new struct secret named by
 * kube_secret_name. stringData wins over data, as in the API server. Wrong are: a missing key
 * (reported at `wanted`, where the key was asked for, with the nearest that there is), no string,
 * no base64.
 */
enum status kube_secret_value(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, sv key, struct position wanted,
                              struct value *ret_string) MUST_CHECK;
/* One value of a ConfigMap (data, else binaryData), clear unless the ConfigMap is confidential. */
enum status kube_config_map_value(struct arena *arena, struct sink *sink,
                                  const struct kube_object *config_map, sv key,
                                  struct position wanted, struct value *ret_string) MUST_CHECK;

/* ---- schema ------------------------------------------------------------------------------ */

/*
 * Members of a custom resource, checked as an API server checks them. What is wrong is reported at
 * its place, so that a reader goes on and finds the rest; `failed` then says so.
 */
struct schema_terms {
	enum diag_code wrong;
	enum diag_code unknown; /* a warning */
	const char *what;       /* "the profile": what lacks a member */
};
struct schema {
	struct arena *arena;
	struct sink *sink;
	const struct schema_terms *terms;
	bool failed;
};
/* Warns of members that are not among names. where: "spec.bootstrapConfig". */
void schema_known(struct schema *schema, const struct value *map, const char *where,
                  const sv *names, size_t count);
/* Members of a map. Absent or null ones: invalid value, or an error when required. */
struct value schema_string(struct schema *schema, const struct value *map, const char *key,
                           bool required);
const struct value *schema_map(struct schema *schema, const struct value *map, const char *key,
                               bool required);
const struct value *schema_list(struct schema *schema, const struct value *map, const char *key,
                                bool required);
const struct value *schema_bool(struct schema *schema, const struct value *map, const char *key);
/* A required string that is one of the words; a missing one is reported with them. */
struct value schema_choice(struct schema *schema, const struct value *map, const char *key,
                           const sv *words, size_t count);
/* An item of a list that must be a map; null when it is not. */
const struct value *schema_item_map(struct schema *schema, const struct value *list, size_t i,
                                    const char *what);
void schema_enum(struct schema *schema, const struct value *string, const char *what,
                 const sv *words, size_t count);

/* ---- kubeconfig -------------------------------------------------------------------------- */

/* One cluster of a kubeconfig, as far as it survives re-serialisation
 * (docs/spec/controller.md 5.1). */
struct kube_config_cluster {
	sv name;
	struct value certificate_authority;      /* strings; invalid when absent */
	struct value certificate_authority_data; /* decoded */
	struct value proxy_url;
	struct value server;
	struct value tls_server_name;
	bool disable_compression;
	bool insecure_skip_tls_verify;
	struct value extensions; /* list of {extension, name}, sorted by name */
};

struct kube_config {
	struct position at;                   /* of its text */
	struct kube_config_cluster *clusters; /* as listed */
	size_t cluster_count;
	struct value extensions; /* top level, as a cluster's */
	bool preferences_colors;
	struct value preferences_extensions;
	sv api_version; /* "v1" when the text had none */
	sv kind;        /* "Config" likewise */
};

/*
 * Reads a kubeconfig's text (YAML or JSON) as client-go's clientcmd does: keys case-sensitive,
 * unknown ones dropped, YAML 1.1 scalars. Wrong are: broken YAML, another kind, bad base64, two
 * clusters or extensions of one name, a text that is no string; and, in what is kept, characters
 * that the controller cannot write again. Users and contexts are not read: what osm-gen makes of a
 * kubeconfig never keeps them. Positions point into the text's own source.
 */
enum status kube_config_parse(struct arena *arena, struct sink *sink, const struct value *text,
                              struct kube_config *ret_config) MUST_CHECK;
/*
 * The kubeconfig that a kubelet bootstraps with: clusters[0] renamed "c", one user and one context
 * "c" with the token, if there is any (docs/spec/controller.md 5.1), as sigs.k8s.io/yaml writes it.
 * The token's bytes are tainted. Wrong is a control character in the token or the server.
 */
enum status kube_config_bootstrap(struct arena *arena, struct sink *sink,
                                  const struct kube_config *config, const struct value *token,
                                  struct value *ret_text) MUST_CHECK;

/* ---- building ---------------------------------------------------------------------------- */

/*
 * Objects are maps in this key order: apiVersion, kind, metadata {name, namespace, labels,
 * annotations}, then what the kind adds. labels and annotations are maps of strings, copied in
 * their order; null or empty ones are left out.
 */
struct value kube_object_new(struct arena *arena, const struct kube_id *id,
                             const struct value *labels, const struct value *annotations);

struct kube_secret_request {
	sv namespace;
	sv name;
	sv type;                         /* empty: left out */
	bool is_immutable;               /* false: left out */
	const struct value *labels;      /* or null */
	const struct value *annotations; /* or null */
	const struct value *data;        /* map of strings in the clear */
};
/*
 * A Secret: then type, immutable, data, whose strings are base64-encoded here, keys sorted, and
 * stay tainted. A string that is not tainted becomes base64 all the same: sealing is by rule over
 * the whole of data.
 */
struct value kube_secret_new(struct arena *arena, const struct kube_secret_request *request);
struct value kube_namespace_new(struct arena *arena, sv name, const struct value *annotations);
/* Role: get on these Secrets of its namespace, by name. */
struct value kube_secret_reader_role_new(struct arena *arena, sv namespace, sv name,
                                         const struct value *annotations, const sv *secret_names,
                                         size_t secret_count);
/* RoleBinding of the same name's Role to users. */
struct value kube_user_role_binding_new(struct arena *arena, sv namespace, sv name,
                                        const struct value *annotations, const sv *users,
                                        size_t user_count);
/* The identity of an object that was built here. */
struct kube_id kube_id_of(const struct value *object);

/* ---- variable.c -------------------------------------------------------------------------- */

/*
 * Finds the first ${NAME} of text from byte `from` on, with what may follow the name before the
 * brace (${NAME:=default}): a variable of Flux's postBuild or of envsubst.
 */
bool kube_variable_find(sv text, size_t from, size_t *ret_at, size_t *ret_length);

#endif
