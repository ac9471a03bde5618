%include rpm/repair.sh

# dnf waits for other package managers by itself.
dnf_install() {
  mkdir -p "${begun%/*}"
  touch "$begun"
  dnf --quiet --assumeyes --setopt=install_weak_deps=False install "$@" || return
  sync
  rm "$begun"
}
