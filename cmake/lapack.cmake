# SPDX-License-Identifier: Apache-2.0
# xylem_lapack: reference LAPACK on Xylem's BLAS (xla/blas). Link it to what calls routines of either.
#
# Whole: both archives need each other, and LAPACK's archive has an xerbla_ of its own that ends the
# process, so that the definitions of xla_blas must come first. What is not used is dropped by the
# linker (--gc-sections).
find_library(XYLEM_LAPACK NAMES liblapack.a PATH_SUFFIXES lapack REQUIRED)
mark_as_advanced(XYLEM_LAPACK)
add_library(xylem_lapack INTERFACE)
target_link_libraries(xylem_lapack INTERFACE
    "$<LINK_LIBRARY:WHOLE_ARCHIVE,xla_blas>" ${XYLEM_LAPACK} m)
