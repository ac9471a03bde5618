"""Machines that cannot become nodes: they end, and say why to whoever looks at their consoles."""

import re
import stat

import fleet
import machine
from observe import stored, wait_in_journal
from surroundings import PROVISIONING, SECRETS


def gave_up(t, name, m, unit, cause, token, seconds):
    """The unit has ended after a number of attempts that a person can wait for; console and log say the cause, and how it
    came to that, but not the token. A reboot, or a person, can have it try again."""
    wait_in_journal(m, unit, "giving up after", seconds)
    machine.wait_for(lambda: m.run("systemctl", "is-active", unit).stdout == "failed\n", 20, f"{unit} to have failed", m)
    machine.wait_for(lambda: f"systemctl restart {unit}" in m.console(), 20, "the console to show the end", m)
    console, log = m.console(), m.path(f"/var/log/osm-node-{unit}.log")
    t.check(f"{name}: the console says why", re.search(rf"after \d+ attempts: .*{cause}", console),
            "\n".join(line for line in console.splitlines() if "attempts" in line))
    t.check(f"{name}: the log says why", re.search(cause, m.read(str(log.relative_to(m.root)))), "")
    said = m.journal(unit).partition("supervise: '/opt/bin/" + unit + "' failed with status")[0].splitlines()
    last = m.journal(unit).split("giving up after")[0].splitlines()[-31:-1]
    missing = [line for text in (console, log.read_text()) for line in last if line.strip() not in text]
    t.check(f"{name}: console and log have what the unit said last", said and last and not missing, "\n".join(missing))
    t.equal(f"{name}: the log is for root", f"{stat.S_IMODE(log.stat().st_mode):o}", "600")
    half = token.split(".")[1]
    places = {"console": console, "log": log.read_text(), "journal": m.journal()}
    t.equal(f"{name}: the token is nowhere to be read", [place for place, text in places.items() if half in text], [])
    t.equal(f"{name}: nothing says that the stage is done", m.path(f"/var/lib/osm-node/{unit}.done").exists(), False)
    t.equal(f"{name}: a reboot would try again", m.run("systemctl", "is-enabled", unit).stdout, "enabled\n")


def wrong_token(t, site, m, token):
    """A machine whose token nobody knows, in stage 1."""
    gave_up(t, "wrong token", m, "bootstrap", rf"cannot get {re.escape(fleet.API + PROVISIONING)}.*401", token, 240)
    t.check("wrong token: the API server has refused it", ("GET", PROVISIONING, None, 401) in site.api.seen, site.api.seen)
    t.equal("wrong token: nothing is stored", stored(m), [])
    m.kill()


def rotated(t, site, m, token):
    """A machine whose token is replaced when stage 1 has got its config; stage 2 needs it once more."""
    gave_up(t, "rotated", m, "setup", r"401.*rotated.*replace the machine", token, 300)
    path, user = SECRETS + "kube-system-others-kubelet-bootstrap-config", site.user("others")
    fetched = [("GET", path, user, 200) for path in site.provisioning("others")]
    seen = [entry for entry in site.api.seen if "others" in entry[1] or entry[2] == user]
    t.equal("rotated: the token was good for stage 1, and no longer for stage 2", [seen[:len(fetched)], {*seen[len(fetched):]}],
            [fetched, {("GET", path, None, 401)}])
    t.check("rotated: the API server is asked a number of times, not for ever", 3 <= len(seen) <= 40, len(seen))
    t.check("rotated: no kubelet is started", not m.path("/etc/kubernetes/bootstrap-kubelet.conf").exists(), "")
    m.kill()
