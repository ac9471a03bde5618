# Sourced by run.sh: GitLab's component, included by a project's .gitlab-ci.yml, run by gitlab-ci-local in its shell executor,
# which checks it against GitLab's schema, too. Protected variables are given where GitLab would give them.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

# shellcheck source=tests/recipes/_gitlab.sh
. "$here/_gitlab.sh"
# says PIPELINE JOB: it ran, alone
ran() { same "$1: the jobs" "$2" "$(sed 's/\x1b\[[0-9;]*m//g' "$scratch/out" | sed -n 's/^\(osm-gen-[a-z]*\) *starting .*/\1/p' | paste -sd' ')"; }

clone=$(hosted gitlab) || give_up "the sample fleet cannot be generated"
before=$(pushed gitlab)
git -C "$clone" checkout -q -b "$hostile_branch"
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
: >"$host/requests"
exits "a merge request" 0 pipeline "$clone" HEAD "${of_merge_request[@]}"
ran "a merge request" osm-gen-review
says "a merge request" "3 machines in 1 MachineDeployment roll"
ok "the page is an artifact" grep -qF "default-src 'none'" "$scratch/builds/osm-gen.html"
ok "Code Quality names the change" jq -e '.[] | select(.check_name == "roll")' "$scratch/builds/gl-code-quality-report.json"
same "main stays" "$before" "$(pushed gitlab)"
same "nobody asked to push" 0 "$(grep -c receive-pack "$host/requests")"
not_pwned "a merge request"
printf 'kind: MachineDeployment\nkind: twice\n' >"$clone/wrong.yaml"
commit_all "$clone" "wrong"
exits "wrong inputs" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
says "wrong inputs" OSG1003
exits "a branch that is not protected" 0 pipeline "$clone" main CI_PIPELINE_SOURCE=push CI_COMMIT_BRANCH=main CI_COMMIT_REF_PROTECTED=false
ran "a branch that is not protected" ""

downloads() { grep -c 'GET /public/releases/.*/osm-gen-.* 200' "$host/requests"; }
same "each job downloaded the release" 2 "$(downloads)"
cp "$program" "$scratch/image/osm-gen"
exits "an image with osm-gen" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
same "an image with osm-gen: that one runs" 2 "$(downloads)"
rm "$scratch/image/osm-gen"
for how in program digest signature; do
	serve $how
	exits "a forged release: $how" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
	says "a forged release: $how" "$(refusal $how)"
	not_pwned "a forged release: $how"
done

git -C "$clone" checkout -q main
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
exits "the default branch, a forged release" 1 pipeline "$clone" main "${of_main[@]}"
not_pwned "the default branch, a forged release"
serve genuine
want=$(expected "$clone")
refused=$(pushed gitlab)
exits "another token" 1 pipeline "$clone" main "${of_main[@]:0:7}" OSM_GEN_PUSH_TOKEN=another
says "another token" "error[OSG6045]"
same "another token pushes nothing" "$refused" "$(pushed gitlab)"
exits "the default branch" 0 pipeline "$clone" main "${of_main[@]}"
ran "the default branch" osm-gen-generate
same "pushes the commit that anybody's run makes" "$want" "$(pushed gitlab)"
same "no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
not_pwned "the default branch"
# gitlab-ci-local makes no clone: that the job which has the secrets starts from nothing of another job's is read.
same "the default branch's job: a clone of its own, no cache, no artifacts" '["clone",[],[]]' \
	"$(python3 -c 'import json, sys, yaml; job = list(yaml.safe_load_all(sys.stdin))[1]["osm-gen-generate"]
print(json.dumps([job["variables"]["GIT_STRATEGY"], job["cache"], job["dependencies"]], separators=(",", ":")))' \
		<"$recipes/gitlab/templates/osm-gen/template.yml")"

# In parts: beside the component, whose other job is switched off. gitlab-ci-local runs the jobs of the matrix side by side, in one folder.
git -C "$clone" fetch -q origin && git -C "$clone" reset -q --hard origin/main
cat >>"$clone/.gitlab-ci.yml" <<'YAML'
  - local: templates/osm-gen-shards/template.yml
    inputs:
      shards: "2"
      numbers: ["1", "2"]
stages: [build, test, deploy]
osm-gen-generate: {rules: [{when: never}]}
YAML
sed -i 's/MaxPods: "58"/MaxPods: "67"/' "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
want=$(expected "$clone")
exits "in parts" 0 pipeline "$clone" main "${of_main[@]}"
same "in parts: the jobs" "osm-gen-merge osm-gen-shard" \
	"$(sed 's/\x1b\[[0-9;]*m//g' "$scratch/out" | sed -n 's/^\(osm-gen-[a-z]*\).* starting .*/\1/p' | sort -u | paste -sd' ')"
same "in parts: pushes the commit that a single run makes" "$want" "$(pushed gitlab)"
same "in parts: no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
not_pwned "in parts"

# ---- the note, by a schedule of the default branch ------------------------------------------------------------------

cat >>"$clone/.gitlab-ci.yml" <<'YAML'
  - local: templates/osm-gen-note/template.yml
YAML
python3 - "$clone/.gitlab-ci.yml" <<'PY'
import sys
text = open(sys.argv[1]).read()
one = "  - local: templates/osm-gen-note/template.yml\n"
open(sys.argv[1], "w").write(text.replace(one, "").replace("include:\n", "include:\n" + one))
PY
commit_all "$clone" "notes"
note_token=notes-only
# Merge requests: 1 of the project, 2 of a fork, 3 whose pipeline runs, 4 without one, 5 of a fork that cannot be read, 6 without a report.
python3 - "$host/gitlab.json" "$scratch/hostile.md" "$scratch/report.md" <<'PY'
import json, sys
file, hostile, report = sys.argv[1:]
open(report, "w").write("<!-- osm-gen -->\n### osm-gen diff: the output changes\n")
open(hostile, "w").write("/approve\n  /merge\n\u2028/close @all\r/label x\n" + "\U0001f600" * 70000)
request = lambda number, pipeline, state="opened": {"iid": number, "state": state, "head_pipeline": pipeline}
pipeline = lambda number, project, status="success": {"id": number, "project_id": project, "status": status, "sha": f"{number:040}"}
job = lambda number: {"id": number, "name": "osm-gen-review", "web_url": f"https://gitlab.example/jobs/{number}"}
json.dump({"token": "notes-only", "user": {"id": 9, "username": "project_7_bot"}, "projects": {
    "7": {"merge_requests": [request(1, pipeline(11, 7)), request(2, pipeline(21, 8, "failed")), request(3, pipeline(31, 7, "running")),
                             request(4, None), request(5, pipeline(51, 404)), request(6, pipeline(61, 7)), request(12, pipeline(11, 7), "merged")],
          "notes": {"1": [{"id": i + 1, "author": {"id": 5}, "body": "<!-- osm-gen -->\nmine"} for i in range(120)]},
          "pipelines": {"11": [{"id": 110, "name": "other"}, job(111)], "31": [job(311)], "61": [job(611)]},
          "artifacts": {"111": report}},
    "8": {"merge_requests": [], "notes": {}, "pipelines": {"21": [job(211)]}, "artifacts": {"211": hostile}}}}, open(file, "w"))
PY
of_schedule=(CI_PIPELINE_SOURCE=schedule OSM_GEN_SCHEDULE=notes CI_COMMIT_BRANCH=main CI_COMMIT_REF_PROTECTED=true "CI_API_V4_URL=$url/gitlab" CI_PROJECT_ID=7)
noted() { jq -r ".projects[\"7\"].notes[\"$1\"] | map(select(.author.id == 9)) | $2" "$host/gitlab.json"; } # NUMBER FILTER
note_job() { pipeline "$clone" main "${of_schedule[@]}" "OSM_GEN_NOTE_TOKEN=$1"; } # TOKEN
writes() { grep -cE '^(POST|PUT) /gitlab/' "$host/requests"; }
: >"$host/requests"
exits "notes" 0 note_job "$note_token"
ran notes osm-gen-note
ok "notes: the report that the job keeps" grep -q 'GET /gitlab/projects/7/jobs/111/artifacts/osm-gen\.md?.* 200' "$host/requests"
same "notes: of which merge requests" "1 2 6" "$(jq -r '.projects["7"].notes | with_entries(select(.value | any(.author.id == 9))) | keys | join(" ")' "$host/gitlab.json")"
ok "a report" grep -qF "### osm-gen diff: the output changes" <(noted 1 '.[0].body')
ok "names its job and commit" grep -qF "(https://gitlab.example/jobs/111) of the merge request, for $(printf %040d 11)." <(noted 1 '.[0].body')
same "a hostile report is cut" 65536 "$(noted 2 '.[0].body | length')"
same "a hostile report has no quick action" 0 "$(noted 2 '.[0].body' | grep -cE '^[[:space:]]*/')"
ok "a hostile report is there all the same" grep -qF "/approve" <(noted 2 '.[0].body')
same "a hostile report calls nobody" 0 "$(noted 2 '.[0].body' | grep -cE '@all|:set-output')"
ok "a job without a report" grep -qF "wrote no report" <(noted 6 '.[0].body')
ok "a fork that cannot be read is named" grep -qF "the fork of merge request 5 cannot be read" "$scratch/out"
same "no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$note_token")"
not_pwned "notes"
: >"$host/requests"
exits "notes again" 0 note_job "$note_token"
same "nothing is written" 0 "$(writes)"
jq '.projects["7"].pipelines["11"][1].id = 112 | .projects["7"].pipelines["11"][1].web_url = "https://gitlab.example/jobs/112"' \
	"$host/gitlab.json" >"$scratch/state" && cp "$scratch/state" "$host/gitlab.json"
: >"$host/requests"
exits "notes after another attempt" 0 note_job "$note_token"
same "one is written" 1 "$(writes)"
same "in place of the earlier one" 1 "$(noted 1 length)"
ok "of the new job" grep -qF "jobs/112" <(noted 1 '.[0].body')
exits "another token for notes" 1 note_job another
exits "no token for notes" 1 note_job ""
says "the variable is named" "OSM_GEN_NOTE_TOKEN is empty"
