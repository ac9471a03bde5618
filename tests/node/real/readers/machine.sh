#!/bin/sh
# Runs a command with a folder for its root, in namespaces that the caller has just made (unshare --mount --net --pid --fork):
#   machine.sh FOLDER PROGRAMS CGROUPS COMMAND...
# PROGRAMS becomes /opt/bin, CGROUPS is the version of control groups, 1 or 2, that the command sees. There is no swap and
# no way to the outside. All mounts go with the namespace.
set -eu
folder=$1 programs=$2 cgroups=$3
shift 3
mount --make-rprivate /
# A kubelet looks for the mount that its folder is on.
mount --bind "$folder" "$folder"
mkdir -p "$folder/usr" "$folder/proc" "$folder/sys" "$folder/dev" "$folder/tmp" "$folder/opt/bin" "$folder/var/log"
for link in bin sbin lib lib64; do
	ln -sfn "usr/$link" "$folder/$link"
done
mount --rbind /usr "$folder/usr"
mount -t proc proc "$folder/proc"
mount --rbind /sys "$folder/sys"
mount --rbind /dev "$folder/dev"
mount --bind "$programs" "$folder/opt/bin"
: >"$folder/tmp/swaps"
mount --bind "$folder/tmp/swaps" "$folder/proc/swaps"
if [ "$cgroups" = 2 ]; then
	mount -t cgroup2 cgroup2 "$folder/sys/fs/cgroup"
fi
ip link set lo up
exec chroot "$folder" "$@"
