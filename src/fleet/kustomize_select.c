/* Selects the objects of a patch: by its selector, or by the object that it names itself. */
#include "fleet/kustomize.h"
#include "regex/regex.h"

/* ---- one object -------------------------------------------------------------------------- */

struct identity {
	sv group;
	sv version;
	sv kind;
	sv name;
	sv namespace;
};

static struct identity identity_of(const struct value *root)
{
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));
	struct identity id = {
	    .kind = value_text(value_map_get(root, SV("kind"))),
	    .name = value_text(value_path(root, "metadata.name")),
	    .namespace = value_text(value_path(root, "metadata.namespace")),
	};

	if (!sv_cut(api_version, SV("/"), &id.group, &id.version))
		id.version = api_version;
	if (sv_empty(id.namespace))
		id.namespace = SV("default");
	return id;
}

/* ---- labels and annotations -------------------------------------------------------------- */

static bool is_among(sv words, sv word)
{
	struct sv_splitter parts = sv_split(sv_trim(sv_trim_space(words), "()"), ',');
	sv part;

	while (sv_split_next(&parts, &part))
		if (sv_eq(sv_trim_space(part), word))
			return true;
	return false;
}

/*
 * Reads a requirement as Kubernetes writes it: "a=b", "a!=b", "a in (b,c)", "a notin (b)", "a",
 * "!a".
 */
static bool fits_requirement(const struct value *labels, sv requirement)
{
	static const struct {
		const char *between;
		bool is_set;
		bool is_not;
	} forms[] = {
	    {" notin ", true, true}, {" in ", true, false}, {"!=", false, true},
	    {"==", false, false},    {"=", false, false},
	};
	sv key;
	sv rest;

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (!sv_cut(requirement, sv_from_cstr(forms[i].between), &key, &rest))
			continue;
		const struct value *label = value_map_get(labels, sv_trim_space(key));
		bool fits = value_is_string(label) &&
		            (forms[i].is_set ? is_among(rest, label->string)
		                             : sv_eq(label->string, sv_trim_space(rest)));
		return fits != forms[i].is_not;
	}
	if (sv_starts_with(requirement, SV("!")))
		return !value_map_get(labels, sv_trim_space(sv_from_offset(requirement, 1)));
	return value_map_get(labels, requirement) != NULL;
}

/* Commas separate requirements, except for commas between parentheses. */
static bool fits_labels(const struct value *labels, sv selector)
{
	size_t begin = 0;
	bool is_inside = false;

	for (size_t i = 0; i <= selector.len; i++) {
		char c = i < selector.len ? selector.ptr[i] : ',';

		is_inside = i < selector.len && (c == '(' || (is_inside && c != ')'));
		if (c != ',' || is_inside)
			continue;
		sv requirement = sv_trim_space(sv_slice(selector, begin, i));
		begin = i + 1;
		if (!sv_empty(requirement) && !fits_requirement(labels, requirement))
			return false;
	}
	return true;
}

/* ---- selectors --------------------------------------------------------------------------- */

static bool is_plain(sv pattern)
{
	for (size_t i = 0; i < pattern.len; i++)
		if (strchr("\\^$.|?*+()[]{}", pattern.ptr[i]))
			return false;
	return true;
}

/* Clears objects whose text the pattern does not match. A wrong pattern clears none. */
static void keep_covered(struct kustomizer *k, sv pattern, const sv *texts, size_t count,
                         bool *fits)
{
	/* Compiling costs as much as many comparisons. */
	enum { COMPILED = 64 };

	if (sv_empty(pattern) || !kustomize_charge(k, count))
		return;
	if (is_plain(pattern)) {
		for (size_t i = 0; i < count; i++)
			fits[i] &= sv_eq(texts[i], pattern);
		return;
	}
	enum regex_result *results = ARENA_ARRAY(k->scratch, enum regex_result, count);
	if (!kustomize_charge(k, COMPILED + count))
		return;
	regex_search_each(ARENA_CONCAT(k->scratch, SV("^(?:"), pattern, SV(")$")), texts, count,
	                  results);
	for (size_t i = 0; i < count; i++)
		fits[i] &= results[i] != REGEX_ABSENT;
}

void kustomize_select(struct kustomizer *k, const struct value *selector,
                      const struct kustomize_objects *from, struct kustomize_objects *ret_found)
{
	static const sv members[] = {SV_INIT("group"), SV_INIT("version"), SV_INIT("kind"),
	                             SV_INIT("name"), SV_INIT("namespace")};
	sv *texts = ARENA_ARRAY(k->scratch, sv, from->count);
	bool *fits = ARENA_ARRAY(k->scratch, bool, from->count);
	sv labels = value_text(value_map_get(selector, SV("labelSelector")));
	sv annotations = value_text(value_map_get(selector, SV("annotationSelector")));

	if (!kustomize_charge(k, from->count))
		return;
	for (size_t i = 0; i < from->count; i++)
		fits[i] = true;
	for (size_t m = 0; m < COUNT_OF(members); m++) {
		sv pattern = value_text(value_map_get(selector, members[m]));

		for (size_t i = 0; !sv_empty(pattern) && i < from->count; i++) {
			struct identity id = identity_of(from->items[i]->object.root);
			const sv parts[] = {id.group, id.version, id.kind, id.name, id.namespace};

			texts[i] = parts[m];
		}
		keep_covered(k, pattern, texts, from->count, fits);
	}
	for (size_t i = 0; i < from->count; i++) {
		const struct value *root = from->items[i]->object.root;

		if (fits[i] && kustomize_charge(k, (labels.len + annotations.len) / 16) &&
		    fits_labels(value_path(root, "metadata.labels"), labels) &&
		    fits_labels(value_path(root, "metadata.annotations"), annotations))
			VEC_PUSH(k->scratch, ret_found, from->items[i]);
	}
}

void kustomize_select_named(struct kustomizer *k, const struct yml_documents *patch,
                            const struct kustomize_objects *from,
                            struct kustomize_objects *ret_found)
{
	VEC_EACH (document, patch) {
		struct identity named = identity_of(&document->root);

		if (!value_is_map(&document->root) || !kustomize_charge(k, from->count))
			continue;
		for (size_t i = 0; i < from->count; i++) {
			struct identity id = identity_of(from->items[i]->object.root);

			if (sv_eq(named.group, id.group) && sv_eq(named.kind, id.kind) &&
			    sv_eq(named.name, id.name) && sv_eq(named.namespace, id.namespace))
				VEC_PUSH(k->scratch, ret_found, from->items[i]);
		}
	}
}

bool kustomize_names_our_kind(const struct value *selector)
{
	sv kind = value_text(value_map_get(selector, SV("kind")));
	sv group = value_text(value_map_get(selector, SV("group")));
	struct identity id = identity_of(selector);
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *known;

	group = sv_empty(group) ? id.group : group;
	while ((known = dialect_next_kind(&walk)))
		if (known->part != DIALECT_LOOKUP && sv_eq(kind, known->kind) &&
		    (sv_empty(group) || sv_eq(group, known->group)))
			return true;
	return false;
}
