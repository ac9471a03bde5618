grep -q '^\[main\]' /etc/dnf/dnf.conf || echo '[main]' >>/etc/dnf/dnf.conf
sed -i -e '/^proxy *=/d' -e '/^\[main\]/a proxy={{ . }}' /etc/dnf/dnf.conf
