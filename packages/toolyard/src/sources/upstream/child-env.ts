/** The environment of child processes. */

/** What a child gets of our environment: what programs need to run at all, none of our secrets. */
const INHERITED = [
  "APPDATA", "COMSPEC", "HOME", "HOMEDRIVE", "HOMEPATH", "HTTPS_PROXY", "HTTP_PROXY", "LANG", "LC_ALL", "LC_CTYPE",
  "LOCALAPPDATA", "LOGNAME", "NODE_EXTRA_CA_CERTS", "NO_PROXY", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "SHELL", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
  "TERM", "TMP", "TMPDIR", "TZ", "USER", "USERNAME", "USERPROFILE", "WINDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
  "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "http_proxy", "https_proxy", "no_proxy",
] // biome-ignore format: a list

export function childEnv(extra: Record<string, string>): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of INHERITED) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...extra }
}
