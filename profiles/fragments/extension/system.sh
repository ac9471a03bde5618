  install_extension_packages
  set_extension_kernel
