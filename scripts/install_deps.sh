#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the system packages that the build needs and that are missing (Debian 12 and 13, Ubuntu 24.04).
# Says what it does; does nothing when all are there.
#
#   install_deps.sh [--arm64|--python]   with what a cross build for 64-bit ARM needs (make arm64), or
#                                        what the Python package is built with (make python)
set -euo pipefail

packages=(
  cmake ninja-build       # build system
  g++                     # compiler, with the sanitizer libraries
  libabsl-dev             # Abseil
  libprotobuf-dev protobuf-compiler
  libhwy-dev              # vector instructions of the kernels (headers only)
  liblapack-dev           # reference LAPACK, linked statically on xla/blas
  libcli11-dev            # the command line (header only)
  nlohmann-json3-dev      # JSON (header only)
  libzip-dev              # .npz files
  llvm-19-dev libllvm19   # headers of the CPU compiler, and the library that it loads
  libzstd-dev             # what LLVM needs where it is linked in: the plugin
  dpkg-dev                # Debian packages: make deb
  libgloo-dev             # connects processes: libxylem_gloo.so (with an MPI, libopenmpi-dev, libxylem_mpi.so too)
  libgtest-dev zlib1g-dev pkg-config  # tests; the plugin (scripts/xla_compat.py: libgmock-dev libeigen3-dev too)
)

# Libraries of the other architecture lie beside the machine's own.
if [[ ${1:-} == --arm64 ]]; then
  packages+=(
    g++-aarch64-linux-gnu  # compiler
    qemu-user-static       # runs what was built
    libabsl-dev:arm64 libprotobuf-dev:arm64 liblapack-dev:arm64 libzip-dev:arm64 libllvm19:arm64
    libzstd-dev:arm64 libgtest-dev:arm64 zlib1g-dev:arm64
  )
fi
# A Python of another origin has both.
if [[ ${1:-} == --python ]] && ! python3 - 2>/dev/null <<'END'; then
import ensurepip, os, sys, sysconfig, venv
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
END
  packages+=(python3-dev python3-venv)
fi

say() { printf 'dependencies: %s\n' "$*"; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is not a Debian or Ubuntu system; please install the equivalents of:"
  say "  ${packages[*]}"
  say "(Abseil 20220623 or later, protobuf 3.21, CMake 3.25 or later, a C++20 compiler)"
  # Others may have them under other names: the configure step tells.
  exit 0
fi

# A package may be installed for several architectures.
machine=$(dpkg --print-architecture)
is_installed() {
  local architecture=$machine states
  [[ $1 != *:* ]] || architecture=${1#*:}
  # Not a pipe: grep ends at the first match, and what is then still written would be an error.
  states=$(dpkg-query -W -f '${Architecture} ${db:Status-Status}\n' "$1" 2>/dev/null) || return 1
  grep -Eqx "($architecture|all) installed" <<<"$states"
}
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  say "all present (${packages[*]})"
  exit 0
fi

run_as_root=()
if (($(id -u) != 0)); then
  if ! command -v sudo >/dev/null; then
    say "missing: ${missing[*]}" >&2
    say "neither root nor sudo here; as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  run_as_root=(sudo)
fi

say "installing with apt: ${missing[*]}"
apt() {
  "${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "$@" </dev/null
}
if [[ ${1:-} == --arm64 ]]; then "${run_as_root[@]}" dpkg --add-architecture arm64; fi
# Old package lists may name versions that the mirror no longer has.
apt update
apt install -y --no-install-recommends "${missing[@]}"
say "installed"
