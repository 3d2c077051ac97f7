#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run in a clean root by scripts/test_deb.sh: installs the packages of /share/deb, uses and purges them.
# /share/tests and /share/xla are of this tree, /share/examples has programs in C++.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
check() { # check WHAT TEXT PATTERN
  case $2 in *"$3"*) echo "ok: $1" ;; *) fail "$1: expected '$3' in: $2" ;; esac
}
# Everything but what apt and the tests themselves keep.
# Packages that ours depend on may add a user: /etc/gshadow- and its like keep what was before.
content() {
  find / -xdev \( -path /proc -o -path /share -o -path /tmp -o -path /var/cache -o -path /var/lib/apt \
    -o -path /var/lib/dpkg -o -path /var/log -o -path /run -o -path '/etc/*-' -o -path /dev -o -path /var/lib/systemd \) -prune -o -print | sort
}
apt() { apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; fail "apt-get $*"; }; }

apt update
content >/tmp/before
cd /tmp
apt install -y /share/deb/*.deb
check "version" "$(xylem --version)" "xylem $(dpkg-query -W -f '${Version}' xylem | sed 's/-.*//')"
check "xylem run" "$(xylem run /share/tests/install/constant.hlo 2>run.err)" "out00 = f32[3] {2, 4, 6}"
grep -i interpret run.err && fail "the program was interpreted"
# Those of the engines that were there when the packages were built.
packages="xylem libxylem0.1 libxylem-dev xylem-pjrt"
for engine in gloo mpi; do
  [ ! -e "$(echo /share/deb/xylem-${engine}_*.deb)" ] || packages="$packages xylem-$engine"
done
for package in $packages; do
  check "copyright of $package" "$(cat /usr/share/doc/$package/copyright)" "Google Inc"
done
case $packages in *gloo*)
  check "four processes" "$(xylem run --processes 4 --random 1 /share/tests/processes/sharded.hlo)" \
    "$(xylem run --random 1 /share/tests/processes/sharded.hlo)" ;;
esac
[ -s /usr/share/man/man1/xylem.1.gz ] || fail "there is no man page"

xylem aot /share/tests/install/squares.hlo -o squares
gcc -I. /share/tests/install/squares.c squares.a "$(dpkg -L xylem | grep 'libxylem_runtime.a$')" \
  -Wl,--gc-sections -lstdc++ -lm -o squares
check "a program compiled ahead of time" "$(./squares)" "2 5 10"
xylem aot --shared /share/tests/install/squares.hlo -o shared
check "a shared library" "$(nm -D --defined-only shared.so)" "shared_run"

g++ -std=c++20 /share/examples/local_client.cc $(pkg-config --cflags --libs xylem) -o local_client
check "a program in C++" "$(./local_client)" "f32[4] {4, 9, 16, 25}"
g++ -std=c++20 -I/share /share/tests/guest/host.cc -ldl -o host
plugin=$(dpkg -L xylem-pjrt | grep 'libxylem_pjrt.so$')
./host open "$plugin" run || fail "the plugin does not run programs"
echo "ok: the plugin"

# shellcheck disable=SC2086
apt purge -y $packages
apt autoremove -y --purge
left=$(find / -xdev -iname '*xylem*' ! -path '/share/*' ! -path '/proc/*' ! -path '/tmp/*')
[ -z "$left" ] || fail "purging left $left"
content >/tmp/after
cmp -s /tmp/before /tmp/after || { diff /tmp/before /tmp/after || true; fail "purging left something"; }
echo "ok: purging leaves nothing"
