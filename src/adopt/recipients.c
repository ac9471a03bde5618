/*
 * Reads the settings of the repository. Finds the recipients of Secrets (those of the command line,
 * else of osm-gen.yaml, else of .sops.yaml) and the output contract.
 */
#include "adopt/internal.h"

#include "fleet/fleet.h"
#include "os/os.h"
#include "yaml/yaml.h"

enum { SETTINGS_MAX_BYTES = 4 * 1024 * 1024 };

struct found {
	VEC(struct seal_recipient_text) texts;
	const struct seal_creation_rule *rule;
};

/* Reads a file at the root. *ret_source is null if it is missing. */
static enum status read_at_root(struct arena *arena, struct sink *sink, sv root, sv name,
                                const struct source **ret_source)
{
	sv path = ARENA_CONCAT(arena, root, SV("/"), name);
	sv text;

	*ret_source = NULL;
	if (os_kind(path) == OS_ABSENT)
		return STATUS_OK;
	if (os_read_named(arena, sink, root, path, SETTINGS_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret_source = source_new(arena, name, text, false);
	return STATUS_OK;
}

static enum status take_fleet(struct arena *arena, struct sink *sink, sv root, struct found *found)
{
	struct yml_documents documents = {0};
	const struct source *source;

	if (read_at_root(arena, sink, root, SV(FLEET_SETTINGS_FILE), &source) != STATUS_OK)
		return STATUS_FAILED;
	if (!source)
		return STATUS_OK;
	if (yml_parse(arena, sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (document, &documents) {
		const struct value *list = value_path(&document->root, "spec.sealing.recipients");

		if (!sv_eq(value_text(value_map_get(&document->root, SV("kind"))), SV("Fleet")))
			continue;
		for (size_t i = 0; value_is_list(list) && i < value_count(list); i++)
			VEC_PUSH(arena, &found->texts,
			         (struct seal_recipient_text){value_text(value_item(list, i)),
			                                      value_position(value_item(list, i))});
	}
	return STATUS_OK;
}

static enum status take_rule(struct arena *arena, struct sink *sink, sv root, sv path,
                             struct found *found)
{
	const struct seal_sops_config *config;
	struct seal_rule_recipients read;
	const struct source *source;

	if (read_at_root(arena, sink, root, SV(FLEET_SOPS_FILE), &source) != STATUS_OK)
		return STATUS_FAILED;
	if (!source)
		return STATUS_OK;
	if (seal_sops_config_parse(arena, sink, source, &config) != STATUS_OK)
		return STATUS_FAILED;
	const struct seal_creation_rule *rule = seal_sops_config_find(config, path);
	if (!rule)
		return STATUS_OK;
	if (seal_creation_rule_read(arena, sink, rule, &read) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < read.count; i++)
		VEC_PUSH(arena, &found->texts, read.items[i]);
	found->rule = read.rule;
	return STATUS_OK;
}

static enum status report_none(struct sink *sink)
{
	struct diag *diag =
	    diag_report(sink, DIAG_ADOPT_RECIPIENTS, NOWHERE,
	                "no recipient is given to encrypt the cluster's Secrets to");

	diag_set_help(sink, diag,
	              "name age recipients in sealing.recipients of the repository's osm-gen.yaml, "
	              "or give --recipient age1...; `osm-gen keygen identity` makes one");
	return STATUS_FAILED;
}

enum status adopt_find_recipients(struct arena *arena, struct sink *sink,
                                  const struct adopt_request *request,
                                  const struct adopt_place *place, sv path,
                                  struct seal_recipients *ret_recipients)
{
	struct found found = {0};

	for (size_t i = 0; i < request->recipient_count; i++)
		VEC_PUSH(arena, &found.texts,
		         (struct seal_recipient_text){
		             request->recipients[i],
		             position_of_source(source_new(arena, SV("--recipient"),
		                                           request->recipients[i], false))});
	if (found.texts.count == 0 && take_fleet(arena, sink, place->root, &found) != STATUS_OK)
		return STATUS_FAILED;
	if (found.texts.count == 0 &&
	    take_rule(arena, sink, place->root, path, &found) != STATUS_OK)
		return STATUS_FAILED;
	if (found.texts.count == 0)
		return report_none(sink);
	if (seal_recipients_parse(arena, sink, sealer_format_find(SV("sops")), SV("adopt"),
	                          found.texts.items, found.texts.count,
	                          ret_recipients) != STATUS_OK)
		return STATUS_FAILED;
	ret_recipients->rule = found.rule;
	return STATUS_OK;
}

unsigned adopt_find_contract(struct arena *arena, const struct adopt_place *place)
{
	struct sink ignored = sink_in(arena);
	const struct source *source;
	int64_t contract;

	if (sv_empty(place->root) ||
	    read_at_root(arena, &ignored, place->root, SV(FLEET_SETTINGS_FILE), &source) !=
	        STATUS_OK ||
	    !source || !fleet_named_contract(arena, source->text, &contract) ||
	    contract < dialect_contract_oldest() || contract > dialect_contract_newest())
		return dialect_contract_newest();
	return (unsigned)contract;
}
