#!/usr/bin/env bash
# Installs what is missing, builds and runs every test: on the host, on lavapipe and on SwiftShader.
#   ./test.sh             everything, as CI does
#   ./test.sh --quick     tests of the host and the passes in lockstep on one driver: for while you work
# Other arguments go to ctest: ./test.sh -L host, ./test.sh -R device.lavapipe. The variable TALUS_DEVICE_ICDS names other
# drivers (CONTRIBUTING.md, Testing). TALUS_UNITY=OFF compiles each file by itself, which takes half as long again for a whole
# build and far less after a change.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

# SwiftShader, Google's Vulkan driver for the CPU: two files of Debian's package chromium-common, which is unpacked and not
# installed.
fetch_swiftshader() {
  local folder="$build/swiftshader"
  [[ -f "$folder/vk_swiftshader_icd.json" && -f "$folder/libvk_swiftshader.so" ]] && return
  if ! has_apt; then
    say "SwiftShader is not here: its tests will fail. CONTRIBUTING.md, Testing, says how to name the drivers that there are."
    return
  fi
  apt-cache show chromium-common > /dev/null 2>&1 || update_lists
  say "Fetching SwiftShader: chromium-common, unpacked into build/swiftshader, not installed"
  mkdir -p "$folder"
  local work download=(apt-get -qq -o APT::Sandbox::User=root download chromium-common)
  work="$(mktemp -d "$folder/unpack.XXXXXX")"
  (
    cd "$work" &&
      { "${download[@]}" || { update_lists && "${download[@]}"; }; } &&
      dpkg -x chromium-common_*.deb . &&
      mv usr/lib/chromium/libvk_swiftshader.so usr/lib/chromium/vk_swiftshader_icd.json ..
  ) >&2 || {
    rm -rf "$work"
    fail "SwiftShader could not be fetched (above). Check the network and that apt offers chromium-common (Debian has it, Ubuntu has not); or name the drivers to test on in TALUS_DEVICE_ICDS (CONTRIBUTING.md, Testing)."
  }
  rm -rf "$work"
}

quick=0
if [[ "${1:-}" == --quick ]]; then
  quick=1
  shift
fi

install_for_tests
((quick)) || [[ -n "${TALUS_DEVICE_ICDS:-}" ]] || fetch_swiftshader
if ((quick)); then
  build_release talus_tests -DTALUS_BUILD_TESTS=ON
else
  build_release all -DTALUS_BUILD_TESTS=ON
fi

say "Running the tests"
((quick)) && set -- -L quick "$@"
# One process more than there are cores, since those of Python, ranks and windows wait for a third of their time.
exec ctest --test-dir "$build" --build-config Release --output-on-failure \
  --parallel "${CTEST_PARALLEL_LEVEL:-$(($(processors) + 1))}" "$@"
