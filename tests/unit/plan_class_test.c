/* What becomes of a unit's machines, as a function of what is known of it. */
#include "plan/plan.h"

#include "asserts.h"

#define A "0123456789abcdef0123456789abcdef"
#define B "fedcba9876543210fedcba9876543210"

static void test_templates(void **state)
{
	static const struct {
		const char *before;
		const char *now;
		enum plan_template want;
	} cases[] = {
	    {A, A, PLAN_TEMPLATE_SAME},
	    {A, B, PLAN_TEMPLATE_CHANGED},
	    /* An index or a config that does not say. */
	    {"", A, PLAN_TEMPLATE_UNKNOWN},
	    {A, "", PLAN_TEMPLATE_UNKNOWN},
	    /* Keyed: of one seed they are compared, of two they cannot be. */
	    {"seed1:" A, "seed1:" A, PLAN_TEMPLATE_SAME},
	    {"seed1:" A, "seed1:" B, PLAN_TEMPLATE_CHANGED},
	    {"seed1:" A, "seed2:" A, PLAN_TEMPLATE_UNKNOWN},
	    {"seed1:" A, "seed2:" B, PLAN_TEMPLATE_UNKNOWN},
	    /* A secret came into the template, or went. */
	    {A, "seed1:" A, PLAN_TEMPLATE_CHANGED},
	    {"seed1:" A, A, PLAN_TEMPLATE_CHANGED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(plan_compare_templates(sv_from_cstr(cases[i].before),
		                                        sv_from_cstr(cases[i].now)),
		                 cases[i].want);
}

static void test_classes(void **state)
{
	static const struct {
		struct plan_class_facts facts;
		enum report_class want;
	} cases[] = {
	    {{.was_there = true}, REPORT_CLASS_REMOVE},
	    {{.is_there = true}, REPORT_CLASS_ADD},
	    {{.is_there = true, .file_changed = true, .template = PLAN_TEMPLATE_CHANGED},
	     REPORT_CLASS_ADD},
	    {{.was_there = true, .is_there = true}, REPORT_CLASS_NONE},
	    {{.was_there = true, .is_there = true, .template = PLAN_TEMPLATE_SAME},
	     REPORT_CLASS_NONE},
	    /* The template decides, whatever else changes. */
	    {{.was_there = true, .is_there = true, .template = PLAN_TEMPLATE_CHANGED},
	     REPORT_CLASS_ROLL},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_CHANGED,
	      .user_data_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_ROLL},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .user_data_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_NEW_NODES},
	    /* A revision of --revisions, other recipients: files change, their values do not. */
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .file_changed = true},
	     REPORT_CLASS_METADATA},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_METADATA},
	    /* Another seed: what is shown of the config decides. */
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_UNKNOWN,
	      .user_data_unknown = true,
	      .file_changed = true},
	     REPORT_CLASS_METADATA},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .user_data_unknown = true,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_NEW_NODES},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_UNKNOWN,
	      .user_data_unknown = true,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_ROLL},
	    /* Running machines apply it: the config is what they get, whether or not it is sealed.
	     */
	    {{.was_there = true, .is_there = true, .is_applied = true}, REPORT_CLASS_NONE},
	    {{.was_there = true, .is_there = true, .is_applied = true, .file_changed = true},
	     REPORT_CLASS_METADATA},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .is_applied = true,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_IN_PLACE},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .is_applied = true,
	      .user_data_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_IN_PLACE},
	    /* Without the seed: what is known decides, and nothing is guessed. */
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_CHANGED,
	      .secrets_unknown = true},
	     REPORT_CLASS_ROLL},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_UNKNOWN,
	      .config_changed = true},
	     REPORT_CLASS_UNKNOWN},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .user_data_changed = true,
	      .secrets_unknown = true},
	     REPORT_CLASS_UNKNOWN},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .roll_unknown = true},
	     REPORT_CLASS_UNKNOWN},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .user_data_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_NEW_NODES},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .is_applied = true,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_IN_PLACE},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .config_changed = true,
	      .file_changed = true},
	     REPORT_CLASS_METADATA},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME},
	     REPORT_CLASS_NONE},
	    {{.is_there = true, .lacks_seed = true, .secrets_unknown = true}, REPORT_CLASS_ADD},
	    /* Machines of other objects: they roll whatever else is known, even of a new unit. */
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .is_applied = true,
	      .config_changed = true,
	      .replacement = DIALECT_REPLACES_MACHINES},
	     REPORT_CLASS_ROLL},
	    {{.is_there = true, .replacement = DIALECT_REPLACES_MACHINES}, REPORT_CLASS_ROLL},
	    {{.was_there = true, .replacement = DIALECT_REPLACES_MACHINES}, REPORT_CLASS_REMOVE},
	    /* Without the seed: user-data of new machines that changed replaces the others. */
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .replacement = DIALECT_REPLACES_UNKNOWN},
	     REPORT_CLASS_UNKNOWN},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .secrets_unknown = true,
	      .config_changed = true,
	      .replacement = DIALECT_REPLACES_UNKNOWN},
	     REPORT_CLASS_ROLL},
	    {{.was_there = true,
	      .is_there = true,
	      .lacks_seed = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .is_applied = true,
	      .config_changed = true,
	      .replacement = DIALECT_REPLACES_UNKNOWN},
	     REPORT_CLASS_UNKNOWN},
	    /* Another number of machines goes before what leaves machines alone. */
	    {{.was_there = true, .is_there = true, .scale = {.changes = true}}, REPORT_CLASS_SCALE},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_SAME,
	      .file_changed = true,
	      .user_data_changed = true,
	      .scale = {.changes = true, .before = 2, .after = 3, .more = 1}},
	     REPORT_CLASS_SCALE},
	    {{.was_there = true,
	      .is_there = true,
	      .template = PLAN_TEMPLATE_CHANGED,
	      .scale = {.changes = true, .before = 2, .after = 0, .fewer = 2}},
	     REPORT_CLASS_ROLL},
	    {{.is_there = true, .scale = {.changes = true}}, REPORT_CLASS_ADD},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (plan_class(&cases[i].facts) != cases[i].want)
			fail_msg("case %zu: %d, want %d", i, (int)plan_class(&cases[i].facts),
			         (int)cases[i].want);
}

UNIT_TESTS(plan_class)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_templates),
	    cmocka_unit_test(test_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
