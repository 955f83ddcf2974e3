{{- define "troupe.labels" -}}
app.kubernetes.io/name: {{ .Release.Name }}
{{- end }}

{{- /* The settings of the profile, and over them those of the values. */}}
{{- define "troupe.settings" -}}
{{- $settings := dict
  "TROUPE_BIND" "* -::*"
  "TROUPE_PORT" "7379"
  "TROUPE_HTTP" "8379"
  "TROUPE_DIR" "/data"
  "TROUPE_ACLFILE" "/etc/troupe/users.acl"
  "TROUPE_LOGFORMAT" "json"
  "TROUPE_SHUTDOWN_TIMEOUT" "20"
  "TROUPE_SAVE" ""
  "TROUPE_MAXMEMORY" "80%"
}}
{{- if eq .Values.profile "durable" }}
{{- $_ := set $settings "TROUPE_APPENDONLY" "yes" }}
{{- $_ := set $settings "TROUPE_APPENDFSYNC" "always" }}
{{- $_ := set $settings "TROUPE_MAXMEMORY_POLICY" "noeviction" }}
{{- else if eq .Values.profile "cache" }}
{{- $_ := set $settings "TROUPE_APPENDONLY" "no" }}
{{- $_ := set $settings "TROUPE_MAXMEMORY_POLICY" "allkeys-lru" }}
{{- else }}
{{- fail "profile is durable or cache" }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* Without quotes YAML makes a truth of no, and 1e+07 of 10000000. */}}
{{- if not (or (kindIs "string" $value) (kindIs "int64" $value)) }}
{{- fail (printf "settings.%s: write the value in quotes, and yes or no for a choice" $name) }}
{{- end }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- range $name, $value := $settings }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}
