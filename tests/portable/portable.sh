#!/usr/bin/env bash
# Builds talus_hashes for another C++ library, processor or system, and compares its state hashes with those of the program
# talus: portable.sh libcxx|arm64|windows TALUS FOLDER. FOLDER is where it is built. Warnings are errors.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
way="$1" talus="$2" folder="$3"

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
need() {
  local program
  for program in "$@"; do
    command -v "$program" > /dev/null || fail "$program was not found. docs/building.md lists what is needed."
  done
}

# -O0: with libc++, -O1 takes 115 s of one core to compile, -O0 65 s, and the scenes are short.
flags="-O0 -Werror -Wno-psabi" runner=()
case "$way" in
  libcxx)
    clang="$(command -v clang++-16 || command -v clang++)" || fail "clang++ was not found. docs/building.md lists what is needed."
    options=("-DCMAKE_CXX_COMPILER=$clang")
    flags+=" -stdlib=libc++"
    ;;
  arm64)
    need aarch64-linux-gnu-g++ qemu-aarch64-static
    options=(--toolchain "$root/cmake/toolchains/aarch64-linux-gnu.cmake")
    runner=(qemu-aarch64-static -L /usr/aarch64-linux-gnu)
    ;;
  windows)
    need x86_64-w64-mingw32-g++-posix wine
    options=(--toolchain "$root/cmake/toolchains/x86_64-w64-mingw32.cmake")
    runner=(wine)
    flags+=" -Wno-maybe-uninitialized"  # GCC 12 warns of an optional that is moved (engine/simulation/rollback.cpp)
    flags+=" -Wa,-mbig-obj"  # else an object file has too few sections for a folder that is compiled as one
    export WINEDEBUG=-all WINEPREFIX="$folder/wine"
    ;;
  *) fail "$way is none of libcxx, arm64, windows" ;;
esac

cmake -S "$root/tests/portable" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=$flags" "${options[@]}"
cmake --build "$folder" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-1}"
hashes="$folder/talus_hashes"
[[ "$way" == windows ]] && hashes+=.exe

# compare STEPS [KEY=VALUE...] SCENE: scenes without formulas and meshes, which talus_hashes leaves out.
different=0
compare() {
  local steps="$1" scene="${*: -1}" setting there here
  local settings=()
  for setting in "${@:2:$#-2}"; do settings+=(--set "$setting"); done
  "$talus" run "$scene" --device cpu --steps "$steps" "${settings[@]}" --report "$folder/report.json" > /dev/null 2> "$folder/talus.log" ||
    fail "talus run $scene failed: $(cat "$folder/talus.log")"
  here="$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$folder/report.json")"
  there="$("${runner[@]}" "$hashes" "$@" | tr -d '\r' | awk '{print $2}')"
  printf '%-52s %s %s\n' "${*:2}" "$here" "$there"
  [[ -n "$here" && "$here" == "$there" ]] || different=1
}

cd "$root"
for method in dem vts sp p2 pbd; do compare 2 "solver.method=\"$method\"" scenes/box_settle.toml; done
for scene in cloth_on_sphere wheel_and_plank hourglass_fine stack; do compare 2 "scenes/$scene.toml"; done
((different == 0)) || fail "state hashes differ between this build and $way (above)"
