/*
 * Registry mirrors as the controller's two flags take them (docs/spec/containerd.md 2).
 */
#include "golang/golang.h"
#include "osm/osm.h"
#include "osm/settings.h"

/* Returns the length of REGISTRY in "REGISTRY=URL" of nodeRegistryMirrors, or 0 without it. */
static size_t registry_prefix(sv item)
{
	size_t i = 0;

	while (i < item.len && (ascii_is_alphanumeric((unsigned char)item.ptr[i]) ||
	                        ascii_is_any(item.ptr[i], ".-")))
		i++;
	return i > 0 && i < item.len && item.ptr[i] == '=' ? i : 0;
}

/*
 * Returns the URL of an item REGISTRY=URL or URL. The "=" of a password is not taken for the one
 * after a registry.
 */
static sv url_part(sv item)
{
	sv registry;
	sv url;

	if (!sv_cut(item, SV("="), &registry, &url) || sv_contains(registry, SV("://")) ||
	    sv_find_char(registry, '@') != SV_NPOS)
		return item;
	return url;
}

enum status osm_mirror_check(const struct setter *s, const struct value *item, struct position at)
{
	struct value url = value_string(url_part(value_text(item)));

	if (item->taint)
		return STATUS_OK;
	/* Without a scheme, "=" and "," of a password look like those of a list of mirrors. */
	if (sv_find_char(url.string, '@') != SV_NPOS && !sv_contains(url.string, SV("://")))
		url.string = SV("@");
	return setter_check_url(s, &url, at);
}

enum status osm_mirror_check_url(const struct setter *s, const struct value *url,
                                 struct position at)
{
	static const char *const schemes[] = {"http", "https", NULL};
	static const struct setter_url form = {
	    .schemes = schemes,
	    .problem = "must be a URL of http or https",
	    .help = "write the mirror as https://mirror.example.com",
	};
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	struct value whole = *url;

	/* containerd adds the scheme in the same way: the rest of httpbin.org has none. */
	if (!sv_starts_with(url->string, SV("http")) && !sv_contains(url->string, SV("://")) &&
	    setter_has_form(url))
		whole.string =
		    ARENA_CONCAT(url->taint ? secret : s->arena, SV("https://"), url->string);
	return setter_check_url_form(s, &whole, at, &form);
}

/*
 * Reports an item that osm-gen.yaml seals together with the name of its registry: that becomes a
 * path, which must not hold secrets.
 */
static enum status report_sealed(const struct setter *s, struct position at)
{
	return setter_report(s, at, "the name of a registry cannot be encrypted",
	                     "write nodeContainerdRegistryMirrors as {docker.io: [URL]}, of which "
	                     "sops encrypts the URL only");
}

/* Takes a URL that osm-gen.yaml seals as a whole. */
static enum status take_sealed(const struct setter *s, const struct value *item, struct position at,
                               struct osm_mirror *ret_mirror)
{
	struct url url;
	sv error;

	if (registry_prefix(item->string) > 0)
		return report_sealed(s, at);
	if (!secrecy_is_absent(item) && (!sv_starts_with(item->string, SV("http")) ||
	                                 !go_url_parse(s->arena, item->string, &url, &error)))
		return setter_report(s, at, "the encrypted mirror is not a URL",
		                     "write it as https://mirror.example.com");
	*ret_mirror = (struct osm_mirror){SV("docker.io"), *item};
	return osm_mirror_check_url(s, item, at);
}

static enum status parse_plain(const struct setter *s, const struct value *item, struct position at,
                               struct osm_mirror *ret_mirror)
{
	sv text = item->string;
	sv registry = SV("docker.io");
	size_t prefix = registry_prefix(text);
	struct url url;
	sv error;

	if (item->taint)
		return take_sealed(s, item, at, ret_mirror);
	if (prefix > 0) {
		registry = sv_slice(text, 0, prefix);
		text = sv_from_offset(text, prefix + 1);
	}
	const struct value given = value_string(text);
	/* COMPAT: a test for "http", not for a scheme: httpbin.org gets none. */
	if (!sv_starts_with(text, SV("http")))
		text = ARENA_CONCAT(s->arena, SV("https://"), text);
	if (!go_url_parse(s->arena, text, &url, &error))
		return setter_report(s, at, "the mirror is not a URL",
		                     "write it as REGISTRY=https://mirror.example.com");
	struct value mirror = value_string(text);
	mirror.origin = item->origin;
	*ret_mirror = (struct osm_mirror){
	    registry, secrecy_taint_userinfo(s->arena, mirror, s->setting->name)};
	return osm_mirror_check_url(s, &given, at);
}

/*
 * Returns true if a password is before `end`: the registry becomes a path, which must not hold
 * secrets, and the "=" may be a part of the password.
 */
static bool holds_userinfo_before(struct arena *arena, const struct value *item, size_t end)
{
	struct value tainted = secrecy_taint_userinfo(arena, *item, SV(""));

	return tainted.taint && tainted.taint->spans[0].start < end;
}

enum status osm_mirror_parse(const struct setter *s, const struct value *item, struct position at,
                             bool containerd, struct osm_mirror *ret_mirror)
{
	struct value name;
	struct value mirror;

	if (!containerd)
		return parse_plain(s, item, at, ret_mirror);
	if (item->taint)
		return report_sealed(s, at);
	name = value_string((sv){0});
	mirror = value_string((sv){0});
	if (!sv_cut(item->string, SV("="), &name.string, &mirror.string) ||
	    holds_userinfo_before(s->arena, item, name.string.len))
		return setter_report(s, at, "an item must be REGISTRY=URL",
		                     "write it as docker.io=https://mirror.example.com");
	mirror.origin = item->origin;
	*ret_mirror = (struct osm_mirror){
	    name.string, secrecy_taint_userinfo(s->arena, mirror, s->setting->name)};
	if (setter_check_registry(s, &name, at) != STATUS_OK)
		return STATUS_FAILED;
	return osm_mirror_check_url(s, &mirror, at);
}
