"""The profiles of profiles/commented/, rendered as those of profiles/ are: each script is the same to bash, and each other file is
the same to a reader of its format. bash prints a function without its comments, with its own layout."""

import configparser
import shutil
import tomllib

import nodelib

KINDS = ("bootstrap", "provisioning")


def normal_script(text):
    """The script as bash prints it."""
    result = nodelib.run(["bash", "-c", 'eval "$(printf "%s\\n" "script() {" "$1" "}")" && declare -f script', "bash", text])
    return result.stdout


def normal_unit(text):
    """Section -> its assignments, in order; systemd ignores lines that begin with # or ; also within a value."""
    lines = "\n".join(line for line in text.split("\n") if not line.startswith(("#", ";"))).replace("\\\n", " ").split("\n")
    return [" ".join(line.split()) for line in lines if line.strip()]


def normal(path, text):
    if text.startswith("#!"):
        return normal_script(text)
    if path.endswith(".toml"):
        return tomllib.loads(text)
    if path.endswith(("kubelet.conf", ".yaml")):
        return nodelib.load_yaml(text)
    if path.endswith((".service", ".network")) or "/systemd/" in path:
        return normal_unit(text)
    if path.endswith((".sh", ".cfg")):
        return normal_script(text)
    if path.endswith("/k8s.conf"):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string("[all]\n" + text)
        return dict(parser["all"])
    if path == "/etc/ssh/sshd_config":
        return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return text


def commented(profile, manifest):
    manifest.clear()
    manifest.update(nodelib.load_yaml((nodelib.ROOT / "profiles" / "commented" / f"{profile.key}.yaml").read_text()))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    bare = nodelib.Fleet(scratch)
    (scratch / "commented").mkdir()
    for name in ("ca.crt", "ca.key"):
        shutil.copy(scratch / name, scratch / "commented")
    full = nodelib.Fleet(scratch / "commented", change=commented)
    full.seed = bare.seed
    for name in nodelib.VARIANTS:
        bare.generate(name)
        full.generate(name)
    comments, known = 0, {}
    for case, profile, _, name in nodelib.cases():
        for kind in KINDS:
            have, want = (nodelib.files(nodelib.on_machine(fleet.user_data(case, name, kind))) for fleet in (bare, full))
            t.equal(f"{case}: {kind}: files", list(have), list(want))
            for path, entry in want.items():
                texts = (have[path]["data"], entry["data"])
                comments += texts[1].count("\n#")
                if texts[0].startswith("#!"):
                    t.check(f"{case}: {path}: no comment", not [line for line in texts[0].splitlines()[1:] if line.lstrip().startswith("# ")
                                                               and "shellcheck" not in line and "SELINUX" not in line], texts[0])
                if texts not in known:
                    known[texts] = normal(path, texts[0]) == normal(path, texts[1])
                t.check(f"{case}: {path} is the same", known[texts], f"{normal(path, texts[0])}\n{normal(path, texts[1])}")
    t.check("profiles/commented/ has comments", comments > 1000, comments)
    t.finish()


if __name__ == "__main__":
    main()
