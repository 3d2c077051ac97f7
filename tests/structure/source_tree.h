// SPDX-License-Identifier: Apache-2.0
// Checks of the source tree: includes follow the table of docs/architecture.md, and file sizes and
// path depths stay within bounds.
#ifndef TESTS_STRUCTURE_SOURCE_TREE_H_
#define TESTS_STRUCTURE_SOURCE_TREE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace xla::testing {

// A row of the table of rooms.
struct Room {
  std::string library;               // "xla_text"; empty for folders without a library (tests)
  std::vector<std::string> folders;  // "xla/hlo/text", without a trailing slash
  std::set<std::string> uses;        // libraries that it may use directly
  bool uses_all = false;             // "all of the above", or no entry at all
};

// The table of docs/architecture.md.
std::vector<Room> ParseArchitecturePage(std::string_view page);
// The calls of xylem_room in CMakeLists.txt. `uses` holds rooms only, no other libraries.
std::vector<Room> ParseRoomsOfBuild(std::string_view cmake_lists);

// A file and what it includes by "path", with line numbers.
struct SourceFile {
  struct Include {
    std::string path;
    int line;
    bool exported = false;  // marked "IWYU pragma: export"
  };
  std::string path;  // from the root of the repository
  int lines = 0;
  std::vector<Include> includes;
};
SourceFile ParseSource(std::string path, std::string_view text);
// Every C++ file below `root`, without build folders, by path.
std::vector<SourceFile> ReadSources(const std::string& root);

// Each function returns its findings as "file:line: message"; none if all is well.

// Room dependencies are acyclic, and the build gives each room the libraries of its row.
std::vector<std::string> CheckRooms(const std::vector<Room>& page, const std::vector<Room>& build);
// A file includes only files of its own room and of rooms that its row allows, directly or through
// another room.
std::vector<std::string> CheckIncludes(const std::vector<Room>& rooms,
                                       const std::vector<SourceFile>& files);
// A file in one of the folders of a room includes, of these folders, its own and later ones only.
std::vector<std::string> CheckFolderOrder(const std::vector<std::string>& folders,
                                          const std::vector<SourceFile>& files);
// No header includes itself through others. A finding lists the cycle, one include a line. What a
// header re-exports ("IWYU pragma: export") may include it: the parts of xla_builder.h do.
std::vector<std::string> CheckIncludeCycles(const std::vector<SourceFile>& files);
// At most four folders deep, and at most 800 lines unless `long_files` lists the file with a reason
// ("path: reason" lines). Entries of that list that are no longer needed are findings too.
std::vector<std::string> CheckSizes(const std::vector<SourceFile>& files,
                                    std::string_view long_files);

}  // namespace xla::testing

#endif  // TESTS_STRUCTURE_SOURCE_TREE_H_
