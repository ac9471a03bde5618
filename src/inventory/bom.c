/*
 * The inventory as a CycloneDX 1.6 document. Things that are fetched are components; addresses that
 * are talked to are services. It has no timestamp, and its serial number is derived from its
 * content, so that the same inventory gives the same bytes.
 */
#include "inventory/inventory.h"

#include "codec/codec.h"
#include "json/json.h"

static const char *type_of(sv kind)
{
	if (sv_eq(kind, SV("image")))
		return "container";
	if (sv_eq(kind, SV("key")) || sv_eq(kind, SV("checksum")))
		return "file";
	return "application";
}

static void add_property(struct json_t *list, const char *name, sv value)
{
	if (sv_empty(value))
		return;
	struct json_t *property = json_doc_map();

	json_doc_set_text(property, "name", sv_from_cstr(name));
	json_doc_set_text(property, "value", value);
	json_doc_add(list, property);
}

static struct json_t *properties_of(const struct inventory_item *item)
{
	const struct dialect_fetch *fetch = &item->fetch;
	struct json_t *list = json_doc_list();

	add_property(list, "osm-gen:kind", fetch->kind);
	add_property(list, "osm-gen:architecture", fetch->architecture);
	add_property(list, "osm-gen:from", fetch->from);
	add_property(list, "osm-gen:setting", fetch->setting);
	add_property(list, "osm-gen:fingerprint", fetch->fingerprint);
	VEC_EACH (unit, &item->units)
		add_property(list, "osm-gen:unit", *unit);
	return list;
}

static struct json_t *component(const struct inventory_item *item, sv reference)
{
	const struct dialect_fetch *fetch = &item->fetch;
	struct json_t *map = json_doc_map();
	struct json_t *hashes = json_doc_list();
	struct json_t *references = json_doc_list();

	json_doc_set_text(map, "type", sv_from_cstr(type_of(fetch->kind)));
	json_doc_set_text(map, "bom-ref", reference);
	json_doc_set_text(map, "name", fetch->name);
	json_doc_set_text_if(map, "version", fetch->version);
	if (!sv_empty(fetch->sha256)) {
		struct json_t *hash = json_doc_map();

		json_doc_set_text(hash, "alg", SV("SHA-256"));
		json_doc_set_text(hash, "content", fetch->sha256);
		json_doc_add(hashes, hash);
	}
	json_doc_set(map, "hashes", hashes);
	if (!sv_empty(fetch->url)) {
		struct json_t *link = json_doc_map();

		json_doc_set_text(link, "type", SV("distribution"));
		json_doc_set_text(link, "url", fetch->url);
		json_doc_add(references, link);
	}
	json_doc_set(map, "externalReferences", references);
	json_doc_set(map, "properties", properties_of(item));
	return map;
}

static struct json_t *service(const struct inventory_item *item, sv reference)
{
	struct json_t *map = json_doc_map();
	struct json_t *endpoints = json_doc_list();

	json_doc_set_text(map, "bom-ref", reference);
	json_doc_set_text(map, "name", item->fetch.name);
	if (!sv_empty(item->fetch.url))
		json_doc_add_text(endpoints, item->fetch.url);
	json_doc_set(map, "endpoints", endpoints);
	json_doc_set(map, "properties", properties_of(item));
	return map;
}

static struct json_t *metadata(sv version)
{
	struct json_t *map = json_doc_map();
	struct json_t *tools = json_doc_map();
	struct json_t *list = json_doc_list();
	struct json_t *tool = json_doc_map();

	json_doc_set_text(tool, "type", SV("application"));
	json_doc_set_text(tool, "name", SV("osm-gen"));
	json_doc_set_text(tool, "version", version);
	json_doc_add(list, tool);
	json_doc_set(tools, "components", list);
	json_doc_set(map, "tools", tools);
	return map;
}

/* Returns a UUID of version 8 (RFC 9562 5.8), whose bits are the vendor's to choose. */
static sv serial_number(struct arena *arena, sv content)
{
	sv hex = digest_hex(arena, DIGEST_SHA256, content);

	return ARENA_CONCAT(arena, SV("urn:uuid:"), sv_slice(hex, 0, 8), SV("-"),
	                    sv_slice(hex, 8, 12), SV("-8"), sv_slice(hex, 13, 16), SV("-8"),
	                    sv_slice(hex, 17, 20), SV("-"), sv_slice(hex, 20, 32));
}

void inventory_add_bom(struct buf *buf, const struct inventory *inventory, sv version)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *components = json_doc_list();
	struct json_t *services = json_doc_list();
	struct arena *arena = buf->arena;
	struct buf content = buf_in(arena);

	json_doc_set_text(root, "$schema", SV("http://cyclonedx.org/schema/bom-1.6.schema.json"));
	json_doc_set_text(root, "bomFormat", SV("CycloneDX"));
	json_doc_set_text(root, "specVersion", SV("1.6"));
	json_doc_set_size(root, "version", 1);
	json_doc_set(root, "metadata", metadata(version));
	for (size_t i = 0; i < inventory->items.count; i++) {
		const struct inventory_item *item = inventory->items.items[i];
		sv reference = arena_printf(arena, "%.*s-%zu", SV_ARG(item->fetch.kind), i + 1);

		if (sv_eq(item->fetch.kind, SV("api")) || sv_eq(item->fetch.kind, SV("registry")) ||
		    sv_eq(item->fetch.kind, SV("repository")))
			json_doc_add(services, service(item, reference));
		else
			json_doc_add(components, component(item, reference));
	}
	json_doc_set(root, "components", components);
	json_doc_set(root, "services", services);
	json_doc_write(&content, root);
	json_doc_set_text(root, "serialNumber", serial_number(arena, buf_sv(&content)));
	json_doc_write(buf, root);
}
