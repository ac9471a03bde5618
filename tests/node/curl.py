"""Runs the downloads of both stages with two ages of curl, this machine's and one that knows no option which the curl 7.61 of
Enterprise Linux 8 does not know, and from mirrors and API servers that redirect out of TLS. Everything is on loopback."""

import json
import pathlib
import re
import shutil
import subprocess

import loopback
import nodelib
import sandbox

# What curl has had since a version later than 7.61.
NEWER = """--alt-svc --aws-sigv4 --ca-native --create-file-mode --curves --doh-cert-status --doh-insecure --doh-url
--dump-ca-embed --ech --etag-compare --etag-save --fail-with-body --form-escape --haproxy-clientip --hostpubsha256 --hsts
--http0.9 --http3 --http3-only --ip-tos --ipfs-gateway --json --keepalive-cnt --mail-rcpt-allowfails --mptcp --no-clobber
--no-progress-meter --output-dir --parallel --parallel-immediate --parallel-max --progress-meter --proxy-ca-native
--proxy-http2 --proxy-ssl-auto-client-cert --rate --remove-on-error --retry-all-errors --sasl-authzid --show-headers
--skip-existing --ssl-auto-client-cert --ssl-revoke-best-effort --ssl-sessions --tls-earlydata --trace-config --trace-ids
--url-query --variable --vlan-priority""".split()
# The real curl, with as many retries as RETRIES says.
CURL = """#!/bin/sh
previous=
for word; do
  shift
  if [ "$previous" = --retry ]; then word=${RETRIES:-0}; fi
  set -- "$@" "$word"
  previous=$word
done
exec @CURL@ "$@"
"""
# Before 7.73 --help took no category and listed everything. `--no-X` is the opposite of the option X and as old.
OLD_CURL = """#!/bin/sh
newer='@NEWER@'
for word; do
  case $word in
    --help | -h) @CURL@ --help all | while read -r line; do
        for option in $newer; do case " $line " in *" $option "*) continue 2 ;; esac; done
        echo " $line"
      done
      exit 0 ;;
    --version | -V) echo "curl 7.61.1 (x86_64-redhat-linux-gnu) libcurl/7.61.1"; exit 0 ;;
  esac
  case $word in --*) ;; *) continue ;; esac
  case " $newer " in *" $word "* | *" --${word#--no-} "*)
      echo "curl: option $word: is unknown" >&2
      echo "curl: try 'curl --help' or 'curl --manual' for more information" >&2
      exit 2 ;;
  esac
done
""" + CURL.removeprefix("#!/bin/sh\n")
CURL_COMMAND = re.compile(r"\bcurl (?:\\\n|[^\n;|&])*")
BINARY = b"#!/bin/sh\necho tool\n"
KUBECONFIG = "apiVersion: v1\nkind: Config\n"


class Site:
    """A server on loopback. `answer` makes (status, headers, body) of a path, or None: then the connection is closed. Notes
    paths and Authorization headers."""

    def __init__(self, certificate=None):
        self.seen, self.answer = [], lambda path: (404, {}, b"")
        outer = self

        class Handler(loopback.Quiet):
            def do_GET(self):
                outer.seen.append((self.path, self.headers.get("Authorization")))
                answer = outer.answer(self.path)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.url = loopback.serve(Handler, certificate).url


def redirect(url):
    return 302, {"Location": url}, b""


def in_turn(*answers):
    """The answers one after the other, the last one for ever."""
    left = list(answers)
    return lambda path: left.pop(0) if len(left) > 1 else left[0]


def served(folder):
    """The files of a folder."""
    def answer(path):
        file = folder / path.lstrip("/")
        return (200, {}, file.read_bytes()) if file.is_file() else (404, {}, b"")
    return answer


def test_stub(t, old, real):
    """The old curl refuses what is newer, says so, and does the rest."""
    def run(*words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)

    for option in ("--retry-all-errors", "--fail-with-body", "--no-progress-meter", "--remove-on-error"):
        result = run(old, "--silent", option, "file:///dev/null")
        t.check(f"old curl: does not know {option}", result.returncode == 2
                and result.stderr.startswith(f"curl: option {option}: is unknown\n"), result)
    result = run(old, "--silent", "--retry-connrefused", "--proto", "=file", "--proto-redir", "=https", "--noproxy", "*",
                 "file:///dev/null")
    t.equal("old curl: knows the rest", result.returncode, 0)
    options = lambda text: set(re.findall(r"^ +(?:-\S, )?(--[a-z0-9.-]+)", text, re.MULTILINE))
    every = options(run(real, "--help", "all").stdout)
    for words in (("--help",), ("--help", "all")):
        t.equal(f"old curl: {' '.join(words)}", options(run(old, *words).stdout), every - set(NEWER))
    t.check("this machine's curl: is newer", "--retry-all-errors" in every)


def test_download(t, m, name, site, plain):
    """`download` keeps to TLS unless the URL that it is given has none."""
    target = m.path("/target")

    def download(url):
        target.unlink(missing_ok=True)
        site.seen.clear()
        plain.seen.clear()
        result = m.call_function(f"download '{url}' '{target}'", CURL_CA_BUNDLE=str(site.ca))
        return result, target.read_bytes() if target.exists() else b""

    here, file = (200, {}, BINARY), m.path("/source")
    file.write_bytes(BINARY)
    plain.answer = lambda path: here
    for label, url, answer in (
            ("over TLS", site.url, lambda path: here),
            ("a redirect within TLS", site.url, in_turn(redirect(f"{site.url}/there"), here)),
            ("from a mirror without TLS", plain.url, lambda path: here),
            ("from a file", f"file://{file}", lambda path: here)):
        site.answer = answer
        result, have = download(f"{url}/tool" if url.startswith("http") else url)
        t.check(f"{name}: download: {label}", result.returncode == 0 and have == BINARY, result)
    plain.answer, site.answer = lambda path: redirect(f"{site.url}/there"), lambda path: here
    result, have = download(f"{plain.url}/tool")
    t.check(f"{name}: download: from a mirror without TLS that redirects to one with it", result.returncode == 0
            and have == BINARY, result)
    plain.answer = lambda path: here
    for label, to in (("without TLS", f"{plain.url}/there"), ("that is a file", f"file://{file}")):
        site.answer = lambda path, to=to: redirect(to)
        result, have = download(f"{site.url}/tool")
        t.check(f"{name}: download: no redirect to a place {label}", result.returncode != 0 and not have and site.seen
                and not plain.seen, (result, plain.seen))
    plain.answer = lambda path: redirect(f"file://{file}")
    result, have = download(f"{plain.url}/tool")
    t.check(f"{name}: download: no redirect from a mirror without TLS to a file", result.returncode != 0 and not have, result)


def test_retries(t, m, name, site, all_errors):
    """Both ages try again when a server is busy, the newer one after every error."""
    target = m.path("/target")
    here = (200, {}, BINARY)
    for label, answer, good in (("a busy server", (503, {}, b""), True), ("a connection that breaks off", None, all_errors)):
        site.answer = in_turn(answer, here)
        target.unlink(missing_ok=True)
        result = m.call_function(f"download '{site.url}/tool' '{target}'", CURL_CA_BUNDLE=str(site.ca), RETRIES="3")
        t.equal(f"{name}: download: {label}", (result.returncode == 0, target.exists() and target.read_bytes() == BINARY),
                (good, good)) or print(result.stderr)


def test_stages(t, m, name, site, plain):
    """Both stages' requests and all downloads of stage 2, from a mirror with TLS."""
    site.answer = lambda path: (200, {}, json.dumps(sandbox.secret(cloud_config="#cloud-config\n")).encode())
    site.seen.clear()
    result = m.run(m.path("/opt/bin/bootstrap"))
    # What stage 1 makes of the answer is for scripts.py and flatcar.py.
    t.check(f"{name}: stage 1 asks with its token", site.seen and (site.seen[0][1] or "").startswith("Bearer ")
            and "is unknown" not in result.stderr, (result, site.seen))

    settings = sandbox.mirror_binaries(m)
    folder = pathlib.Path(re.search(r"file://(\S+)", settings)[1])
    m.write("/etc/default/osm-node", settings.replace(f"file://{folder}", site.url))
    m.path("/usr/local/bin").mkdir(parents=True, exist_ok=True)
    site.answer = served(folder)
    result = m.call_function("read_settings; default_settings; install_binaries", CURL_CA_BUNDLE=str(site.ca))
    t.check(f"{name}: stage 2 downloads everything", result.returncode == 0, result)
    t.equal(f"{name}: stage 2's files", [m.path(f"/opt/bin/{tool}").exists() for tool in ("kubelet", "kubectl", "crictl")],
            [True] * 3)

    kubeconfig = m.path("/etc/kubernetes/bootstrap-kubelet.conf")
    kubeconfig.unlink(missing_ok=True)
    site.answer = lambda path: (200, {}, json.dumps(sandbox.secret(kubeconfig=KUBECONFIG)).encode())
    result = m.call_function("fetch_bootstrap_kubeconfig")
    t.check(f"{name}: stage 2 gets its kubeconfig", result.returncode == 0 and kubeconfig.exists()
            and kubeconfig.read_text() == KUBECONFIG, result)


def test_token(t, m, name, site, plain):
    """The token goes to the API server over TLS and nowhere else."""
    answer = (200, {}, json.dumps(sandbox.secret(cloud_config="#cloud-config\n", kubeconfig=KUBECONFIG)).encode())
    plain.answer = lambda path: answer
    m.path("/etc/kubernetes/bootstrap-kubelet.conf").unlink(missing_ok=True)
    stages = (("stage 1", "/opt/bin/bootstrap", lambda: m.run(m.path("/opt/bin/bootstrap"))),
              ("stage 2", "/opt/bin/setup.env", lambda: m.call_function("fetch_bootstrap_kubeconfig")))
    for stage, path, run in stages:
        for label, to in (("without TLS", plain.url), ("elsewhere", f"{site.url}/elsewhere")):
            site.answer = lambda asked, to=to: answer if "elsewhere" in asked else redirect(f"{to}{asked}")
            site.seen.clear()
            plain.seen.clear()
            result = run()
            t.check(f"{name}: {stage}: sends no token to a place {label} that the server names", result.returncode != 0
                    and len({path for path, _ in site.seen}) == 1 and not plain.seen, (result, site.seen, plain.seen))
        script = m.path(path)
        text = script.read_text()
        script.write_text(text.replace(site.url, plain.url))
        plain.seen.clear()
        result = run()
        script.write_text(text)
        t.check(f"{name}: {stage}: sends no token without TLS", site.url in text and result.returncode != 0
                and not plain.seen, (result, plain.seen))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    real = shutil.which("curl")
    if not real or not shutil.which("jq"):
        t.check("curl and jq are installed", False)
        t.finish()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    # Its certificate is for 127.0.0.1, too.
    sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)
    site, plain = Site((scratch / "api.crt", scratch / "api.key")), Site()
    site.ca = fleet.ca
    ages = {"7.61": OLD_CURL.replace("@NEWER@", " ".join(NEWER)), "this machine's": CURL}
    old = scratch / "old-curl"
    old.write_text(ages["7.61"].replace("@CURL@", real))
    old.chmod(0o755)
    test_stub(t, old, real)

    for profile in nodelib.PROFILES:
        for i, (age, text) in enumerate(ages.items()):
            name = f"{profile.key}: curl {age}"
            m = sandbox.Machine(scratch / f"{profile.key}-{i}", fleet, profile, "plain", site.url)
            m.write("/stubs/curl", text.replace("@CURL@", real), 0o755)
            test_download(t, m, name, site, plain)
            test_stages(t, m, name, site, plain)
            if profile is nodelib.PROFILES[0]:
                test_retries(t, m, name, site, age != "7.61")
        test_token(t, m, profile.key, site, plain)
        used = {option for path in (*m.path("/opt").rglob("*"), *m.path("/etc").rglob("*")) if path.is_file()
                for command in CURL_COMMAND.findall(path.read_text(errors="replace")) for option in command.split()}
        t.check(f"{profile.key}: runs curl with options that the old one knows", used & set(NEWER) == set()
                and "--silent" in used, used & set(NEWER))
    t.finish()


if __name__ == "__main__":
    main()
