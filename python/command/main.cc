// SPDX-License-Identifier: Apache-2.0
// The command of the wheel, which is in the library that the extensions use, too.
extern "C" int xylem_command_main(int argc, char** argv);

int main(int argc, char** argv) { return xylem_command_main(argc, argv); }
