/*
 * Public lines of secrets. A Secret may contain a script, a unit or a manifest, most of whose lines
 * are common. Lines that public files have, too, are not looked for in the output.
 *
 * Public are the program's own documents, lines that every system has, and the clear manifests of
 * the repository. Anybody who can open a pull request can add to the latter. So they never make a
 * line public that has the form of a credential, nor a secret that is the whole value under a
 * credential's name: no manifest can switch the scan off for those.
 */
#include "golang/golang.h"
#include "secrecy/internal.h"
#include "json/json.h"

enum {
	MIN_PART = 12,   /* of a line without its dash and quotes: as long as a line that counts */
	MIN_RANDOM = 16, /* characters that are needed to distinguish randomness from words */
};

struct candidate {
	sv text;
	bool is_public;
	bool is_guarded;            /* clear manifests do not make it public */
	const struct value *string; /* the secret that has it first */
	size_t offset;              /* in that */
};

/* A string that is looked for in manifests, and the lines that are public if it is found. */
struct wanted {
	struct secret secret; /* for the scanner, which gives its address back */
	VEC(struct candidate *) candidates;
};

struct secret_lines {
	struct arena *arena;
	struct map candidates; /* by text */
	struct map wanted;     /* by text */
	struct map entries;    /* those that are entries of maps: struct map by key */
	struct map scalars;    /* by text: those that a whole clear string makes public */
	struct leak_scanner *scanner;
	struct leak_effort effort;
};

VEC_TYPE(candidate_list, struct candidate *);

struct secret_lines *secret_lines_new(struct arena *secret_arena)
{
	struct secret_lines *lines = ARENA_NEW(secret_arena, struct secret_lines);

	*lines = (struct secret_lines){
	    .arena = secret_arena,
	    .candidates = map_in(secret_arena),
	    .wanted = map_in(secret_arena),
	    .entries = map_in(secret_arena),
	    .scalars = map_in(secret_arena),
	    .scanner = leak_scanner_new(secret_arena, NULL),
	    .effort = {.left = LEAK_EFFORT},
	};
	return lines;
}

/* ---- the form of a credential ------------------------------------------------------------ */

enum character { OTHER, LOWER, UPPER, DIGIT };

static enum character character_of(char c)
{
	if (ascii_is_digit(c))
		return DIGIT;
	if (!ascii_is_letter(c))
		return OTHER;
	return c >= 'a' ? LOWER : UPPER;
}

/*
 * Counts changes between small letters, capitals, digits and signs. Words have one at every fifth
 * character and paths at every third; random hexadecimal has 47 for 100 characters, base64 62,
 * base32 30.
 */
static bool looks_random(sv word, bool has_signs)
{
	size_t changes = 0;
	size_t digits = 0;

	if (word.len < MIN_RANDOM)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		digits += character_of(word.ptr[i]) == DIGIT;
		changes += i > 0 && character_of(word.ptr[i]) != character_of(word.ptr[i - 1]);
	}
	if (has_signs)
		return digits > 0 && changes * 2 >= word.len;
	return digits > 0 ? changes * 4 >= word.len : changes * 5 >= word.len * 2;
}

static bool is_word_char(char c, const char *more)
{
	return ascii_is_alphanumeric(c) || (c != '\0' && strchr(more, c));
}

/* Finds a word of base64, hexadecimal or a token. `more` has further characters of such words. */
static bool has_random_word(sv line, const char *more)
{
	for (size_t start = 0; start < line.len;) {
		size_t end = start;

		while (end < line.len && is_word_char(line.ptr[end], more))
			end++;
		/* An image's digest is public, and the name of what it is about. */
		bool is_digest =
		    end - start == 64 && sv_ends_with(sv_slice(line, 0, start), SV("sha256:"));
		if (!is_digest && looks_random(sv_slice(line, start, end), more[0] != '\0'))
			return true;
		start = end + 1;
	}
	return false;
}

static sv without_beginning(sv text, const char *set)
{
	while (!sv_empty(text) && text.ptr[0] != '\0' && strchr(set, text.ptr[0]))
		text = sv_from_offset(text, 1);
	return text;
}

/* "password: x", "PASSWORD=x", "--password x": also among other words. */
static bool names_credential(sv line)
{
	static const sv more[] = {SV_INIT("psk"), SV_INIT("auth"), SV_INIT("_auth"), SV_INIT("pat"),
	                          SV_INIT("pin")};

	for (size_t start = 0; start < line.len;) {
		size_t end = start;

		while (end < line.len && is_word_char(line.ptr[end], "-_."))
			end++;
		sv word = sv_slice(line, start, end);
		sv rest = without_beginning(sv_from_offset(line, end), "\"' \t");
		bool names = secrecy_names_credential(without_beginning(word, "-"));

		for (size_t i = 0; i < COUNT_OF(more); i++)
			names |= go_json_key_is(word, more[i]);
		if (names && !sv_empty(rest) && strchr(":=", rest.ptr[0])) {
			rest = sv_trim(sv_from_offset(rest, 1), "\"', \t");
			if (!sv_empty(rest) && !sv_starts_with(rest, SV("|")) &&
			    !sv_starts_with(rest, SV("{")))
				return true;
		} else if (names && sv_starts_with(word, SV("-")) && !sv_empty(rest)) {
			return true;
		}
		start = end + 1;
	}
	return false;
}

bool secrecy_is_credential_line(sv line)
{
	return secrecy_manifest_holds_credential(line) || names_credential(line) ||
	       has_random_word(line, "") || has_random_word(line, "+/=_-");
}

/* ---- lines to search for ----------------------------------------------------------------- */

static void want(struct secret_lines *lines, struct candidate *candidate, sv text)
{
	struct wanted *wanted = map_get(&lines->wanted, text);

	if (text.len < MIN_PART)
		return;
	if (!wanted) {
		wanted = ARENA_NEW(lines->arena, struct wanted);
		wanted->secret.text = text;
		map_put(&lines->wanted, text, wanted);
		leak_scanner_add_text(lines->scanner, &wanted->secret);
	}
	VEC_PUSH(lines->arena, &wanted->candidates, candidate);
}

static sv unquoted(sv text)
{
	if (text.len >= 2 && strchr("\"'", text.ptr[0]) && text.ptr[text.len - 1] == text.ptr[0])
		return sv_slice(text, 1, text.len - 1);
	return text;
}

/* Without what YAML and JSON write around an item. */
static sv bare(sv line)
{
	while (sv_starts_with(line, SV("- ")))
		line = sv_trim_space(sv_from_offset(line, 2));
	if (sv_ends_with(line, SV(",")))
		line = sv_trim_space(sv_slice(line, 0, line.len - 1));
	return line;
}

/*
 * Key and value of a line that is an entry of YAML, JSON, TOML or an INI file. The value is empty
 * where a map or list follows.
 */
static bool read_entry(sv line, sv *ret_key, sv *ret_value)
{
	size_t end = 0;

	line = bare(line);
	size_t quotes = !sv_empty(line) && strchr("\"'", line.ptr[0]) ? 1 : 0;
	for (end = quotes; end < line.len && is_word_char(line.ptr[end], "-_./"); end++)
		;
	sv key = sv_slice(line, quotes, end);
	sv rest =
	    sv_trim_space(sv_from_offset(line, end + quotes < line.len ? end + quotes : line.len));

	if (sv_empty(key) || sv_empty(rest) || !strchr(":=", rest.ptr[0]))
		return false;
	rest = unquoted(sv_trim_space(sv_from_offset(rest, 1)));
	if (sv_eq(rest, SV("{")) || sv_eq(rest, SV("[")))
		rest = SV("");
	*ret_key = key;
	*ret_value = rest;
	return true;
}

/*
 * Returns true for a line with an address: `server = "https://registry.example"`,
 * `[host."https://..."]`. Such URLs alone are not secret either.
 */
static bool is_public_address(sv line)
{
	sv key;
	sv value = SV("");

	if (sv_starts_with(line, SV("[host.")) && sv_ends_with(line, SV("]")))
		value = unquoted(sv_slice(line, sizeof("[host.") - 1, line.len - 1));
	else if (!read_entry(line, &key, &value))
		return false;
	return sv_starts_with(value, SV("http")) && secrecy_is_public_url(value);
}

static void want_entry(struct secret_lines *lines, struct candidate *candidate)
{
	sv key;
	sv value;

	if (!read_entry(candidate->text, &key, &value))
		return;
	struct map *values = map_get(&lines->entries, key);
	if (!values) {
		values = ARENA_NEW(lines->arena, struct map);
		*values = map_in(lines->arena);
		map_put(&lines->entries, key, values);
	}
	struct candidate_list *list = map_get(values, value);
	if (!list) {
		list = ARENA_NEW(lines->arena, struct candidate_list);
		map_put(values, value, list);
	}
	VEC_PUSH(lines->arena, list, candidate);
}

/* True if the text is a new one. */
static bool add_candidate(struct secret_lines *lines, const struct value *string, sv text,
                          bool is_guarded, struct candidate **ret_candidate)
{
	struct candidate *candidate = map_get(&lines->candidates, text);

	*ret_candidate = candidate;
	if (candidate) {
		candidate->is_guarded |= is_guarded;
		return false;
	}
	*ret_candidate = candidate = ARENA_NEW(lines->arena, struct candidate);
	*candidate = (struct candidate){
	    .text = text,
	    .is_guarded = is_guarded,
	    .string = string,
	    .offset = (size_t)(text.ptr - string->string.ptr),
	};
	map_put(&lines->candidates, text, candidate);
	return true;
}

void secret_lines_add(struct secret_lines *lines, sv key, const struct value *string)
{
	struct value *kept = ARENA_NEW(lines->arena, struct value);
	sv text = sv_trim_space(string->string);
	struct sv_splitter rest = sv_split(text, '\n');
	bool is_guarded = secrecy_names_credential(key);
	struct candidate *candidate;
	sv line;

	*kept = *string;
	if (sv_find_char(text, '\n') == SV_NPOS) {
		is_guarded |= secrecy_is_credential_line(text);
		if (add_candidate(lines, kept, text, is_guarded, &candidate))
			map_put(&lines->scalars, text, candidate);
		return;
	}
	while (sv_split_next(&rest, &line)) {
		line = sv_trim_space(line);
		bool is_credential = secrecy_is_credential_line(line);

		is_guarded |= is_credential;
		if (!secrecy_is_long_line(line) ||
		    !add_candidate(lines, kept, line, is_credential, &candidate))
			continue;
		candidate->is_public = !is_credential && is_public_address(line);
		want(lines, candidate, line);
		if (bare(line).len < line.len)
			want(lines, candidate, unquoted(bare(line)));
		want_entry(lines, candidate);
	}
	if (add_candidate(lines, kept, text, is_guarded, &candidate))
		want(lines, candidate, text);
}

/* ---- public lines ------------------------------------------------------------------------ */

static void publish(struct candidate *candidate, bool is_own)
{
	candidate->is_public |= is_own || !candidate->is_guarded;
}

static void publish_text(struct secret_lines *lines, sv text, bool is_own)
{
	struct leak leak;

	for (size_t from = 0; leak_scanner_find(lines->scanner, text, from, &lines->effort, &leak);
	     from = leak.offset + 1) {
		const struct wanted *wanted = map_get(&lines->wanted, leak.secret->text);

		VEC_EACH (candidate, &wanted->candidates)
			publish(*candidate, is_own);
	}
}

/* The value of a map's entry as a line would have it. */
static void publish_entry(struct secret_lines *lines, sv key, const struct value *v)
{
	const struct map *values = map_get(&lines->entries, key);
	sv text = SV("");

	if (!values)
		return;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(scratch);
	if (value_is_string(v)) {
		text = v->string;
	} else if (!value_is_map(v) && !value_is_list(v)) {
		json_emit(&buf, v, JSON_GO);
		text = buf_sv(&buf);
	}
	const struct candidate_list *list = map_get(values, text);
	if (list) {
		VEC_EACH (candidate, list)
			publish(*candidate, false);
	}
}

struct publishing {
	struct secret_lines *lines;
	const struct set *inline_secrets;
};

static enum secrecy_step publish_place(void *context, struct secrecy_place *place)
{
	const struct publishing *publishing = context;
	struct secret_lines *lines = publishing->lines;
	const struct value *v = place->value;

	if (value_is_string(v)) {
		/* A credential in a clear manifest does not become public. */
		if (v->taint || set_has(publishing->inline_secrets, v->string))
			return SECRECY_OVER;
		publish_text(lines, v->string, false);
		struct candidate *scalar = map_get(&lines->scalars, sv_trim_space(v->string));
		if (scalar)
			publish(scalar, false);
	}
	if (place->entry)
		publish_entry(lines, place->entry->key, v);
	return SECRECY_INTO;
}

void secret_lines_publish(struct secret_lines *lines, const struct value *clear,
                          const struct set *inline_secrets)
{
	struct publishing publishing = {lines, inline_secrets};

	if (lines->candidates.count > 0)
		secrecy_visit(clear, publish_place, &publishing);
}

/* Lines of files that every system has, and of the objects that osm-gen writes. */
static const char common_lines[] =
    "#!/bin/bash\n#!/usr/bin/bash\n#!/usr/bin/env bash\n#!/usr/bin/env sh\n#!/bin/sh -e\n"
    "#!/usr/bin/env python3\n#!/usr/bin/python3\n"
    "set -euo pipefail\nset -eou pipefail\nset -euxo pipefail\nset -o errexit\nset -o nounset\n"
    "set -o pipefail\nset -o errexit -o nounset -o pipefail\n"
    "export DEBIAN_FRONTEND=noninteractive\nsystemctl daemon-reload\n"
    "WantedBy=multi-user.target\nWantedBy=sysinit.target\nWantedBy=timers.target\n"
    "WantedBy=sockets.target\nWantedBy=local-fs.target\nWantedBy=network-online.target\n"
    "After=network.target\nAfter=network-online.target\nWants=network-online.target\n"
    "Requires=network-online.target\nBefore=kubelet.service\nAfter=kubelet.service\n"
    "After=containerd.service\nRequires=containerd.service\nBefore=containerd.service\n"
    "RemainAfterExit=yes\nRemainAfterExit=true\nRestart=on-failure\nTimeoutStartSec=0\n"
    "DefaultDependencies=no\nEnvironmentFile=-/etc/environment\nEnvironmentFile=/etc/environment\n"
    "StandardOutput=journal\nStandardError=journal\nKillMode=process\nDelegate=yes\n"
    "LimitNPROC=infinity\nLimitCORE=infinity\nLimitNOFILE=infinity\nLimitNOFILE=1048576\n"
    "TasksMax=infinity\nOOMScoreAdjust=-999\nPermissionsStartOnly=true\n"
    "apiVersion: apps/v1\napiVersion: kubelet.config.k8s.io/v1beta1\n"
    "kind: KubeletConfiguration\nkind: ClusterRole\nkind: ClusterRoleBinding\nkind: RoleBinding\n"
    "apiGroup: rbac.authorization.k8s.io\napiVersion: rbac.authorization.k8s.io/v1\n"
    "kind: ServiceAccount\nnamespace: kube-system\nnamespace: kube-public\nnamespace: default\n"
    "namespace: cloud-init-settings\ncurrent-context: default\nhostNetwork: true\n"
    "permissions: \"0644\"\npermissions: '0644'\npermissions: \"0600\"\npermissions: '0600'\n"
    "permissions: \"0755\"\npermissions: '0755'\nowner: root:root\nencoding: b64\n"
    "imagePullPolicy: IfNotPresent\nimagePullPolicy: Always\nrestartPolicy: Always\n"
    "priorityClassName: system-node-critical\npriorityClassName: system-cluster-critical\n"
    "[plugins.\"io.containerd.grpc.v1.cri\".registry]\n"
    "[plugins.\"io.containerd.cri.v1.images\".registry]\n"
    "[plugins.\"io.containerd.grpc.v1.cri\".containerd]\n"
    "[plugins.\"io.containerd.grpc.v1.cri\"]\n[plugins.\"io.containerd.cri.v1.runtime\"]\n"
    "runtime_type = \"io.containerd.runc.v2\"\nconfig_path = \"/etc/containerd/certs.d\"\n"
    "SystemdCgroup = true\ncapabilities = [\"pull\", \"resolve\"]\n";

void secret_lines_publish_own(struct secret_lines *lines, const struct secrecy_public *public)
{
	if (lines->candidates.count == 0)
		return;
	publish_text(lines, SV(common_lines), true);
	for (size_t i = 0; i < public->count; i++)
		publish_text(lines, public->texts[i], true);
}

/* ---- queries ----------------------------------------------------------------------------- */

bool secret_lines_is_public(const struct secret_lines *lines, sv text)
{
	const struct candidate *candidate = map_get(&lines->candidates, text);

	return candidate && candidate->is_public;
}

bool secret_lines_place(const struct secret_lines *lines, sv text, struct position *ret_at,
                        size_t *ret_line)
{
	const struct candidate *candidate = map_get(&lines->candidates, text);

	if (!candidate || !candidate->string->origin.source)
		return false;
	sv before = sv_slice(candidate->string->string, 0, candidate->offset);
	struct position at = value_text_position(candidate->string, candidate->offset);
	sv written = at.source ? sv_from_offset(at.source->text, at.offset) : SV("");

	/* Lines of encrypted values or base64 have no place of their own. */
	*ret_at = sv_starts_with(written, sv_slice(text, 0, text.len < 8 ? text.len : 8))
	              ? at
	              : value_position(candidate->string);
	*ret_line = 1;
	for (size_t i = 0; i < before.len; i++)
		*ret_line += before.ptr[i] == '\n';
	return true;
}

void secret_lines_add_bytes(const struct secret_lines *lines, struct buf *secret_buf)
{
	buf_printf(secret_buf, "lines %zu\n", lines->candidates.count);
	for (size_t i = 0; i < lines->candidates.count; i++) {
		const struct candidate *candidate = lines->candidates.entries[i].value;

		buf_printf(secret_buf, "%zu:", candidate->text.len);
		buf_add(secret_buf, candidate->text);
		buf_printf(secret_buf, " %d", candidate->is_public);
	}
}
