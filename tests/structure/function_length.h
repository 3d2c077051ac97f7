// SPDX-License-Identifier: Apache-2.0
// Finds the functions of C++ sources and how long their bodies are, by their braces.
#ifndef TESTS_STRUCTURE_FUNCTION_LENGTH_H_
#define TESTS_STRUCTURE_FUNCTION_LENGTH_H_

#include <string>
#include <string_view>
#include <vector>

namespace xla::testing {

// A function that is defined at namespace or class scope. Lambdas and local classes are part of the
// function that contains them.
struct FunctionDefinition {
  std::string signature;  // up to the opening brace, without comments and line breaks
  int line = 0;           // where the signature starts
  int body_lines = 0;     // between the lines of the braces
  // What a comment directly above gives as the reason for its length: "// Long: <reason>".
  std::string reason;
};

// The functions of a source file, in the order of their ends. Expects code that compiles.
std::vector<FunctionDefinition> FindFunctions(std::string_view text);

// Functions of more than 60 lines without a reason, and reasons of functions that are not long, as
// "path:line: message".
std::vector<std::string> CheckFunctionLengths(const std::string& path, std::string_view text);

}  // namespace xla::testing

#endif  // TESTS_STRUCTURE_FUNCTION_LENGTH_H_
