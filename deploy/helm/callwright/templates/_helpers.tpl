{{- define "callwright.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "callwright.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "callwright.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "callwright.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "callwright.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "callwright.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: CALLWRIGHT_METRICS_LISTEN
    value: 0.0.0.0:9464
  - name: CALLWRIGHT_FILES_DIR
    value: /var/lib/callwright/files
  {{- if and .Values.ingress.enabled (not (hasKey .Values.settings "CALLWRIGHT_TRUSTED_PROXIES")) }}
  # The ingress controller, which says whom it asks for: else wrong passwords of all people count together.
  - name: CALLWRIGHT_TRUSTED_PROXIES
    value: 10.0.0.0/8,172.16.0.0/12,192.168.0.0/16
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{- define "callwright.volumes" -}}
volumes:
  - name: tmp
    emptyDir: {}
  - name: files
    {{- if .Values.files.persistence.enabled }}
    persistentVolumeClaim:
      claimName: {{ .Values.files.persistence.existingClaim | default (printf "%s-files" .Release.Name) }}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}

{{- define "callwright.mounts" -}}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: files
    mountPath: /var/lib/callwright
{{- end }}

{{- define "callwright.probes" -}}
# A process that starts while Postgres is away waits for it; what else is wrong ends it with a sentence.
startupProbe:
  httpGet: {path: /healthz, port: metrics}
  periodSeconds: 2
  failureThreshold: 1800
livenessProbe:
  httpGet: {path: /healthz, port: metrics}
  periodSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: metrics}
  periodSeconds: 5
{{- end }}
