// SPDX-License-Identifier: Apache-2.0
// The pretty forms of operations as data: a format is words separated by spaces.
//
//   $name          an operand               $name*     operands, separated by commas
//   $name,*        operands, each followed by a comma
//   @name:kind     an attribute             dict       {..}, if it is there
//   dictkw         attributes {..}, if it is there
//   region         {..}
//   [ .. ]         may be absent; starts with a literal, or with operands that are there or not
//   fn             (operand types) -> result types
//   same           one type for all operands and the result, or fn
//   operands       types of the operands    results    types of the results
//   operand        one type for all operands
//   value          operands and results have the type of the attribute "value"
//   a name of a TypeForm: select, complex, tuple, pairwise
//   other words    literals: keywords and punctuation; '[' and ']' in quotes: `[`
//
// Kinds of attributes: i64, i32, ui32, bool, f64, str, array ("[1, 2]" as array<i64>), any, sym
// (@name), symstr (@name as a string), enum:dialect.name (KEYWORD as #dialect<name KEYWORD>).
#ifndef XLA_MLIR_OPERATION_FORMAT_H_
#define XLA_MLIR_OPERATION_FORMAT_H_

#include "xla/mlir/operation_reader.h"

namespace xla::mlir {

// Reads an operation by its format.
bool ParseByFormat(OperationReader& reader, std::string_view format, OperationState& state);

// Takes the next word off a format; empty at its end.
std::string_view NextWord(std::string_view* format);

}  // namespace xla::mlir

#endif  // XLA_MLIR_OPERATION_FORMAT_H_
