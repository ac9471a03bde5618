  run_extension_scripts after-setup
