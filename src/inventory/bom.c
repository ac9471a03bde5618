/*
 * The inventory as a CycloneDX 1.6 document. Things that are fetched are components; addresses that
 * are talked to are services. It has no timestamp, and its serial number is derived from its
 * content, so that the same inventory gives the same bytes.
 */
#include "inventory/inventory.h"

#include "codec/codec.h"
#include "report/report.h"

static const char *type_of(sv kind)
{
	if (sv_eq(kind, SV("image")))
		return "container";
	if (sv_eq(kind, SV("key")) || sv_eq(kind, SV("checksum")))
		return "file";
	return "application";
}

static void add_property(struct arena *arena, struct value *list, const char *name, sv text)
{
	if (!sv_empty(text))
		value_list_add(arena, list,
		               VALUE_MAP(arena, {"name", value_string(sv_from_cstr(name))},
		                         {"value", value_string(text)}));
}

static struct value properties_of(struct arena *arena, const struct inventory_item *item)
{
	const struct dialect_fetch *fetch = &item->fetch;
	struct value list = value_list_new(arena);

	add_property(arena, &list, "osm-gen:kind", fetch->kind);
	add_property(arena, &list, "osm-gen:architecture", fetch->architecture);
	add_property(arena, &list, "osm-gen:from", fetch->from);
	add_property(arena, &list, "osm-gen:setting", fetch->setting);
	add_property(arena, &list, "osm-gen:fingerprint", fetch->fingerprint);
	VEC_EACH (unit, &item->units)
		add_property(arena, &list, "osm-gen:unit", *unit);
	return list;
}

static struct value component(struct arena *arena, const struct inventory_item *item, sv reference)
{
	const struct dialect_fetch *fetch = &item->fetch;
	struct value hashes = value_list_new(arena);
	struct value links = value_list_new(arena);

	if (!sv_empty(fetch->sha256))
		value_list_add(arena, &hashes,
		               VALUE_MAP(arena, {"alg", value_string(SV("SHA-256"))},
		                         {"content", value_string(fetch->sha256)}));
	if (!sv_empty(fetch->url))
		value_list_add(arena, &links,
		               VALUE_MAP(arena, {"type", value_string(SV("distribution"))},
		                         {"url", value_string(fetch->url)}));
	return VALUE_MAP(arena, {"type", value_string(sv_from_cstr(type_of(fetch->kind)))},
	                 {"bom-ref", value_string(reference)}, {"name", value_string(fetch->name)},
	                 {"version", value_string_if(fetch->version)}, {"hashes", hashes},
	                 {"externalReferences", links}, {"properties", properties_of(arena, item)});
}

static struct value service(struct arena *arena, const struct inventory_item *item, sv reference)
{
	struct value endpoints = value_list_new(arena);

	if (!sv_empty(item->fetch.url))
		value_list_add(arena, &endpoints, value_string(item->fetch.url));
	return VALUE_MAP(arena, {"bom-ref", value_string(reference)},
	                 {"name", value_string(item->fetch.name)}, {"endpoints", endpoints},
	                 {"properties", properties_of(arena, item)});
}

static struct value metadata(struct arena *arena, sv version)
{
	struct value tools = value_list_new(arena);

	value_list_add(arena, &tools,
	               VALUE_MAP(arena, {"type", value_string(SV("application"))},
	                         {"name", value_string(SV("osm-gen"))},
	                         {"version", value_string(version)}));
	return VALUE_MAP(arena, {"tools", VALUE_MAP(arena, {"components", tools})});
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
	struct arena *arena = buf->arena;
	struct value components = value_list_new(arena);
	struct value services = value_list_new(arena);
	struct buf content = buf_in(arena);

	for (size_t i = 0; i < inventory->items.count; i++) {
		const struct inventory_item *item = inventory->items.items[i];
		sv reference = arena_printf(arena, "%.*s-%zu", SV_ARG(item->fetch.kind), i + 1);

		if (sv_eq(item->fetch.kind, SV("api")) || sv_eq(item->fetch.kind, SV("registry")) ||
		    sv_eq(item->fetch.kind, SV("repository")))
			value_list_add(arena, &services, service(arena, item, reference));
		else
			value_list_add(arena, &components, component(arena, item, reference));
	}
	struct value root = VALUE_MAP(
	    arena, {"$schema", value_string(SV("http://cyclonedx.org/schema/bom-1.6.schema.json"))},
	    {"bomFormat", value_string(SV("CycloneDX"))}, {"specVersion", value_string(SV("1.6"))},
	    {"version", value_int(1)}, {"metadata", metadata(arena, version)},
	    {"components", components}, {"services", services});
	report_add_json(&content, &root);
	value_map_set(arena, &root, SV("serialNumber"),
	              value_string(serial_number(arena, buf_sv(&content))));
	report_add_json(buf, &root);
}
