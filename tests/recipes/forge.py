"""The parts of GitHub's and of GitLab's API that comments need, by their documentation: pages, limits, tokens, redirections.

The state of each is ROOT/github.json or ROOT/gitlab.json, which tests write and read:
  github  token, pulls (as the API lists them), comments {NUMBER: [comment]}, artifacts {RUN: [{id, name, file}]}; file is a zip
  gitlab  token, user, projects {ID: {merge_requests: [...], notes {NUMBER: [note]}, pipelines {ID: [job]}, artifacts {JOB: file}}}
"""
import json
import os
import re
import urllib.parse


class Refused(Exception):
    """The status that the request gets."""


def need(found, status=404):
    if not found:
        raise Refused(status)
    return found


def page(items, query):
    size = min(int(query.get("per_page", 20)), 100)
    start = (int(query.get("page", 1)) - 1) * size
    return items[start : start + size]


def text(body, limit):
    value = json.loads(body)["body"]
    need(isinstance(value, str) and 0 < len(value) <= limit, 422)
    return value


def github(state, method, path, query, headers, body):
    if found := re.fullmatch(r"/storage/(.*)", path):
        # An object store refuses a request that is signed twice.
        need("Authorization" not in headers, 400)
        return 200, open(found[1], "rb").read()
    need(headers.get("Authorization") == "Bearer " + state["token"], 401)
    path = need(re.fullmatch(r"/repos/github(/.*)", path))[1]
    artifacts = [one for of_run in state["artifacts"].values() for one in of_run]
    if method == "GET" and path == "/pulls":
        pulls = [one for one in state["pulls"] if query.get("state", "open") in (one["state"], "all")]
        return 200, page([one for one in pulls if query.get("head", one["head"]["label"]) == one["head"]["label"]], query)
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


def gitlab(state, method, path, query, headers, body):
    need(headers.get("PRIVATE-TOKEN") == state["token"], 401)
    if path == "/user":
        return 200, state["user"]
    found = need(re.fullmatch(r"/projects/(\d+)(/.*)", path))
    project, path = need(state["projects"].get(found[1])), found[2]
    if method == "GET" and path == "/merge_requests":
        listed = [one for one in project["merge_requests"] if query.get("state", "all") in (one["state"], "all")]
        return 200, page([{key: one[key] for key in one if key != "head_pipeline"} for one in listed], query)
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
    try:
        status, value = {"github": github, "gitlab": gitlab}[kind](
            state, method, urllib.parse.unquote(url.path[len(kind) + 1 :]), dict(urllib.parse.parse_qsl(url.query)), headers, body)
    except Refused as refused:
        return refused.args[0], [], b"{}"
    if method != "GET":
        with open(name, "w") as file:
            json.dump(state, file)
    if status == 302:
        return status, [("Location", f"https://{headers['Host']}/github/storage/{value}")], b""
    return status, [], value if isinstance(value, bytes) else json.dumps(value).encode()
