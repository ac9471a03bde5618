#!/usr/bin/env bash
# health-monitor.sh kubelet|container-runtime: restarts the service when it runs but no longer answers.
set -uo pipefail

readonly interval=15       # seconds between two checks
readonly tolerated=4       # failures in a row before a restart
readonly start_time=180    # seconds that a (re)started service has to become healthy

log() { echo "health-monitor: $*"; }

kubelet_healthy() { curl --silent --fail --noproxy '*' --max-time 10 --output /dev/null http://127.0.0.1:10248/healthz; }
runtime_healthy() { timeout 30 /opt/bin/crictl info >/dev/null 2>&1; }

watch_service() {
  local unit=$1 healthy=$2 failures=0 status
  log "watching $unit"
  while sleep "$interval"; do
    # Stopped on purpose, or being restarted by systemd: not ours to meddle with.
    systemctl --quiet is-active "$unit" || { failures=0; continue; }
    "$healthy"
    status=$?
    if ((status == 0)); then
      failures=0
      continue
    fi
    # The tool that asks is missing or damaged: that says nothing of the service.
    if ((status == 126 || status == 127)); then
      log "cannot ask $unit: $healthy ended with status $status"
      sleep "$start_time"
      continue
    fi
    failures=$((failures + 1))
    log "$unit does not answer ($failures of $tolerated)"
    if ((failures >= tolerated)); then
      log "restarting $unit"
      systemctl restart "$unit" || log "restart of $unit failed"
      failures=0
      sleep "$start_time"
    fi
  done
}

case ${1:-} in
  kubelet) watch_service kubelet.service kubelet_healthy ;;
  container-runtime) watch_service containerd.service runtime_healthy ;;
  *)
    echo "usage: ${0##*/} kubelet|container-runtime" >&2
    exit 64
    ;;
esac
