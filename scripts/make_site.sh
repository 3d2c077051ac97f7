#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site in build-site/site, with mkdocs from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build-site
[ -x $out/venv/bin/mkdocs ] || { python3 -m venv $out/venv && $out/venv/bin/pip install --quiet mkdocs mkdocs-material; }
rm -rf $out/docs
mkdir -p $out/docs
cp -r docs/. CHANGELOG.md CONTRIBUTING.md SECURITY.md $out/docs/
sed -e 's#](docs/#](#g' README.md > $out/docs/index.md
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
