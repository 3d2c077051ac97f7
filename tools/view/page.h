// SPDX-License-Identifier: Apache-2.0
// The page of `xylem view` and `xylem profile --html`: one file that needs no network.
#ifndef XYLEM_TOOLS_VIEW_PAGE_H_
#define XYLEM_TOOLS_VIEW_PAGE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/json.h"

namespace xla {

// page.html, page.css and the scripts of this folder, embedded by cmake/view.cmake.
struct PageParts {
  std::string_view html, style, script;
};
const PageParts& EmbeddedPage();

// The page with this data: title, graphs and what else main.js reads.
std::string MakePage(std::string_view title, const JsonObject& data);

// Writes it. INVALID_ARGUMENT if the name of the file promises another format.
absl::Status WritePage(const std::string& path, std::string_view title, const JsonObject& data);

}  // namespace xla

#endif  // XYLEM_TOOLS_VIEW_PAGE_H_
