// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/source_tree.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace xla::testing {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// The words between backticks.
std::vector<std::string> Quoted(absl::string_view text) {
  std::vector<std::string> words;
  const std::vector<std::string> parts = absl::StrSplit(text, '`');
  for (size_t i = 1; i < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

std::string WithoutTrailingSlash(std::string folder) {
  while (!folder.empty() && folder.back() == '/') folder.pop_back();
  return folder;
}

// All rooms reachable from each room, itself included.
std::map<std::string, std::set<std::string>> Closure(const std::vector<Room>& rooms) {
  std::map<std::string, const Room*> by_name;
  for (const Room& room : rooms) {
    if (!room.library.empty()) by_name[room.library] = &room;
  }
  std::map<std::string, std::set<std::string>> closure;
  for (const auto& [name, first] : by_name) {
    std::vector<std::string> pending = {name};
    while (!pending.empty()) {
      const std::string next = std::move(pending.back());
      pending.pop_back();
      const auto found = by_name.find(next);
      if (found == by_name.end() || !closure[name].insert(next).second) continue;
      pending.insert(pending.end(), found->second->uses.begin(), found->second->uses.end());
    }
  }
  return closure;
}

// The room that lists the file, or else the longest folder that contains it; null if none does.
const Room* RoomOf(const std::vector<Room>& rooms, const std::string& path) {
  const Room* best = nullptr;
  size_t longest = 0;
  const bool is_generated = absl::EndsWith(path, ".pb.h") || absl::EndsWith(path, "_enums.h");
  for (const Room& room : rooms) {
    if (is_generated && room.library == "xla_protos") return &room;
    for (const std::string& folder : room.folders) {
      if ((path == folder || absl::StartsWith(path, folder + "/")) && folder.size() > longest) {
        best = &room;
        longest = folder.size();
      }
    }
  }
  return best;
}

std::string Name(const Room& room) {
  return room.library.empty() ? absl::StrJoin(room.folders, ", ") : room.library;
}

}  // namespace

std::vector<Room> ParseArchitecturePage(std::string_view page) {
  std::vector<Room> rooms;
  bool is_table = false;
  for (absl::string_view line : absl::StrSplit(View(page), '\n')) {
    if (absl::StartsWith(line, "| folder | library |")) is_table = true;
    if (!absl::StartsWith(line, "|")) is_table = false;
    if (!is_table || !absl::StartsWith(line, "| `")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 5) continue;
    Room room;
    for (const std::string& folder : Quoted(cells[1])) {
      room.folders.push_back(WithoutTrailingSlash(folder));
    }
    const std::vector<std::string> library = Quoted(cells[2]);
    if (!library.empty()) room.library = library[0];
    for (const std::string& used : Quoted(cells[4])) room.uses.insert(used);
    room.uses_all = absl::StrContains(cells[4], "all of the above") ||
                    absl::StripAsciiWhitespace(cells[4]).empty();
    rooms.push_back(std::move(room));
  }
  return rooms;
}

std::vector<Room> ParseRoomsOfBuild(std::string_view cmake_lists) {
  std::vector<Room> rooms;
  absl::string_view rest = View(cmake_lists);
  constexpr absl::string_view kCall = "xylem_room(";
  for (size_t at; (at = rest.find(kCall)) != absl::string_view::npos;) {
    rest.remove_prefix(at + kCall.size());
    const std::vector<std::string> words =
        absl::StrSplit(rest.substr(0, rest.find(')')), absl::ByAnyChar(" \n"), absl::SkipEmpty());
    if (words.empty()) continue;
    Room room;
    room.library = words[0];
    std::string section;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "UNITY" || word == "FOLDERS" || word == "FILES" || word == "EXCEPT" ||
          word == "USES") {
        section = word;
      } else if (section == "FOLDERS") {
        room.folders.push_back(word);
      } else if (section == "USES" && absl::StartsWith(word, "xla_")) {
        room.uses.insert(word);
      } else if (section == "USES" && word == "xylem_lapack") {
        // An interface of that room and an archive (cmake/lapack.cmake).
        room.uses.insert("xla_blas");
      }
    }
    rooms.push_back(std::move(room));
  }
  return rooms;
}

SourceFile ParseSource(std::string path, std::string_view text) {
  SourceFile file;
  file.path = std::move(path);
  for (absl::string_view line : absl::StrSplit(View(text), '\n')) {
    ++file.lines;
    if (!absl::ConsumePrefix(&line, "#include \"")) continue;
    file.includes.push_back({std::string(line.substr(0, line.find('"'))), file.lines,
                             absl::StrContains(line, "IWYU pragma: export")});
  }
  if (text.empty() || text.back() == '\n') --file.lines;
  return file;
}

std::vector<SourceFile> ReadSources(const std::string& root) {
  std::vector<SourceFile> files;
  for (const char* top : {"xla", "tools", "tests", "fuzz", "bench", "examples"}) {
    const std::filesystem::path folder = std::filesystem::path(root) / top;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h" && extension != ".def" && extension != ".inc" &&
          extension != ".c")
        continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      files.push_back(
          ParseSource(std::filesystem::relative(entry.path(), root).string(), text.str()));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> CheckRooms(const std::vector<Room>& page, const std::vector<Room>& build) {
  std::vector<std::string> findings;
  for (const auto& [name, reachable] : Closure(page)) {
    for (const Room& room : page) {
      if (room.library == name || room.uses.count(name) == 0) continue;
      if (reachable.count(room.library) > 0) {
        findings.push_back(absl::StrCat("docs/architecture.md:1: ", room.library, " uses ", name,
                                        ", which uses ", room.library, " in turn"));
      }
    }
  }
  for (const Room& built : build) {
    const auto row = std::find_if(page.begin(), page.end(),
                                  [&](const Room& room) { return room.library == built.library; });
    if (row == page.end()) {
      if (built.library != "xylem_tools") {
        findings.push_back(
            absl::StrCat("CMakeLists.txt:1: docs/architecture.md has no row for ", built.library));
      }
      continue;
    }
    for (const std::string& used : built.uses) {
      if (row->uses.count(used) == 0) {
        findings.push_back(absl::StrCat("CMakeLists.txt:1: ", built.library, " uses ", used,
                                        ", which its row in docs/architecture.md does not list"));
      }
    }
    for (const std::string& used : row->uses) {
      if (absl::StartsWith(used, "xla_") && built.uses.count(used) == 0) {
        findings.push_back(absl::StrCat("docs/architecture.md:1: the row of ", built.library,
                                        " lists ", used, ", which CMakeLists.txt does not"));
      }
    }
  }
  return findings;
}

std::vector<std::string> CheckIncludes(const std::vector<Room>& rooms,
                                       const std::vector<SourceFile>& files) {
  std::vector<std::string> findings;
  const std::map<std::string, std::set<std::string>> closure = Closure(rooms);
  for (const SourceFile& file : files) {
    const Room* from = RoomOf(rooms, file.path);
    if (from == nullptr) {
      findings.push_back(
          absl::StrCat(file.path, ":1: no row of docs/architecture.md has its folder"));
      continue;
    }
    for (const SourceFile::Include& include : file.includes) {
      const Room* to = RoomOf(rooms, include.path);
      // Headers of other libraries, and files beside the including one.
      if (to == nullptr || to == from) continue;
      const bool is_code = absl::StartsWith(include.path, "xla/");
      // Folders without a library hold tests and programs, which nothing else may include.
      const bool allowed = from->library.empty() ? true
                           : from->uses_all      ? is_code
                                                 : closure.at(from->library).count(to->library) > 0;
      if (!allowed) {
        findings.push_back(absl::StrCat(file.path, ":", include.line, ": ", Name(*from),
                                        " may not include ", include.path, " of ", Name(*to)));
      }
    }
  }
  return findings;
}

std::vector<std::string> CheckFolderOrder(const std::vector<std::string>& folders,
                                          const std::vector<SourceFile>& files) {
  const auto number_of = [&](const std::string& path) {
    return std::find(folders.begin(), folders.end(), path.substr(0, path.rfind('/')));
  };
  std::vector<std::string> findings;
  for (const SourceFile& file : files) {
    const auto from = number_of(file.path);
    if (from == folders.end()) continue;
    for (const SourceFile::Include& include : file.includes) {
      if (number_of(include.path) < from) {
        findings.push_back(absl::StrCat(file.path, ":", include.line, ": ", *from,
                                        " may not include ", include.path));
      }
    }
  }
  return findings;
}

std::vector<std::string> CheckIncludeCycles(const std::vector<SourceFile>& files) {
  std::map<std::string, const SourceFile*> by_path;
  for (const SourceFile& file : files) by_path[file.path] = &file;
  enum class State { kNew, kOpen, kDone };
  std::map<std::string, State> states;
  std::vector<std::string> findings;
  std::vector<std::pair<const SourceFile*, int>> path;  // open files, with the line of the include
  const std::function<void(const SourceFile&)> visit = [&](const SourceFile& file) {
    states[file.path] = State::kOpen;
    for (const SourceFile::Include& include : file.includes) {
      const auto next = by_path.find(include.path);
      if (next == by_path.end() || include.exported || states[include.path] == State::kDone)
        continue;
      path.emplace_back(&file, include.line);
      if (states[include.path] == State::kNew) {
        visit(*next->second);
      } else {
        std::string finding = "include cycle:";
        bool inside = false;
        for (const auto& [open, line] : path) {
          inside = inside || open->path == include.path;
          if (inside) absl::StrAppend(&finding, "\n  ", open->path, ":", line);
        }
        findings.push_back(std::move(finding));
      }
      path.pop_back();
    }
    states[file.path] = State::kDone;
  };
  for (const SourceFile& file : files) {
    if (states[file.path] == State::kNew) visit(file);
  }
  return findings;
}

std::vector<std::string> CheckSizes(const std::vector<SourceFile>& files,
                                    std::string_view long_files) {
  constexpr int kMaxLines = 800;
  constexpr int64_t kMaxDepth = 4;
  std::vector<std::string> findings;
  std::set<std::string> excepted;
  for (absl::string_view line : absl::StrSplit(View(long_files), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<std::string, std::string> entry =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    excepted.insert(entry.first);
    const auto file = std::find_if(files.begin(), files.end(), [&](const SourceFile& candidate) {
      return candidate.path == entry.first;
    });
    if (entry.second.empty()) {
      findings.push_back(absl::StrCat("long_files.txt: ", entry.first, " has no reason"));
    } else if (file == files.end() || file->lines <= kMaxLines) {
      findings.push_back(absl::StrCat("long_files.txt: ", entry.first, " is not a long file"));
    }
  }
  for (const SourceFile& file : files) {
    if (std::count(file.path.begin(), file.path.end(), '/') > kMaxDepth) {
      findings.push_back(absl::StrCat(file.path, ":1: more than ", kMaxDepth, " folders deep"));
    }
    if (file.lines > kMaxLines && excepted.count(file.path) == 0) {
      findings.push_back(
          absl::StrCat(file.path, ":", file.lines, ": more than ", kMaxLines,
                       " lines; split it, or give a reason in tests/structure/long_files.txt"));
    }
  }
  return findings;
}

}  // namespace xla::testing
