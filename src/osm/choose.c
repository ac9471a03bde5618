/*
 * Finds the profiles of each cluster, and the one that each MachineDeployment refers to.
 *
 * Profiles are in three layers: the cluster's folder, shared files outside of all clusters'
 * folders, and the program. Of several with one name and namespace, the first layer's is used.
 */
#include "osm/extension/extension.h"
#include "osm/spelling.h"
#include "json/json.h"

/* A profile in one layer. An empty namespace means the one that the controller reads. */
struct layer_entry {
	sv namespace;
	sv name;
	struct osm_definition *definition;
};

VEC_TYPE(layer, struct layer_entry);

/*
 * The profiles that a cluster can use, with namespaces filled in: its own ones, each name once,
 * then those that clusters share, which a nearer one of the same name hides.
 */
struct view {
	struct layer profiles;
	struct map by_name; /* "NAMESPACE/NAME" to struct osm_definition * */
	const struct view *farther;
};

struct osm_choice {
	struct arena *arena;
	const struct dialect_input *input;
	struct osm_extended *extended;
	struct view *views; /* one for each cluster */
};

struct builder {
	struct arena *arena;
	struct sink *sink;
	const struct dialect_input *input;
	struct layer shared;
	struct layer embedded;
	struct layer *own;  /* one for each cluster */
	struct map hidden;  /* "NAME VERSION" to the diagnostic about it */
	struct map farther; /* struct view * by the settings that it depends on */
};

static const struct osm_settings *settings_of(const struct dialect_input *input, size_t cluster)
{
	return input->clusters[cluster].settings;
}

/* ---- layers ------------------------------------------------------------------------------ */

static sv effective_namespace(const struct layer_entry *entry, sv controller)
{
	return sv_empty(entry->namespace) ? controller : entry->namespace;
}

static sv name_key(struct arena *arena, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name);
}

/* Reports two profiles of one name in a layer, since neither takes precedence. */
static void check_layer(struct builder *b, const struct layer *layer, sv controller)
{
	struct map seen = map_in(b->arena);

	VEC_EACH (entry, layer) {
		sv key = name_key(b->arena, effective_namespace(entry, controller), entry->name);
		const struct osm_definition *other = map_get(&seen, key);

		if (!other) {
			map_put(&seen, key, entry->definition);
			continue;
		}
		struct diag *diag =
		    diag_report(b->sink, DIAG_FLEET_TWICE,
		                kube_object_position(entry->definition->shown.object),
		                "two OperatingSystemProfiles of one scope are named \"%.*s\"",
		                SV_ARG(entry->name));
		diag_add_note(b->sink, diag, kube_object_position(other->shown.object),
		              "the other one");
		diag_set_help(b->sink, diag,
		              "rename or remove one of them, or name its file in .osm-gen-ignore");
	}
}

static struct layer make_layer(struct builder *b, const struct kube_object_list *objects)
{
	struct layer layer = {0};

	VEC_EACH (object, objects) {
		const struct kube_id *id = &(*object)->id;
		if (sv_eq(id->kind, SV(OSM_EXTENSION_KIND)))
			continue;
		/* KKP copies a CustomOperatingSystemProfile to the controller's namespace. */
		bool custom = sv_eq(id->kind, SV("CustomOperatingSystemProfile"));
		struct osm_definition *definition = ARENA_NEW(b->arena, struct osm_definition);

		*definition =
		    (struct osm_definition){.shown = {.object = *object, .name = id->name}};
		VEC_PUSH(
		    b->arena, &layer,
		    (struct layer_entry){custom ? SV("") : id->namespace, id->name, definition});
	}
	return layer;
}

static void load_layer(struct builder *b, struct layer *layer, sv controller)
{
	check_layer(b, layer, controller);
	VEC_EACH (entry, layer) {
		struct osm_definition *definition = entry->definition;
		struct osm_profile *loaded;

		DIAG_SCOPE(b->sink, kube_object_describe(b->arena, definition->shown.object),
		           b->sink->cluster);
		if (osm_profile_load(b->arena, b->sink, definition->shown.object, &loaded) ==
		    STATUS_OK) {
			definition->profile = loaded;
			definition->shown.version = loaded->version;
		}
	}
}

static void load_layers(struct builder *b)
{
	const struct osm_settings *shared = b->input->shared_settings;

	b->shared = make_layer(b, &b->input->shared);
	load_layer(b, &b->shared, shared->namespace);
	for (size_t i = 0; i < b->input->cluster_count; i++) {
		DIAG_SCOPE(b->sink, b->sink->object, b->input->clusters[i].name);
		b->own[i] = make_layer(b, &b->input->clusters[i].definitions);
		load_layer(b, &b->own[i], settings_of(b->input, i)->namespace);
	}
}

/* Lists the embedded profiles, which load_on_need parses. */
static void list_embedded(struct builder *b)
{
	struct osm_embedded_names names;
	bool wanted = false;

	/* Skip units of other dialects, which do not need it. */
	for (size_t i = 0; i < b->input->cluster_count; i++)
		wanted |= !settings_of(b->input, i)->disable_default_osps &&
		          b->input->clusters[i].units.count > 0;
	if (!wanted)
		return;
	osm_profile_list_embedded(b->arena, b->input->contract, &names);
	VEC_EACH (each, &names) {
		struct osm_definition *definition = ARENA_NEW(b->arena, struct osm_definition);

		*definition = (struct osm_definition){
		    .shown = {.name = each->name, .is_embedded = true},
		    .embedded = each->file,
		};
		VEC_PUSH(b->arena, &b->embedded,
		         (struct layer_entry){SV(""), each->name, definition});
	}
}

/* Parses an embedded profile when it is first needed. */
static void load_on_need(struct arena *arena, struct sink *sink, struct osm_definition *definition)
{
	struct osm_profile *profile;

	if (!definition->embedded || definition->profile ||
	    osm_profile_load_embedded(arena, sink, definition->embedded, &profile) != STATUS_OK)
		return;
	definition->profile = profile;
	definition->shown.object = profile->object;
	definition->shown.version = profile->version;
}

/* ---- own ones beside those inside the program -------------------------------------------- */

/* The members that are compared with the embedded profile's, in the order of the message. */
static const char *const parts[] = {
    "osName",
    "osVersion",
    "supportedCloudProviders",
    "provisioningUtility",
    "bootstrapConfig.files",
    "bootstrapConfig.units",
    "bootstrapConfig.templates",
    "bootstrapConfig.modules",
    "bootstrapConfig.supportedContainerRuntimes",
    "provisioningConfig.files",
    "provisioningConfig.units",
    "provisioningConfig.templates",
    "provisioningConfig.modules",
    "provisioningConfig.supportedContainerRuntimes",
};

static sv part_text(struct arena *arena, const struct osm_profile *profile, const char *part)
{
	const struct value *v = value_path(value_map_get(profile->object->root, SV("spec")), part);
	struct buf json = buf_in(arena);

	if (v)
		json_emit(&json, v, JSON_GO);
	return buf_sv(&json);
}

static sv differing_parts(struct arena *arena, const struct osm_profile *own,
                          const struct osm_profile *embedded)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (!sv_eq(part_text(scratch, own, parts[i]),
		           part_text(scratch, embedded, parts[i])))
			buf_add_item(&buf, sv_from_cstr(parts[i]));
	return buf.len ? buf_sv(&buf) : SV("the version alone");
}

/* Reports a profile that hides an embedded one, once for all copies of one name and version. */
static void report_hidden(struct builder *b, const struct layer_entry *own,
                          const struct osm_profile *embedded)
{
	enum { SHOWN = 3 };
	const struct osm_profile *profile = own->definition->profile;
	sv version = value_text(&profile->version);
	struct position at = value_position(&profile->version);
	sv key = ARENA_CONCAT(b->arena, own->name, SV(" "), version);
	struct diag *diag = map_get(&b->hidden, key);

	if (diag) {
		if (diag->notes.count <= SHOWN)
			diag_add_note(b->sink, diag, at, "another copy");
		return;
	}
	diag =
	    diag_report(b->sink, DIAG_OSP_HIDES_EMBEDDED, at,
	                "OperatingSystemProfile \"%.*s\" %.*s of the repository is used, not "
	                "%.*s of osm-gen",
	                SV_ARG(own->name), SV_ARG(version), SV_ARG(value_text(&embedded->version)));
	map_put(&b->hidden, key, diag);
	diag_add_note(b->sink, diag, NOWHERE, "different are: %.*s",
	              SV_ARG(differing_parts(b->arena, profile, embedded)));
	diag_set_help(b->sink, diag,
	              "remove the file to use osm-gen's (osm-gen profiles show %.*s), or give the "
	              "profile a name of its own; with disableDefaultOSPs: true only the "
	              "repository's count",
	              SV_ARG(own->name));
}

/* Reports profiles that hide embedded ones of another version. */
static void check_hidden(struct builder *b, const struct layer *own)
{
	VEC_EACH (entry, own) {
		const struct osm_profile *profile = entry->definition->profile;

		VEC_EACH (embedded, &b->embedded) {
			if (!profile || !sv_eq(embedded->name, entry->name))
				continue;
			load_on_need(b->arena, b->sink, embedded->definition);
			const struct osm_profile *other = embedded->definition->profile;
			if (other &&
			    !sv_eq(value_text(&profile->version), value_text(&other->version)))
				report_hidden(b, entry, other);
		}
	}
}

/* ---- profiles of a cluster --------------------------------------------------------------- */

static void see_layer(struct builder *b, struct view *view, const struct layer *layer,
                      sv controller)
{
	/* Charged for the memory of the copies. */
	if (!quota_take(b->input->steps, layer->count * (uint64_t)80))
		return;
	VEC_EACH (entry, layer) {
		struct layer_entry seen = *entry;

		seen.namespace = effective_namespace(entry, controller);
		sv key = name_key(b->arena, seen.namespace, seen.name);
		if (map_get(&view->by_name, key))
			continue;
		map_put(&view->by_name, key, seen.definition);
		VEC_PUSH(b->arena, &view->profiles, seen);
	}
}

/* Returns the shared and the embedded profiles as clusters of these settings see them. */
static const struct view *see_farther(struct builder *b, const struct osm_settings *settings)
{
	sv key = ARENA_CONCAT(b->arena, settings->namespace,
	                      settings->disable_default_osps ? SV("") : SV("/embedded"));
	struct view *view = map_get(&b->farther, key);

	if (view)
		return view;
	view = ARENA_NEW(b->arena, struct view);
	*view = (struct view){.by_name = map_in(b->arena)};
	see_layer(b, view, &b->shared, settings->namespace);
	if (!settings->disable_default_osps)
		see_layer(b, view, &b->embedded, settings->namespace);
	map_put(&b->farther, key, view);
	return view;
}

static struct osm_definition *find_named(const struct view *view, sv key)
{
	struct osm_definition *found = map_get(&view->by_name, key);

	while (!found && view->farther) {
		view = view->farther;
		found = map_get(&view->by_name, key);
	}
	return found;
}

/* Returns the profile of that name, or the one of which extensions make it; or null. */
static struct osm_definition *find_base(struct arena *arena, const struct view *view, sv namespace,
                                        sv name)
{
	struct osm_definition *base = find_named(view, name_key(arena, namespace, name));

	return base ? base
	            : find_named(view, name_key(arena, namespace, osm_extension_base_name(name)));
}

static sv namespace_of(const struct osm_profile_reference *reference,
                       const struct osm_settings *settings)
{
	return sv_empty(reference->namespace) ? settings->namespace : reference->namespace;
}

/* Marks the extensions that apply to the cluster's MachineDeployments as used. */
static void mark_extensions(struct builder *b, const struct osm_choice *choice, size_t cluster)
{
	const struct osm_settings *settings = settings_of(b->input, cluster);
	const struct kube_object_list *units = &b->input->clusters[cluster].units;
	struct sink ignored = sink_in(b->arena);
	ARENA_AUTO opened = arena_new(ARENA_SECRET);

	if (!osm_extended_any(choice->extended, cluster))
		return;
	kube_object_list_open(opened, units);
	VEC_EACH (unit, units) {
		struct osm_profile_reference reference;

		if (osm_profile_wanted(b->arena, &ignored, settings, *unit, &reference) !=
		    STATUS_OK)
			continue;
		const struct osm_definition *base =
		    find_base(b->arena, &choice->views[cluster], namespace_of(&reference, settings),
		              reference.name);
		osm_extended_mark(b->arena, choice->extended, cluster,
		                  base ? base->shown.name : reference.name, *unit);
	}
	kube_object_list_close(units);
}

/* Checks the profiles that extensions name, which any cluster that has the extension may have. */
static void check_extensions(struct builder *b, const struct osm_choice *choice)
{
	struct set known = set_in(b->arena);

	for (size_t i = 0; i < b->input->cluster_count; i++) {
		VEC_EACH (entry, &choice->views[i].profiles)
			set_add(&known, entry->name);
		mark_extensions(b, choice, i);
	}
	for (size_t i = 0; i < b->farther.count; i++) {
		const struct view *view = b->farther.entries[i].value;

		VEC_EACH (entry, &view->profiles)
			set_add(&known, entry->name);
	}
	osm_extended_check(b->sink, choice->extended, &known);
}

struct osm_choice *osm_choice_new(struct arena *arena, struct sink *sink,
                                  const struct dialect_input *input)
{
	struct osm_choice *choice = ARENA_NEW(arena, struct osm_choice);
	struct builder b = {
	    .arena = arena,
	    .sink = sink,
	    .input = input,
	    .own = ARENA_ARRAY(arena, struct layer, input->cluster_count),
	    .hidden = map_in(arena),
	    .farther = map_in(arena),
	};

	load_layers(&b);
	list_embedded(&b);
	check_hidden(&b, &b.shared);
	for (size_t i = 0; i < input->cluster_count; i++)
		if (!settings_of(input, i)->disable_default_osps)
			check_hidden(&b, &b.own[i]);
	*choice = (struct osm_choice){
	    .arena = arena,
	    .input = input,
	    .views = ARENA_ARRAY(arena, struct view, input->cluster_count),
	};
	for (size_t i = 0; i < input->cluster_count; i++) {
		const struct osm_settings *settings = settings_of(input, i);
		struct view *view = &choice->views[i];

		view->by_name = map_in(arena);
		see_layer(&b, view, &b.own[i], settings->namespace);
		view->farther = see_farther(&b, settings);
	}
	choice->extended = osm_extended_new(arena, sink, input);
	check_extensions(&b, choice);
	return choice;
}

/* ---- the profile of a MachineDeployment -------------------------------------------------- */

/* Reports a reference to a profile that is in another namespace. */
static void report_elsewhere(struct arena *arena, struct sink *sink,
                             const struct osm_profile_reference *reference, sv namespace,
                             const struct layer_entry *found)
{
	load_on_need(arena, sink, found->definition);
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_PROFILE_NAMESPACE, reference->at,
	                "OperatingSystemProfile \"%.*s\" is not in namespace \"%.*s\"",
	                SV_ARG(reference->name), SV_ARG(namespace));

	diag_add_note(sink, diag, kube_object_position(found->definition->shown.object),
	              "it is in namespace \"%.*s\"", SV_ARG(found->namespace));
	diag_set_help(sink, diag,
	              "annotate the MachineDeployment with "
	              "k8c.io/operating-system-profile-namespace: %.*s, or move the profile",
	              SV_ARG(found->namespace));
	osm_profile_note_setting(sink, diag, reference);
}

static void report_missing(struct arena *arena, struct sink *sink, const struct view *view,
                           const struct osm_profile_reference *reference, sv namespace)
{
	enum { MOST = 256 };
	sv names[MOST];
	size_t count = 0;

	for (; view; view = view->farther)
		VEC_EACH (entry, &view->profiles) {
			if (sv_eq(entry->namespace, namespace)) {
				if (count < MOST)
					names[count++] = entry->name;
			} else if (sv_eq(entry->name, reference->name)) {
				report_elsewhere(arena, sink, reference, namespace, entry);
				return;
			}
		}
	osm_profile_report_unknown(sink, reference, names, count);
}

/*
 * Checks a reference to a profile that extensions made: the extensions must still give a profile of
 * that name.
 */
static void check_made(struct sink *sink, const struct osm_profile_reference *reference,
                       const struct osm_definition *found, const struct osm_definition *base)
{
	if (!found->profile || sv_eq(found->shown.name, reference->name))
		return;
	struct diag *diag = diag_report(sink, DIAG_EXTENSION_NAME, reference->at,
	                                "OperatingSystemProfile \"%.*s\" is not the profile that "
	                                "the extensions now make of \"%.*s\"",
	                                SV_ARG(reference->name), SV_ARG(base->shown.name));
	diag_add_note(sink, diag, NOWHERE, "%s \"%.*s\"",
	              found == base ? "no extension is for this MachineDeployment: it gets"
	                            : "they make",
	              SV_ARG(found->shown.name));
	diag_set_help(sink, diag,
	              "name \"%.*s\" in the annotation, or \"%.*s\" for whatever they make",
	              SV_ARG(found->shown.name), SV_ARG(base->shown.name));
}

void osm_choose(struct arena *arena, struct sink *sink, struct osm_choice *choice, size_t cluster,
                struct dialect_unit *unit)
{
	const struct dialect_input *input = choice->input;
	const struct view *view = &choice->views[cluster];
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct osm_profile_reference reference;

	if (osm_profile_wanted(scratch, sink, settings_of(input, cluster), unit->object,
	                       &reference) != STATUS_OK)
		return;
	sv namespace = namespace_of(&reference, settings_of(input, cluster));
	struct osm_definition *base = find_base(scratch, view, namespace, reference.name);
	if (base)
		load_on_need(choice->arena, sink, base);
	if (base && base->profile && !osm_profile_fits_setting(sink, &reference, base->profile))
		return;
	if (base) {
		const struct osm_definition *found =
		    osm_extended_find(arena, sink, choice->extended, cluster, base, unit->object);

		unit->definition = &found->shown;
		unit->resolved = found->profile;
		if (!sv_eq(reference.name, base->shown.name))
			check_made(sink, &reference, found, base);
		if (base->shown.is_embedded)
			osm_check_kubelet_known(arena, sink, unit->object);
	} else if (!input->may_be_unreadable(input->context, reference.name)) {
		(void)quota_take(input->steps,
		                 1 + (view->profiles.count + view->farther->profiles.count) / 8);
		report_missing(choice->arena, sink, view, &reference, namespace);
	}
}
