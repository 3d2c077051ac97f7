// SPDX-License-Identifier: Apache-2.0
// The pretty forms of operations as data: a format is words separated by spaces.
//
//   $name          an operand               $name*     operands, separated by commas
//   $name,*        operands, each followed by a comma
//   @name:kind     an attribute             dict       {..}, if it is there
//   dictkw         attributes {..}, if it is there
//   region         {..}
//   body           (%a: type, ..) {..}: a region, with the arguments of its first block
//   [ .. ]         may be absent; starts with a literal, or with operands that are there or not
//   fn             (operand types) -> result types
//   same           one type for all operands and the result, or fn
//   operands       types of the operands    results    types of the results
//   operand        one type for all operands
//   value          operands and results have the type of the attribute "value"
//   a name of a TypeForm: select, complex, tuple, pairwise
//   name=          a keyword and '=', without a space before what follows
//   other words    literals: keywords and punctuation; '[' and ']' in quotes: `[`
//
// Kinds of attributes: i64, i32, ui32, bool, f64, str, array ("[1, 2]" as array<i64>), any, sym
// (@name), symstr (@name as a string), enum:dialect.name (KEYWORD as #dialect<name KEYWORD>),
// case:A,B (a keyword as its number in the list, an i32; a group of it is left out where that is
// 0), own:dialect.name (an attribute of that kind, without #dialect.name), bare:dialect.name
// (without < and > too).
#ifndef XLA_MLIR_OPERATION_FORMAT_H_
#define XLA_MLIR_OPERATION_FORMAT_H_

#include "xla/mlir/operation_reader.h"

namespace xla::mlir {

// Reads an operation by its format.
bool ParseByFormat(OperationReader& reader, std::string_view format, OperationState& state);

// Whether a literal is a keyword with '='.
bool IsAssignment(std::string_view literal);

// Of the kind "case:A,B": the keyword of a number, empty beyond them; the number of a keyword, -1
// if it is none of them or the kind is another.
std::string_view CaseName(std::string_view kind, int64_t number);
int64_t CaseNumber(std::string_view kind, std::string_view word);

// Takes the next word off a format; empty at its end.
std::string_view NextWord(std::string_view* format);

}  // namespace xla::mlir

#endif  // XLA_MLIR_OPERATION_FORMAT_H_
