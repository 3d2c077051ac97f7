#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clean_root.sh SUITE PACKAGES [--arch ARCHITECTURE] [--share FOLDER]... COMMAND...: runs a command as root in a
# fresh minimal Debian or Ubuntu (noble), of which nothing stays. PACKAGES are separated by commas ("" for none); a
# shared FOLDER is seen as /share/NAME, read-only. Needs root and debootstrap, and for another architecture (arm64)
# qemu's user mode. What debootstrap made is kept for the next run under XYLEM_ROOTS (/var/tmp/xylem-roots). XYLEM_MIRROR
# and XYLEM_KEYRING say where packages come from, and which keys sign them. Prints "skipped: ..." and ends with 77 where
# it cannot run.
set -euo pipefail

skip() {
  echo "skipped: $*"
  exit 77
}
(($# >= 3)) || { sed -n '3,7p' "$0" | cut -c3- >&2; exit 2; }
suite=$1 packages=$2
shift 2
architecture=$(dpkg --print-architecture)
if [[ $1 == --arch ]]; then
  architecture=$2
  shift 2
fi
shares=()
while [[ $1 == --share ]]; do
  shares+=("$(cd "$2" && pwd)")
  shift 2
done
(($(id -u) == 0)) || skip "a clean root needs the rights of root"
command -v debootstrap >/dev/null || skip "a clean root needs debootstrap (apt-get install debootstrap)"
unshare --mount true 2>/dev/null || skip "a clean root needs a mount namespace of its own"
if [[ $architecture == arm64 && $(uname -m) != aarch64 && ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]]; then
  skip "programs for 64-bit ARM need qemu-user-static, registered by systemd or binfmt-support"
fi

# The root is complete once it has its last name.
roots=${XYLEM_ROOTS:-/var/tmp/xylem-roots}
key=$suite-$architecture-$(printf '%s' "$packages" | sha256sum | cut -c1-12)
mkdir -p "$roots"
exec 9>"$roots/lock"
flock 9
if [[ ! -d $roots/$key ]]; then
  echo "debootstrap: $suite with ${packages:-nothing else} into $roots/$key"
  rm -rf "$roots/$key.new"
  # One script of debootstrap serves all of Debian, and one all of Ubuntu, but an old one has no name for what came
  # after it.
  options=() mirror=http://deb.debian.org/debian any=sid keyring=${XYLEM_KEYRING:-}
  if [[ $suite == noble ]]; then
    options=(--components=main,universe) mirror=http://archive.ubuntu.com/ubuntu any=gutsy
    keyring=${keyring:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
    [[ -e $keyring ]] || skip "$suite needs Ubuntu's keys ($keyring, or XYLEM_KEYRING)"
  fi
  [[ -z $keyring ]] || options+=(--keyring="$keyring")
  script=/usr/share/debootstrap/scripts/$suite
  [[ -e $script ]] || script=/usr/share/debootstrap/scripts/$any
  if ! debootstrap --variant=minbase --arch="$architecture" "${options[@]}" ${packages:+--include="$packages"} "$suite" \
    "$roots/$key.new" "${XYLEM_MIRROR:-$mirror}" "$script" >"$roots/$key.log" 2>&1 </dev/null; then
    tail -n 5 "$roots/$key.log" >&2
    rm -rf "$roots/$key.new"
    skip "debootstrap failed ($roots/$key.log)"
  fi
  rm -f "$roots/$key.new"/var/cache/apt/archives/*.deb
  mv "$roots/$key.new" "$roots/$key"
fi
flock -u 9
exec 9>&-

# The changes of this run are in a folder of their own, laid over the root, and removed at the end.
scratch=$(mktemp -d "$roots/run.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch"/{changes,work,root}
export scratch lower=$roots/$key
# qemu's default processor has SVE, with which the BLAS in NumPy's wheels fails under Debian 12's qemu.
set +e
unshare --mount --pid --fork --kill-child bash -c '
  set -euo pipefail
  shares=$1
  shift
  root=$scratch/root
  mount -t overlay overlay -o "lowerdir=$lower,upperdir=$scratch/changes,workdir=$scratch/work" "$root" 2>/dev/null ||
    cp -a "$lower/." "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  cp --remove-destination /etc/resolv.conf /etc/hosts "$root/etc/"
  while IFS= read -r folder; do
    [[ -n $folder ]] || continue
    target=$root/share/$(basename "$folder")
    mkdir -p "$target"
    mount --bind "$folder" "$target"
    mount -o remount,bind,ro "$target"
  done <<<"$shares"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    TERM=dumb QEMU_CPU=cortex-a72 DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    chroot "$root" "$@"
' clean_root "$(printf '%s\n' "${shares[@]}")" "$@"
exit $?
