/*
 * .sops.yaml: which recipients and which rule sops would take for a file that it creates.
 */
#include "regex/regex.h"
#include "seal/seal.h"
#include "yaml/yaml.h"

/* A wrong expression takes no longer than one of WRONG_SIZE instructions; all of them some 5 ms. */
enum { MAX_PATTERN_BYTES = 1000, MAX_RULES = 1000, MAX_PATTERNS_SIZE = 10000, WRONG_SIZE = 1000 };

struct seal_sops_config {
	struct seal_creation_rule *rules;
	size_t count;
	size_t size; /* instructions of all expressions */
};

struct reader {
	struct arena *arena;
	struct sink *sink;
	struct seal_creation_rule *rule; /* being read */
	VEC(struct seal_recipient_text) recipients;
	size_t patterns_size; /* instructions of all expressions */
	bool failed;
};

static void report_rule(struct reader *reader, enum diag_code code, const struct value *at,
                        const char *what, const char *help)
{
	struct diag *diag = diag_report(reader->sink, code, value_position(at), "%s", what);

	diag_set_help(reader->sink, diag, "%s", help);
	reader->failed = true;
}

#define INSTEAD                                                                                    \
	"name the recipients in osm-gen.yaml, spec.sealing.recipients: .sops.yaml is then not "    \
	"read"

/* ---- recipients -------------------------------------------------------------------------- */

static void add_recipient(struct reader *reader, sv text, const struct value *at)
{
	text = sv_trim_space(text);
	if (!sv_empty(text))
		VEC_PUSH(reader->arena, &reader->recipients,
		         ((struct seal_recipient_text){text, value_position(at)}));
}

/* One text with commas, or a list. */
static void add_rule_recipients(struct reader *reader, const struct value *age)
{
	struct sv_splitter it;
	sv part;

	if (value_is_null(age))
		return;
	if (value_is_string(age)) {
		for (it = sv_split(age->string, ','); sv_split_next(&it, &part);)
			add_recipient(reader, part, age);
		return;
	}
	for (size_t i = 0; value_is_list(age) && i < value_count(age); i++) {
		const struct value *item = value_item(age, i);

		if (value_is_string(item))
			add_recipient(reader, item->string, item);
		else
			report_rule(reader, DIAG_SOPS_CONFIG, item, "a recipient must be a string",
			            "write it in quotes");
	}
	if (!value_is_list(age))
		report_rule(reader, DIAG_SOPS_CONFIG, age, "age must be a string or a list",
		            "write the recipients with commas between them, or as a list");
}

/* Refuses keys of other kinds, to which osm-gen cannot seal. */
static void refuse_others(struct reader *reader, const struct value *map)
{
	static const char *const others[] = {
	    "pgp",      "kms",   "aws_profile",          "gcp_kms", "azure_keyvault", "azure_kv",
	    "hc_vault", "vault", "hc_vault_transit_uri", "hckms",   "merge",
	};

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		const struct value *v = value_map_get(map, sv_from_cstr(others[i]));

		if (value_is_null(v) || (value_is_string(v) && sv_empty(v->string)) ||
		    ((value_is_list(v) || value_is_map(v)) && value_count(v) == 0))
			continue;
		sv what = arena_printf(reader->arena,
		                       "the rule names keys of %s, which osm-gen cannot seal to",
		                       others[i]);
		report_rule(reader, DIAG_SOPS_CONFIG, v, arena_cstr(reader->arena, what),
		            "give the output a rule of its own with age recipients; or " INSTEAD);
	}
}

/* One group, or several of which any one suffices, are a list of recipients. */
static void read_groups(struct reader *reader, const struct value *rule)
{
	const struct value *groups = value_map_get(rule, SV("key_groups"));
	const struct value *threshold = value_map_get(rule, SV("shamir_threshold"));
	bool any_suffices = value_is(threshold, KIND_INT64) && threshold->integer == 1;

	if (value_is_null(groups))
		return;
	if (!value_is_list(groups)) {
		report_rule(reader, DIAG_SOPS_CONFIG, groups, "key_groups must be a list",
		            "begin each group with \"- \"");
		return;
	}
	if (value_count(groups) > 1 && !any_suffices) {
		report_rule(
		    reader, DIAG_SOPS_GROUPS, groups,
		    "the rule splits the data key over several key groups, which osm-gen does not",
		    "put all recipients in one group, or set shamir_threshold: 1 if any group is "
		    "enough; or " INSTEAD);
		return;
	}
	for (size_t i = 0; i < value_count(groups); i++) {
		const struct value *group = value_item(groups, i);

		refuse_others(reader, group);
		add_rule_recipients(reader, value_map_get(group, SV("age")));
	}
}

/* ---- rules ------------------------------------------------------------------------------- */

static void check_pattern(struct reader *reader, const struct value *v, sv pattern)
{
	size_t size = pattern.len <= MAX_PATTERN_BYTES ? regex_search_cost(pattern) : 0;

	reader->patterns_size += size > 0 ? size : WRONG_SIZE;
	if (size > 0)
		return;
	report_rule(reader, DIAG_SOPS_CONFIG, v,
	            "this is not a regular expression of Go, or has more than 1000 bytes "
	            "or 256 KiB",
	            "correct it, or write it more simply; or " INSTEAD);
}

/* Reads the one key that selects the encrypted values, if the rule has it. */
static void read_selection(struct reader *reader, const struct value *rule)
{
	static const struct {
		const char *name;
		enum seal_selection selection;
	} known[] = {
	    {"encrypted_regex", SEAL_ENCRYPTED_REGEX},
	    {"encrypted_suffix", SEAL_ENCRYPTED_SUFFIX},
	    {"unencrypted_regex", SEAL_UNENCRYPTED_REGEX},
	    {"unencrypted_suffix", SEAL_UNENCRYPTED_SUFFIX},
	    {"encrypted_comment_regex", SEAL_SELECTION_NONE},
	    {"unencrypted_comment_regex", SEAL_SELECTION_NONE},
	};
	struct seal_creation_rule *out = reader->rule;

	for (size_t i = 0; i < COUNT_OF(known); i++) {
		const struct value *v = value_map_get(rule, sv_from_cstr(known[i].name));

		if (value_is_null(v))
			continue;
		if (!value_is_string(v))
			report_rule(reader, DIAG_SOPS_CONFIG, v, "this must be a string",
			            "write it in quotes");
		else if (known[i].selection == SEAL_SELECTION_NONE)
			report_rule(reader, DIAG_SOPS_CONFIG, v,
			            "the rule selects values by comments, which Flux does not see",
			            "select by keys: encrypted_regex: ^(data|stringData)$");
		else if (out->selection != SEAL_SELECTION_NONE)
			report_rule(reader, DIAG_SOPS_CONFIG, v,
			            "the rule selects values in two ways",
			            "keep one of them: sops does not accept both either");
		else {
			out->selection = known[i].selection;
			out->selected = v->string;
			if (out->selection == SEAL_ENCRYPTED_REGEX ||
			    out->selection == SEAL_UNENCRYPTED_REGEX)
				check_pattern(reader, v, v->string);
		}
	}
}

static void read_rule(struct reader *reader, const struct value *rule)
{
	const struct value *path = value_map_get(rule, SV("path_regex"));
	const struct value *only = value_map_get(rule, SV("mac_only_encrypted"));

	reader->rule->at = value_position(rule);
	if (!value_is_map(rule)) {
		report_rule(reader, DIAG_SOPS_CONFIG, rule, "a creation rule must be a map",
		            "write KEY: VALUE lines below \"- \"");
		return;
	}
	if (value_is_string(path)) {
		reader->rule->path = path->string;
		check_pattern(reader, path, path->string);
	} else if (!value_is_null(path)) {
		report_rule(reader, DIAG_SOPS_CONFIG, path, "path_regex must be a string",
		            "write it in quotes");
	}
	reader->rule->mac_only_encrypted = value_is(only, KIND_BOOL) && only->boolean;
	reader->rule->map = rule;
}

enum status seal_sops_config_parse(struct arena *arena, struct sink *sink,
                                   const struct source *source,
                                   const struct seal_sops_config **ret_config)
{
	struct yml_documents documents = {0};
	struct reader reader = {.arena = arena, .sink = sink};
	struct seal_sops_config *config = ARENA_NEW(arena, struct seal_sops_config);

	if (yml_parse(arena, sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	if (documents.count == 0) {
		*ret_config = config;
		return STATUS_OK;
	}
	const struct value *rules = value_map_get(&documents.items[0].root, SV("creation_rules"));

	if (!value_is_null(rules) && (!value_is_list(rules) || value_count(rules) > MAX_RULES)) {
		report_rule(&reader, DIAG_SOPS_CONFIG, rules,
		            "creation_rules must be a list of at most 1000 rules",
		            "begin each rule with \"- \"");
		return STATUS_FAILED;
	}
	config->count = value_count(rules);
	config->rules = ARENA_ARRAY(arena, struct seal_creation_rule, config->count);
	for (size_t i = 0; i < config->count; i++) {
		reader.rule = &config->rules[i];
		read_rule(&reader, value_item(rules, i));
		if (reader.patterns_size <= MAX_PATTERNS_SIZE)
			continue;
		report_rule(&reader, DIAG_SOPS_CONFIG, value_item(rules, i),
		            "the expressions of all rules together take too long",
		            "write them more simply, or leave some out; or " INSTEAD);
		break;
	}
	if (reader.failed)
		return STATUS_FAILED;
	config->size = reader.patterns_size;
	*ret_config = config;
	return STATUS_OK;
}

uint64_t seal_sops_config_steps(const struct seal_sops_config *config, size_t paths)
{
	return (uint64_t)paths * (1 + config->count + config->size * 2);
}

void seal_sops_config_find_each(struct arena *arena, const struct seal_sops_config *config,
                                const sv *paths, size_t count,
                                const struct seal_creation_rule **ret_rules)
{
	enum regex_result *results = ARENA_ARRAY(arena, enum regex_result, count);
	sv *left = ARENA_ARRAY(arena, sv, count);
	size_t *numbers = ARENA_ARRAY(arena, size_t, count);

	for (size_t i = 0; i < count; i++) {
		left[i] = paths[i];
		numbers[i] = i;
		ret_rules[i] = NULL;
	}
	for (size_t i = 0; i < config->count && count > 0; i++) {
		const struct seal_creation_rule *rule = &config->rules[i];
		size_t kept = 0;

		regex_search_each(rule->path, left, count, results);
		for (size_t k = 0; k < count; k++) {
			if (results[k] == REGEX_FOUND) {
				ret_rules[numbers[k]] = rule;
				continue;
			}
			left[kept] = left[k];
			numbers[kept++] = numbers[k];
		}
		count = kept;
	}
}

const struct seal_creation_rule *seal_sops_config_find(const struct seal_sops_config *config,
                                                       sv path)
{
	for (size_t i = 0; i < config->count; i++) {
		const struct seal_creation_rule *rule = &config->rules[i];

		if (sv_empty(rule->path) || regex_search(rule->path, path) == REGEX_FOUND)
			return rule;
	}
	return NULL;
}

enum status seal_creation_rule_read(struct arena *arena, struct sink *sink,
                                    const struct seal_creation_rule *rule,
                                    struct seal_rule_recipients *ret_recipients)
{
	struct seal_creation_rule *read = ARENA_NEW(arena, struct seal_creation_rule);
	struct reader reader = {.arena = arena, .sink = sink, .rule = read};

	*read = *rule;
	refuse_others(&reader, rule->map);
	add_rule_recipients(&reader, value_map_get(rule->map, SV("age")));
	read_groups(&reader, rule->map);
	read_selection(&reader, rule->map);
	if (reader.failed)
		return STATUS_FAILED;
	*ret_recipients = (struct seal_rule_recipients){
	    .rule = read,
	    .items = reader.recipients.items,
	    .count = reader.recipients.count,
	};
	return STATUS_OK;
}

/* ---- values to encrypt ------------------------------------------------------------------- */

bool seal_creation_rule_names(const struct seal_creation_rule *rule, sv key)
{
	switch (rule->selection) {
	case SEAL_SELECTION_NONE:
		return false;
	case SEAL_ENCRYPTED_REGEX:
	case SEAL_UNENCRYPTED_REGEX:
		return regex_search(rule->selected, key) == REGEX_FOUND;
	case SEAL_ENCRYPTED_SUFFIX:
	case SEAL_UNENCRYPTED_SUFFIX:
		return sv_ends_with(key, rule->selected);
	}
	BUG("unknown selection");
}
