#!/usr/bin/env bash
# Installs what is missing, builds and runs Talus.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

usage() {
  cat << 'END'
./run.sh                    pours the pile of scenes/pile.toml, draws it, and says where picture, report and metrics are
./run.sh OPTIONS            the same with options of `talus render`
./run.sh SCENE [OPTIONS]    `talus run SCENE OPTIONS`; report and metrics go to out/NAME unless given
./run.sh VERB ...           `talus VERB ...`: run, render, view, devices, check, keys, graph
Everything that is missing is installed first (Debian, Ubuntu) and build/ is brought up to date.
END
}

# value OPTION ARGUMENT...: what the arguments say for the option; fails if they say nothing.
value() {
  local option="$1"
  shift
  while (($#)); do
    case "$1" in
      "$option") printf '%s' "${2:-}" && return ;;
      "$option="*) printf '%s' "${1#*=}" && return ;;
    esac
    shift
  done
  return 1
}

case "${1:-}" in
  -h | --help | help)
    usage
    exit 0
    ;;
esac

scene=""
case "${1:-}" in
  run | render | view | devices | check | keys | graph) ;;
  "" | -*)
    verb=render
    scene="$root/scenes/pile.toml"
    ;;
  *)
    verb=run
    scene="$1"
    shift
    if [[ ! -e "$scene" && -e "$root/$scene" ]]; then scene="$root/$scene"; fi
    if [[ ! -f "$scene" ]]; then
      say "error: there is no scene file $scene. Those that come with Talus: $(cd "$root" && echo scenes/*.toml)"
      exit 2
    fi
    ;;
esac

install_for_build
build_release talus -DTALUS_BUILD_TESTS=OFF
talus="$build/talus"
[[ -n "$scene" ]] || exec "$talus" "$@"

name="$(basename "$scene" .toml)"
out="$root/out/$name"
mkdir -p "$out"
if [[ "$verb" == render ]]; then
  value --out "$@" > /dev/null || set -- "$@" --out "$out"
fi
value --report "$@" > /dev/null || set -- "$@" --report "$out/report.json"
value --metrics "$@" > /dev/null || set -- "$@" --metrics "$out/metrics.csv"

status=0
"$talus" "$verb" "$scene" "$@" || status=$?
if ((status == 0)); then
  say ""
  if [[ "$verb" == render ]]; then say "picture  $(value --out "$@")/final.png"; fi
  say "report   $(value --report "$@")"
  say "metrics  $(value --metrics "$@")"
fi
exit "$status"
