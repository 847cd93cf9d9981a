#!/usr/bin/env bash
# Tries what scripts/wheel.sh and cpack made on systems that have nothing of Talus and no compiler:
#   scripts/try_packages.sh [SUITE...]     bookworm, trixie, jammy, noble: Debian 12 and 13, Ubuntu 22.04 and 24.04
# debootstrap unpacks the smallest such system and its Python into build/roots/SUITE, some 300 MB each. The wheel in build/wheels for that
# Python is installed there without a network, and runs scenes on the CPU by Python and by the command talus. Then apt installs
# build/packages/talus_*.deb, where there is one and the system is Debian 12, and the archive build/packages/talus-*.tar.gz is run there. Needs root.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case "${1:-}" in
  -h | --help)
    sed -n 's/^# \{0,1\}//; 2,6p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac
(($#)) || set -- bookworm trixie jammy noble
((EUID == 0)) || fail "debootstrap and chroot need root"

roots="$build/roots"
scenes=(box_settle.toml column.toml)
install_packages debootstrap python3-venv
mkdir -p "$roots"

# make_root SUITE: debootstrap, and a check of signatures by the keys of that distribution. Debian 13 has those of Ubuntu.
make_root() {
  local suite="$1" root="$roots/$1" options=() packages=python3-venv,ca-certificates keys="$roots/trixie/usr/share/keyrings/ubuntu-archive-keyring.gpg"
  local mirror=http://deb.debian.org/debian rules="$1"
  case "$suite" in
    bookworm) ;;
    trixie) packages+=,ubuntu-keyring ;;
    jammy | noble)
      [[ -f "$keys" ]] || { [[ -f "$roots/trixie/complete" ]] && rm -rf "$roots/trixie"; make_root trixie; }
      mirror=http://archive.ubuntu.com/ubuntu
      rules=gutsy  # debootstrap's rules for every Ubuntu since 7.10
      options=("--keyring=$keys" "--components=main,universe")
      ;;
    *) fail "there is no rule for the suite $suite" ;;
  esac
  [[ -f "$root/complete" ]] && return
  say "Unpacking $suite into build/roots/$suite"
  rm -rf "$root"
  debootstrap --variant=minbase --include="$packages" "${options[@]}" "$suite" "$root" "$mirror" \
    "/usr/share/debootstrap/scripts/$rules" > "$roots/$suite.log" 2>&1 || {
    tail -n 5 "$roots/$suite.log" >&2
    fail "debootstrap failed (above; build/roots/$suite.log)"
  }
  touch "$root/complete"
}

for suite in "$@"; do
  make_root "$suite"
  root_of_suite="$roots/$suite"
  # in_root [--net] COMMAND...: with its own /proc, and with --net without a network.
  in_root() {
    local net=()
    [[ "$1" != --net ]] || { net=(--net) && shift; }
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      unshare "${net[@]}" --mount --pid --fork --root="$root_of_suite" --mount-proc "$@"
  }
  version="$(in_root python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  wheels=("$build"/wheels/talus-*-cp"${version/./}"-*.whl)
  [[ -f "${wheels[0]}" ]] || fail "there is no wheel for Python $version, which $suite has: scripts/wheel.sh PYTHON"
  work="$root_of_suite/tmp/talus"
  rm -rf "$work"
  mkdir -p "$work"
  cp "${wheels[0]}" "$work"
  cp -r "${scenes[@]/#/$root/scenes/}" "$work"
  python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --python-version "$version" \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --dest "$work" numpy
  cat > "$work/try.py" << 'END'
import pathlib, subprocess, sys, time
start = time.perf_counter()
import talus
took = time.perf_counter() - start
sim = talus.Simulation(talus.load_scene("box_settle.toml"), device="cpu")
sim.advance(20)
# What the dynamic loader finds for the files of the package, besides its own files and the libraries of the manylinux policy.
packages = pathlib.Path(talus.__file__).parents[1]
policy = ("ld-linux-", "linux-vdso.", "libc.", "libm.", "libdl.", "libpthread.", "librt.", "libresolv.", "libstdc++.", "libgcc_s.", "libz.")
files = [f for folder in ("talus", "talus.libs") for f in (packages / folder).rglob("*") if ".so" in f.name or f.parent.name == "bin"]
foreign = set()
for file in files:
    for line in subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout.splitlines():
        name = line.split()[0].split("/")[-1]
        if str(packages.resolve()) not in str(pathlib.Path(line.split("=>")[-1].split()[0]).resolve()) and not name.startswith(policy):
            foreign.add(line.strip())
if foreign or not files:
    sys.exit("these libraries are not of the package:\n" + "\n".join(sorted(foreign)))
print(f"Python {sys.version.split()[0]}: talus {talus.__version__} imported in {took:.2f} s, {sim.measure().grains} grains at {sim.time:.3f} s, "
      f"{len(files)} binaries need nothing but libraries of the manylinux policy")
END
  in_root --net bash -o pipefail -ec 'cd /tmp/talus; python3 -m venv environment
    environment/bin/pip install --quiet --no-index --find-links . talus
    PATH=environment/bin:$PATH
    python try.py; python try.py
    talus --version | head -n 1
    talus devices
    talus run column.toml --device cpu --steps 20 | tail -n 3'
  echo "$suite: the wheel works"
  archives=("$build"/packages/talus-*.tar.gz)
  debs=("$build"/packages/talus_*.deb)
  if [[ "$suite" == bookworm && -f "${debs[0]}" ]]; then
    cp "${debs[0]}" "$work"
    in_root bash -o pipefail -ec 'apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /tmp/talus/talus_*.deb \
      > /tmp/talus/apt.log; cd /tmp/talus; /usr/bin/talus --version | head -n 1; /usr/bin/talus run column.toml --device cpu --steps 20 | tail -n 1'
    echo "$suite: the .deb works"
    if [[ -f "${archives[0]}" ]]; then  # with the libraries that the .deb brought
      tar -xzf "${archives[0]}" -C "$work"
      in_root bash -o pipefail -ec 'cd /tmp/talus; talus-*/bin/talus run column.toml --device cpu --steps 20 | tail -n 1'
      echo "$suite: the .tar.gz works"
    fi
  fi
done
