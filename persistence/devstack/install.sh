#!/usr/bin/env bash
# install.sh       makes sure that PostgreSQL >= 15, redis-server, pgbouncer, for the tests of the console chromium, and,
#                  for the race detector, gcc are here (`make setup`).
# install.sh dir   prints this copy's state folder; it says the same as devstack.DefaultDir.
#
# A server that the machine lacks is fetched with apt and unpacked into <state folder>/tools. That needs no root, and
# nothing on the machine changes: no package is installed, no service is started. `make clean` takes it away again.
# OCCUPY_DEVSTACK_IGNORE_SYSTEM=1 does as if the machine had none of them: for testing this script.
set -euo pipefail
umask 022 # root unpacks what nobody must be able to run

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
ignore_system=${OCCUPY_DEVSTACK_IGNORE_SYSTEM:-}

note() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

# Root's servers run as nobody, who cannot reach a repo under /root.
state_dir() {
  if [ "$(id -u)" = 0 ]; then
    echo "/var/lib/occupy-devstack/$(printf %s "$repo" | sha256sum | cut -c1-12)"
  else
    echo "$repo/.devstack"
  fi
}

dir=$(state_dir)
tools=$dir/tools

# runs PROGRAM: it is there and finds its libraries, in the tools folder if it is from there.
runs() {
  local libs=
  if [[ $1 == "$tools"/* ]]; then
    libs=$(printf '%s:' "$tools"/usr/lib/*-linux-gnu* "$tools"/lib/*-linux-gnu* "$tools"/usr/lib/*-linux-gnu*/pulseaudio)
  fi
  [ -x "$1" ] && LD_LIBRARY_PATH=$libs "$1" --version 2>/dev/null
}

has_postgres() {
  local candidates=("$tools"/usr/lib/postgresql/*/bin/postgres) program major
  [ -n "$ignore_system" ] || candidates+=(/usr/lib/postgresql/*/bin/postgres "$(command -v postgres || true)")
  for program in "${candidates[@]}"; do
    major=$(runs "$program" | sed -nE 's/^postgres \(PostgreSQL\) ([0-9]+).*/\1/p') || continue
    if [ "${major:-0}" -ge 15 ] && [ -x "$(dirname "$(readlink -f "$program")")/initdb" ]; then return 0; fi
  done
  return 1
}

has_redis() {
  runs "$tools/usr/bin/redis-server" >/dev/null && return 0
  [ -z "$ignore_system" ] && runs "$(command -v redis-server || true)" >/dev/null
}

has_pgbouncer() {
  runs "$tools/usr/sbin/pgbouncer" >/dev/null && return 0
  [ -z "$ignore_system" ] && runs "$(PATH=$PATH:/usr/sbin command -v pgbouncer || true)" >/dev/null
}

has_chromium() {
  runs "$tools/usr/lib/chromium/chromium" >/dev/null && return 0
  [ -z "$ignore_system" ] && runs "$(command -v chromium || true)" >/dev/null
}

# A browser that is unpacked here finds its fonts by this: a bare machine has none.
write_fonts_conf() {
  cat >"$tools/fonts.conf" <<END
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>$tools/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
END
}

# unpack PACKAGE…: with their libraries. apt gets its own lists: the machine's may be empty, and are not ours to write.
unpack() {
  command -v apt-get >/dev/null || fail "no apt-get here: install PostgreSQL >= 15, redis-server, pgbouncer and chromium by hand, then go on"
  local work packages
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work"/{state/lists/partial,cache/archives/partial,debs}
  if [ -n "$ignore_system" ]; then : >"$work/status"; else cp /var/lib/dpkg/status "$work/status"; fi
  # Sandbox: root's apt would drop to _apt, who may not write to our folder.
  local apt=(apt-get -qq -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
    -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Acquire::Languages=none -o Acquire::Retries=3)

  note "fetching $* into $tools"
  "${apt[@]}" update >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get update did not work (no network?)"; }
  "${apt[@]}" -s install --no-install-recommends "$@" >"$work/plan" || fail "apt has no $*"
  # Servers, clients, a browser with fonts and shared libraries only. libc6 must be the machine's own; LLVM (JIT, which is off) is huge.
  packages=$(awk '$1 == "Inst" { print $2 }' "$work/plan" |
    grep -E '^(postgresql-(client-)?[0-9]+|redis-(server|tools)|pgbouncer|chromium(-common)?|fonts-nanum|lua-.*|lib.*)$' |
    grep -vE '^(libc6|libc-(bin|dev|l10n)|libgcc|libllvm|libz3|libperl)|-perl$')
  # shellcheck disable=SC2086
  (cd "$work/debs" && "${apt[@]}" download $packages >"$work/log" 2>&1) || { cat "$work/log" >&2; fail "download failed"; }
  mkdir -p "$tools"
  local deb
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$tools"; done
  chmod 755 "$tools"
}

install_servers() {
  local missing=()
  has_postgres || missing+=(postgresql)
  has_redis || missing+=(redis-server)
  has_pgbouncer || missing+=(pgbouncer)
  has_chromium || missing+=(chromium fonts-nanum)
  [ ${#missing[@]} -gt 0 ] || return 0
  unpack "${missing[@]}"
  has_postgres || fail "the PostgreSQL in $tools does not run, or is older than 15"
  has_redis || fail "the redis-server in $tools does not run"
  has_pgbouncer || fail "the pgbouncer in $tools does not run"
  write_fonts_conf
  has_chromium || fail "the chromium in $tools does not run"
  note "ready: ${missing[*]}"
}

has_gcc() { echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1; }

# install_gcc is the one thing that does install a package, and the one that may fail: tests then run without -race.
install_gcc() {
  has_gcc && return 0
  local sudo=()
  if [ "$(id -u)" != 0 ]; then sudo=(sudo -n); fi
  if ! "${sudo[@]}" true 2>/dev/null; then note "no gcc, and no right to install it: tests run without -race"; return 0; fi
  note "installing gcc and libc6-dev for the race detector"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  { "${install[@]}" install -y --no-install-recommends gcc libc6-dev ||
    { "${install[@]}" update && "${install[@]}" install -y --no-install-recommends gcc libc6-dev; }; } >/dev/null 2>&1 || true
  has_gcc || note "gcc could not be installed: tests run without -race"
}

case ${1:-} in
  dir) echo "$dir" ;;
  '')
    mkdir -p "$dir"
    exec 9>"$dir/setup.lock"
    flock 9 # two at once: the second finds what the first one fetched
    install_servers
    install_gcc
    ;;
  *) fail "unknown argument $1" ;;
esac
