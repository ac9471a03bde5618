/*
 * Identity of an object: reading it, valid names, and the name of an object in messages.
 */
#include "kube/kube.h"

#include "value/pack.h"

/* RFC 1123 subdomain, as apimachinery's IsDNS1123Subdomain. */
#define NAME_MAX_BYTES 253

static bool is_name_char(char c)
{
	return ascii_is_lower(c) || ascii_is_digit(c);
}

bool kube_name_valid(sv name)
{
	if (name.len == 0 || name.len > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool inner = i > 0 && i + 1 < name.len;

		if (is_name_char(c))
			continue;
		if (!inner || (c != '-' && c != '.'))
			return false;
		/* A dot separates labels, which begin and end with a letter or digit. */
		if (c == '.' && (!is_name_char(name.ptr[i - 1]) || !is_name_char(name.ptr[i + 1])))
			return false;
	}
	return true;
}

sv kube_id_describe(struct arena *arena, const struct kube_id *id)
{
	if (sv_empty(id->namespace))
		return ARENA_CONCAT(arena, id->kind, SV(" "), id->name);
	return ARENA_CONCAT(arena, id->kind, SV(" "), id->namespace, SV("/"), id->name);
}

sv kube_object_describe(struct arena *arena, const struct kube_object *object)
{
	return kube_id_describe(arena, &object->id);
}

struct position kube_object_position(const struct kube_object *object)
{
	if (!object->root || object->packed)
		return object->at;
	const struct value *name = value_path(object->root, "metadata.name");

	return name ? value_position(name) : value_position(object->root);
}

bool kube_object_pack(struct arena *secret_arena, struct arena *scratch, struct kube_object *object)
{
	struct buf buf = buf_in(scratch);

	if (!value_pack(&buf, object->source, object->root))
		return false;
	object->at = kube_object_position(object);
	object->packed = arena_dup(secret_arena, buf_sv(&buf)).ptr;
	object->root = KUBE_CLOSED;
	return true;
}

/* Opening a constant object is allowed: only readers of its members notice. */
static struct value **root_of(const struct kube_object *object)
{
	return &((struct kube_object *)(uintptr_t)object)->root; /* NOLINT */
}

bool kube_object_open(struct arena *secret_arena, const struct kube_object *object)
{
	struct value *root;

	if (object->root != KUBE_CLOSED)
		return false;
	root = ARENA_NEW(secret_arena, struct value);
	*root = value_unpack(secret_arena, object->source, object->packed);
	*root_of(object) = root;
	return true;
}

void kube_object_close(const struct kube_object *object)
{
	if (object->packed)
		*root_of(object) = KUBE_CLOSED;
}

void kube_object_list_open(struct arena *secret_arena, const struct kube_object_list *list)
{
	VEC_EACH (object, list)
		(void)kube_object_open(secret_arena, *object);
}

void kube_object_list_close(const struct kube_object_list *list)
{
	VEC_EACH (object, list)
		kube_object_close(*object);
}

void kube_object_forget(struct kube_object *object)
{
	if (object->packed) {
		object->packed = NULL;
		object->root = NULL;
	}
	if (!object->memory)
		return;
	object->at = kube_object_position(object);
	object->root = NULL;
	if (--object->memory->object_count == 0)
		arena_empty(object->memory->arena);
	object->memory = NULL;
}

int kube_id_compare(const struct kube_id *a, const struct kube_id *b)
{
	int order = sv_cmp(a->kind, b->kind);

	if (order == 0)
		order = sv_cmp(a->namespace, b->namespace);
	if (order == 0)
		order = sv_cmp(a->name, b->name);
	return order != 0 ? order : sv_cmp(a->api_version, b->api_version);
}

#define NAMESPACE_MAX 63

/* True for the kinds that osm-gen reads whose objects have a namespace, and subdomains as names. */
static bool is_namespaced(sv kind)
{
	static const sv kinds[] = {
	    SV_INIT("Secret"),
	    SV_INIT("ConfigMap"),
	    SV_INIT("ServiceAccount"),
	    SV_INIT("MachineDeployment"),
	    SV_INIT("OperatingSystemProfile"),
	    SV_INIT("CustomOperatingSystemProfile"),
	    SV_INIT("OperatingSystemConfig"),
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (sv_eq(kind, kinds[i]))
			return true;
	}
	return false;
}

/* Reads a string of the identity. A required one must exist and not be empty. */
static enum status read_text(struct sink *sink, const struct value *root,
                             const struct value *parent, sv key, bool required, sv *ret_text)
{
	const struct value *v = value_map_get(parent, key);

	if (value_is_null(v)) {
		*ret_text = SV("");
		if (!required)
			return STATUS_OK;
	} else if (!value_is_string(v)) {
		struct diag *diag = diag_report(sink, DIAG_OBJECT_IDENTITY, value_position(v),
		                                "%.*s of an object must be a string", SV_ARG(key));
		diag_set_help(sink, diag,
		              "put it in quotes: YAML reads n, no, on and the like as booleans");
		return STATUS_FAILED;
	} else {
		*ret_text = v->string;
		if (!required || v->string.len > 0)
			return STATUS_OK;
	}
	const struct value *near = v ? v : parent ? parent : root;
	sv kind = value_text(value_map_get(root, SV("kind")));
	struct diag *diag =
	    diag_report(sink, DIAG_OBJECT_IDENTITY, value_position(near), "the %.*s has no %.*s",
	                SV_ARG(sv_empty(kind) ? SV("object") : kind), SV_ARG(key));
	diag_set_help(sink, diag, "add %s%.*s", parent == root ? "" : "metadata.", SV_ARG(key));
	return STATUS_FAILED;
}

enum status kube_object_read(struct arena *arena, struct sink *sink, const struct source *source,
                             struct value *root, struct kube_object *ret_object)
{
	struct kube_id id = {0};
	(void)arena;

	if (!value_is_map(root)) {
		struct diag *diag = diag_report(sink, DIAG_OBJECT_IDENTITY, value_position(root),
		                                "the document is not an object: it is not a map");
		diag_set_help(sink, diag, "begin it with apiVersion, kind and metadata");
		return STATUS_FAILED;
	}
	enum status status = read_text(sink, root, root, SV("apiVersion"), true, &id.api_version);
	status |= read_text(sink, root, root, SV("kind"), true, &id.kind);
	const struct value *metadata = value_map_get(root, SV("metadata"));
	if (metadata && !value_is_map(metadata)) {
		struct diag *diag = diag_report(sink, DIAG_OBJECT_IDENTITY,
		                                value_position(metadata), "metadata must be a map");
		diag_set_help(sink, diag, "write name: NAME below it");
		return STATUS_FAILED;
	}
	status |= read_text(sink, root, metadata, SV("name"), true, &id.name);
	status |= read_text(sink, root, metadata, SV("namespace"), false, &id.namespace);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (is_namespaced(id.kind)) {
		if (sv_empty(id.namespace))
			id.namespace = SV("default");
		if (!kube_name_valid(id.name)) {
			struct diag *diag = diag_report(
			    sink, DIAG_OBJECT_NAME,
			    value_position(value_map_get(metadata, SV("name"))),
			    "\"%.*s\" is not a name that Kubernetes takes", SV_ARG(id.name));
			diag_set_help(sink, diag,
			              "use at most 253 of a-z, 0-9, - and ., beginning and ending "
			              "with a letter or digit");
			return STATUS_FAILED;
		}
		/* A namespace is a label (RFC 1123); it becomes a folder of the output. */
		if (!kube_name_valid(id.namespace) || id.namespace.len > NAMESPACE_MAX ||
		    sv_find_char(id.namespace, '.') != SV_NPOS) {
			struct diag *diag =
			    diag_report(sink, DIAG_OBJECT_NAME,
			                value_position(value_map_get(metadata, SV("namespace"))),
			                "\"%.*s\" is not a namespace that Kubernetes takes",
			                SV_ARG(id.namespace));
			diag_set_help(
			    sink, diag,
			    "use at most 63 of a-z, 0-9 and -, beginning and ending with a "
			    "letter or digit");
			return STATUS_FAILED;
		}
	}
	*ret_object = (struct kube_object){.id = id, .root = root, .source = source};
	return STATUS_OK;
}

int64_t kube_replicas(const struct value *root)
{
	const struct value *replicas = value_path(root, "spec.replicas");

	return value_is(replicas, KIND_INT64) && replicas->integer >= 0 &&
	               replicas->integer <= INT32_MAX
	           ? replicas->integer
	           : -1;
}
