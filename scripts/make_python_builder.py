#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the builder of the Python package from the functions of xla/hlo/builder/xla_ops.h.

    scripts/make_python_builder.py xla/hlo/builder/xla_ops.h TABLE.cc OPERATIONS.py

TABLE.cc has a row for each form of each function, OPERATIONS.py a Python function for each name. A
function whose parameters it cannot pass on ends the build: nothing of the header is left out
silently.
"""

import keyword
import pathlib
import re
import sys

# What holds an argument while the function is called; the names of C++ types as the header has them.
HOLDERS = {
    "absl::Span<const XlaOp>": "std::vector<XlaOp>",
    "absl::Span<const int64_t>": "std::vector<int64_t>",
    "absl::Span<const std::pair<int64_t, int64_t>>": "std::vector<std::pair<int64_t, int64_t>>",
    "absl::Span<const Shape>": "std::vector<Shape>",
    "absl::Span<const ReplicaGroup>": "std::vector<ReplicaGroup>",
    "absl::Span<const XlaComputation* const>": "std::vector<XlaComputation>",
    "AliasingPairs": "std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>",
    "const PrecisionConfig*": "std::optional<PrecisionConfig>",
    "const Literal*": "std::optional<Literal>",
    "const LiteralSlice&": "Literal",
    "std::optional<absl::string_view>": "std::optional<std::string>",
    "XlaComputationRef": "XlaComputation",
}
# How the function gets it, where the holder itself does not do.
PASSED = {
    "const PrecisionConfig*": "PointerOf({})",
    "const Literal*": "PointerOf({})",
    "absl::Span<const XlaComputation* const>": "PointersOf({})",
}
# Types that stand as they are, or by const reference.
VALUES = {
    "XlaOp", "int64_t", "int", "bool", "float", "std::string", "Shape", "PrimitiveType",
    "ComparisonDirection", "Comparison::Type", "Padding", "PaddingType", "FftType",
    "TriangularSolveOptions::Transpose", "RandomAlgorithm", "TriState", "CustomCallSchedule",
    "CustomCallApiVersion", "PaddingConfig", "GatherDimensionNumbers", "ScatterDimensionNumbers",
    "DotDimensionNumbers", "RaggedDotDimensionNumbers", "ConvolutionDimensionNumbers", "Window",
    "ChannelHandle", "CollectiveDeviceList", "OpSharding", "std::vector<bool>",
    "std::vector<std::pair<int64_t, int64_t>>", "std::optional<ResultAccuracy>",
    "std::optional<PrimitiveType>", "std::optional<ChannelHandle>", "std::optional<Layout>",
    "std::optional<Shape>", "std::optional<bool>", "std::optional<int64_t>",
    "std::optional<std::vector<bool>>",
}
# Ids of computations within a tree of builders, which Python does not have.
UNUSED = {"absl::Span<const XlaComputationId>"}
# Annotations of the Python functions, by holder.
ANNOTATIONS = {
    "XlaOp": "Operand", "std::vector<XlaOp>": "Sequence[Operand]", "std::vector<int64_t>": "Sequence[int]",
    "int64_t": "int", "int": "int", "bool": "bool", "float": "float", "std::string": "str",
    "Shape": "ShapeLike", "std::optional<Shape>": "ShapeLike | None", "PrimitiveType": "TypeLike",
    "std::optional<PrimitiveType>": "TypeLike | None", "XlaComputation": "Called",
    "std::vector<XlaComputation>": "Sequence[Called]", "Literal": "ArrayLike",
    "std::vector<std::pair<int64_t, int64_t>>": "Sequence[Tuple[int, int]]",
    "std::vector<bool>": "Sequence[bool]", "std::vector<ReplicaGroup>": "Sequence[Sequence[int]]",
}


def declarations(text):
  """(comment, result, name, parameters) of each function outside of templates."""
  text = text[text.index("namespace xla {") + len("namespace xla {"):]
  text = re.sub(r"\ntemplate <[^\n]*>\n(inline )?XlaOp [^}]*?\n}", "\n", text)
  pattern = re.compile(
      r"((?:^//[^\n]*\n)*)^(?:inline )?(XlaOp|void|absl::StatusOr<XlaOp>) (\w+)\(((?:[^()]|\([^()]*\))*)\)\s*[;{]",
      re.M)
  for match in pattern.finditer(text):
    comment = "\n".join(line[2:].strip() for line in match[1].splitlines() if not line.startswith("// ---"))
    yield comment, match[2], match[3], match[4]


def split(text):
  """At commas outside of brackets."""
  parts, depth, start = [], 0, 0
  for i, c in enumerate(text):
    depth += (c in "<({") - (c in ">)}")
    if c == "," and depth == 0:
      parts.append(text[start:i])
      start = i + 1
  return [part.strip() for part in [*parts, text[start:]] if part.strip()]


class Parameter:

  def __init__(self, text, where):
    text, _, self.default = (part.strip() for part in re.sub(r"\s+", " ", text).partition("="))
    match = re.fullmatch(r"(.*?[&*> ])\s*(\w+)", text)
    self.type, self.name = match[1].strip(), match[2]
    self.is_builder = self.type == "XlaBuilder*"
    value = re.sub(r"^const (.*)&$", r"\1", self.type).strip()
    self.holder = HOLDERS.get(self.type) or (value if value in VALUES else None)
    if self.holder is None and not self.is_builder and self.type not in UNUSED:
      sys.exit(f"{sys.argv[1]}: {where}: scripts/make_python_builder.py knows no {self.type}")

  def expression(self, i):
    return PASSED.get(self.type, "{}").format(f"a{i}")


class Form:

  def __init__(self, comment, result, name, parameters):
    self.comment, self.result, self.function = comment, result, name
    self.parameters = [Parameter(text, name) for text in split(parameters)]
    self.python = python_name(name)

  @property
  def is_usable(self):
    return not any(p.type in UNUSED for p in self.parameters)

  @property
  def has_builder(self):
    return bool(self.parameters) and self.parameters[0].is_builder

  @property
  def arguments(self):
    return [p for p in self.parameters if not p.is_builder]

  @property
  def is_source(self):
    """Without operands: the builder must be named."""
    return self.has_builder and not any("XlaOp" in p.holder for p in self.arguments)

  def signature(self):
    given = [p.name + ("=" + default_text(p) if p.default else "") for p in self.arguments]
    return ", ".join((["builder"] if self.is_source else []) + given)

  def row(self):
    lines = []
    names = ", ".join(f'{{"{p.name}", {"true" if p.default else "false"}}}' for p in self.arguments)
    fits = "".join(f" && call.Fits<{p.holder}>({i})" for i, p in enumerate(self.arguments))
    lines.append(f'    {{"{self.python}", {{{names}}},')
    lines.append(f"     []([[maybe_unused]] const CallReader& call) {{ return true{fits}; }},")
    lines.append("     []([[maybe_unused]] CallReader& call) -> absl::StatusOr<XlaOp> {")
    for i, p in enumerate(self.arguments):
      if p.default:
        lines.append(f"       XLA_ASSIGN_OR_RETURN(const auto a{i}, (call.ReadOr<{p.holder}>({i}, "
                     f"[] {{ return {initial(p)}; }})));")
      else:
        lines.append(f"       XLA_ASSIGN_OR_RETURN(const auto a{i}, (call.Read<{p.holder}>({i})));")
    passed = ", ".join((["call.builder()"] if self.has_builder else []) +
                       [p.expression(i) for i, p in enumerate(self.arguments)])
    if self.result == "void":
      lines += [f"       {self.function}({passed});", "       return XlaOp();"]
    else:
      lines.append(f"       return {self.function}({passed});")
    lines.append("     }},")
    return "\n".join(lines)


def initial(p):
  """The default of the header, as a value of the holder."""
  if p.default in ("{}", "nullptr", "std::nullopt"):
    return f"{p.holder}()"
  return f"{p.holder}({p.default})"


def default_text(p):
  return {"true": "True", "false": "False", '""': '""'}.get(
      p.default, p.default if re.fullmatch(r"-?\d+", p.default) else "None")


def python_name(name):
  snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
  return snake + "_" if keyword.iskeyword(snake) or snake == "while" else snake


def annotation(p):
  text = ANNOTATIONS.get(p.holder, "Any")
  return f"{text} | None" if p.default and default_text(p) == "None" and "None" not in text else text


def documentation(forms):
  lines = []
  for form in forms:
    lines.append(f"{form.python}({form.signature()})")
  comments = [form.comment for form in forms if form.comment]
  text = "\n".join(lines) + ("\n\n" + "\n".join(comments) if comments else "")
  return text.replace("\\", "\\\\").replace('"""', "'''")


def python_function(name, forms):
  doc = "\n  ".join(documentation(forms).splitlines())
  if len(forms) > 1:
    return (f'def {name}(*args: Any, **kwargs: Any) -> Op:\n  """{doc}"""\n'
            f'  return _call("{name}", args, kwargs)\n')
  form = forms[0]
  given = [f"{p.name}: {annotation(p)}" + (f" = {default_text(p)}" if p.default else "")
           for p in form.arguments]
  names = [p.name for p in form.arguments]
  if form.is_source:
    given.insert(0, "builder: Builder")
    names.insert(0, "builder")
    keywords = "{}"
  elif form.has_builder:
    given += ["*", "builder: Builder | None = None"]
    keywords = '{"builder": builder}'
  else:
    keywords = "{}"
  tail = "," if len(names) == 1 else ""
  return (f'def {name}({", ".join(given)}) -> Op:\n  """{doc}"""\n'
          f'  return _call("{name}", ({", ".join(names)}{tail}), {keywords})\n')


def main():
  if len(sys.argv) != 4:
    sys.exit(__doc__)
  header, table, operations = map(pathlib.Path, sys.argv[1:])
  text = header.read_text()
  forms = [Form(*declaration) for declaration in declarations(text)]
  # Every function must have been met: declarations at the margin that the pattern missed show here.
  declared = re.findall(r"^(?:inline )?(?:XlaOp|void|absl::StatusOr<XlaOp>) (\w+)\(", text, re.M)
  templates = re.findall(r"^template <[^\n]*>\n(?:inline )?XlaOp (\w+)\(", text, re.M)
  missed = len(declared) - len(templates) - len(forms)
  if missed:
    sys.exit(f"{header}: {missed} functions are not understood by scripts/make_python_builder.py")
  forms = [form for form in forms if form.is_usable]
  by_name = {}
  for form in forms:
    by_name.setdefault(form.python, []).append(form)
  note = "Written by scripts/make_python_builder.py from xla/hlo/builder/xla_ops.h."
  rows = "\n".join(form.row() for form in sorted(forms, key=lambda form: form.python))
  table.write_text(f'''// {note}
#include "python/native/operation_forms.h"
#include "xla/base/status_macros.h"

namespace xla::python {{

const std::vector<OperationForm>& OperationForms() {{
  static const auto* const forms = new std::vector<OperationForm>{{
{rows}
  }};
  return *forms;
}}

}}  // namespace xla::python
''')
  functions = "\n\n".join(python_function(name, by_name[name]) for name in sorted(by_name))
  names = ", ".join(f'"{name}"' for name in sorted(by_name))
  operations.write_text(f'''# {note}
"""The operations of the builder, a function for each of xla_ops.h."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from xylem._calls import ArrayLike, Builder, Called, Op, Operand, ShapeLike, TypeLike
from xylem._calls import call as _call

__all__ = [{names}]


{functions}''')


if __name__ == "__main__":
  main()
