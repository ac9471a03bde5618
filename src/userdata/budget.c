/*
 * How much user-data each cloud takes, and how much a text will be once machine-controller has been
 * over it (osm.md 15; ecosystem.md 3.3, checked November 2026).
 */
#include "codec/codec.h"
#include "userdata/userdata.h"

#define KIB              ((size_t)1024)
#define SECRET_MAX_BYTES (1024 * KIB)

#define ROW(name, what, bytes, is_assumed, where)                                                  \
	{                                                                                          \
		.provider = SV_INIT(name), .measure = (what), .limit = (bytes),                    \
		.assumed = (is_assumed), .source = (where),                                        \
	}

static const struct userdata_budget budgets[] = {
    ROW("alibaba", USERDATA_PLAIN, 32 * KIB, false,
        "Alibaba ECS RunInstances, UserData: 32 KB before base64"),
    ROW("anexia", USERDATA_PLAIN, 16 * KIB, true, "no number published"),
    {
        .provider = SV_INIT("aws"),
        .measure = USERDATA_GZIP,
        .flatcar_plain = true,
        .limit = 16 * KIB,
        .source = "EC2 user guide: 16 KB before base64; machine-controller compresses",
    },
    ROW("azure", USERDATA_PLAIN, 65535, false, "Azure customData: 65535 bytes decoded"),
    ROW("baremetal", USERDATA_PLAIN, 256 * KIB, true, "Tinkerbell Workflow object"),
    ROW("digitalocean", USERDATA_PLAIN, 64 * KIB, false, "DigitalOcean API, user_data: 64 KiB"),
    ROW("edge", USERDATA_PLAIN, 256 * KIB, true, "fetched by a script"),
    ROW("gce", USERDATA_PLAIN, 256 * KIB, false,
        "Compute Engine API: 262144 bytes a metadata value"),
    ROW("hetzner", USERDATA_PLAIN, 32 * KIB, false, "Hetzner Cloud API, user_data: 32 KiB"),
    ROW("kubevirt", USERDATA_PLAIN, SECRET_MAX_BYTES, false, "a Secret: 1 MiB"),
    ROW("linode", USERDATA_PLAIN, 16 * KIB, false,
        "Linode API, metadata.user_data: 16384 bytes decoded"),
    ROW("nutanix", USERDATA_BASE64, 32000, false, "AHV guest customization: 32000 bytes of base64"),
    ROW("opennebula", USERDATA_BASE64, 64 * KIB, true, "no number published"),
    ROW("openstack", USERDATA_BASE64, 65535, false, "Nova user_data: 65535 bytes of base64"),
    ROW("scaleway", USERDATA_PLAIN, 64 * KIB, true, "no number published"),
    ROW("vmware-cloud-director", USERDATA_BASE64, 64 * KIB, true, "as guestinfo: 64 KiB a value"),
    /* vsphere uploads an ISO image: no limit but the Secret's. */
};

const struct userdata_budget *userdata_budget_find(sv provider)
{
	for (size_t i = 0; i < COUNT_OF(budgets); i++) {
		if (sv_eq(budgets[i].provider, provider))
			return &budgets[i];
	}
	return NULL;
}

/* The longest name there can be (RFC 1123 label); mixed, so that it compresses like a real one. */
#define LONGEST_NAME "workers-7f9c4b6d8x-q2k5w-eu-central-1a-0d3h8m1s6v4z9t2r7p5n3j8b"
_Static_assert(sizeof(LONGEST_NAME) - 1 == 63, "a label has at most 63 bytes");
static const sv longest_name = SV_INIT(LONGEST_NAME);

static bool is_blank(sv line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] != ' ' && line.ptr[i] != '\t')
			return false;
	}
	return true;
}

/* Where the placeholder stands next, plain or percent-encoded; SV_NPOS: nowhere. */
static size_t find_placeholder(sv text, size_t *ret_len)
{
	static const sv forms[] = {SV_INIT(NODE_MACHINE_NAME), SV_INIT("%3CMACHINE_NAME%3E")};
	size_t first = SV_NPOS;

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		size_t found = sv_find(text, forms[i]);

		if (found < first) {
			first = found;
			*ret_len = forms[i].len;
		}
	}
	return first;
}

/* The text as machine-controller hands it on: the longest name put in, blank lines emptied. */
static sv expand(struct arena *arena, sv text)
{
	struct buf out = buf_in(arena);

	buf_reserve(&out, text.len + 4 * longest_name.len);
	while (text.len > 0) {
		size_t end = sv_find_char(text, '\n');
		sv line = sv_slice(text, 0, end);
		size_t found;
		size_t len;

		text = sv_from_offset(text, end == SV_NPOS ? text.len : end + 1);
		if (is_blank(line))
			line = (sv){0};
		while ((found = find_placeholder(line, &len)) != SV_NPOS) {
			buf_add(&out, sv_slice(line, 0, found));
			buf_add(&out, longest_name);
			line = sv_from_offset(line, found + len);
		}
		buf_add(&out, line);
		if (end != SV_NPOS)
			buf_add_char(&out, '\n');
	}
	return buf_sv(&out);
}

/*
 * Go's compressor packs a little less tightly than zlib at its best: by 1.7 to 2.2 % on user-data.
 * One part in 32 is on the safe side.
 */
static size_t gzip_bytes(sv text)
{
	size_t size = gzip_size(text);

	return size + size / 32;
}

size_t userdata_measure_bytes(struct arena *arena, const struct userdata_budget *budget, sv os_name,
                              sv text)
{
	sv expanded = expand(arena, text);
	enum userdata_measure measure = budget ? budget->measure : USERDATA_PLAIN;

	if (budget && budget->flatcar_plain && sv_eq_cstr(os_name, "flatcar"))
		measure = USERDATA_PLAIN;
	switch (measure) {
	case USERDATA_PLAIN:
		break;
	case USERDATA_BASE64:
		return base64_encoded_size(BASE64_STD, expanded.len);
	case USERDATA_GZIP:
		return gzip_bytes(expanded);
	}
	return expanded.len;
}

static const char *measure_words(const struct userdata_budget *budget)
{
	switch (budget->measure) {
	case USERDATA_PLAIN:
		return "";
	case USERDATA_BASE64:
		return " of base64";
	case USERDATA_GZIP:
		return budget->flatcar_plain ? " as it is sent" : " after gzip";
	}
	return "";
}

enum status userdata_check_secret(struct sink *sink, const char *what, sv text, struct position at)
{
	if (text.len <= SECRET_MAX_BYTES)
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_USERDATA_SECRET_SIZE, at,
	                                "the %s has %zu bytes, a Secret holds %zu", what, text.len,
	                                SECRET_MAX_BYTES);
	diag_set_help(sink, diag, "let a script download large files instead of carrying them");
	return STATUS_FAILED;
}

enum status userdata_check_budget(struct arena *arena, struct sink *sink, sv provider, sv os_name,
                                  sv text, struct position at, size_t *ret_bytes)
{
	const struct userdata_budget *budget = userdata_budget_find(provider);
	size_t bytes = userdata_measure_bytes(arena, budget, os_name, text);

	*ret_bytes = bytes;
	if (!budget)
		return STATUS_OK;
	/* A number that no cloud has published must not keep anyone from what works. */
	bool over = bytes > budget->limit && !budget->assumed;
	if (bytes <= budget->limit - budget->limit / 10)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, over ? DIAG_USERDATA_LIMIT : DIAG_USERDATA_NEAR_LIMIT, at,
	                "the bootstrap user-data has %zu bytes%s; %.*s takes %s%zu", bytes,
	                measure_words(budget), SV_ARG(provider), budget->assumed ? "about " : "",
	                budget->limit);
	diag_add_note(sink, diag, at, "limit: %s", budget->source);
	diag_set_help(
	    sink, diag,
	    "move what the first boot does not need from the profile's bootstrapConfig to "
	    "its provisioningConfig");
	return over ? STATUS_FAILED : STATUS_OK;
}
