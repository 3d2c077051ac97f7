// SPDX-License-Identifier: Apache-2.0
#include "tools/view/page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

std::string EscapedHtml(std::string_view text) {
  return absl::StrReplaceAll(View(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace

std::string MakePage(std::string_view title, const JsonObject& data) {
  // "<" occurs in strings of the JSON alone: none of them can end the element.
  const std::string json = absl::StrReplaceAll(data.ToString(), {{"<", "\\u003c"}});
  const PageParts& parts = EmbeddedPage();
  return absl::StrReplaceAll(View(parts.html), {{"@TITLE@", EscapedHtml(title)},
                                                {"@STYLE@", View(parts.style)},
                                                {"@DATA@", json},
                                                {"@SCRIPT@", View(parts.script)}});
}

absl::Status WritePage(const std::string& path, std::string_view title, const JsonObject& data) {
  XLA_RETURN_IF_ERROR(CheckOutputName(path, "html"));
  return WriteFile(path, MakePage(title, data));
}

}  // namespace xla
