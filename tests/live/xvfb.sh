#!/usr/bin/env bash
# xvfb.sh COMMAND...: runs it on a display of its own, an X server without a screen, and ends as it does.
set -euo pipefail

for tool in Xvfb xdotool ffmpeg; do
  command -v "$tool" > /dev/null || {
    echo "error: the tests of the live viewer need $tool. ./test.sh installs it on Debian; docs/building.md lists it elsewhere" >&2
    exit 1
  }
done

log="$(mktemp)"
coproc display { exec Xvfb -displayfd 1 -screen 0 1280x1024x24 -nolisten tcp -noreset 2> "$log"; }
trap 'kill "$display_PID" 2> /dev/null || true; wait 2> /dev/null || true; rm -f "$log"' EXIT
server="$display_PID"
read -r -t 60 -u "${display[0]}" number || {
  cat "$log" >&2
  echo "error: Xvfb did not start (above)" >&2
  exit 1
}

unset WAYLAND_DISPLAY XDG_SESSION_TYPE  # a desktop's own is not to be taken instead
status=0
DISPLAY=":$number" "$@" || status=$?
kill -0 "$server" 2> /dev/null || echo "error: Xvfb ended on the way" >&2
exit "$status"
