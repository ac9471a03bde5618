{{- if semverCompare "~1.33.0" .KubeVersion }}
readonly default_cri_tools_version=v1.33.0
{{- else if semverCompare "~1.34.0" .KubeVersion }}
readonly default_cri_tools_version=v1.34.0
{{- else if semverCompare "~1.35.0" .KubeVersion }}
readonly default_cri_tools_version=v1.35.0
{{- else if semverCompare "~1.36.0" .KubeVersion }}
readonly default_cri_tools_version=v1.36.0
{{- else }}
readonly default_cri_tools_version=v1.37.0
{{- end }}
