# Flatcar updates itself and reboots, unless operatingSystemSpec says otherwise.
configure_updates() {
{{- if or .FlatcarConfig.DisableUpdateEngine .FlatcarConfig.DisableAutoUpdate }}
  log "turning updates off"
  systemctl mask update-engine.service
  systemctl stop update-engine.service || true
{{- else }}
  if [[ -n $FLATCAR_UPDATE_SERVER ]]; then
    log "updates come from $FLATCAR_UPDATE_SERVER"
    mkdir -p /etc/flatcar
    touch /etc/flatcar/update.conf
    sed -i '/^SERVER=/d' /etc/flatcar/update.conf
    echo "SERVER=$FLATCAR_UPDATE_SERVER" >>/etc/flatcar/update.conf
  fi
{{- with .HTTPProxy }}
  mkdir -p /etc/systemd/system/update-engine.service.d
  cat >/etc/systemd/system/update-engine.service.d/50-proxy.conf <<'UNIT'
[Service]
EnvironmentFile=-/etc/environment
Environment=ALL_PROXY={{ . }}
UNIT
  systemctl daemon-reload
{{- end }}
  systemctl try-restart update-engine.service
{{- end }}
{{- if or .FlatcarConfig.DisableLocksmithD .FlatcarConfig.DisableAutoUpdate }}
  # Reboots the machine when an update waits.
  systemctl mask locksmithd.service
  systemctl stop locksmithd.service || true
{{- end }}
{{- if not .FlatcarConfig.DisableAutoUpdate }}
  # Only whoever manages the machine, as core, reboots it without being asked for a password.
  mkdir -p /etc/polkit-1/rules.d
  cat >/etc/polkit-1/rules.d/60-noreboot_norestart.rules <<'RULES'
polkit.addRule(function (action, subject) {
  var reboots = ["org.freedesktop.login1.reboot", "org.freedesktop.login1.reboot-multiple-sessions"];
  if (reboots.indexOf(action.id) >= 0) {
    return subject.user == "core" ? polkit.Result.YES : polkit.Result.AUTH_ADMIN;
  }
});
RULES
{{- end }}
}
