#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/install_deps.sh asks apt for what is missing, and for nothing else: on a machine whose packages
# are played by scripts. $elsewhere is a package with the architectures that it is installed for; all others
# are installed for each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#!/bin/sh\necho amd64\n' >"$folder/dpkg"
printf '#!/bin/sh\necho "apt-get $*"\n' >"$folder/apt-get"
printf '#!/bin/sh\nshift\n"$@"\n' >"$folder/sudo" # sudo env ...
cat >"$folder/dpkg-query" <<'END'
#!/bin/sh
for name; do :; done # the last argument
architectures="amd64 arm64"
[ "${name%:*}" != "${elsewhere%% *}" ] || architectures=${elsewhere#* }
for architecture in $architectures; do
  case $name in
    *:*) [ "${name#*:}" = "$architecture" ] || continue ;;
  esac
  echo "$architecture installed"
done
END
chmod +x "$folder"/*
export PATH=$folder:$PATH

expect() { # expect TEXT ELSEWHERE [OPTION]: TEXT is a part of what is printed
  export elsewhere=$2
  local output
  output=$(scripts/install_deps.sh "${@:3}")
  grep -qF -- "$1" <<<"$output" || { printf 'no "%s" with %s:\n%s\n' "$1" "$2" "$output"; exit 1; }
}
expect "all present" "none amd64"
expect "all present" "none amd64" --arm64
expect "all present" "libabsl-dev amd64"
expect "installing with apt: libabsl-dev:arm64" "libabsl-dev amd64" --arm64
expect "installing with apt: libabsl-dev" "libabsl-dev arm64"
expect "all present" "nlohmann-json3-dev all"
echo "passed"
