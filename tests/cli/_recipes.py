"""_recipes.py COPY [RECIPE...]: follows the recipes of CONTRIBUTING.md, "How to add", in the folder COPY, a copy of the sources.

What is added is written below, with the line that it goes beside; where that line is, the recipe must say. A recipe names files and
folders in backquotes or as links, and commands in backquotes. It fails if none of its files has the line, or two have it, if it
does not name a command that is needed, or if it names a file that nothing was needed of. Prints each file that was changed."""
import pathlib
import re
import subprocess
import sys

COPY = pathlib.Path(sys.argv[1])
FOLDERS = r"(?:ci|cmd|docs|profiles|src|tests)/"


class Mistake(Exception):
    """What is wrong with a recipe."""


def line_of(name, start):
    """The line of a file that begins so: its text may change. A recipe must name the file all the same."""
    return next(line for line in (COPY / name).read_text().split("\n") if line.startswith(start))


class Recipe:
    def __init__(self, name):
        text = (COPY / "CONTRIBUTING.md").read_text()
        found = re.search(rf"(?ms)^### {re.escape(name)}\n(.*?)(?=^##)", text)
        if not found:
            raise Mistake("it is not there")
        self.words = {" ".join(words.split()) for words in re.findall(r"`([^`]+)`", found[1])}
        self.named = {word for word in self.words if re.fullmatch(FOLDERS + r"\S*", word)}
        self.named |= set(re.findall(rf"\]\(({FOLDERS}[^)#]+)[^)]*\)", found[1]))
        self.used = set()

    def place(self, line):
        """The one file that the recipe names, or that is in a folder which it names, with this line once."""
        places = {}
        for name in sorted(self.named):
            path = COPY / name
            if not path.exists():
                raise Mistake(f"{name} is not there")
            for file in path.iterdir() if name.endswith("/") else [path]:
                if file.is_file() and line in file.read_text().split("\n"):
                    places.setdefault(file, []).append(name)
        if len(places) != 1:
            files = ", ".join(sorted(str(file.relative_to(COPY)) for file in places) or sorted(self.named))
            raise Mistake(f"{'no file' if not places else 'more than one file'} that it names has the line {line.strip()!r}: {files}")
        ((file, names),) = places.items()
        self.used.update(names)
        return file

    def change(self, line, made):
        file = self.place(line)
        lines = file.read_text().split("\n")
        if lines.count(line) != 1:
            raise Mistake(f"{file.relative_to(COPY)} has the line {line.strip()!r} {lines.count(line)} times")
        at = lines.index(line)
        lines[at : at + 1] = made(line)
        file.write_text("\n".join(lines))
        print(f"changed {file.relative_to(COPY)}")

    def after(self, line, text):
        self.change(line, lambda line: [line, text])

    def before(self, line, text):
        self.change(line, lambda line: [text, line])

    def replace(self, line, old, new):
        assert old in line
        self.change(line, lambda line: [line.replace(old, new)])

    def create(self, folder, name, text):
        """A new file, in a folder that the recipe names."""
        if folder not in self.named:
            raise Mistake(f"it does not name the folder {folder}")
        self.used.add(folder)
        (COPY / folder / name).parent.mkdir(exist_ok=True)
        (COPY / folder / name).write_text(text)
        print(f"made {folder}{name}")

    def command(self, *words, run=True):
        """A command that the recipe names. run=False: it needs the program, and contributing.sh runs it after the build."""
        if " ".join(words) not in self.words:
            raise Mistake(f"it does not name `{' '.join(words)}`")
        self.used.add(words[0])
        if run:
            subprocess.run(words, cwd=COPY, check=True, stdout=subprocess.DEVNULL)

    def needs_not(self, *names):
        """Files that the recipe names for other cases than the one that is followed here, or as manuals and results."""
        for name in names:
            if name not in self.named:
                raise Mistake(f"it does not name {name} any more")
            self.used.add(name)

    def finish(self):
        rest = sorted(name for name in self.named - self.used)
        if rest:
            raise Mistake(f"it names {', '.join(rest)}, where nothing is to be added")


def a_provider(recipe):
    recipe.after('    {.name = SV_INIT("opennebula"), .known = true, SECRETS(S("password"))},',
                 '    {.name = SV_INIT("meadow"), .known = true, SECRETS(S("token"))},')
    recipe.create("src/osm/provider/", "meadow.c", """/*
 * The legacy cloud-config of Meadow (docs/spec/cloud-config.md 3).
 */
#include "osm/provider/provider.h"

enum status osm_cloud_config_meadow(struct arena *arena, struct sink *sink,
                                    const struct osm_cloud_config_input *input,
                                    struct value *ret_text)
{
	static const struct spec_field fields[] = {{SV_INIT("field"), OSM_VAR_STRING}};
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[COUNT_OF(fields)];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, COUNT_OF(fields), vars);
	struct value string = spec_string(&spec, &vars[0]);
	ini_add(&text, "field=", &string);
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
""")
    recipe.after("osm_cloud_config osm_cloud_config_kubevirt;", "osm_cloud_config osm_cloud_config_meadow;")
    recipe.after('	    {SV_INIT("kubevirt"), osm_cloud_config_kubevirt},', '	    {SV_INIT("meadow"), osm_cloud_config_meadow},')
    recipe.before("## 4 Environment variables", "### 3.7 meadow\n\n`field=q`.\n")
    recipe.before('	    {{.provider = "kubevirt", .spec = "{auth: {kubeconfig: cmVkYWN0ZWQ=}}"},',
                  '	    {{.provider = "meadow", .spec = "{field: clover}"}, "field=\\"clover\\"\\n"},')
    recipe.before('    ROW("nutanix", ANY, USERDATA_BASE64, 32000, "AHV guest customization: 32000 bytes of base64"),',
                  '    ROW("meadow", ANY, USERDATA_PLAIN, 4 * KIB, "Meadow\'s API: 4 KiB"),')
    recipe.after("<!-- providers -->", "meadow")
    recipe.before("| nutanix | 32000 | base64 | AHV guest customization |", "| meadow | 4096 | text | API |")
    recipe.replace(line_of("profiles/fragments/systems/ubuntu", "providers = "), "nutanix", "meadow nutanix")
    recipe.command("make", "profiles")
    recipe.replace(line_of("docs/profiles.md", "| providers | alibaba "), "hetzner kubevirt nutanix", "hetzner kubevirt meadow nutanix")
    recipe.needs_not("tests/unit/docs_test.c", "tests/oracle/machines/help.go")


def a_setting(recipe):
    recipe.before("/* ---- the table ---------------------------------------------------------------------------- */",
                  """static enum status check_greeting(const struct setter *s, const struct value *text,
                                  struct position at)
{
	if (sv_empty(text->string))
		return setter_report(s, at, "must not be empty", "write a greeting");
	return STATUS_OK;
}
""")
    recipe.before('	SETTING("immutable-secrets", "immutableSecrets", BOOL, immutable_secrets,',
                  '	SETTING("greeting", "greeting", TEXT, greeting, "the greeting of a meadow",\n'
                  '\t\t.initial = "hello", .example = "good morning", .check = check_greeting),')
    recipe.before("	bool immutable_secrets;", "	struct value greeting;")
    recipe.before(line_of("docs/spec/inputs.md", "| `immutableSecrets` |"), "| `greeting` | the greeting of a meadow |")
    recipe.after('	    {"pauseImage", "5", "pauseImage: must be a string"},',
                 '	    {"greeting", "\'\'", "greeting: must not be empty"},')
    recipe.command("ci/settings", run=False)
    recipe.needs_not("docs/settings.md", "docs/osm-gen.schema.json")  # contributing.sh looks at them
    recipe.needs_not("src/dialect/setting.h", "ci/feature-gates")  # manuals, for feature gates
    recipe.needs_not("docs/spec/controller.md", "tests/oracle/fleet/flags.go")  # for the controller's


def a_field_of_profiles(recipe):
    recipe.after('    ROW_TEXT("osVersion", "its version, for people", .flags = SHAPE_REQUIRED),',
                 '    ROW_TEXT("osCodename", "its code name, for people"),')
    recipe.after('	profile->os_version = member_of(spec, "osVersion");',
                 '	profile->os_codename = member_of(spec, "osCodename");')
    recipe.after("	struct value os_version;", "	struct value os_codename;")
    recipe.after('    "osVersion",', '    "osCodename",')
    recipe.after('    DIALECT_FIELD("osVersion"),', '    DIALECT_FIELD("osCodename"),')
    recipe.after("| `osVersion` | string, required | |", "| `osCodename` | string | |")
    recipe.before("""	    {HEAD "spec:\\n  osName: ubunto\\n  osVersion: '24.04'\\n  version: v1.0.0\\n\"""",
                  '	    {SPEC "  osCodename: 5\\n" EMPTY, "9:15", "osCodename must be a string"},')
    recipe.command("ci/settings", run=False)


def an_option_that_is_not_a_setting(recipe):
    recipe.before('    {"vouch", 0, RARE, JOB, OPTION_FLAG, FIELD(target.vouch), ON_MAKING, NULL,',
                  '    {"meadow", 0, RARE, JOB, OPTION_FLAG, FIELD(target.meadow), ON_MAKING, NULL, "rest for a while"},')
    recipe.before("	bool vouch;", "	bool meadow;")
    recipe.after("# ---- what explain and the messages say ---------------------------------------------------------------------",
                 'exits "an option that was added" 0 "$program" validate --repo "$repo"\n'
                 'exits "it is an option of generate" 0 "$program" generate --meadow --no-commit --repo "$repo"\n'
                 'exits "and of no other command" 64 "$program" validate --meadow --repo "$repo"')
    recipe.after("osm-gen validate --worktree         # while editing: reads uncommitted files, too",
                 "osm-gen generate --meadow           # rest for a while")


def a_template_function(recipe):
    recipe.before("static enum status fn_upper(struct tmpl_call *call)", """static enum status fn_greet(struct tmpl_call *call)
{
	sv name = arg_string(call, 0);

	TRY(charge_characters(call, name));
	return tmpl_return_string(call, ARENA_CONCAT(call->arena, SV("hello, "), name));
}
""")
    recipe.before('    TMPL_FUNC("hasPrefix", "ss>b", fn_has_prefix),', '    TMPL_FUNC("greet", "s>s", fn_greet),')
    recipe.before(r'{"id":"trim-2","out":"[axb]","template":"[{{ trimAll \"xy\" \"xyaxbyx\" }}]"}',
                  r'{"id":"greet","out":"[hello, meadow]","template":"[{{ greet \"meadow\" }}]"}')
    recipe.after("<!-- functions -->", "greet")
    recipe.needs_not("src/lib/tmpl/func.h")  # a manual
    recipe.needs_not("src/lib/tmpl/funcs.c", "src/lib/tmpl/funcs/refused.c")  # for a new family, for results that differ


def a_diagnostic(recipe):
    codes = (COPY / "src/lib/diag/codes.def").read_text()
    number = max(int(number) for number in re.findall(r"DIAG_CODE\(\w+, (42\d\d),", codes)) + 1
    recipe.before("/* 5xxx: secrets and sealing -------------------------------------------------------------- */",
                  f'DIAG_CODE(DIAG_MD_GOODBYE, {number}, DIAG_WARNING, DIAG_CLASS_INPUT, "meadow that nobody can stay in",\n'
                  '	"With this greeting visitors of the meadow go again.\\n\\n"\n'
                  '	"Write a greeting that lets people stay, such as hello.")\n')
    # No recipe can name the place where the program finds a mistake. This one is a value of the setting above.
    place = COPY / "src/osm/settings.c"
    text = place.read_text()
    line = '		return setter_report(s, at, "must not be empty", "write a greeting");\n'
    assert text.count(line) == 1
    place.write_text(text.replace(line, line + """	if (sv_eq_cstr(text->string, "goodbye")) {
		struct diag *diag = diag_report(s->sink, DIAG_MD_GOODBYE, at,
		                                "greeting: visitors will go again");

		diag_set_help(s->sink, diag, "write greeting: hello");
	}
"""))
    recipe.before("static void passwords_in_urls_are_secret(void **state)", """static void goodbye(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_int_equal(set(&f, "greeting", "goodbye"), STATUS_OK);
	assert_int_equal(f.sink.diags.count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_MD_GOODBYE);
}
""")
    recipe.after("	    cmocka_unit_test(limits_are_maps_or_texts),", "	    cmocka_unit_test(goodbye),")
    recipe.command("ci/codes")
    recipe.needs_not("tests/golden/")  # or here


def a_dialect(recipe):
    toy = (COPY / "tests/dialect/toy.c").read_text()
    head, constant, rest = re.split(r"static const struct dialect (\w+) = ", toy)
    rest = rest[: rest.index("\nconst struct dialect *const *dialects(")]
    other = re.search(r"(?m)^extern const struct dialect osm_dialect;\n\n", head)[0]
    recipe.create("src/", "toy/toy.c", f"{head.replace(other, '')}extern const struct dialect {constant};\n\n"
                  f"const struct dialect {constant} = {rest}")
    recipe.replace(line_of("ci/layers", "ORDER = "), " gardener ", " gardener toy ")
    recipe.replace('DIALECTS = {"osm", "gardener"}', '"gardener"', '"gardener", "toy"')
    recipe.before("  fleet/       osm-gen.yaml, the settings of each cluster, discovery of objects", "  toy/         greetings")
    recipe.before(line_of("tests/README.md", "| `src/fleet` |"), "| `src/toy` | | `tests/dialect/run.sh` |")
    recipe.after(line_of("docs/spec/inputs.md", "| `tokenRotation` |"), "| `toySign` | what a greeting ends with |")
    recipe.after("extern const struct dialect gardener_dialect;", f"extern const struct dialect {constant};")
    line = "	static const struct dialect *const registry[] = {&osm_dialect, &gardener_dialect};"
    recipe.replace(line, "&gardener_dialect", f"&gardener_dialect, &{constant}")
    recipe.command("ci/layers")
    recipe.command("ci/settings", run=False)
    recipe.needs_not("src/dialect/dialect.h", "src/dialect/adoption.h", "src/node/node.h", "src/userdata/userdata.h",
                     "tests/dialect/toy.c", "tests/dialect/run.sh")  # manuals and examples


def a_sealed_format(recipe):
    recipe.create("src/seal/", "meadow.c", """/*
 * The format meadow: files of sops under another name.
 */
#include "seal/sops.h"

static enum status parse_recipients(struct arena *arena, struct sink *sink, sv wanted_by,
                                    const struct seal_recipient_text *texts, size_t count,
                                    struct seal_recipients *ret_recipients)
{
	return sops_format.parse_recipients(arena, sink, wanted_by, texts, count, ret_recipients);
}

/* Its files are recognised as those of sops. */
static bool is_sealed(const struct value *document)
{
	(void)document;
	return false;
}

static bool mask(struct arena *arena, sv text, sv *ret_masked)
{
	return sops_format.mask(arena, text, ret_masked);
}

static void add_values(struct buf *buf, sv text)
{
	sops_format.add_values(buf, text);
}

extern const struct sealer_format meadow_format;

const struct sealer_format meadow_format = {
    .name = SV_INIT("meadow"),
    .parse_recipients = parse_recipients,
    .state_new = sops_writer_new,
    .state_free = sops_writer_free,
    .seal = sops_seal,
    .seal_bytes = sops_seal_bytes,
    .is_sealed = is_sealed,
    .mask = mask,
    .add_values = add_values,
    .identity_help = "set SOPS_AGE_KEY",
    .values_help = "encrypt only the values",
};
""")
    recipe.before("static const struct sealer_format *const formats[] = {", "extern const struct sealer_format meadow_format;")
    recipe.after("    &sealed_secret_format,", "    &meadow_format,")
    row = '     .choices = "sops|sealed-secrets",'
    recipe.replace(row, "sops|sealed-secrets", "sops|sealed-secrets|meadow")
    recipe.command("ci/settings", run=False)
    recipe.needs_not("docs/osm-gen.schema.json", "docs/settings.md", "src/seal/seal.h", "docs/spec/sealing.md")  # a result, manuals


RECIPES = {
    "A provider": a_provider,
    "A setting": a_setting,
    "A field of profiles": a_field_of_profiles,
    "An option that is not a setting": an_option_that_is_not_a_setting,
    "A template function": a_template_function,
    "A diagnostic": a_diagnostic,
    "A dialect": a_dialect,
    "A sealed format": a_sealed_format,
}
# Followed by tests/cli/output_contract_next.sh.
ELSEWHERE = {"Change a profile"}


def main():
    failed = 0
    text = (COPY / "CONTRIBUTING.md").read_text()
    chapter = text[text.index("## How to add") : text.index("## House style")]
    for name in sys.argv[2:] or re.findall(r"(?m)^### (.*)$", chapter):
        if name in ELSEWHERE:
            continue
        try:
            recipe = Recipe(name)
            if name not in RECIPES:
                raise Mistake("no test follows it")
            RECIPES[name](recipe)
            recipe.finish()
        except Mistake as mistake:
            print(f"CONTRIBUTING.md: {name}: {mistake}")
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
