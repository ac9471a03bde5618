/*
 * The size limits of the clouds for user-data, and the size of user-data after machine-controller
 * has processed it (docs/spec/userdata.md 4, 5; limits checked in November 2026).
 */
#include "codec/codec.h"
#include "userdata/userdata.h"

#define KIB ((size_t)1024)

#define ROW(name, which, what, bytes, where)                                                       \
	{                                                                                          \
		.provider = SV_INIT(name), .systems = (which), .measure = (what),                  \
		.limit = (bytes), .source = (where)                                                \
	}
#define GUESS(name, what, bytes, where)                                                            \
	{                                                                                          \
		.provider = SV_INIT(name), .systems = ANY, .measure = (what), .limit = (bytes),    \
		.assumed = true, .source = (where)                                                 \
	}
#define ANY     USERDATA_ANY_SYSTEM
#define FLATCAR USERDATA_FLATCAR
#define OTHERS  USERDATA_OTHER_SYSTEMS

static const struct userdata_budget budgets[] = {
    {
        .provider = SV_INIT("alibaba"),
        .limit = 32 * KIB,
        .careful = 16 * KIB,
        .source =
            "Alibaba ECS RunInstances, UserData: 32 KB before base64; 16 KB in older documents",
    },
    GUESS("anexia", USERDATA_PLAIN, 16 * KIB, "no number published; 16 KiB assumed"),
    ROW("aws", FLATCAR, USERDATA_PLAIN, 16 * KIB, "EC2 user guide: 16 KB before base64"),
    ROW("aws", OTHERS, USERDATA_GZIP, 16 * KIB,
        "EC2 user guide: 16 KB before base64; machine-controller compresses"),
    ROW("azure", ANY, USERDATA_PLAIN, 65535, "Azure customData: 65535 bytes decoded"),
    GUESS("baremetal", USERDATA_PLAIN, 256 * KIB,
          "no number published; 256 KiB of a Tinkerbell Workflow assumed"),
    ROW("digitalocean", ANY, USERDATA_PLAIN, 64 * KIB, "DigitalOcean API, user_data: 64 KiB"),
    GUESS("edge", USERDATA_PLAIN, 256 * KIB, "fetched by a script; 256 KiB assumed to be enough"),
    {
        .provider = SV_INIT("gardener"),
        .limit = 16 * KIB,
        .assumed = true,
        .source = "the lowest of the clouds' numbers; 16 KiB assumed",
        .remedy =
            "keep in the OperatingSystemConfig of purpose provision only the part that fetches the "
            "rest; if the machines' cloud takes more, set userDataLimits: {gardener: BYTES}",
    },
    ROW("gce", ANY, USERDATA_PLAIN, 256 * KIB, "Compute Engine API: 262144 bytes a metadata value"),
    ROW("hetzner", ANY, USERDATA_PLAIN, 32 * KIB, "Hetzner Cloud API, user_data: 32 KiB"),
    ROW("kubevirt", FLATCAR, USERDATA_PLAIN, 200 * KIB,
        "an annotation: 262144 bytes for all of an object, 200 KiB left for this one"),
    ROW("kubevirt", OTHERS, USERDATA_PLAIN, USERDATA_SECRET_BYTES, "a Secret: 1 MiB"),
    ROW("linode", ANY, USERDATA_PLAIN, 16 * KIB,
        "Linode API, metadata.user_data: 16384 bytes decoded"),
    ROW("nutanix", ANY, USERDATA_BASE64, 32000, "AHV guest customization: 32000 bytes of base64"),
    GUESS("opennebula", USERDATA_PLAIN, 64 * KIB, "no number published; 64 KiB assumed"),
    ROW("openstack", ANY, USERDATA_BASE64, 65535, "Nova user_data: 65535 bytes of base64"),
    GUESS("scaleway", USERDATA_PLAIN, 64 * KIB, "no number published; 64 KiB assumed"),
    GUESS("vmware-cloud-director", USERDATA_BASE64, 64 * KIB,
          "no number published; that of guestinfo assumed, 64 KiB a value"),
    /* Other systems get an ISO image. */
    ROW("vsphere", FLATCAR, USERDATA_BASE64, 64 * KIB, "guestinfo: 64 KiB a value"),
};

const struct userdata_budget *userdata_budget_find(sv provider, sv os_name)
{
	enum userdata_systems systems = sv_eq_cstr(os_name, "flatcar") ? FLATCAR : OTHERS;

	for (size_t i = 0; i < COUNT_OF(budgets); i++) {
		if (sv_eq(budgets[i].provider, provider) &&
		    (budgets[i].systems == ANY || budgets[i].systems == systems))
			return &budgets[i];
	}
	return NULL;
}

/* A name of the greatest length (RFC 1123 label) that compresses like a real one. */
#define LONGEST_NAME "workers-7f9c4b6d8x-q2k5w-eu-central-1a-0d3h8m1s6v4z9t2r7p5n3j8b"
_Static_assert(sizeof(LONGEST_NAME) - 1 == 63, "a label has at most 63 bytes");
static const sv longest_name = SV_INIT(LONGEST_NAME);

static bool has_only_blanks(sv line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] != ' ' && line.ptr[i] != '\t')
			return false;
	}
	return true;
}

/* Returns the offset of the next placeholder, plain or percent-encoded, or SV_NPOS. */
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

/* Does what machine-controller does: puts in the (longest) machine name, empties blank lines. */
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
		if (has_only_blanks(line))
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
 * machine-controller compresses with Go. At the default level Go's result is at most 1.6 % larger
 * than zlib's for small inputs and 0.4 % for large ones. One part in 64 is a safe margin.
 */
static size_t gzip_bytes(struct arena *arena, sv text)
{
	size_t size = gzip_size(arena, text);

	return size + size / 64 + 4;
}

size_t userdata_measure_bytes(struct arena *arena, const struct userdata_budget *budget, sv text)
{
	sv expanded = expand(arena, text);

	switch (budget ? budget->measure : USERDATA_PLAIN) {
	case USERDATA_PLAIN:
		break;
	case USERDATA_BASE64:
		return base64_encoded_size(BASE64_STD, expanded.len);
	case USERDATA_GZIP:
		return gzip_bytes(arena, expanded);
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
		return " after gzip";
	}
	return "";
}

static bool is_near(size_t bytes, size_t limit)
{
	return bytes > limit - limit / 10;
}

size_t userdata_shown_bytes(size_t bytes, size_t limit, size_t multiple)
{
	size_t rounded = multiple > 1 ? (bytes + multiple - 1) / multiple * multiple : bytes;

	return bytes <= limit && rounded > limit ? limit : rounded;
}

static const char *size_words(size_t multiple)
{
	return multiple > 1 ? "up to " : "";
}

enum status userdata_check_secret(struct sink *sink, const char *what, sv text, size_t multiple,
                                  struct position at)
{
	if (!is_near(text.len, USERDATA_SECRET_BYTES))
		return STATUS_OK;
	bool over = text.len > USERDATA_SECRET_BYTES;
	struct diag *diag = diag_report(
	    sink, over ? DIAG_USERDATA_SECRET_SIZE : DIAG_USERDATA_NEAR_LIMIT, at,
	    "the %s has %s%zu bytes, a Secret holds %zu", what, size_words(multiple),
	    userdata_shown_bytes(text.len, USERDATA_SECRET_BYTES, multiple), USERDATA_SECRET_BYTES);
	diag_set_help(sink, diag, "let a script download large files instead of carrying them");
	return over ? STATUS_FAILED : STATUS_OK;
}

enum status userdata_check_budget(struct arena *arena, struct sink *sink,
                                  const struct userdata_budget *budget, sv text, struct position at,
                                  size_t *ret_bytes)
{
	size_t bytes = userdata_measure_bytes(arena, budget, text);

	*ret_bytes = bytes;
	if (!budget)
		return STATUS_OK;
	bool over = bytes > budget->limit;
	bool near = !budget->assumed &&
	            (is_near(bytes, budget->limit) || (budget->careful && bytes > budget->careful));
	if (!over && !near)
		return STATUS_OK;
	enum diag_code code = !over             ? DIAG_USERDATA_NEAR_LIMIT
	                      : budget->assumed ? DIAG_USERDATA_ASSUMED_LIMIT
	                                        : DIAG_USERDATA_LIMIT;
	struct diag *diag =
	    diag_report(sink, code, at, "the bootstrap user-data has %s%zu bytes%s; %.*s %s %zu",
	                size_words(budget->multiple),
	                userdata_shown_bytes(bytes, budget->limit, budget->multiple),
	                measure_words(budget), SV_ARG(budget->provider),
	                budget->assumed ? "may take no more than" : "takes", budget->limit);
	diag_add_note(sink, diag, at, "limit: %s", budget->source);
	if (budget->remedy)
		diag_set_help(sink, diag, "%s", budget->remedy);
	else if (budget->assumed)
		diag_set_help(sink, diag,
		              "try one machine, and set userDataLimits: {%.*s: BYTES} to what "
		              "%.*s takes; 0 means any amount",
		              SV_ARG(budget->provider), SV_ARG(budget->provider));
	else
		diag_set_help(
		    sink, diag,
		    "move what the first boot does not need from the profile's bootstrapConfig to "
		    "its provisioningConfig; where %.*s takes more, set userDataLimits: {%.*s: "
		    "BYTES}",
		    SV_ARG(budget->provider), SV_ARG(budget->provider));
	return code == DIAG_USERDATA_LIMIT ? STATUS_FAILED : STATUS_OK;
}
