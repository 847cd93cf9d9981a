#!/usr/bin/env bash
# Builds Talus for arm64 with Debian's cross compiler, runs the tests of the host under QEMU, and compares state hashes with those of
# x86-64: scripts/arm64.sh [ARGUMENT OF talus_tests...]. The machine gets a compiler and an emulator. Libraries for arm64 go into
# build/arm64/sysroot, with package lists of their own, so that the machine's packages stay those of one processor.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

folder="$build/arm64"
sysroot="$folder/sysroot"
libraries=(
  libc6-dev libstdc++-12-dev libassimp-dev libcli11-dev libfmt-dev libglm-dev libmuparser-dev libspirv-cross-c-shared-dev libstb-dev
  libhdf5-dev libpugixml-dev libtbb-dev libtiff-dev libtomlplusplus-dev liburdfdom-dev libvulkan-dev libvulkan-volk-dev nlohmann-json3-dev zlib1g-dev catch2
)

# fill_sysroot: unpacks the libraries and what they need.
fill_sysroot() {
  local state="$folder/apt" package link
  rm -rf "$sysroot" "$state"
  mkdir -p "$sysroot" "$state/lists/partial" "$state/cache/archives/partial"
  : > "$state/status"
  local apt=(
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Debug::NoLocking=1
    -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache"
  )
  say "Fetching the libraries for arm64: 55 MB, unpacked into build/arm64/sysroot, not installed"
  "${apt[@]}" update >&2
  "${apt[@]}" install --no-install-recommends --download-only -y "${libraries[@]}" >&2
  for package in "$state"/cache/archives/*.deb; do dpkg -x "$package" "$sysroot"; done
  # Links and CMake's packages name files from the root on.
  find "$sysroot" -lname '/*' -print0 | while IFS= read -r -d '' link; do ln -sfnr "$sysroot$(readlink "$link")" "$link"; done
  find "$sysroot" -name '*.cmake' -exec sed -i -E "s#([\";:>])/usr([/\"])#\1$sysroot/usr\2#g" {} +
  touch "$sysroot/complete"
}

install_packages "${build_packages[@]}" g++-aarch64-linux-gnu qemu-user-static
[[ -f "$sysroot/complete" ]] || fill_sysroot

say "Building for arm64 in build/arm64/build"
export TALUS_SYSROOT="$sysroot"
cmake -S "$root" -B "$folder/build" -G Ninja --toolchain "$root/cmake/toolchains/aarch64-linux-gnu.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DTALUS_BUILD_TESTS=ON -DTALUS_BUILD_VIEWER=OFF -DTALUS_UNITY=ON > "$folder/configure.log" 2>&1 || {
  cat "$folder/configure.log" >&2
  fail "configuring failed (above)."
}
cmake --build "$folder/build" --target talus_tests --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(processors)}" >&2

# Without [cli], whose tests start talus: unless binfmt_misc is set up for QEMU, the kernel starts no program of arm64 (28 tests failed
# with "Exec format error", and one that waits for a run to begin did not end). Without [null_device], which needs a Vulkan driver.
say "Tests of the host on arm64"
emulator=(qemu-aarch64-static -L "$sysroot")
cd "$root"
status=0
if (($#)); then
  "${emulator[@]}" "$folder/build/tests/talus_tests" "$@" || status=$?
else
  "${emulator[@]}" "$folder/build/tests/talus_tests" "~[device]~[bench]~[cli]~[null_device]" || status=$?
fi

say "State hashes on x86-64 and on arm64"
build_release talus -DTALUS_BUILD_TESTS=OFF
# hash_of REPORT COMMAND...
hash_of() {
  local report="$1"
  shift
  "$@" --device cpu --report "$report" > /dev/null 2>&1 || true
  sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$report"
}
compare() {
  local here there
  here="$(hash_of "$folder/here.json" "$build/talus" run "$@")"
  there="$(hash_of "$folder/there.json" "${emulator[@]}" "$folder/build/talus" run "$@")"
  printf '%-70s %s %s\n' "$*" "$here" "$there"
  [[ -n "$here" && "$here" == "$there" ]] || status=1
  rm -f "$folder/here.json" "$folder/there.json"
}
for method in dem vts sp p2 pbd; do compare scenes/box_settle.toml --steps 20 --set "solver.method=\"$method\""; done
for scene in boat bulldozer_ridge cloth_on_sphere gear_tower hourglass_fine robot_scoop sandcastle squirrel wheel_and_plank; do
  compare "scenes/$scene.toml" --steps 2
done
exit "$status"
