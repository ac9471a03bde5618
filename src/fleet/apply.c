/*
 * Merges the settings of each cluster: a flag wins over the Cluster, the Cluster over an object of
 * its folder that gives settings, that over the Fleet, the Fleet over the controller's default
 * (docs/spec/inputs.md 2).
 */
#include "fleet/internal.h"

struct applier {
	struct arena *arena;
	struct sink *sink;
	const struct fleet_options *options;
	const struct fleet *fleet;
};

/* The settings of one cluster while they are merged: each dialect's, and those of fleet/. */
struct applied {
	void **dialects;
	struct value given; /* the values that were set, by name */
	struct fleet_own_settings *own;
};

static void report_unknown_setting(struct sink *sink, const struct value_entry *entry)
{
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SETTING, origin_position(entry->key_origin),
	                "the setting \"%.*s\" does not exist", SV_ARG(entry->key));
	sv nearest = fleet_setting_nearest(sink->arena, entry->key);

	diag_help_quoted(sink, diag, nearest, "`osm-gen help --all generate` lists all settings");
}

enum status fleet_read_named(struct arena *arena, struct sink *sink,
                             const struct fleet_options *options, const struct fleet_file *file,
                             const struct value *given, const char *help,
                             struct fleet_named_file *ret_named)
{
	struct position at = value_position(given);
	struct fleet_named_file named;

	BUG_ON(!file);
	if (!fleet_path_resolve(arena, os_folder_of(file->path), given->string, &named.path)) {
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_FILE, at, "\"%.*s\" leads out of the repository",
		                SV_ARG(given->string));
		diag_set_help(sink, diag,
		              "name a committed file, relative to the folder of this one, or from "
		              "the repository's root with a / before it");
		return STATUS_FAILED;
	}
	if (!options->read_file ||
	    !options->read_file(options->read_file_context, named.path, &named.text)) {
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_FILE, at, "the repository has no file %.*s",
		                SV_ARG(named.path));
		diag_set_help(sink, diag, "%s", help);
		return STATUS_FAILED;
	}
	if (fleet_report_named_cipher(sink, &named, at))
		return STATUS_FAILED;
	*ret_named = named;
	return STATUS_OK;
}

/*
 * Reads the file that a setting in `file` names. *ret_value is its content, with the position of
 * the setting.
 */
static enum status read_named_file(const struct applier *a, const struct fleet_file *file,
                                   const struct value *given, struct value *ret_value)
{
	struct fleet_named_file named;

	if (fleet_read_named(a->arena, a->sink, a->options, file, given,
	                     "commit the file, or correct the path", &named) != STATUS_OK)
		return STATUS_FAILED;
	*ret_value = value_string(named.text);
	ret_value->origin = given->origin;
	return STATUS_OK;
}

/*
 * Returns the setting's value, or the content of the file that it names. If that file is missing,
 * reports it and returns null.
 */
static const struct value *take_given(const struct applier *a, const struct setting *setting,
                                      const struct value *given, const struct fleet_file *file)
{
	struct value *text;

	/* Flags come without a `file`: the command line has read the files they name. */
	if (!file || !setting_names_file(setting, given))
		return given;
	text = ARENA_NEW(a->arena, struct value);
	return read_named_file(a, file, given, text) == STATUS_OK ? text : NULL;
}

/* Reports mistakes and goes on, so that one run finds all of them. */
static void apply_one(const struct applier *a, struct applied *applied,
                      const struct value_entry *entry, const struct fleet_file *file)
{
	const struct setting *own = fleet_own_setting(entry->key);
	bool is_known = own != NULL;

	/* A mistake is in the sink, and the run goes on to find others. */
	if (own)
		(void)!setting_set(a->arena, a->sink, applied->own, own, &entry->value);
	for (size_t i = 0; i < a->fleet->dialect_count; i++) {
		const struct dialect *dialect = a->fleet->dialects[i].dialect;
		const struct setting *setting = fleet_setting_of(dialect, entry->key);
		const struct value *given;

		if (!setting)
			continue;
		is_known = true;
		if (value_is_null(&entry->value))
			continue;
		given = take_given(a, setting, &entry->value, file);
		if (given && setting_set(a->arena, a->sink, applied->dialects[i], setting, given) ==
		                 STATUS_OK)
			value_map_set(a->arena, &applied->given, entry->key, *given);
	}
	if (!is_known)
		report_unknown_setting(a->sink, entry);
}

static void apply_map(const struct applier *a, struct applied *applied, const struct value *map,
                      const struct fleet_file *file)
{
	for (size_t i = 0; i < value_count(map); i++)
		apply_one(a, applied, &map->map->entries[i], file);
}

/* Applies the settings that an object of the cluster's folder gives to one dialect's units. */
static void apply_made(const struct applier *a, struct applied *applied,
                       const struct fleet_cluster_draft *cluster)
{
	for (size_t i = 0; i < a->fleet->dialect_count; i++) {
		const struct dialect *dialect = a->fleet->dialects[i].dialect;

		if (dialect != cluster->made_for)
			continue;
		for (size_t j = 0; j < value_count(cluster->made_settings); j++) {
			const struct value_entry *entry = &cluster->made_settings->map->entries[j];
			const struct setting *setting = fleet_setting_of(dialect, entry->key);

			/* A mistake is in the sink, and the run goes on to find others. */
			(void)!setting_set(a->arena, a->sink, applied->dialects[i], setting,
			                   &entry->value);
		}
	}
}

/* Returns a copy of `from`, or the defaults if that is null. */
static struct applied applied_new(const struct applier *a, const struct applied *from)
{
	size_t count = a->fleet->dialect_count;
	struct applied applied = {.dialects = ARENA_ARRAY(a->arena, void *, count)};

	for (size_t i = 0; i < count; i++)
		applied.dialects[i] =
		    settings_new(a->arena, a->fleet->dialects[i].dialect->settings,
		                 from ? from->dialects[i] : NULL);
	applied.own = settings_new(a->arena, &fleet_own_table, from ? from->own : NULL);
	applied.given = value_map_new(a->arena);
	for (size_t i = 0; from && i < value_count(&from->given); i++)
		value_map_set(a->arena, &applied.given, from->given.map->entries[i].key,
		              from->given.map->entries[i].value);
	return applied;
}

/* ---- sealing ----------------------------------------------------------------------------- */

static const struct sealer_format *read_format(struct arena *arena, struct sink *sink,
                                               const struct value *given)
{
	const struct sealer_format *format = sealer_format_find(value_text(given));

	if (format)
		return format;
	size_t count;
	const sv *names = sealer_format_names(arena, &count);
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SEALING, value_position(given),
	                "the sealing format \"%.*s\" does not exist", SV_ARG(given->string));
	sv nearest = diag_nearest(given->string, names, count);
	struct buf all = buf_in(arena);
	for (size_t i = 0; i < count; i++)
		buf_printf(&all, "%s%.*s", i > 0 ? " or " : "", SV_ARG(names[i]));
	diag_help_quoted(sink, diag, nearest, "use %.*s", SV_ARG(buf_sv(&all)));
	return sealer_format_find(SV(""));
}

static void read_recipients(const struct applier *a, const struct value *list,
                            struct fleet_sealing *sealing)
{
	size_t count = value_count(list);

	/*
	 * Charged, since each cluster checks all keys, and an age key (a curve point) takes 0.1 ms.
	 */
	if (!quota_take(a->options->steps, count * (uint64_t)2000))
		count = 0;
	struct fleet_recipient *recipients = ARENA_ARRAY(a->arena, struct fleet_recipient, count);

	if (list && value_count(list) == 0) {
		sealing->is_wrong = true;
		diag_report(a->sink, DIAG_FLEET_SEALING, value_position(list),
		            "the list of recipients is empty: nobody could decrypt the output");
	}
	sealing->recipients = recipients;
	for (size_t i = 0; i < count; i++) {
		const struct value *item = value_item(list, i);

		if (!value_is_string(item) || sv_empty(item->string)) {
			sealing->is_wrong = true;
			diag_report(a->sink, DIAG_FLEET_SEALING, value_position(item),
			            "a recipient must be a string");
		} else
			recipients[sealing->recipient_count++] =
			    (struct fleet_recipient){item->string, value_position(item)};
	}
}

/* Reads the certificate as the only recipient. Its content is checked by seal/. */
static void read_certificate(const struct applier *a, const struct fleet_file *file,
                             const struct value *given, struct fleet_sealing *sealing)
{
	struct fleet_recipient *recipient = ARENA_NEW(a->arena, struct fleet_recipient);
	struct value text;

	sealing->recipients = recipient;
	if (!given)
		return;
	if (read_named_file(a, file, given, &text) != STATUS_OK) {
		sealing->is_wrong = true;
		return;
	}
	*recipient = (struct fleet_recipient){text.string, value_position(given)};
	sealing->recipient_count = 1;
}

static enum seal_scope read_scope(const struct applier *a, const struct value *given,
                                  struct fleet_sealing *sealing)
{
	for (int i = SEAL_SCOPE_STRICT; given && i <= SEAL_SCOPE_CLUSTER; i++)
		if (sv_eq(given->string, seal_scope_name((enum seal_scope)i)))
			return (enum seal_scope)i;
	if (!given)
		return SEAL_SCOPE_STRICT;
	struct diag *diag = diag_report(a->sink, DIAG_FLEET_SEALING, value_position(given),
	                                "the scope \"%.*s\" does not exist", SV_ARG(given->string));
	diag_set_help(a->sink, diag, "use strict, namespace-wide or cluster-wide");
	sealing->is_wrong = true;
	return SEAL_SCOPE_STRICT;
}

/* Reports members that the sealing format does not use, if the same document sets the format. */
static void report_unused(const struct applier *a, const struct fleet_sealing_draft *draft,
                          struct fleet_sealing *sealing)
{
	bool is_certificate = sealing->format->takes_certificate;
	const struct value *unused = is_certificate ? draft->recipients : draft->certificate;
	struct diag *diag;

	if (!is_certificate && !unused)
		unused = draft->scope;
	if (is_certificate && !unused)
		unused = draft->round_lengths;
	if (!draft->format || !unused)
		return;
	diag = diag_report(a->sink, DIAG_FLEET_SEALING, value_position(unused),
	                   "the sealing format %.*s has no use for this",
	                   SV_ARG(sealing->format->name));
	diag_set_help(
	    a->sink, diag,
	    "sops takes recipients and roundLengths; sealed-secrets takes a certificate and "
	    "a scope");
	sealing->is_wrong = true;
}

static struct fleet_sealing read_sealing(const struct applier *a, const struct fleet_draft *draft,
                                         const struct fleet_cluster_draft *cluster)
{
	const struct fleet_sealing_draft *own = &cluster->sealing;
	const struct fleet_sealing_draft *shared = &draft->sealing;
	const struct value *scope = own->scope ? own->scope : shared->scope;
	struct fleet_sealing sealing = {.is_wrong = own->is_wrong || shared->is_wrong};

	if (own->at.source)
		sealing.at = own->at;
	else if (shared->at.source)
		sealing.at = shared->at;
	else
		sealing.at = cluster->at;
	sealing.format = read_format(a->arena, a->sink, own->format ? own->format : shared->format);
	report_unused(a, own, &sealing);
	if (!own->format)
		report_unused(a, shared, &sealing);
	sealing.round_lengths = 1;
	if (!sealing.format->takes_certificate) {
		const struct value *multiple =
		    own->round_lengths ? own->round_lengths : shared->round_lengths;

		if (multiple)
			sealing.round_lengths = (size_t)multiple->integer;
		read_recipients(a, own->recipients ? own->recipients : shared->recipients,
		                &sealing);
		return sealing;
	}
	sealing.scope = read_scope(a, scope, &sealing);
	if (own->certificate)
		read_certificate(a, cluster->file, own->certificate, &sealing);
	else
		read_certificate(a, draft->fleet_file, shared->certificate, &sealing);
	return sealing;
}

/* Returns null if the repository has no .sops.yaml, or a wrong one, which is reported. */
static const struct seal_sops_config *read_sops_config(const struct applier *a)
{
	const struct seal_sops_config *config;
	sv text;

	if (!a->options->read_file ||
	    !a->options->read_file(a->options->read_file_context, SV(FLEET_SOPS_FILE), &text))
		return NULL;
	struct source *source = source_new(a->arena, SV(FLEET_SOPS_FILE), text, false);
	return seal_sops_config_parse(a->arena, a->sink, source, &config) == STATUS_OK ? config
	                                                                               : NULL;
}

sv fleet_sops_path(struct arena *arena, sv out, sv path)
{
	return sv_empty(out) ? path : ARENA_CONCAT(arena, out, SV("/"), path);
}

static bool lacks_recipients(const struct fleet_sealing *sealing)
{
	return !sealing->format->takes_certificate && sealing->recipient_count == 0 &&
	       !sealing->is_wrong;
}

static void take_rule(const struct applier *a, const struct seal_creation_rule *rule,
                      struct fleet_sealing *sealing)
{
	struct seal_rule_recipients read;

	if (!rule)
		return;
	if (seal_creation_rule_read(a->arena, a->sink, rule, &read) != STATUS_OK) {
		sealing->is_wrong = true;
		return;
	}
	struct fleet_recipient *recipients =
	    ARENA_ARRAY(a->arena, struct fleet_recipient, read.count);
	for (size_t i = 0; i < read.count; i++)
		recipients[i] = (struct fleet_recipient){read.items[i].text, read.items[i].at};
	sealing->recipients = recipients;
	sealing->recipient_count = read.count;
	sealing->rule = read.rule;
}

static sv path_of_secrets(const struct applier *a, sv folder)
{
	sv path = ARENA_CONCAT(a->arena, folder, SV("/worker/NAMESPACE/secret-NAME.yaml"));

	return fleet_sops_path(a->arena, a->options->out, path);
}

/* Takes recipients from .sops.yaml's rule for the cluster's Secrets if osm-gen.yaml has none. */
static void follow_sops_config(const struct applier *a, struct fleet *fleet)
{
	size_t errors = a->sink->error_count;
	struct fleet_sealing **asking =
	    ARENA_ARRAY(a->arena, struct fleet_sealing *, fleet->cluster_count);
	sv *paths = ARENA_ARRAY(a->arena, sv, fleet->cluster_count);
	const struct seal_creation_rule **rules =
	    ARENA_ARRAY(a->arena, const struct seal_creation_rule *, fleet->cluster_count);
	size_t count = 0;

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		if (!lacks_recipients(&fleet->clusters[i].sealing))
			continue;
		asking[count] = &fleet->clusters[i].sealing;
		paths[count++] = path_of_secrets(a, fleet->clusters[i].folder);
	}
	if (count > 0)
		fleet->sops_config = read_sops_config(a);
	if (fleet->sops_config &&
	    quota_take(a->options->steps, seal_sops_config_steps(fleet->sops_config, count)))
		seal_sops_config_find_each(a->arena, fleet->sops_config, paths, count, rules);
	for (size_t i = 0; i < count; i++) {
		if (fleet->sops_config)
			take_rule(a, rules[i], asking[i]);
		else
			asking[i]->is_wrong = a->sink->error_count > errors;
	}
}

/* ---- all --------------------------------------------------------------------------------- */

void fleet_apply_settings(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          const struct fleet_options *options, struct fleet *fleet)
{
	struct fleet_cluster *clusters = fleet->clusters;
	struct applier a = {.arena = arena, .sink = sink, .options = options, .fleet = fleet};
	struct applied defaults;
	struct applied outside;

	defaults = applied_new(&a, NULL);
	{
		DIAG_SCOPE(sink, SV("Fleet"), sink->cluster);
		apply_map(&a, &defaults, draft->defaults, draft->fleet_file);
	}
	outside = applied_new(&a, &defaults);
	apply_map(&a, &outside, options->flag_settings, NULL);
	for (size_t i = 0; i < fleet->dialect_count; i++)
		fleet->dialects[i].settings = outside.dialects[i];
	for (size_t i = 0; i < draft->clusters.count; i++) {
		const struct fleet_cluster_draft *cluster = &draft->clusters.items[i];
		struct applied own = applied_new(&a, &defaults);

		{
			DIAG_SCOPE(sink,
			           cluster->file
			               ? ARENA_CONCAT(arena, SV("Cluster "), cluster->name)
			               : SV(""),
			           sink->cluster);
			if (cluster->made_settings)
				apply_made(&a, &own, cluster);
			apply_map(&a, &own, cluster->settings, cluster->file);
		}
		/* Wrong ones were reported above: the sink takes a diagnostic once. */
		apply_map(&a, &own, options->flag_settings, NULL);
		for (size_t j = 0; j < fleet->dialect_count; j++)
			clusters[i].dialects[j].settings = own.dialects[j];
		clusters[i].given = own.given;
		clusters[i].management_cluster = own.own->management_cluster;
		clusters[i].shares_api_server = own.own->shares_api_server;
		clusters[i].sealing = read_sealing(&a, draft, cluster);
	}
	follow_sops_config(&a, fleet);
}
