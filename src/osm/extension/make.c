/*
 * Makes an ordinary OperatingSystemProfile of a profile and its extensions. A digest of its content
 * is part of its name and version, so that the controller and its webhook accept every change.
 */
#include "osm/extension/internal.h"

#include "codec/codec.h"
#include "osm/embedded.h"
#include "osm/sorted.h"
#include "json/json.h"

#define SCRIPTS         "profiles/extension/"
#define ANNOTATION_BASE "osm-gen.dev/base-profile"

/* ---- what every machine does for extensions ------------------------------------------------ */

static struct value script_text(const struct extension_maker *maker, const char *name)
{
	struct arena *arena = maker->arena;

	for (size_t i = 0; i < osm_extension_script_count; i++) {
		const struct dialect_text *script = &osm_extension_scripts[i];
		sv path = sv_from_cstr(script->path);

		if (!sv_eq_cstr(path, name) || !dialect_text_holds(script, maker->contract))
			continue;
		struct value text = value_string(dialect_text_open(arena, script));
		text.origin = (struct origin){
		    .source = source_new(arena, path, text.string, false),
		    .length = (uint32_t)text.string.len,
		    .style = ORIGIN_EXACT,
		};
		return text;
	}
	BUG("a script of profiles/extension that is not there");
}

/* Fills in the templates that the profile calls at fixed places (docs/extensions.md). */
static void fill_hooks(struct extension_maker *maker)
{
	static const struct {
		sv hook;
		const char *script;
	} hooks[] = {
	    {SV_INIT("extensionFunctions"), SCRIPTS "functions.sh"},
	    {SV_INIT("extensionStart"), SCRIPTS "start.sh"},
	    {SV_INIT("extensionSystem"), SCRIPTS "system.sh"},
	    {SV_INIT("extensionBeforeKubelet"), SCRIPTS "before-kubelet.sh"},
	    {SV_INIT("extensionEnd"), SCRIPTS "end.sh"},
	};
	struct value *config = value_map_get_mutable(&maker->spec, SV("provisioningConfig"));
	struct value *templates = value_map_get_mutable(config, SV("templates"));

	for (size_t i = 0; i < COUNT_OF(hooks); i++)
		value_map_set(maker->arena, templates, hooks[i].hook,
		              script_text(maker, hooks[i].script));
	if (maker->has_kubelet)
		value_map_set(maker->arena, templates, SV("extensionKubeletFlags"),
		              script_text(maker, SCRIPTS "kubelet-flags.txt"));
}

/* ---- its name ---------------------------------------------------------------------------- */

/* A name is BASE-xDIGITS, with digits of a digest. */
enum { NAME_DIGITS = 8 };
#define NAME_MARK "x"

/* Returns eight digits of a digest of the profile's content, with the names of secrets only. */
static sv content_name(struct arena *arena, const struct value *spec)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct value tainted = osm_profile_tainted_spec(scratch, spec);
	struct value redacted = secrecy_redact_all(scratch, &(struct redaction){0}, &tainted);
	struct value sorted = osm_sorted(scratch, &redacted);
	struct buf json = buf_in(scratch);

	json_emit(&json, &sorted, JSON_GO);
	sv hex = digest_hex(scratch, DIGEST_SHA256, buf_sv(&json));
	return ARENA_CONCAT(arena, SV(NAME_MARK), sv_slice(hex, 0, NAME_DIGITS));
}

sv osm_extension_base_name(sv name)
{
	size_t dash = sv_rfind_char(name, '-');
	sv content = dash == SV_NPOS ? SV("") : sv_from_offset(name, dash + 1);

	if (dash == 0 || content.len != SV(NAME_MARK).len + NAME_DIGITS ||
	    !sv_starts_with(content, SV(NAME_MARK)))
		return name;
	for (size_t i = SV(NAME_MARK).len; i < content.len; i++)
		if (!ascii_is_any(content.ptr[i], "0123456789abcdef"))
			return name;
	return sv_slice(name, 0, dash);
}

/* Adds the extensions' packages, which machines download, too, to the profile's inventory. */
static void add_inventory(struct extension_maker *maker, const struct osm_extensions *extensions,
                          struct value *annotations)
{
	const struct value *given = value_map_get(annotations, SV(OSM_ANNOTATION_INVENTORY));
	struct extension_text lines = extension_text_in(maker->arena);

	if (!given)
		return;
	extension_text_add_value(&lines, given);
	VEC_EACH (extension, extensions) {
		const struct value *packages = (*extension)->packages;

		for (size_t i = 0; i < value_count(packages); i++) {
			extension_text_add(&lines, SV("package "));
			extension_text_add_value(&lines, value_item(packages, i));
			extension_text_add(&lines, SV(" from=distribution\n"));
		}
	}
	value_map_set(maker->arena, annotations, SV(OSM_ANNOTATION_INVENTORY),
	              extension_text_value(&lines, given));
}

static struct value annotations_of(struct extension_maker *maker,
                                   const struct osm_extensions *extensions)
{
	const struct osm_profile *base = maker->base;
	const struct value *given = value_path(base->object->root, "metadata.annotations");
	struct value annotations =
	    given ? value_copy(maker->arena, given) : value_map_new(maker->arena);
	struct buf names = buf_in(maker->arena);

	buf_add(&names, value_text(value_map_get(given, SV(OSM_ANNOTATION_EXTENSIONS))));
	VEC_EACH (extension, extensions)
		buf_printf(&names, "%s%.*s", names.len ? "," : "", SV_ARG((*extension)->name));
	value_map_set(maker->arena, &annotations, SV(ANNOTATION_BASE),
	              value_string(ARENA_CONCAT(maker->arena, base->name, SV(" "),
	                                        value_text(&base->version))));
	value_map_set(maker->arena, &annotations, SV(OSM_ANNOTATION_EXTENSIONS),
	              value_string(buf_sv(&names)));
	add_inventory(maker, extensions, &annotations);
	return annotations;
}

static struct kube_object *make_object(struct extension_maker *maker,
                                       const struct osm_extensions *extensions)
{
	struct arena *arena = maker->arena;
	const struct kube_object *base = maker->base->object;
	struct kube_object *object = ARENA_NEW(arena, struct kube_object);
	sv content = content_name(arena, &maker->spec);
	struct value annotations = annotations_of(maker, extensions);
	struct value *version = value_map_get_mutable(&maker->spec, SV("version"));
	sv before = value_text(&maker->base->version);

	/* The digest is build metadata of the version, which does not change its precedence. */
	*version = value_string(ARENA_CONCAT(
	    arena, before, sv_find_char(before, '+') == SV_NPOS ? SV("+") : SV("."), content));
	version->origin = maker->base->version.origin;
	*object = *base;
	object->id.kind = SV("OperatingSystemProfile");
	object->id.name = ARENA_CONCAT(arena, base->id.name, SV("-"), content);
	object->source = extensions->items[0]->object->source;
	object->root = ARENA_NEW(arena, struct value);
	*object->root = kube_object_new(arena, &object->id,
	                                value_path(base->root, "metadata.labels"), &annotations);
	value_map_set(arena, object->root, SV("spec"), maker->spec);
	return object;
}

enum status osm_extension_make(struct arena *arena, struct sink *sink,
                               const struct osm_profile *base,
                               const struct osm_extensions *extensions, unsigned contract,
                               struct kube_object **ret_object, struct osm_additions *ret_additions)
{
	struct extension_maker maker = {
	    .arena = arena,
	    .sink = sink,
	    .base = base,
	    .contract = contract,
	    .spec = value_copy(arena, value_map_get(base->object->root, SV("spec"))),
	    .claims = map_in(arena),
	};

	VEC_EACH (extension, extensions) {
		DIAG_SCOPE(sink, kube_object_describe(arena, (*extension)->object), sink->cluster);
		extension_add(&maker, *extension);
	}
	if (maker.failed)
		return STATUS_FAILED;
	if (maker.uses_hooks)
		fill_hooks(&maker);
	*ret_object = make_object(&maker, extensions);
	*ret_additions = maker.additions;
	return STATUS_OK;
}
