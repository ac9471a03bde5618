/*
 * Checks the selector of a MachineDeployment and whether it matches the template's labels, like
 * apimachinery's ValidateLabelSelector and LabelSelectorAsSelector in machine-controller's webhook.
 */
#include "golang/golang.h"
#include "osm/admission/admission.h"

struct selection {
	struct arena *arena;
	struct sink *sink;
	const struct value *labels; /* or null */
	struct position at;         /* of the selector */
	bool failed;
	bool is_empty;
};

enum operator{ OPERATOR_IN, OPERATOR_NOT_IN, OPERATOR_EXISTS, OPERATOR_DOES_NOT_EXIST };
static const sv operators[] = {
    [OPERATOR_IN] = SV_INIT("In"),
    [OPERATOR_NOT_IN] = SV_INIT("NotIn"),
    [OPERATOR_EXISTS] = SV_INIT("Exists"),
    [OPERATOR_DOES_NOT_EXIST] = SV_INIT("DoesNotExist"),
};

#define REFUSED "machine-controller's webhook refuses it"

static struct diag *refuse_selector(struct selection *s, struct position at, const char *what,
                                    sv name)
{
	s->failed = true;
	return diag_report(s->sink, DIAG_MD_SELECTOR, at, "%s \"%.*s\": " REFUSED, what,
	                   SV_ARG(name));
}

static void report_unselected(struct selection *s, struct position at, sv key, const char *reason)
{
	struct diag *diag =
	    diag_report(s->sink, DIAG_MD_SELECTOR, at,
	                "the selector does not match the template's labels: \"%.*s\" %s: " REFUSED,
	                SV_ARG(key), reason);

	s->failed = true;
	if (!value_is_null(s->labels))
		diag_add_note(s->sink, diag, value_position(s->labels), "the template's labels");
	diag_set_help(s->sink, diag,
	              "give spec.template.metadata.labels and spec.selector.matchLabels the same "
	              "label");
}

static void check_key(struct selection *s, struct position at, sv key)
{
	if (!osm_label_key_valid(key))
		diag_set_help(s->sink, refuse_selector(s, at, "this is not a label's key:", key),
		              "use letters, digits, -, _ and ., at most 63");
}

static void check_value(struct selection *s, struct position at, sv key, sv text)
{
	if (!osm_label_value_valid(text))
		diag_set_help(s->sink,
		              refuse_selector(s, at, "the value is not one of a label:", key),
		              "use at most 63 letters, digits, -, _ and .");
}

static void match_labels(struct selection *s, const struct value *labels)
{
	for (size_t i = 0; value_is_map(labels) && i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];
		const struct value_entry *has = value_map_find(s->labels, entry->key);
		struct position at = origin_position(entry->key_origin);
		bool was_failed = s->failed;

		s->is_empty = false;
		s->failed = false;
		check_key(s, at, entry->key);
		check_value(s, value_position(&entry->value), entry->key,
		            value_text(&entry->value));
		if (!s->failed && !has)
			report_unselected(s, at, entry->key, "is missing there");
		else if (!s->failed && !sv_eq(value_text(&has->value), value_text(&entry->value)))
			report_unselected(s, at, entry->key, "has another value there");
		s->failed |= was_failed;
	}
}

/* ---- expressions ------------------------------------------------------------------------- */

static bool holds(const struct value *values, sv text)
{
	for (size_t i = 0; i < value_count(values); i++)
		if (sv_eq(value_text(value_item(values, i)), text))
			return true;
	return false;
}

static bool selects(const struct selection *s, sv key, enum operator operator,
                    const struct value * values)
{
	const struct value_entry *has = value_map_find(s->labels, key);

	switch (operator) {
	case OPERATOR_IN:
		return has && holds(values, value_text(&has->value));
	case OPERATOR_NOT_IN:
		return !has || !holds(values, value_text(&has->value));
	case OPERATOR_EXISTS:
		return has;
	case OPERATOR_DOES_NOT_EXIST:
		return !has;
	}
	BUG("no such operator");
}

static void check_values(struct selection *s, const struct value *expression, sv key,
                         enum operator operator, const struct value * values)
{
	bool wants_values = operator== OPERATOR_IN || operator== OPERATOR_NOT_IN;
	struct position at = values ? value_position(values) : value_position(expression);

	if (wants_values && value_count(values) == 0)
		diag_set_help(s->sink,
		              refuse_selector(s, at, "values are missing for the key", key),
		              "list the values, or use Exists or DoesNotExist");
	if (!wants_values && value_count(values) > 0)
		diag_set_help(s->sink, refuse_selector(s, at, "there are values for the key", key),
		              "remove them, or use In or NotIn");
	for (size_t i = 0; i < value_count(values); i++) {
		const struct value *item = value_item(values, i);

		check_value(s, value_is_null(item) ? at : value_position(item), key,
		            value_text(item));
	}
}

static void match_expression(struct selection *s, const struct value *expression)
{
	const struct value *key_value = go_json_member(expression, SV("key"));
	const struct value *operator_value = go_json_member(expression, SV("operator"));
	const struct value *values = go_json_member(expression, SV("values"));
	struct position at = value_is_null(expression) ? s->at : value_position(expression);
	sv key = value_text(key_value);
	size_t operator= 0;
	bool was_failed = s->failed;

	s->is_empty = false;
	s->failed = false;
	while (operator < COUNT_OF(operators) && !sv_eq(value_text(operator_value), operators[operator]))
		operator++;
	check_key(s, key_value ? value_position(key_value) : at, key);
	if (operator== COUNT_OF(operators))
		diag_set_help(s->sink,
		              refuse_selector(s,
		                              operator_value ? value_position(operator_value) : at,
		                              "unknown operator of the selector for the key", key),
		              "use In, NotIn, Exists or DoesNotExist");
	else
		check_values(s, expression, key, (enum operator) operator, values);
	if (!s->failed && !selects(s, key, (enum operator) operator, values))
		report_unselected(s, at, key, "does not match the expression");
	s->failed |= was_failed;
}

enum status osm_check_selector(struct arena *arena, struct sink *sink, const struct value *selector,
                               const struct value *labels, struct position at)
{
	struct selection s = {
	    .arena = arena,
	    .sink = sink,
	    .labels = labels,
	    .at = selector ? value_position(selector) : at,
	    .is_empty = true,
	};
	/* All members that Go assigns to the field: names may differ in case. */
	struct go_json_matches given = go_json_matches(arena, selector, SV("matchLabels"));
	const struct value *expressions = go_json_member(selector, SV("matchExpressions"));

	VEC_EACH (match, &given)
		match_labels(&s, &(*match)->value);
	for (size_t i = 0; value_is_list(expressions) && i < value_count(expressions); i++)
		match_expression(&s, value_item(expressions, i));
	if (s.is_empty) {
		struct diag *diag = diag_report(sink, DIAG_MD_SELECTOR, s.at,
		                                "the MachineDeployment has no selector: " REFUSED);

		diag_set_help(sink, diag,
		              "add selector: {matchLabels: {LABEL: VALUE}} to spec, and the same "
		              "label to spec.template.metadata.labels");
		s.failed = true;
	}
	return s.failed ? STATUS_FAILED : STATUS_OK;
}
