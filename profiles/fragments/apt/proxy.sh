printf 'Acquire::%s::Proxy "%s";\n' http '{{ . }}' https '{{ . }}' >/etc/apt/apt.conf.d/95proxy.conf
