# The cluster looks for the machine's name; platforms and images set names of their own.
set_host_name() {
  if [[ -s /etc/machine-name ]]; then
    hostnamectl set-hostname "$(tr -d '[:space:]' </etc/machine-name)"
  fi
}
