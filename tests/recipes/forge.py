"""The parts of GitHub's and of GitLab's API that comments and proposals need, by their documentation: pages, limits, tokens, redirections.

The state of each is ROOT/github.json or ROOT/gitlab.json, which tests write and read:
  github  tokens {TOKEN: [right]}, pulls (as the API lists them), comments {NUMBER: [comment]}, artifacts {RUN: [{id, name, file}]};
          file is a zip
  gitlab  token, user, projects {ID: {merge_requests: [...], notes {NUMBER: [note]}, pipelines {ID: [job]}, artifacts {JOB: file},
          repository: NAME}}
  both    fail [METHOD, regular expression of the path, status, body]: a request that the forge does not serve
Branches and commits are those of ROOT/NAME.git, on GitHub for /repos/NAME.
"""
import json
import os
import re
import subprocess
import urllib.parse


class Refused(Exception):
    """The status that the request gets, and the value of its body."""


def need(found, status=404, value=None):
    if not found:
        raise Refused(status, {} if value is None else value)
    return found


def git(repository, *words):
    """The output of git in a repository, or None if it fails."""
    done = subprocess.run(["git", "-C", repository, *words], capture_output=True, text=True, check=False)
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


def tip(repository, branch):
    return git(repository, "rev-parse", "--quiet", "--verify", f"refs/heads/{branch}")


def count(repository, base, head):
    return int(git(repository, "rev-list", "--count", f"refs/heads/{base}..refs/heads/{head}"))


def page(items, query):
    size = min(int(query.get("per_page", 20)), 100)
    start = (int(query.get("page", 1)) - 1) * size
    return items[start : start + size]


def text(body, limit):
    value = json.loads(body)["body"]
    need(isinstance(value, str) and 0 < len(value) <= limit, 422)
    return value


def pulls(state, repository, method, path, query, rights, body):
    """Pull requests and their branches, or None for another path. A pull request whose branch has nothing of its own stays open here."""
    name = os.path.basename(repository).removesuffix(".git")
    missing = {"message": "Not Found"}
    if method == "GET" and path == "/pulls":
        listed = [one for one in state["pulls"] if query.get("state", "open") in (one["state"], "all")]
        # GitHub leaves out a filter that names no owner.
        head = query.get("head", "")
        listed = [one for one in listed if ":" not in head or head == one["head"]["label"]]
        return 200, page([one for one in listed if query.get("base") in (None, one.get("base", {}).get("ref"))], query)
    if method == "GET" and (found := re.fullmatch(r"/git/ref/heads/(.+)", path)):
        commit = need(tip(repository, found[1]), 404, missing)
        return 200, {"ref": f"refs/heads/{found[1]}", "object": {"type": "commit", "sha": commit}}
    if method == "GET" and (found := re.fullmatch(r"/git/commits/([0-9a-f]{40})", path)):
        return 200, {"sha": found[1], "message": need(git(repository, "log", "-1", "--format=%B", found[1]), 404, missing)}
    if method == "GET" and (found := re.fullmatch(r"/compare/(.+)\.\.\.(.+)", path)):
        need(tip(repository, found[1]) and tip(repository, found[2]), 404, missing)
        ahead = count(repository, found[1], found[2])
        files = {} if query.get("page", "1") != "1" else {"files": [{"patch": "x" * 1000000}]}
        return 200, {"ahead_by": ahead, "behind_by": count(repository, found[2], found[1]), "total_commits": ahead, "commits": [], **files}
    refused = {"message": "Resource not accessible by integration"}
    if method == "DELETE" and (found := re.fullmatch(r"/git/refs/heads/(.+)", path)):
        need("contents" in rights, 403, refused)
        need(tip(repository, found[1]), 422, {"message": "Reference does not exist"})
        git(repository, "update-ref", "-d", f"refs/heads/{found[1]}")
        for one in state["pulls"]:
            if one["state"] == "open" and one["head"]["label"] == f"{name}:{found[1]}":
                one["state"] = "closed"
        return 204, b""
    if method == "POST" and path == "/pulls":
        need("pull-requests" in rights, 403, refused)
        asked = json.loads(body)
        label = asked["head"] if ":" in asked["head"] else f"{name}:{asked['head']}"
        invalid = lambda text: {"message": "Validation Failed", "errors": [{"resource": "PullRequest", "code": "custom", "message": text}]}
        need(tip(repository, asked["head"]), 422, {"message": "Validation Failed", "errors": [{"field": "head", "code": "invalid"}]})
        need(not any(one["state"] == "open" and one["head"]["label"] == label for one in state["pulls"]), 422,
             invalid(f"A pull request already exists for {label}."))
        need(count(repository, asked["base"], asked["head"]), 422, invalid(f"No commits between {asked['base']} and {asked['head']}"))
        need(0 < len(asked["title"]) <= 256 and len(asked.get("body", "")) <= 65536, 422, invalid("is too long"))
        state["pulls"].append({"number": 1 + max((one["number"] for one in state["pulls"]), default=0), "state": "open",
                               "title": asked["title"], "body": asked.get("body"), "base": {"ref": asked["base"]},
                               "head": {"label": label, "ref": asked["head"], "sha": tip(repository, asked["head"])}})
        return 201, state["pulls"][-1]
    if method == "PATCH" and (found := re.fullmatch(r"/pulls/(\d+)", path)):
        need("pull-requests" in rights, 403, refused)
        one = need([one for one in state["pulls"] if one["number"] == int(found[1])], 404, missing)[0]
        one.update({key: value for key, value in json.loads(body).items() if key in ("title", "body", "state")})
        return 200, one
    return None


def github(root, state, method, path, query, headers, body):
    path = urllib.parse.unquote(path)
    if found := re.fullmatch(r"/storage/(.*)", path):
        # An object store refuses a request that is signed twice.
        need("Authorization" not in headers, 400)
        return 200, open(found[1], "rb").read()
    kind, _, token = headers.get("Authorization", "").partition(" ")
    need(kind == "Bearer" and token in state["tokens"], 401, {"message": "Bad credentials"})
    _, name, path = need(re.fullmatch(r"(/repos/([a-z-]+))(/.*)", path)).groups()
    if answered := pulls(state, os.path.join(root, name + ".git"), method, path, query, state["tokens"][token], body):
        return answered
    artifacts = [one for of_run in state["artifacts"].values() for one in of_run]
    if method == "GET" and (found := re.fullmatch(r"/actions/runs/(\d+)/artifacts", path)):
        return 200, {"artifacts": [one for one in state["artifacts"].get(found[1], []) if query.get("name", one["name"]) == one["name"]]}
    if method == "GET" and (found := re.fullmatch(r"/actions/artifacts/(\d+)/zip", path)):
        return 302, need([one["file"] for one in artifacts if one["id"] == int(found[1])])[0]
    if found := re.fullmatch(r"/issues/(\d+)/comments", path):
        comments = state["comments"].setdefault(found[1], [])
        if method == "GET":
            return 200, page(comments, query)
        need(method == "POST", 405)
        identity = 1 + max((one["id"] for some in state["comments"].values() for one in some), default=0)
        comments.append({"id": identity, "user": {"login": "github-actions[bot]", "type": "Bot"}, "body": text(body, 65536)})
        return 201, comments[-1]
    if found := re.fullmatch(r"/issues/comments/(\d+)", path):
        need(method == "PATCH", 405)
        comment = need([one for some in state["comments"].values() for one in some if one["id"] == int(found[1])])[0]
        comment["body"] = text(body, 65536)
        return 200, comment
    raise Refused(404)


def merge_requests(project, repository, method, path, query, body):
    """Merge requests and their branches, or None for another path. A branch's name has no slash in a path."""
    missing = {"message": "404 Branch Not Found"}
    if found := re.fullmatch(r"/repository/branches/([^/]+)", path):
        name = urllib.parse.unquote(found[1])
        commit = need(tip(repository, name), 404, missing)
        if method == "DELETE":
            git(repository, "update-ref", "-d", f"refs/heads/{name}")
            return 204, b""
        return 200, {"name": name, "commit": {"id": commit, "message": git(repository, "log", "-1", "--format=%B", commit)}}
    if method == "GET" and path == "/repository/commits":
        listed = git(repository, "rev-list", query["ref_name"], "--")
        need(listed is not None, 404, missing)
        return 200, page([{"id": one} for one in listed.split()], query)
    if method == "GET" and path == "/merge_requests":
        listed = [one for one in project["merge_requests"] if query.get("state", "all") in (one["state"], "all")]
        for key in ("source_branch", "target_branch"):
            listed = [one for one in listed if key not in query or query[key] == one.get(key)]
        return 200, page([{key: one[key] for key in one if key != "head_pipeline"} for one in listed], query)
    if method == "POST" and path == "/merge_requests":
        asked = json.loads(body)
        of = {key: asked[key] for key in ("source_branch", "target_branch")}
        twice = [one for one in project["merge_requests"] if one["state"] == "opened" and of.items() <= one.items()]
        need(not twice, 409, {"message": ["Another open merge request already exists for this source branch"]})
        need(tip(repository, of["source_branch"]), 400, {"message": ["Source branch is invalid"]})
        need(0 < len(asked["title"]) <= 255, 400, {"message": {"title": ["is too long (maximum is 255 characters)"]}})
        made = {"iid": 1 + max((one["iid"] for one in project["merge_requests"]), default=0), "state": "opened", "title": asked["title"],
                "description": asked.get("description"), **of}
        project["merge_requests"].append(made)
        return 201, made
    if method == "PUT" and (found := re.fullmatch(r"/merge_requests/(\d+)", path)):
        one = need([one for one in project["merge_requests"] if one["iid"] == int(found[1])], 404, missing)[0]
        asked = json.loads(body)
        one.update({key: asked[key] for key in ("title", "description") if key in asked})
        if asked.get("state_event") == "close":
            one["state"] = "closed"
        return 200, one
    return None


def gitlab(root, state, method, path, query, headers, body):
    need(headers.get("PRIVATE-TOKEN") == state["token"], 401, {"message": "401 Unauthorized"})
    if path == "/user":
        return 200, state["user"]
    found = need(re.fullmatch(r"/projects/(\d+)(/.*)", path))
    project, path = need(state["projects"].get(found[1])), found[2]
    if answered := merge_requests(project, os.path.join(root, project.get("repository", "") + ".git"), method, path, query, body):
        return answered
    if method == "GET" and (found := re.fullmatch(r"/merge_requests/(\d+)", path)):
        return 200, need([one for one in project["merge_requests"] if one["iid"] == int(found[1])])[0]
    if method == "GET" and (found := re.fullmatch(r"/pipelines/(\d+)/jobs", path)):
        return 200, page(need(project["pipelines"].get(found[1])), query)
    if method == "GET" and (found := re.fullmatch(r"/jobs/(\d+)/artifacts/.*", path)):
        return 200, open(need(project["artifacts"].get(found[1])), "rb").read()
    if found := re.fullmatch(r"/merge_requests/(\d+)/notes(?:/(\d+))?", path):
        notes = project["notes"].setdefault(found[1], [])
        if not found[2] and method == "GET":
            return 200, page(notes if query.get("sort") == "asc" else notes[::-1], query)
        if not found[2] and method == "POST":
            notes.append({"id": 1 + max((one["id"] for one in notes), default=0), "author": state["user"], "body": text(body, 1000000)})
            return 201, notes[-1]
        note = need([one for one in notes if str(one["id"]) == found[2]])[0]
        need(method == "PUT", 405)
        need(note["author"] == state["user"], 403)
        note["body"] = text(body, 1000000)
        return 200, note
    raise Refused(404)


def answer(root, method, url, headers, body):
    """Returns status, headers and body for a request below /github/ or /gitlab/."""
    kind = url.path.split("/")[1]
    name = os.path.join(root, kind + ".json")
    state = json.load(open(name))
    path = url.path[len(kind) + 1 :]
    fail = state.get("fail")
    if fail and method == fail[0] and re.search(fail[1], path):
        return fail[2], [], fail[3].encode()
    try:
        status, value = {"github": github, "gitlab": gitlab}[kind](
            root, state, method, path, dict(urllib.parse.parse_qsl(url.query)), headers, body)
    except Refused as refused:
        return refused.args[0], [], json.dumps(refused.args[1]).encode()
    if method != "GET":
        with open(name, "w") as file:
            json.dump(state, file)
    if status == 302:
        return status, [("Location", f"https://{headers['Host']}/github/storage/{value}")], b""
    return status, [], value if isinstance(value, bytes) else json.dumps(value).encode()
