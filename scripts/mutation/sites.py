# SPDX-License-Identifier: Apache-2.0
"""Sites of mutants in C++ text, found by the layout that clang-format gives it.

Binary operators have spaces on both sides; template brackets, references and unary operators do not.
What is found wrongly does not compile and is left out. A replacement stays on the lines of the
original and holds both versions; mutant::On<N>() chooses.
"""
import bisect
import dataclasses
import re

# How often each operator is drawn.
WEIGHTS = {"drop-check": 4, "drop-status": 1.5, "compare": 3, "logical": 2, "index": 2,
           "constant": 1.5, "bool": 1, "swap": 2, "drop-statement": 2, "arithmetic": 1.5,
           "min-max": 0.7}

COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}
PAIRS = [("lhs", "rhs"), ("input", "output"), ("row", "column"), ("rows", "columns"),
         ("low", "high"), ("begin", "end"), ("first", "last"), ("source", "target"),
         ("replica", "partition"), ("inner", "outer"), ("on_true", "on_false"), ("from", "to"),
         ("minor", "major"), ("head", "tail"), ("start", "limit"), ("left", "right"), ("a", "b"),
         ("width", "height"), ("real", "imag"), ("key", "value"), ("x", "y"), ("i", "j")]


@dataclasses.dataclass(frozen=True)
class Site:
    path: str
    operator: str
    begin: int  # offsets of the text that is replaced
    end: int
    first_line: int
    last_line: int
    template: str  # NUMBER stands for the mutant's number
    description: str
    source: str  # the first line, stripped

    def replacement(self, number):
        return self.template.replace("NUMBER", str(number))


def mask(text):
    """The text with comments, literals and preprocessor lines as spaces (of the same length)."""
    out = list(text)

    def blank(begin, end, fill=" "):
        for i in range(begin, end):
            if out[i] != "\n":
                out[i] = fill
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
        r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
    for found in pattern.finditer(text):
        quoted = found.group()[0] in "\"R'"
        blank(found.start(), found.end(), "_" if quoted else " ")
    return "".join(out)


def closing(text, at):
    """The offset of the bracket that closes the one at `at`; -1 if there is none."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


def operand_end(text, at, stops):
    """Where the operand that begins at `at` ends: before a token of `stops`, on the same level."""
    depth = 0
    i = at
    while i < len(text):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth < 0:
                return i
        elif depth == 0 and text[i] in ";,?":
            return i
        elif depth == 0 and any(text.startswith(stop, i) for stop in stops):
            return i
        i += 1
    return -1


class Finder:
    def __init__(self, path, text):
        self.path, self.text, self.masked = path, text, mask(text)
        self.line_starts = [0] + [found.end() for found in re.finditer("\n", text)]
        # Initializers of constants: they are evaluated before a mutant can be chosen.
        self.constants = []
        for found in re.finditer(r"\bconstexpr\b[^;(){}]*=?\s*\{", self.masked):
            self.constants.append((found.start(), closing(self.masked, found.end() - 1)))
        self.constant_functions()
        # What the build of the mutants leaves out.
        for found in re.finditer(r"^#ifndef NDEBUG\n.*?^#(?:else|endif)", text, re.M | re.S):
            self.constants.append((found.start(), found.end()))
        self.sites = []

    def constant_functions(self):
        """Adds the constexpr functions of a source that only constants and assertions call."""
        if self.path.endswith(".h"):
            return
        for found in re.finditer(r"\b(?:constexpr\b[^;={]*=|static_assert\b)[^;]*;", self.masked):
            self.constants.append((found.start(), found.end()))
        functions = []
        for found in re.finditer(r"\bconstexpr\b[^;(){}=]*?(\w+)\([^(){}]*\)\s*\{", self.masked):
            functions.append((found.group(1), found.start(),
                              closing(self.masked, found.end() - 1)))
        changed = True
        while changed:
            changed = False
            for name, begin, end in functions:
                calls = [found.start() for found in re.finditer(rf"\b{name}\b", self.masked)
                         if not begin <= found.start() < end]
                if (begin, end) not in self.constants and calls and all(
                        any(first <= call < last for first, last in self.constants)
                        for call in calls):
                    self.constants.append((begin, end))
                    changed = True

    def line_of(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def is_excluded(self, offset):
        """Declarations whose values are constants, and assertions."""
        if any(begin <= offset < end for begin, end in self.constants):
            return True
        line = self.line_of(offset)
        begin = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return re.search(r"\b(static_assert|constexpr|case|template|using|typedef|enum|operator|"
                         r"HWY_\w+|XLA_D?CHECK|default:)", self.masked[begin:end]) is not None

    def add(self, operator, begin, end, template, description):
        if self.is_excluded(begin):
            return
        first, last = self.line_of(begin), self.line_of(end - 1)
        start = self.line_starts[first - 1]
        line_end = self.text.find("\n", start)
        self.sites.append(Site(self.path, operator, begin, end, first, last, template, description,
                               self.text[start:line_end].strip()))

    def find(self):
        self.checks()
        self.statuses()
        self.infix("compare", COMPARE)
        self.infix("arithmetic", ARITHMETIC)
        self.logical()
        self.numbers()
        self.bools()
        self.swaps()
        self.statements()
        self.min_max()
        return self.sites

    def checks(self):
        for found in re.finditer(r"\bif \(", self.masked):
            opening = found.end() - 1
            close = closing(self.masked, opening)
            condition = self.masked[opening + 1:close]
            begin = opening + 1
            if ";" in condition:
                begin = opening + 1 + condition.rindex(";") + 1
                condition = self.masked[begin:close]
            if close < 0 or re.search(r"(?<![=!<>])=(?!=)", re.sub(r"\[.*\]", "", condition, flags=re.S)):
                continue
            original = self.text[begin:close]
            self.add("drop-check", begin, close, f" !mutant::On<NUMBER>() && ({original})",
                     "the condition never holds")

    def statuses(self):
        for found in re.finditer(r"^ *(XLA_RETURN_IF_ERROR\()", self.masked, re.M):
            begin = found.start(1)
            close = closing(self.masked, found.end() - 1)
            if close < 0 or self.masked[close + 1:close + 2] != ";":
                continue
            original = self.text[begin:close + 2]
            self.add("drop-status", begin, close + 2,
                     "{ if (!mutant::On<NUMBER>()) { " + original + " } }", "the call is dropped")

    def infix(self, operator, table):
        alternatives = "|".join(re.escape(token) for token in sorted(table, key=len, reverse=True))
        for found in re.finditer(rf"(?<=[\w)\]}}\"'_]) ({alternatives})(?=[ \n])", self.masked):
            token = found.group(1)
            begin, end = found.start(1), found.end(1)
            name = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne", "+": "Add",
                    "-": "Sub", "*": "Mul", "/": "Div", "%": "Mod"}[token]
            self.add(operator, begin, end, f"{token} mutant::Tag<NUMBER, mutant::{name}>() {token}",
                     f"{token} becomes {table[token]}")

    def logical(self):
        for found in re.finditer(r" (&&|\|\|)[ \n]", self.masked):
            token = found.group(1)
            end = operand_end(self.masked, found.end(), ["||"] if token == "||" else ["&&", "||"])
            if end < 0:
                continue
            while self.text[end - 1] in " \n":
                end -= 1
            operand = self.text[found.end():end]
            template = (f"(mutant::On<NUMBER>() || ({operand}))" if token == "&&"
                        else f"(!mutant::On<NUMBER>() && ({operand}))")
            self.add("logical", found.end(), end, template,
                     f"{token} {' '.join(operand.split())[:60]} is dropped")

    def numbers(self):
        index = r"(?<=[\[(])(\d)(?=[\]),])|(?<=, )(\d)(?=[\]),])"
        constant = r"(?<== )(\d)(?=;)|(?<=return )(\d)(?=;)|(?<= [+-] )(\d)(?=[ ;),\]])"
        for operator, pattern in (("index", index), ("constant", constant)):
            for found in re.finditer(pattern, self.masked):
                value = int(found.group())
                other = {0: 1, 1: 0}.get(value, value - 1)
                self.add(operator, found.start(), found.end(),
                         f"(mutant::On<NUMBER>() ? {other} : {value})", f"{value} becomes {other}")

    def bools(self):
        for found in re.finditer(r"(?<=[(\s])(true|false)(?=[),;])", self.masked):
            value = found.group(1)
            other = "false" if value == "true" else "true"
            self.add("bool", found.start(1), found.end(1), f"(mutant::On<NUMBER>() != {value})",
                     f"{value} becomes {other}")

    def swaps(self):
        names = {}
        for a, b in PAIRS:
            names[a], names[b] = b, a
        chain = r"(?<![\w.>:*&])[A-Za-z_]\w*(?:(?:\.|->)\w+(?:\(\))?)*(?:\[\w+\])?(?![\w(<\[:{]|\.|->| \w| =[^=]| [+*/%-|&^]=)"
        for found in re.finditer(chain, self.masked):
            original = self.text[found.start():found.end()]
            if '"' in original or "'" in original:
                continue
            before = self.masked[max(0, found.start() - 40):found.start()]
            if re.search(r"[\w>*&] $", before) and not re.search(r"\b(return|else) $", before):
                continue  # the name in a declaration
            # The last part of the chain that has a counterpart.
            parts = list(re.finditer(r"[A-Za-z_]\w*", original))
            for part in reversed(parts):
                words = part.group().split("_")
                at = next((k for k, word in enumerate(words) if word in names), None)
                if at is None or (len(words) == 1 and len(part.group()) == 1 and len(parts) > 1):
                    continue
                words[at] = names[words[at]]
                swapped = original[:part.start()] + "_".join(words) + original[part.end():]
                self.add("swap", found.start(), found.end(),
                         f"(mutant::On<NUMBER>() ? {swapped} : {original})",
                         f"{original} becomes {swapped}")
                break

    def statements(self):
        """Assignments and calls whose results are unused, on one line."""
        pattern = re.compile(r"(?<=[;{})]\n)^( +)([A-Za-z_][\w.\[\]>()-]*?(?: [+*|&-]?= [^\n]*|\([^\n]*\)));$",
                             re.M)
        for found in pattern.finditer(self.masked):
            body = found.group(2)
            if re.match(r"(return|break|continue|delete|throw|goto|static|if|for|while)\b|XLA_|HWY_",
                        body):
                continue
            begin, end = found.start(2), found.end()
            self.add("drop-statement", begin, end,
                     "{ if (!mutant::On<NUMBER>()) { " + self.text[begin:end] + " } }",
                     "the statement is dropped")

    def min_max(self):
        for found in re.finditer(r"\bstd::(min|max)(<\w+>)?\(", self.masked):
            name, type_name = found.group(1), found.group(2)
            extra = f", {type_name[1:-1]}" if type_name else ""
            self.add("min-max", found.start(), found.end() - 1,
                     f"mutant::{name.capitalize()}<NUMBER{extra}>",
                     f"{name} becomes {'max' if name == 'min' else 'min'}")


def find(path, text):
    """All sites of a file."""
    return Finder(path, text).find()
