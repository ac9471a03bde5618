/*
 * Reads the files that the kubelet and containerd read at their start (userdata.h).
 */
#include "userdata/userdata.h"

#include "codec/codec.h"
#include "diag/diag.h"
#include "toml/toml.h"

#include <stdatomic.h>

/* ---- files that are known ---------------------------------------------------------------- */

/* Returns the place of a content's digest, and the digest, which is never 0. */
static _Atomic uint64_t *place_of_digest(struct userdata_read_texts *known, sv text,
                                         uint64_t *ret_digest)
{
	uint8_t digest[DIGEST_MAX_SIZE];

	digest_of(DIGEST_SHA256, text, digest);
	memcpy(ret_digest, digest, sizeof(*ret_digest));
	*ret_digest |= 1;
	return &known->digests[(*ret_digest >> 1) % USERDATA_READ_TEXTS];
}

/* ---- a mistake ---------------------------------------------------------------------------- */

struct mistake {
	size_t offset;
	bool is_fatal;
	sv problem; /* empty if there is none */
};

static size_t offset_of_line(sv text, size_t line)
{
	size_t at = 0;

	while (line > 1) {
		size_t length = sv_find_char(sv_from_offset(text, at), '\n');

		if (length == SV_NPOS)
			break;
		at += length + 1;
		line--;
	}
	return at;
}

/* ---- the kubelet's configuration --------------------------------------------------------- */

enum field_type {
	FIELD_STRING,
	FIELD_NUMBER,
	FIELD_BOOLEAN,
	FIELD_STRINGS,
	FIELD_BOOLEANS,
	FIELD_LIST
};

/* Types of kubelet.config.k8s.io/v1beta1 for what profiles and annotations set. */
static const struct {
	sv name;
	enum field_type type;
} fields[] = {
    {SV_INIT("cgroupDriver"), FIELD_STRING},
    {SV_INIT("cgroupRoot"), FIELD_STRING},
    {SV_INIT("clusterDNS"), FIELD_LIST},
    {SV_INIT("clusterDomain"), FIELD_STRING},
    {SV_INIT("containerLogMaxFiles"), FIELD_NUMBER},
    {SV_INIT("containerLogMaxSize"), FIELD_STRING},
    {SV_INIT("containerRuntimeEndpoint"), FIELD_STRING},
    {SV_INIT("cpuManagerPolicy"), FIELD_STRING},
    {SV_INIT("evictionHard"), FIELD_STRINGS},
    {SV_INIT("evictionMinimumReclaim"), FIELD_STRINGS},
    {SV_INIT("evictionSoft"), FIELD_STRINGS},
    {SV_INIT("evictionSoftGracePeriod"), FIELD_STRINGS},
    {SV_INIT("failCgroupV1"), FIELD_BOOLEAN},
    {SV_INIT("failSwapOn"), FIELD_BOOLEAN},
    {SV_INIT("featureGates"), FIELD_BOOLEANS},
    {SV_INIT("imageGCHighThresholdPercent"), FIELD_NUMBER},
    {SV_INIT("imageGCLowThresholdPercent"), FIELD_NUMBER},
    {SV_INIT("kubeReserved"), FIELD_STRINGS},
    {SV_INIT("maxPods"), FIELD_NUMBER},
    {SV_INIT("podPidsLimit"), FIELD_NUMBER},
    {SV_INIT("protectKernelDefaults"), FIELD_BOOLEAN},
    {SV_INIT("registerNode"), FIELD_BOOLEAN},
    {SV_INIT("resolvConf"), FIELD_STRING},
    {SV_INIT("rotateCertificates"), FIELD_BOOLEAN},
    {SV_INIT("serializeImagePulls"), FIELD_BOOLEAN},
    {SV_INIT("serverTLSBootstrap"), FIELD_BOOLEAN},
    {SV_INIT("staticPodPath"), FIELD_STRING},
    {SV_INIT("systemReserved"), FIELD_STRINGS},
    {SV_INIT("volumePluginDir"), FIELD_STRING},
};

/* Returns the value, or the member of it, that is not of the type; null if all is right. */
static const struct value *find_wrong(const struct value *v, enum field_type type,
                                      const char **ret_wanted)
{
	bool is_map = type == FIELD_STRINGS || type == FIELD_BOOLEANS;
	bool right = false;

	switch (type) {
	case FIELD_STRING:
		*ret_wanted = "a string";
		right = value_is_string(v);
		break;
	case FIELD_NUMBER:
		*ret_wanted = "a whole number";
		right = v->type == &type_int64;
		break;
	case FIELD_BOOLEAN:
		*ret_wanted = "true or false";
		right = value_is(v, KIND_BOOL);
		break;
	case FIELD_LIST:
		*ret_wanted = "a list";
		right = value_is_list(v);
		break;
	case FIELD_STRINGS:
	case FIELD_BOOLEANS:
		*ret_wanted = "a map";
		right = value_is_map(v);
		break;
	}
	if (value_is_null(v))
		return NULL;
	for (size_t i = 0; right && is_map && i < value_count(v); i++) {
		const struct value *wrong =
		    find_wrong(&v->map->entries[i].value,
		               type == FIELD_STRINGS ? FIELD_STRING : FIELD_BOOLEAN, ret_wanted);

		if (wrong)
			return wrong;
	}
	return right ? NULL : v;
}

static struct mistake mistake_of_types(struct arena *arena, const struct value *root)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const struct value_entry *entry = value_map_find(root, fields[i].name);
		const char *wanted;
		const struct value *wrong =
		    entry ? find_wrong(&entry->value, fields[i].type, &wanted) : NULL;

		if (wrong)
			return (struct mistake){
			    .offset = wrong->origin.offset,
			    .is_fatal = true,
			    .problem = arena_printf(
			        arena, "%.*s must be %s%s", SV_ARG(fields[i].name),
			        wrong == &entry->value ? "" : "a map whose values are ", wanted)};
	}
	return (struct mistake){0};
}

/* The kubelet decodes with sigs.k8s.io/yaml, as a manifest is read. */
static struct mistake mistake_of_kubelet(struct arena *arena, sv text)
{
	struct sink found = sink_in(arena);
	struct yml_documents documents = {0};
	const struct source *source = source_new(arena, SV("kubelet"), text, true);

	if (yml_parse(arena, &found, source, &documents) != STATUS_OK) {
		const struct diag *diag = found.diags.items[0];

		/* It warns of a key that is there twice, and takes the last one. */
		return (struct mistake){diag->at.offset, diag->code != DIAG_YAML_DUPLICATE_KEY,
		                        diag->text};
	}
	if (documents.count == 0 || !value_is_map(&documents.items[0].root))
		return (struct mistake){0, true, SV("it is not a map")};
	if (documents.count > 1)
		return (struct mistake){documents.items[1].at.offset, false,
		                        SV("it reads only the first of several documents")};
	return mistake_of_types(arena, &documents.items[0].root);
}

static struct mistake mistake_of_containerd(struct arena *arena, sv text)
{
	sv error;
	size_t line = toml_mistake_line(arena, text, &error);

	if (line == 0)
		return (struct mistake){0};
	return (struct mistake){offset_of_line(text, line), true, error};
}

/* ---- files -------------------------------------------------------------------------------- */

/* Returns false for a file that neither the kubelet nor containerd reads. */
static bool has_consumer(const struct node_file *file, enum userdata_piece *ret_part)
{
	sv path = value_text(&file->path);

	*ret_part = USERDATA_CONTAINERD;
	if (sv_starts_with(path, SV("/etc/containerd/")) && sv_ends_with(path, SV(".toml")))
		return true;
	*ret_part = USERDATA_KUBELET;
	return sv_find(path, SV("kubelet")) != SV_NPOS &&
	       sv_find(value_text(&file->content), SV("kind: KubeletConfiguration")) != SV_NPOS;
}

/*
 * Returns true if the mistake may depend on a secret in the text: one is before it, or on its line.
 * Readers go from the beginning to the end.
 */
static bool depends_on_secret(const struct value *text, size_t offset)
{
	sv s = value_text(text);
	size_t length = sv_find_char(sv_from_offset(s, offset), '\n');
	size_t end = length == SV_NPOS ? s.len : offset + length;

	if (taint_derived_from(text->taint))
		return true;
	return text->taint && text->taint->count > 0 && text->taint->spans[0].start <= end;
}

static void read_file_back(struct arena *arena, struct arena *scratch, const struct node_file *file,
                           struct userdata_misread misread, struct userdata_misreads *misreads)
{
	sv text = value_text(&file->content);
	const struct mistake mistake = misread.part == USERDATA_KUBELET
	                                   ? mistake_of_kubelet(scratch, text)
	                                   : mistake_of_containerd(scratch, text);

	if (sv_empty(mistake.problem))
		return;
	misread.by_secret = depends_on_secret(&file->content, mistake.offset);
	if (misread.by_secret && !mistake.is_fatal)
		return;
	misread.is_fatal = mistake.is_fatal;
	misread.offset = mistake.offset;
	misread.problem = misread.by_secret ? SV("") : arena_dup(arena, mistake.problem);
	VEC_PUSH(arena, misreads, misread);
}

void userdata_read_files(struct arena *arena, struct quota *steps, const struct node_config *node,
                         struct userdata_read_texts *known, struct userdata_misreads *misreads)
{
	enum { STEPS_FOR_A_FILE = 64 };
	ARENA_AUTO plain = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	struct map last = map_in(arena); /* of each path; it is written over the others */

	for (size_t i = 0; i < node->file_count; i++)
		map_put(&last, value_text(&node->files[i].path), &node->files[i]);
	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];
		struct userdata_misread misread = {
		    .name = value_text(&file->path), .text = &file->content, .file = i};
		size_t before = misreads->count;
		_Atomic uint64_t *place = NULL;
		uint64_t digest = 0;

		sv text = value_text(&file->content);

		if (!has_consumer(file, &misread.part) || sv_empty(text) ||
		    map_get(&last, value_text(&file->path)) != file)
			continue;
		if (known)
			place = place_of_digest(known, text, &digest);
		if (place && atomic_load_explicit(place, memory_order_relaxed) == digest)
			continue;
		if (!quota_take(steps, STEPS_FOR_A_FILE + text.len))
			return;
		struct arena *scratch = file->content.taint ? secret : plain;
		read_file_back(arena, scratch, file, misread, misreads);
		arena_reset(scratch);
		if (place && misreads->count == before)
			atomic_store_explicit(place, digest, memory_order_relaxed);
	}
}
