package gardener

import (
	"context"
	"strings"

	"github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/go-logr/logr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// describedActuator stands for the extensions of Ubuntu and Garden Linux, which are published as no
// module: what they share with the others is Gardener's own functions, and the rest is described
// here in the simplest script that has the same effect.
type describedActuator struct {
	operatingsystemconfig.Actuator
	client client.Client
}

const (
	containerdDropIn = "[Service]\\nExecStart=\\nExecStart=/usr/bin/containerd --config=/etc/containerd/config.toml\\n"
	writeDropIn      = "\nmkdir -p /etc/systemd/system/containerd.service.d\n" +
		"printf '" + containerdDropIn + "' >/etc/systemd/system/containerd.service.d/11-exec_config.conf\n"
	writeConfig = "\n[ -s /etc/containerd/config.toml ] || {\n mkdir -p /etc/containerd\n" +
		" containerd config default >/etc/containerd/config.toml\n chmod 0644 /etc/containerd/config.toml\n}\n"
	startContainerd = "\nsystemctl daemon-reload\nsystemctl enable containerd && systemctl restart containerd\n"
)

func (a *describedActuator) Reconcile(ctx context.Context, _ logr.Logger, osc *v1alpha1.OperatingSystemConfig) (
	[]byte, []v1alpha1.Unit, []v1alpha1.File, *v1alpha1.InPlaceUpdatesStatus, error) {
	isUbuntu := strings.HasPrefix(osc.Spec.Type, "ubuntu")
	if osc.Spec.Purpose == v1alpha1.OperatingSystemConfigPurposeReconcile {
		if isUbuntu {
			units, files := ubuntuExtension()
			return nil, units, files, nil, nil
		}
		units, files, update := gardenlinuxExtension(osc)
		return nil, units, files, update, nil
	}
	files, err := operatingsystemconfig.FilesToDiskScript(ctx, a.client, osc.Namespace, osc.Spec.Files)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	spec := files + "\n" + operatingsystemconfig.UnitsToDiskScript(osc.Spec.Units) + "\n"
	text := "#!/bin/bash\n"
	if isUbuntu {
		text += "mkdir -p /etc/cloud/cloud.cfg.d\nprintf 'network:\\n  config: disabled\\n' >/etc/cloud/cloud.cfg.d/custom-networking.cfg\n" +
			spec + "apt-get update -qq\n" +
			"apt-get install --no-upgrade -qqy containerd runc socat nfs-common logrotate jq policykit-1\n" + writeConfig + writeDropIn
	} else {
		text += writeConfig + writeDropIn + spec +
			"grep -sqx nfsd /etc/modules || echo nfsd >>/etc/modules\nmodprobe nfsd\n" +
			"nslookup $(hostname) || systemctl restart systemd-networkd\n"
	}
	text += startContainerd
	for _, unit := range osc.Spec.Units {
		text += "systemctl enable '" + unit.Name + "' && systemctl restart --no-block '" + unit.Name + "'\n"
	}
	text = operatingsystemconfig.WrapProvisionOSCIntoOneshotScript(text)
	if strings.HasPrefix(osc.Spec.Type, "memoryone-") {
		text = "--==BOUNDARY==\nContent-Type: text/x-vsmp; section=vsmp\n\n\n--==BOUNDARY==\nContent-Type: text/x-shellscript\n\n" +
			text + "\n--==BOUNDARY==--\n"
	}
	return []byte(text), nil, nil, nil, nil
}

func script(path string, mode uint32) v1alpha1.File {
	return v1alpha1.File{Path: path, Permissions: ptr.To(mode), Content: v1alpha1.FileContent{Inline: &v1alpha1.FileContentInline{Data: "#!/bin/bash\n"}}}
}

func ubuntuExtension() ([]v1alpha1.Unit, []v1alpha1.File) {
	const install, resolve = "/opt/gardener/bin/install-ntp.sh", "/opt/gardener/bin/configure_kubelet_resolv_conf.sh"
	return []v1alpha1.Unit{
		{Name: "install-ntp-client.service", Command: ptr.To(v1alpha1.CommandRestart), Content: ptr.To("[Unit]\n[Service]\nType=oneshot\n" +
			"ExecStart=/bin/bash " + install + " systemd-timesyncd\n[Install]\nWantedBy=multi-user.target\n")},
		{Name: "kubelet.service", FilePaths: []string{resolve}, DropIns: []v1alpha1.DropIn{
			{Name: "10-configure-resolv-conf.conf", Content: "[Service]\nExecStartPre=" + resolve + "\n"}}},
	}, []v1alpha1.File{script(install, 0o744), script(resolve, 0o755)}
}

func gardenlinuxExtension(osc *v1alpha1.OperatingSystemConfig) ([]v1alpha1.Unit, []v1alpha1.File, *v1alpha1.InPlaceUpdatesStatus) {
	units := []v1alpha1.Unit{{Name: "containerd.service", DropIns: []v1alpha1.DropIn{
		{Name: "override.conf", Content: "[Service]\nLimitMEMLOCK=67108864\nLimitNOFILE=1048576"}}}}
	if osc.Spec.InPlaceUpdates == nil {
		return units, nil, nil
	}
	const update = "/opt/gardener/bin/inplace-update.sh"
	version, _, _ := strings.Cut(strings.TrimPrefix(osc.Spec.InPlaceUpdates.OperatingSystemVersion, "v"), "-")
	return units, []v1alpha1.File{script(update, 0o755)},
		&v1alpha1.InPlaceUpdatesStatus{OSUpdate: &v1alpha1.OSUpdate{Command: update, Args: []string{version}}}
}

// sinceThen adds what os-coreos has had since the version that is published as a module: its v1.34,
// which osm-gen's documents follow, also keeps the updaters from doing anything when they are started.
func sinceThen(osc *v1alpha1.OperatingSystemConfig) {
	for i := range osc.Status.ExtensionUnits {
		unit := &osc.Status.ExtensionUnits[i]
		if unit.DropIns == nil && (unit.Name == "update-engine.service" || unit.Name == "locksmithd.service") {
			unit.DropIns = append(unit.DropIns, v1alpha1.DropIn{Name: "20-noop-execstart.conf",
				Content: "[Service]\nExecStart=\nExecStart=/bin/true\nRestart=no\n"})
		}
	}
}
