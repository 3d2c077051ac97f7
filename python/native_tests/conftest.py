# SPDX-License-Identifier: Apache-2.0
"""The tests of the package without JAX, on build/python or an installed wheel."""

import pathlib

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tree():
  return TREE


ADD = """HloModule add
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT sum = f32[3] add(x, y), metadata={op_name="layer/add" source_file="model.py" source_line=7}
}
"""


@pytest.fixture()
def add():
  import xylem
  return xylem.loads(ADD)
