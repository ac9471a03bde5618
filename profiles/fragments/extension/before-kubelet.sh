  set_extension_units
  run_extension_scripts before-kubelet
