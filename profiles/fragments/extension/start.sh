  trust_extension_certificates
  add_extension_ssh_keys
  run_extension_scripts before-setup
