/*
 * Moves files out of the manifest of a unit. In git they would be in clear text, since only Secrets
 * are encrypted. A file that moves reaches nodes with the same bytes, so every doubt moves it.
 */
#include "adopt/internal.h"

struct deciding {
	const struct adopt_scan *scan;
	struct adopt_clear_files *clear;
};

/* Returns true for what machine-controller-manager fills in: "<<BOOTSTRAP_TOKEN>>". */
static bool is_placeholder(sv content)
{
	sv text = sv_trim_space(content);

	return sv_starts_with(text, SV("<<")) && sv_ends_with(text, SV(">>")) &&
	       sv_find_char(text, '\n') == SV_NPOS;
}

struct looking {
	const struct leak_scanner *scanner;
	bool found;
};

static bool look_for_known(void *context, sv text, unsigned depth)
{
	struct looking *l = context;
	struct leak leak;

	(void)depth;
	l->found = leak_scanner_find(l->scanner, text, 0, NULL, &leak);
	return !l->found;
}

/* Returns true if it contains a secret of the exports, or cannot be looked into. */
static bool holds_known(const struct adopt_scan *scan, sv content)
{
	struct looking l = {.scanner = known_secrets_scanner(scan->secrets)};
	bool is_complete = secrecy_each_layer(content, look_for_known, &l);

	return l.found || !is_complete;
}

/*
 * Returns true for "password VALUE", as .netrc and command lines have it, if the value has letters
 * and digits.
 */
static bool has_spaced_credential(sv content)
{
	struct sv_splitter lines = sv_split(content, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		struct sv_splitter words = sv_split(line, ' ');
		bool is_named = false;
		sv word;

		while (sv_split_next(&words, &word)) {
			if (sv_empty(word))
				continue;
			if (is_named &&
			    secrecy_look_at_named(SV("password"), word, SECRECY_PROGRAM).look !=
			        SECRECY_LOOKS_PLAIN)
				return true;
			is_named = secrecy_names_credential(sv_trim(word, "-"));
		}
	}
	return false;
}

static bool is_secret(void *context, const struct dialect_file *file)
{
	struct deciding *d = context;
	sv content = file->content;
	bool is_filled = !sv_empty(content) && !is_placeholder(content);

	if ((is_filled &&
	     (secrecy_names_credential(sv_after_last(file->path, '/')) ||
	      (file->mode >= 0 && (file->mode & 077) == 0) /* only the owner reads it */)) ||
	    secrecy_manifest_may_hold_credential(content) || has_spaced_credential(content) ||
	    secrecy_look_at(file->data->string, SECRECY_PROGRAM).look != SECRECY_LOOKS_PLAIN ||
	    holds_known(d->scan, content))
		return true;
	VEC_PUSH(d->scan->arena, d->clear, value_string(content));
	return false;
}

struct value adopt_move_files(const struct adopt_scan *scan, const struct dialect *dialect,
                              const struct kube_object *object, struct value *manifest,
                              struct adopt_clear_files *clear)
{
	struct arena *arena = scan->arena;
	struct deciding deciding = {scan, clear};
	struct dialect_file_mover mover = {
	    .is_secret = is_secret,
	    .context = &deciding,
	    .secret = adopt_new_secret_name(scan, object),
	    .data = value_map_new(arena),
	};

	*manifest = dialect->adoption->move_files(arena, manifest, &mover);
	if (value_count(&mover.data) == 0)
		return VALUE_INVALID;
	for (size_t i = 0; i < value_count(&mover.data); i++) {
		const struct value_entry *entry = &mover.data.map->entries[i];
		sv name = kube_secret_name(arena, object->id.namespace, mover.secret, entry->key);

		known_secrets_add_data(scan->secrets, name, entry->key, entry->value.string);
		known_secrets_place(scan->secrets, entry->key, &entry->value);
	}
	return kube_secret_new(arena, &(struct kube_secret_request){
	                                  .namespace = object->id.namespace,
	                                  .name = mover.secret,
	                                  .type = SV("Opaque"),
	                                  .data = &mover.data,
	                              });
}
