/*
 * One image as an OCI image layout: oci-layout, index.json, and blobs by their digests.
 */
#include "image/layout.h"

#include "codec/codec.h"
#include "os/os.h"
#include "json/json.h"

#define TYPE_CONFIG   "application/vnd.cncf.flux.config.v1+json"
#define TYPE_LAYER    "application/vnd.cncf.flux.content.v1.tar+gzip"
#define TYPE_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define TYPE_INDEX    "application/vnd.oci.image.index.v1+json"
#define ANNOTATION    "org.opencontainers.image."

#define LAYOUT_FILE "oci-layout"
#define INDEX_FILE  "index.json"
#define BLOBS       "blobs/sha256"

bool layout_is_there(struct arena *arena, sv folder)
{
	return os_kind(folder) == OS_FOLDER &&
	       os_kind(ARENA_CONCAT(arena, folder, SV("/" LAYOUT_FILE))) == OS_FILE &&
	       os_kind(ARENA_CONCAT(arena, folder, SV("/" INDEX_FILE))) == OS_FILE;
}

struct writing {
	struct arena *arena;
	struct sink *sink;
	const struct image *image;
	sv folder;
};

static enum status put_file(const struct writing *w, const char *name, sv bytes)
{
	sv path = ARENA_CONCAT(w->arena, w->folder, SV("/"), sv_from_cstr(name));

	return os_write_new(w->sink, path, bytes, OS_WRITE_PLAIN);
}

/* Writes a blob and returns its descriptor, which refers to it. */
static enum status put_blob(const struct writing *w, const char *type, sv bytes,
                            struct json_t **ret_descriptor)
{
	sv hex = digest_hex(w->arena, DIGEST_SHA256, bytes);
	struct json_t *descriptor;

	if (put_file(w, arena_cstr(w->arena, ARENA_CONCAT(w->arena, SV(BLOBS "/"), hex)), bytes) !=
	    STATUS_OK)
		return STATUS_FAILED;
	descriptor = json_doc_map();
	json_doc_set_text(descriptor, "mediaType", sv_from_cstr(type));
	json_doc_set_text(descriptor, "digest", ARENA_CONCAT(w->arena, SV("sha256:"), hex));
	json_doc_set_size(descriptor, "size", bytes.len);
	*ret_descriptor = descriptor;
	return STATUS_OK;
}

/* Returns the config as Flux writes it: of an image that nothing runs, with its layers. */
static sv config_text(const struct writing *w)
{
	JSON_DOC_AUTO config = json_doc_map();
	struct json_t *rootfs = json_doc_map();
	struct json_t *ids = json_doc_list();
	struct buf buf = buf_in(w->arena);
	sv hex = digest_hex(w->arena, DIGEST_SHA256, w->image->tar);

	json_doc_add_text(ids, ARENA_CONCAT(w->arena, SV("sha256:"), hex));
	json_doc_set_text(rootfs, "type", SV("layers"));
	json_doc_set(rootfs, "diff_ids", ids);
	json_doc_set_text(config, "created", w->image->created);
	json_doc_set_text(config, "architecture", SV(""));
	json_doc_set_text(config, "os", SV(""));
	json_doc_set(config, "config", json_doc_map());
	json_doc_set(config, "rootfs", rootfs);
	json_doc_write(&buf, config);
	return buf_sv(&buf);
}

static struct json_t *annotations_of(const struct image *image)
{
	struct json_t *annotations = json_doc_map();

	json_doc_set_text(annotations, ANNOTATION "created", image->created);
	json_doc_set_text_if(annotations, ANNOTATION "revision", image->revision);
	json_doc_set_text_if(annotations, ANNOTATION "source", image->source);
	return annotations;
}

/* Returns a manifest or an index: they begin alike. */
static struct json_t *new_document(const char *type)
{
	struct json_t *document = json_doc_map();

	json_doc_set_size(document, "schemaVersion", 2);
	json_doc_set_text(document, "mediaType", sv_from_cstr(type));
	return document;
}

static enum status put_manifest(const struct writing *w, struct json_t **ret_descriptor)
{
	JSON_DOC_AUTO manifest = new_document(TYPE_MANIFEST);
	struct json_t *layers = json_doc_list();
	struct json_t *config = NULL;
	struct json_t *layer = NULL;
	struct buf gzip = buf_in(w->arena);
	struct buf buf = buf_in(w->arena);

	gzip_add(&gzip, w->image->tar);
	enum status status = put_blob(w, TYPE_CONFIG, config_text(w), &config);
	if (status == STATUS_OK)
		json_doc_set(manifest, "config", config);
	json_doc_set(manifest, "layers", layers);
	if (status != STATUS_OK || put_blob(w, TYPE_LAYER, buf_sv(&gzip), &layer) != STATUS_OK)
		return STATUS_FAILED;
	json_doc_add(layers, layer);
	json_doc_set(manifest, "annotations", annotations_of(w->image));
	json_doc_write(&buf, manifest);
	return put_blob(w, TYPE_MANIFEST, buf_sv(&buf), ret_descriptor);
}

enum status layout_write(struct arena *arena, struct sink *sink, const struct image *image,
                         sv folder, sv *ret_digest)
{
	const struct writing w = {arena, sink, image, folder};
	JSON_DOC_AUTO index = new_document(TYPE_INDEX);
	struct json_t *manifests = json_doc_list();
	struct json_t *names = json_doc_map();
	struct json_t *manifest;
	struct buf buf = buf_in(arena);
	sv blobs = ARENA_CONCAT(arena, folder, SV("/" BLOBS));

	json_doc_set(index, "manifests", manifests);
	json_doc_set_text(names, ANNOTATION "ref.name", SV(IMAGE_NAME));
	if (os_make_folders(sink, blobs) != STATUS_OK || put_manifest(&w, &manifest) != STATUS_OK) {
		json_doc_free(names);
		return STATUS_FAILED;
	}
	*ret_digest = arena_dup(arena, json_doc_text(json_doc_get(manifest, "digest")));
	json_doc_set(manifest, "annotations", names);
	json_doc_add(manifests, manifest);
	json_doc_write(&buf, index);
	if (put_file(&w, INDEX_FILE, buf_sv(&buf)) != STATUS_OK)
		return STATUS_FAILED;
	return put_file(&w, LAYOUT_FILE, SV("{\"imageLayoutVersion\":\"1.0.0\"}\n"));
}
