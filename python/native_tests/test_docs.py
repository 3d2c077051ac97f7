# SPDX-License-Identifier: Apache-2.0
"""docs/python.md says what happens."""

import doctest


def test_the_page(tree, monkeypatch):
  monkeypatch.chdir(tree)
  failed, tried = doctest.testfile(str(tree / "docs" / "python.md"), module_relative=False,
                                   optionflags=0)
  assert tried > 20 and not failed
