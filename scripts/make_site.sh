#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site in build-site/site, with mkdocs from PyPI. The reference of the C and C++ interfaces is part of it
# where Doxygen is installed and build/ has the generated headers.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build-site
[ -x $out/venv/bin/mkdocs ] || { python3 -m venv $out/venv && $out/venv/bin/pip install --quiet mkdocs mkdocs-material; }
rm -rf $out/docs
mkdir -p $out/docs
cp -r docs/. CHANGELOG.md CONTRIBUTING.md SECURITY.md $out/docs/
sed -e 's#](docs/#](#g' README.md > $out/docs/index.md
status=0
scripts/make_reference.sh $out/docs/reference || status=$?
if ((status == 0)); then
  sed -i 's#`make reference`#[The reference](reference/index.html)#' $out/docs/reference.md
elif ((status != 77)); then
  exit $status
fi
# Pages link to files of the repository, which are not part of the site.
python3 - $out/docs <<'END'
import pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
for page in folder.glob("*.md"):
  text = page.read_text(encoding="utf-8").replace("](../SECURITY.md)", "](SECURITY.md)")
  keep = lambda m: m.group(0) if re.match(r"https?:|#", m.group(2)) or (folder / m.group(2).split("#")[0]).exists() else m.group(1)
  page.write_text(re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", keep, text), encoding="utf-8")
END
$out/venv/bin/mkdocs build --quiet --strict
echo "$out/site/index.html"
