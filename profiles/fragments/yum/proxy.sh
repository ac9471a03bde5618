grep -q '^\[main\]' /etc/yum.conf || echo '[main]' >>/etc/yum.conf
sed -i -e '/^proxy *=/d' -e '/^\[main\]/a proxy={{ . }}' /etc/yum.conf
