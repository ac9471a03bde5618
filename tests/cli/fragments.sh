#!/usr/bin/env bash
# ci/profiles, which makes profiles/ from profiles/fragments/: what it makes, and what it says of mistakes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

copy=$scratch/copy
mkdir -p "$copy/ci"
cp "$root/ci/profiles" "$root/ci/uncomment.py" "$copy/ci/"
cp -r "$root/profiles" "$copy/"
make=$copy/ci/profiles fragments=$copy/profiles/fragments

exits "profiles/ is what its fragments make" 0 "$make" --check

echo '# changed by hand' >>"$copy/profiles/ubuntu.yaml"
exits "a profile that was changed by hand is noticed" 1 "$make" --check
ok "and named, with the remedy" grep -q 'ubuntu\.yaml.*make profiles' "$scratch/err"
exits "and made anew" 0 "$make"
ok "as it was" cmp "$copy/profiles/ubuntu.yaml" "$root/profiles/ubuntu.yaml"
for file in commented/rhel.yaml extension/functions.sh; do
	echo '# changed by hand' >>"$copy/profiles/$file"
	exits "$file that was changed by hand is noticed" 1 "$make" --check
	exits "$file is made anew" 0 "$make"
	ok "$file is as it was" cmp "$copy/profiles/$file" "$root/profiles/$file"
done
cp "$copy/profiles/ubuntu.yaml" "$copy/profiles/stranger.yaml"
exits "a profile without a system is noticed" 1 "$make" --check
rm "$copy/profiles/stranger.yaml"

mistake() { # NAME FILE SED EXPECTED
	cp "$fragments/$2" "$scratch/kept"
	sed -i "$3" "$fragments/$2"
	exits "$1 is a mistake" 1 "$make" --check
	ok "$1: the message says where" grep -q "$4" "$scratch/err"
	cp "$scratch/kept" "$fragments/$2"
}

mistake "a value that the system lacks" files/kubelet.conf 's/@resolv_conf@/@nonsense@/' 'files/kubelet.conf:[0-9]*: .*nonsense'
mistake "a fragment that is not there" setup/script.sh 's/%include setup\/kernel.sh/%include setup\/kernels.sh/' 'setup/kernels.sh: No such file'
mistake "an %if without %end" files/kubelet.service "\$a%if selinux" 'files/kubelet.service:[0-9]*: %if without %end'
mistake "an %end without %if" files/kubelet.service '1i%end' 'files/kubelet.service:1: %end belongs to nothing'
mistake "a value that nobody asks for" systems/ubuntu "\$acolour = green" 'ubuntu: no fragment asks for colour'
mistake "a line that is no value" systems/ubuntu "\$agreen" 'ubuntu:[0-9]*: not a new'
# shellcheck disable=SC2016 # it is the script that expands it
mistake "a script that cannot be read without a doubt" files/disable-swap.sh 's/^swapoff --all/swapoff `echo --all`/' 'disable-swap\|use \$('
echo unused >"$fragments/files/unused"
exits "a fragment that nobody includes is a mistake" 1 "$make" --check
ok "and named" grep -q 'files/unused: no profile includes it' "$scratch/err"
rm "$fragments/files/unused"
exits "all is well again" 0 "$make" --check

# How a system differs from the others is seen at a glance.
for file in "$fragments"/systems/*; do
	ok "${file##*/}: its differences fit a screen" test "$(wc -l <"$file")" -le 40
done
finish
