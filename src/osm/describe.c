/*
 * Describes an OperatingSystemConfig: its files, units and keys, and settings that reviewers know
 * by name. The configuration of the kubelet and of containerd is parsed; versions are found in the
 * scripts' assignments, whose names each profile chooses.
 */
#include "osm/osm.h"

struct description {
	struct arena *arena;
	struct dialect_description *to;
	struct map known; /* values of facts (sv *) by name */
};

/* Adds a fact, unless one of that name is known. Returns true if the fact has this value. */
static bool add_fact(struct description *d, enum dialect_fact_kind kind, sv name, sv value)
{
	const sv *known = map_get(&d->known, name);

	if (known)
		return sv_eq(*known, value);
	sv *copy = ARENA_NEW(d->arena, sv);
	*copy = value;
	map_put(&d->known, name, copy);
	VEC_PUSH(d->arena, &d->to->facts, (struct dialect_fact){kind, name, value});
	return true;
}

/* ---- scripts ----------------------------------------------------------------------------- */

/* Returns v1.34.1 of 'v1.34.1', "v1.34.1" or ${NAME:-v1.34.1}, else an empty string. */
static sv version_in(sv text)
{
	size_t fallback = sv_find(text, SV(":-"));
	size_t end = 0;

	if (sv_starts_with(text, SV("\"")) || sv_starts_with(text, SV("'")))
		text = sv_from_offset(text, 1);
	if (sv_starts_with(text, SV("${")) && fallback != SV_NPOS)
		text = sv_from_offset(text, sv_find(text, SV(":-")) + 2);
	bool has_v = sv_starts_with(text, SV("v"));
	if (text.len <= has_v || !ascii_is_digit((unsigned char)text.ptr[has_v]))
		return (sv){0};
	while (end < text.len && (ascii_is_alphanumeric((unsigned char)text.ptr[end]) ||
	                          sv_find_char(SV(".-+"), text.ptr[end]) != SV_NPOS))
		end++;
	return sv_slice(text, 0, end);
}

static bool add_version(struct description *d, sv name, sv value)
{
	static const struct {
		sv part;
		enum dialect_fact_kind kind;
		sv fact;
	} known[] = {
	    {SV_INIT("kube"), DIALECT_FACT_KUBELET, SV_INIT("kubelet")},
	    {SV_INIT("containerd"), DIALECT_FACT_VERSION, SV_INIT("containerd")},
	    {SV_INIT("cni"), DIALECT_FACT_VERSION, SV_INIT("CNI plugins")},
	    {SV_INIT("cri"), DIALECT_FACT_VERSION, SV_INIT("crictl")},
	};
	sv lower = arena_lower_ascii(d->arena, name);
	sv version = version_in(value);

	if (sv_empty(version) || !sv_contains(lower, SV("version")))
		return false;
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (!sv_contains(lower, known[i].part))
			continue;
		/* The form of spec.template.spec.versions.kubelet in a MachineDeployment. */
		if (known[i].kind == DIALECT_FACT_KUBELET && sv_starts_with(version, SV("v")))
			version = sv_from_offset(version, 1);
		return add_fact(d, known[i].kind, known[i].fact, version);
	}
	return false;
}

static bool add_proxy(struct description *d, sv name, sv value)
{
	static const sv names[] = {SV_INIT("HTTP_PROXY"), SV_INIT("HTTPS_PROXY"),
	                           SV_INIT("NO_PROXY")};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq(name, names[i]) && !sv_starts_with(value, SV("$")))
			return add_fact(d, DIALECT_FACT_VALUE, name, sv_trim(value, "'\""));
	return false;
}

/* Adds the version of a package or archive: containerd.io=2.2*, containerd-1.7.29-linux. */
static void add_package(struct description *d, sv line)
{
	static const sv names[] = {SV_INIT("containerd.io"), SV_INIT("containerd")};

	for (size_t i = 0; !sv_starts_with(line, SV("#")) && i < COUNT_OF(names); i++) {
		size_t at = sv_find(line, names[i]);
		sv rest = sv_from_offset(line, at == SV_NPOS ? line.len : at + names[i].len);
		size_t end = 1;

		if (rest.len < 2 || (rest.ptr[0] != '=' && rest.ptr[0] != '-') ||
		    !ascii_is_digit((unsigned char)rest.ptr[1]))
			continue;
		while (end < rest.len && (ascii_is_digit((unsigned char)rest.ptr[end]) ||
		                          rest.ptr[end] == '.' || rest.ptr[end] == '*'))
			end++;
		add_fact(d, DIALECT_FACT_VERSION, SV("containerd"),
		         sv_trim_right(sv_slice(rest, 1, end), "."));
		return;
	}
}

/* Reads a line "NAME=VALUE", perhaps after a keyword of the shell or systemd. */
static bool add_assignment(struct description *d, sv line)
{
	static const sv before[] = {SV_INIT("export "), SV_INIT("readonly "),
	                            SV_INIT("Environment=")};
	sv name;
	sv value;

	for (size_t i = 0; i < COUNT_OF(before); i++)
		if (sv_starts_with(line, before[i]))
			line = sv_trim(sv_from_offset(line, before[i].len), " \"");
	if (sv_starts_with(line, SV("set_environment ")))
		return sv_cut(sv_from_offset(line, 16), SV(" "), &name, &value) &&
		       add_proxy(d, name, value);
	if (!sv_cut(line, SV("="), &name, &value) || sv_empty(name))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)name.ptr[i]) && name.ptr[i] != '_')
			return false;
	return add_version(d, name, value) || add_proxy(d, name, value);
}

/* ---- files that are read by programs we know --------------------------------------------- */

/* Adds --flag=value of the command that starts the kubelet. */
static bool add_flag(struct description *d, sv line)
{
	sv name;
	sv value;

	line = sv_trim(sv_trim_right(line, "\\"), " ");
	return sv_starts_with(line, SV("--")) && sv_cut(line, SV("="), &name, &value) &&
	       add_fact(d, DIALECT_FACT_VALUE, ARENA_CONCAT(d->arena, SV("kubelet "), name), value);
}

/* A value that several lines of a file give: of a list, of a registry's mirrors. */
struct member {
	sv name;
	struct buf items;
	struct buf lines;
};

static struct member member_in(struct arena *arena, sv name)
{
	return (struct member){name, buf_in(arena), buf_in(arena)};
}

static void add_item(struct member *member, sv item)
{
	buf_add(&member->items, member->items.len > 0 ? SV(", ") : SV(""));
	buf_add(&member->items, item);
}

static void add_line(struct buf *lines, sv line)
{
	buf_add(lines, line);
	buf_add_char(lines, '\n');
}

/* Adds the member as a fact, or else its lines to the rest. */
static void end_member(struct description *d, const struct member *member, struct buf *rest)
{
	if (sv_empty(member->name) || member->items.len == 0 ||
	    !add_fact(d, DIALECT_FACT_VALUE, member->name, buf_sv(&member->items)))
		buf_add(rest, buf_sv(&member->lines));
}

/* Reads a line of the kubelet's configuration. */
static void add_member(struct description *d, struct member *member, sv line, struct buf *rest)
{
	sv name;
	sv value;

	if (sv_starts_with(line, SV("- ")) || sv_starts_with(line, SV("  "))) {
		bool is_pair = sv_cut(line, SV(": "), &name, &value);

		if (!sv_empty(member->name) && is_pair)
			add_item(member, ARENA_CONCAT(d->arena, sv_trim(name, " -\"'"), SV(": "),
			                              sv_trim(value, " \"'")));
		else if (!sv_empty(member->name))
			add_item(member, sv_trim(line, " -\"'"));
	} else {
		end_member(d, member, rest);
		*member = member_in(d->arena, SV(""));
		if (sv_cut(line, SV(":"), &name, &value)) {
			member->name = sv_eq(name, SV("clusterDNS"))
			                   ? SV("cluster DNS")
			                   : ARENA_CONCAT(d->arena, SV("kubelet "), name);
			buf_add(&member->items, sv_trim(value, " \"'"));
		}
	}
	add_line(&member->lines, line);
}

/* Reads a line of a registry's hosts.toml. Returns false if it is not about a host. */
static bool add_mirror(struct member *mirrors, struct set *known, sv line)
{
	if (sv_starts_with(line, SV("capabilities")))
		return true;
	if (!sv_starts_with(line, SV("[host.")) && !sv_starts_with(line, SV("server")))
		return false;
	size_t from = sv_find_char(line, '"');
	sv rest = sv_from_offset(line, from == SV_NPOS ? line.len : from + 1);
	sv host = sv_slice(rest, 0, sv_find_char(rest, '"'));

	/* `server` is most often one of the hosts. */
	if (!sv_empty(host) && set_add(known, host))
		add_item(mirrors, host);
	return !sv_empty(host);
}

static bool add_pause_image(struct description *d, sv line)
{
	sv name;
	sv value;

	if (!sv_cut(line, SV("="), &name, &value))
		return false;
	name = sv_trim(name, " '\"");
	return (sv_eq(name, SV("sandbox_image")) || sv_eq(name, SV("sandbox"))) &&
	       add_fact(d, DIALECT_FACT_VALUE, SV("pause image"), sv_trim(value, " '\""));
}

/* Returns the member of a file below certs.d/, named "mirrors of docker.io". */
static struct member mirrors_of(struct arena *arena, sv path)
{
	size_t certs = sv_find(path, SV("/certs.d/"));
	sv registry = sv_from_offset(path, certs == SV_NPOS ? path.len : certs + 9);

	if (sv_empty(registry))
		return member_in(arena, SV(""));
	return member_in(arena, ARENA_CONCAT(arena, SV("mirrors of "),
	                                     sv_slice(registry, 0, sv_find_char(registry, '/'))));
}

/* Reads the facts of a file, and sets its rest. */
static void read_node_file(struct description *d, struct dialect_node_file *file)
{
	struct sv_splitter lines = sv_split(file->text, '\n');
	struct member member = member_in(d->arena, SV(""));
	struct member mirrors = mirrors_of(d->arena, file->path);
	struct set hosts = set_in(d->arena);
	struct buf rest = buf_in(d->arena);
	bool is_service = sv_ends_with(file->path, SV("/kubelet.service"));
	bool is_config = sv_ends_with(file->path, SV("/kubelet.conf"));
	sv line;

	while (sv_split_next(&lines, &line)) {
		sv inner = sv_trim_space(line);

		if (sv_starts_with(inner, SV("useradd ")) || sv_starts_with(inner, SV("adduser ")))
			VEC_PUSH(d->arena, &d->to->users, sv_after_last(inner, ' '));
		if (is_config)
			add_member(d, &member, line, &rest);
		else if (!sv_empty(mirrors.name) && add_mirror(&mirrors, &hosts, inner))
			add_line(&mirrors.lines, line);
		else if (!add_assignment(d, inner) && !(is_service && add_flag(d, inner)) &&
		         !add_pause_image(d, inner)) {
			/* The line may do more than name a version. */
			add_package(d, inner);
			add_line(&rest, line);
		}
	}
	end_member(d, &member, &rest);
	end_member(d, &mirrors, &rest);
	file->rest = buf_sv(&rest);
}

/* ---- the config -------------------------------------------------------------------------- */

/* 644 in the file is 0644. */
static unsigned mode_of(struct arena *arena, const struct value *permissions)
{
	bool is_number = value_is(permissions, KIND_INT64);
	sv digits = is_number ? arena_printf(arena, "%lld", (long long)permissions->integer)
	                      : value_text(permissions);
	unsigned mode = 0;

	for (size_t i = 0; i < digits.len && digits.ptr[i] >= '0' && digits.ptr[i] < '8'; i++)
		mode = mode * 8 + (unsigned)(digits.ptr[i] - '0');
	return mode;
}

static void describe_file(struct description *d, struct dialect_node_file file)
{
	read_node_file(d, &file);
	VEC_PUSH(d->arena, &d->to->files, file);
}

static void add_stage(struct description *d, const struct value *stage)
{
	const struct value *files = value_map_get(stage, SV("files"));
	const struct value *units = value_map_get(stage, SV("units"));
	const struct value *keys = value_map_get(stage, SV("userSSHKeys"));

	for (size_t i = 0; value_is_list(files) && i < value_count(files); i++) {
		const struct value *item = value_item(files, i);
		struct dialect_node_file file = {
		    .path = value_text(value_map_get(item, SV("path"))),
		    .text = value_text(value_path(item, "content.inline.data")),
		    .mode = mode_of(d->arena, value_map_get(item, SV("permissions"))),
		};

		describe_file(d, file);
	}
	for (size_t i = 0; value_is_list(units) && i < value_count(units); i++) {
		const struct value *item = value_item(units, i);
		const struct value *enable = value_map_get(item, SV("enable"));
		const struct value *mask = value_map_get(item, SV("mask"));
		bool is_off = enable && value_is(enable, KIND_BOOL) && !enable->boolean;
		bool is_masked = mask && value_is(mask, KIND_BOOL) && mask->boolean;
		const struct dialect_node_unit unit = {value_text(value_map_get(item, SV("name"))),
		                                       is_off || is_masked};

		VEC_PUSH(d->arena, &d->to->units, unit);
		const struct dialect_node_files texts = dialect_unit_files(d->arena, item);
		VEC_EACH (file, &texts)
			describe_file(d, *file);
	}
	for (size_t i = 0; value_is_list(keys) && i < value_count(keys); i++)
		VEC_PUSH(d->arena, &d->to->ssh_keys, value_text(value_item(keys, i)));
}

void osm_describe(struct arena *arena, const struct value *config,
                  struct dialect_description *description)
{
	struct description d = {arena, description, map_in(arena)};
	const struct value *metadata = value_map_get(config, SV("metadata"));
	const struct value *annotations = value_map_get(metadata, SV("annotations"));
	const struct value *spec = value_map_get(config, SV("spec"));
	const struct value *version = value_map_get(annotations, SV(OSM_ANNOTATION_OSP_VERSION));

	if (version)
		add_fact(&d, DIALECT_FACT_PROFILE, SV("profile version"), value_text(version));
	add_stage(&d, value_map_get(spec, SV("bootstrapConfig")));
	add_stage(&d, value_map_get(spec, SV("provisioningConfig")));
}
