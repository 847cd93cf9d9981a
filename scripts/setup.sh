# shellcheck shell=bash
# What run.sh and test.sh share: install what is missing, build. To be sourced. Messages go to stderr, so that what the program
# prints can be piped.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build"

# Debian's names. docs/building.md has those of other systems.
build_packages=(
  g++ cmake ninja-build glslang-tools libvulkan-dev libvulkan-volk-dev libspirv-cross-c-shared-dev libglm-dev
  libtomlplusplus-dev libcli11-dev libassimp-dev libfmt-dev libmuparser-dev nlohmann-json3-dev libpugixml-dev libstb-dev libtbb-dev
  libhdf5-dev libtiff-dev liburdfdom-dev libglfw3-dev libimgui-dev libopenmpi-dev openmpi-bin fonts-dejavu-core
  mesa-vulkan-drivers zlib1g-dev
)
test_packages=(
  catch2 clang-16 ffmpeg gnuplot-nox iproute2 libc++-16-dev libc++abi-16-dev libclang-rt-16-dev libx11-dev libxrandr-dev pkgconf
  python3-dev python3-venv valgrind vulkan-validationlayers xdotool xvfb
)

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $*"
  exit 1
}

# Debian, Ubuntu and what descends from them.
has_apt() {
  [[ -r /etc/os-release ]] || return 1
  command -v apt-get > /dev/null && command -v dpkg-query > /dev/null &&
    grep -Eq '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release
}

# as_root WHY COMMAND...: runs it as root, through sudo where need be.
as_root() {
  local why="$1"
  shift
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo > /dev/null; then
    say "sudo asks for your password to $why"
    sudo "$@"
  else
    fail "root is needed to $why, and there is no sudo here. As root, run: apt-get update${missing_packages:+ && apt-get install --no-install-recommends $missing_packages}"
  fi
}

lists_are_fresh=0
missing_packages=""

update_lists() {
  ((lists_are_fresh)) && return
  say "Reading the package lists (apt-get update)"
  as_root "read the package lists" apt-get -qq update >&2 ||
    fail "apt-get update failed (above). Check the network and /etc/apt/sources.list, then run this again."
  lists_are_fresh=1
}

install_for_build() { install_packages "${build_packages[@]}"; }
install_for_tests() {
  local browser=()
  has_browser || ! has_apt || browser=(chromium-headless-shell)
  # Debian has it; Ubuntu has none but a snap.
  if ((${#browser[@]})) && ! offers "${browser[0]}"; then
    update_lists
    offers "${browser[0]}" || browser=()
  fi
  install_packages "${build_packages[@]}" "${test_packages[@]}" "${browser[@]}"
}

offers() { apt-cache show "$1" > /dev/null 2>&1; }

# For the page of talus-bench: the names that tests/CMakeLists.txt looks for.
has_browser() {
  local program
  for program in chromium-headless-shell chromium chromium-browser google-chrome; do
    command -v "$program" > /dev/null && return
  done
  return 1
}

# install_packages NAME...: those that are not there yet.
install_packages() {
  if ! has_apt; then
    say "This is not Debian or Ubuntu, so nothing is installed: docs/building.md lists what is needed. Going on."
    return
  fi
  local installed package
  local missing=()
  installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "$@" 2> /dev/null || true)"
  for package in "$@"; do
    [[ "$installed" == *" $package=installed "* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  missing_packages="${missing[*]}"
  say "Missing: $missing_packages"
  update_lists
  say "Installing them and what they need (apt-get install; log in build/install.log)"
  mkdir -p "$build"
  as_root "install packages" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${missing[@]}" > "$build/install.log" 2>&1 || {
    tail -n 30 "$build/install.log" >&2
    fail "apt-get install failed (above). Debian 12, Ubuntu 24.04 and newer have every package; check the network and the disk, then run this again."
  }
  say "Installed $(grep -c '^Setting up ' "$build/install.log" || true) packages"
  missing_packages=""
}

# build_release TARGET OPTION...: configures build/ with the options and builds the target. A new build/ compiles each folder of the
# engine as one file (TALUS_UNITY), so that what is run is compiled as what the tests have seen, in two thirds of the time.
build_release() {
  local target="$1" tool
  shift
  for tool in cmake c++; do
    command -v "$tool" > /dev/null || fail "$tool was not found. docs/building.md lists what to install."
  done
  local options=(-DCMAKE_BUILD_TYPE=Release "$@") unity="${TALUS_UNITY:-}"
  local cache="$build/CMakeCache.txt"
  if [[ -f "$cache" ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    say "build/ was made for another folder: configuring it afresh"
    rm -rf "$cache" "$build/CMakeFiles"
  fi
  if [[ ! -f "$cache" ]] && command -v ninja > /dev/null; then options+=(-G Ninja); fi
  if [[ ! -f "$cache" ]]; then unity="${unity:-ON}"; fi
  if [[ -n "$unity" ]]; then options+=("-DTALUS_UNITY=$unity"); fi
  mkdir -p "$build"
  cmake -S "$root" -B "$build" "${options[@]}" > "$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    fail "configuring failed (above; kept in build/configure.log). The message says what is missing."
  }
  say "Building $target in build/ (Release)"
  cmake --build "$build" --config Release --target "$target" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(compilers)}" >&2 ||
    fail "the build failed (above)."
}

# How many compilers run at once: one per core, where each has the 2.2 GB of memory that the largest folder takes.
compilers() {
  local cores memory
  cores="$(processors)"
  memory="$(awk '/^MemTotal:/ { print int($2 / 2300000) }' /proc/meminfo 2> /dev/null || true)"
  memory="${memory:-$cores}"
  if ((memory < 1)); then memory=1; fi
  printf '%s' "$((memory < cores ? memory : cores))"
}
processors() { nproc 2> /dev/null || getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2; }
