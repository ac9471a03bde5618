/*
 * Finds the downloads of a unit's machines: renders the profile's inventory with the data of its
 * templates, and reads it.
 */
#include "osm/inventory/inventory.h"
#include "tmpl/tmpl.h"

void osm_report_not_inventoried(struct sink *sink, const struct osm_profile *profile)
{
	struct diag *diag =
	    diag_report(sink, DIAG_NOT_INVENTORIED, kube_object_position(profile->object),
	                "%.*s has no annotation " OSM_ANNOTATION_INVENTORY
	                ": the downloads of its machines are not listed",
	                SV_ARG(profile->name));

	diag_set_help(
	    sink, diag,
	    "add one: `osm-gen profiles show osp-ubuntu` has an example, docs/profiles.md "
	    "its form");
}

void osm_report_extension_not_inventoried(struct sink *sink, const struct kube_object *extension)
{
	struct diag *diag =
	    diag_report(sink, DIAG_NOT_INVENTORIED, kube_object_position(extension),
	                "the extension \"%.*s\" has machines run something, and no "
	                "annotation " OSM_ANNOTATION_INVENTORY ": its downloads are not listed",
	                SV_ARG(extension->id.name));

	diag_set_help(sink, diag,
	              "add one, docs/extensions.md has an example; if it fetches "
	              "nothing: " OSM_ANNOTATION_INVENTORY ": \"\"");
}

static const struct osm_rendered_file *last_file(const struct osm_rendered_config *config, sv path)
{
	const struct osm_rendered_file *found = NULL;

	for (size_t i = 0; i < config->file_count; i++)
		if (sv_eq(value_text(&config->files[i].path), path))
			found = &config->files[i];
	return found;
}

/*
 * Finds the content of a file with settings that the user-data writes and stage 2 reads. Files of
 * stage 2 override those of stage 1, and the last file of a path wins. A file with a secret is
 * treated as missing, since its settings would be printed.
 */
static sv find_file(const void *context, sv path)
{
	const struct osm_fetches_request *request = context;
	const struct osm_rendered_file *found = last_file(request->provisioning, path);

	if (!found)
		found = last_file(request->bootstrap, path);
	return found && !secrecy_find(&found->data) ? value_text(&found->data) : SV("");
}

static enum status report_secret(struct sink *sink, const struct value *text)
{
	struct diag *diag = diag_report(sink, DIAG_INVENTORY, value_position(text),
	                                "the inventory holds a secret once it is rendered");

	diag_set_help(sink, diag, "do not use a field in it that may hold one");
	return STATUS_FAILED;
}

/* Returns a mirror's URL without user and password, or "***" if the settings seal all of it. */
static sv shown_url(struct arena *arena, const struct value *url)
{
	const struct taint *taint = url->taint;

	if (taint && (taint->derived || (taint->count > 0 && taint->spans[0].start == 0)))
		return SV("***");
	return dialect_fetch_masked(arena, value_text(url));
}

/* Adds the mirrors from which machines pull images. */
static void add_mirrors(struct arena *arena, const struct osm_mirrors *mirrors, sv setting,
                        struct dialect_fetches *fetches)
{
	VEC_EACH (mirror, mirrors) {
		const struct dialect_fetch fetch = {
		    .kind = SV("registry"),
		    .name = mirror->registry,
		    .url = shown_url(arena, &mirror->url),
		    .setting = setting,
		};

		VEC_PUSH(arena, fetches, fetch);
	}
}

/* Renders an inventory as a template. Reports one that shows a secret. */
static enum status render(struct arena *arena, struct sink *sink,
                          const struct osm_fetches_request *request, const struct value *annotation,
                          struct osm_inventory_text *ret_text)
{
	const struct tmpl_source source = {SV(OSM_ANNOTATION_INVENTORY), annotation};
	struct tmpl_options options = tmpl_options_default();
	struct text text = text_in(arena);
	struct tmpl_set *set;

	if (!value_is_string(annotation)) {
		diag_report(sink, DIAG_INVENTORY, value_position(annotation),
		            "the annotation " OSM_ANNOTATION_INVENTORY " must be a string");
		return STATUS_FAILED;
	}
	options.now = request->now;
	options.total_steps = request->steps;
	if (tmpl_parse(arena, sink, &tmpl_funcs_profile, &source, &set, NULL) != STATUS_OK ||
	    tmpl_execute(arena, sink, set, request->data, &options, &text, NULL) != STATUS_OK)
		return STATUS_FAILED;
	if (text_taint(arena, &text))
		return report_secret(sink, annotation);
	*ret_text = (struct osm_inventory_text){text_sv(&text), value_position(annotation)};
	return STATUS_OK;
}

enum status osm_fetches(struct arena *arena, struct sink *sink,
                        const struct osm_fetches_request *request,
                        struct dialect_fetches *ret_fetches)
{
	const struct osm_inventories *annotations = request->annotations;
	struct osm_inventory_text *texts =
	    ARENA_ARRAY(arena, struct osm_inventory_text, annotations->count);
	enum status status = STATUS_OK;

	for (size_t i = 0; i < annotations->count; i++)
		status |= render(arena, sink, request, annotations->items[i], &texts[i]);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	const struct osm_inventory inventory = {
	    .texts = texts,
	    .text_count = annotations->count,
	    .file = find_file,
	    .context = request,
	};
	if (osm_inventory_read(arena, sink, &inventory, ret_fetches) != STATUS_OK)
		return STATUS_FAILED;
	add_mirrors(arena, &request->settings->containerd_mirrors,
	            SV("nodeContainerdRegistryMirrors"), ret_fetches);
	add_mirrors(arena, &request->settings->registry_mirrors, SV("nodeRegistryMirrors"),
	            ret_fetches);
	return STATUS_OK;
}
