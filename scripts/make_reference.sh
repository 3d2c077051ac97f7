#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: make_reference.sh [--check] [OUT [BUILD]]
# Writes the reference of the C and C++ interfaces into the folder OUT (build-site/reference) with Doxygen, from the public headers
# and those that the build in BUILD (build) generates. Fails if Doxygen misreads a header. --check does no more than that: it
# writes nothing. Exits with 77 where Doxygen or the build is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
check=
[[ ${1:-} != --check ]] || { check=yes; shift; }
out=${1:-build-site/reference} generated=$(realpath "${2:-build}")/gen
skip() { echo "skipped: $1"; exit 77; }
command -v doxygen > /dev/null || skip "doxygen is not installed"
[[ -e $generated/xla/xla_data.pb.h ]] || skip "$generated has no headers: build first"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/list.cmake" <<'END'
include(cmake/public_headers.cmake)
xylem_public_headers(headers ${SOURCE} ${GENERATED})
list(JOIN headers "\n" text)
file(WRITE ${LIST} "${text}\n")
END
cmake -D SOURCE="$PWD" -D GENERATED="$generated" -D LIST="$scratch/list" -P "$scratch/list.cmake"
# Generated headers are described by their .proto files; those of tsl/ include those of xla/tsl/ and no more.
mapfile -t headers < <(grep -v "^tsl/\|\.pb\.h\$\|_enums\.h\$" "$scratch/list"; echo xla/aot/runtime/program.h)

# Every header that the page names is one of them.
while read -r named; do
  [[ " ${headers[*]} " == *" $named "* ]] || { echo "docs/reference.md: $named is not a public header"; exit 1; }
done < <(grep '^|' docs/reference.md | grep -o '`xla/[^`]*\.h`' | tr -d '`')

mkdir "$scratch/headers"
python3 scripts/doxygen_comments.py "$scratch/headers" "${headers[@]}"
# Other pages are not part of it.
sed 's#\[\([^]]*\.md\)\]([^)]*)#`docs/\1`#g' docs/reference.md > "$scratch/headers/reference.md"
# run_doxygen SETTINGS INPUT...: in the folder of the copies, so that paths are those of #include.
run_doxygen() {
  printf '%s\n' "$(< docs/Doxyfile)" "$1" "INPUT = ${*:2}" > "$scratch/Doxyfile"
  (cd "$scratch/headers" && doxygen ../Doxyfile)
}

if [[ -n $check ]]; then
  # Doxygen wants an output; this one is written fastest.
  settings=$'GENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\nOUTPUT_DIRECTORY = '$scratch
  # That mistakes are noticed.
  printf '/// @file\n/// @nonsense\nint F();\n' > "$scratch/headers/mistake.h"
  said=$(run_doxygen "$settings" mistake.h 2>&1) && { echo "Doxygen accepts a mistake"; exit 1; }
  [[ $said == *mistake.h:*nonsense* ]] || { echo "Doxygen says of a mistake: $said"; exit 1; }
  run_doxygen "$settings" reference.md "${headers[@]}"
  echo "${#headers[@]} headers"
else
  mkdir -p "$out"
  run_doxygen "OUTPUT_DIRECTORY = $(realpath "$out")" reference.md "${headers[@]}"
  echo "$out/index.html"
fi
