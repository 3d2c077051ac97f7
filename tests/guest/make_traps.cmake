# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=.. -DCC=.. -DPLUGIN=.. -DNAMES=.. -DOUTPUT=.. -P make_traps.cmake: makes the shared library
# OUTPUT, which exports each name that PLUGIN defines for itself and that matches the expression NAMES.
# As functions and as data they are all traps.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET OUTPUT PARENT_PATH folder)
file(MAKE_DIRECTORY ${folder})
# Names of clones and local labels have other characters. What start-up code defines in each library
# cannot be defined twice.
set(script [=[
BEGIN { print ".text\n.balign 16" }
$1 !~ names || $1 !~ /^[A-Za-z_][A-Za-z0-9_]*$/ || seen[$1]++ { next }
$1 ~ /^(_init|_fini|_DYNAMIC|_GLOBAL_OFFSET_TABLE_|_PROCEDURE_LINKAGE_TABLE_|GetPjrtApi)$/ { next }
$1 ~ /^(__dso_handle|__TMC_END__|__FRAME_END__|__GNU_EH_FRAME_HDR|_edata|_end|__bss_start|frame_dummy)$/ { next }
$1 ~ /(register_tm_clones|__do_global_dtors_aux|frame_dummy_init)/ { next }
{ ++count; print ".globl " $1 "\n.type " $1 ", STT_FUNC\n" $1 ":" }
END { print ".fill 64, 1, 0\n.section .note.GNU-stack,\"\",%progbits"; print "names: " count > "/dev/stderr" }
]=])
execute_process(COMMAND ${NM} --defined-only --format=posix ${PLUGIN} COMMAND awk -v names=${NAMES} "${script}"
                OUTPUT_FILE ${OUTPUT}.s ERROR_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
if(NOT names MATCHES "names: [0-9][0-9][0-9][0-9]")
  message(FATAL_ERROR "${PLUGIN}: ${names}\nIt must not be stripped.")
endif()
execute_process(COMMAND ${CC} -shared -o ${OUTPUT} ${OUTPUT}.s COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.s)
message("${names}")
