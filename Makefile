# SPDX-License-Identifier: Apache-2.0
# Shortcuts over CMake presets. `make demo` and `make test` work from a fresh clone.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
HOSTILE_INPUTS ?= 100000
FAULT_POINTS ?= 2000
MUTANTS ?= 100
SEED ?= 1
# A Python with jaxlib: what `make oracle` installed, else the system's.
PYTHON ?= $(firstword $(wildcard $(CURDIR)/build-xla/bin/python) python3)
DIFFERENTIAL_PROGRAMS ?= 50000
DIFFERENTIAL_FIRST ?= 0
CHAIN_PROGRAMS ?= 10000
CLIFF_MINUTES ?= 10
CHAIN_FIRST ?= 0
DIFFERENTIAL_INVALID ?= 20000
# Tests that `make arm64` builds and runs.
ARM64_TESTS = $(addprefix test_,base text interp kernels runtime lapack cpu pjrt)
# Tests that repeat others, run no code of ours, or need the kernels compiled once more: CI does not run
# them under AddressSanitizer.
REPEATS = ^(variants|levels|package|headers|docs|structure|aot|cached_programs)|compiled[.][12]$$
SOURCES = $(shell git ls-files '*.cc' '*.h')

.PHONY: help deps build demo jax python python-tools cluster-demo test levels warnings arm64 wheel-arm64 check-wheel-arm64 check-systems asan tsan fuzz chains cliffs kernel-forms hostile faults interrupt variants mutate bench bench-build new-operation new-strategy compare-code operations commands reference site performance format tidy install uninstall wheel check-wheel deb check-deb interface clean
.DEFAULT_GOAL := help

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

deps: ## install missing system packages (Debian 12 and 13, Ubuntu 24.04)
	@scripts/install_deps.sh

build: deps ## build the xylem command at build/xylem
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem digits_sheet

demo: build ## classify 360 images of handwritten digits and show them
	@scripts/digits_demo.sh build

jax: deps ## build the plugin for JAX, install it beside JAX into build-jax/ and train a network on it
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem_wheel
	@scripts/jax_demo.sh build build-jax

python: python-tools ## build the Python package without JAX into build/python, and test it
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem_python
	@ctest --test-dir build --output-on-failure --no-tests=error -R '^python_package$$'

# What the package is built and tested with: an environment in build-python/, from PyPI. `make test` takes
# the package along where that is.
python-tools:
	@scripts/install_deps.sh --python
	@scripts/install_python_tools.sh build-python

cluster-demo: ## train the digits on 4 processes of this machine, and compare with one (after `make jax`)
	@cmake --build --preset release --parallel $(JOBS) --target xylem_pjrt xylem_engines
	@scripts/cluster_demo.sh

test: deps ## build everything and run all tests
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target all $(if $(wildcard build-python/bin/python),xylem_python)
	@ctest --test-dir build --output-on-failure --parallel $(JOBS)

levels: deps ## run all tests as on machines without AVX-512, and as on machines without AVX
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)
	@for level in AVX2 SSE4_2; do \
	    echo "--- $$level"; \
	    XLA_FLAGS=--xla_cpu_max_isa=$$level \
	        ctest --test-dir build --output-on-failure --parallel $(JOBS) -LE levels || exit 1; \
	done

warnings: deps ## let a compiler check all sources for warnings: make warnings CXX=clang++-16
	@cmake --preset release -B build-warnings/$(notdir $(CXX)) -DCMAKE_CXX_COMPILER=$(CXX) -DXYLEM_UNITY=OFF >/dev/null
	@cmake --build build-warnings/$(notdir $(CXX)) --parallel $(JOBS) --target xylem_generated xylem_pch xylem_pch_quick xylem_pch_of_tests
	@scripts/check_warnings.py build-warnings/$(notdir $(CXX)) --jobs $(JOBS)

arm64: ## cross-compile for 64-bit ARM (build-arm64/) and run representative tests under qemu
	@scripts/install_deps.sh --arm64
	@cmake --preset arm64
	@cmake --build --preset arm64 --parallel $(JOBS) --target xylem xylem_pjrt $(ARM64_TESTS)
	@scripts/test_arm64.sh build-arm64

wheel-arm64: ## build the Python package for 64-bit ARM into build-wheel-arm64/
	@scripts/install_deps.sh --arm64
	@scripts/unpack_package.sh llvm-19-dev:arm64 build-arm64/llvm
	@cmake --preset arm64 -DXYLEM_STATIC_LLVM=ON -DXYLEM_LLVM_ARCHIVES="$(CURDIR)/build-arm64/llvm/usr/lib/llvm-19/lib"
	@cmake --build --preset arm64 --parallel $(JOBS) --target xylem_wheel
	@scripts/build_wheel.sh build-arm64 build-wheel-arm64

check-wheel-arm64: wheel-arm64 ## install that package into a clean Debian for 64-bit ARM, under qemu, and use it (root; debootstrap)
	@scripts/test_wheel.sh build-wheel-arm64/xylem-*.whl

check-systems: ## build and run all tests in clean roots of Debian 13 and Ubuntu 24.04 (root; debootstrap)
	@scripts/test_suite.sh trixie
	@scripts/test_suite.sh noble

new-operation: deps ## check that an operation is added by the steps of docs/hacking.md
	@scripts/check_additions.py operation --jobs $(JOBS)

new-strategy: deps ## check that a strategy for kernels is added by the steps of docs/cpu.md
	@scripts/check_additions.py strategy --jobs $(JOBS)

asan: deps ## run the tests under AddressSanitizer and UBSan (build-asan/); PART=representative: those of CI
	@cmake --preset asan -DXYLEM_SANITIZE_LESS=$(if $(PART),ON,OFF)
	@cmake --build --preset asan --parallel $(JOBS) $(if $(PART),--target $(PART)_tests)
# LeakSanitizer of GCC 12 mistakes the header of some blocks of thread-local storage and crashes when
# it scans them; such storage belongs to libraries that are loaded at run time.
	@ASAN_OPTIONS=intercept_tls_get_addr=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    ctest --test-dir build-asan --output-on-failure --parallel $(JOBS) $(if $(PART),-E '$(REPEATS)')

tsan: deps ## run what uses threads under ThreadSanitizer (build-tsan/)
	@cmake --preset tsan
	@cmake --build --preset tsan --parallel $(JOBS) --target test_runtime test_interp test_client test_pjrt
	@TSAN_OPTIONS=suppressions=$(CURDIR)/cmake/tsan_suppressions.txt \
	    ctest --test-dir build-tsan --output-on-failure --parallel $(JOBS) -R '^(runtime|interp|client|pjrt)\.'

fuzz: deps ## run each fuzzer for FUZZ_SECONDS, 60 by default (needs clang; build-fuzz/)
	@cmake --preset fuzz
	@cmake --build --preset fuzz --parallel $(JOBS)
	@scripts/run_fuzzers.sh build-fuzz $(FUZZ_SECONDS)

kernel-forms: deps ## measure the forms that dots and convolutions of random shapes choose from
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target bench_kernel_forms
	@build/bench_kernel_forms --shapes 2000 --seed $(SEED)

hostile: deps ## give HOSTILE_INPUTS mutated inputs to all readers, 100000 by default
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target hostile_driver
	@build/hostile_driver --seed $(SEED) --count $(HOSTILE_INPUTS) --findings build/hostile \
	    tests/operations tests/hlo tests/documents tests/passes \
	    tests/stablehlo tests/programs bench/programs

faults: deps ## let allocations and writes fail, and send signals, at FAULT_POINTS points of the command
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem alloc_faults write_faults
	@fuzz/faults/main.py --xylem build/xylem --tools build --points $(FAULT_POINTS) --seed $(SEED)

interrupt: build ## press Ctrl-C at random moments of the programs of tests/programs
	@fuzz/faults/interrupt.py --xylem build/xylem --seed $(SEED) --waiting tests/programs/*/

compare-code: deps ## list programs that are compiled otherwise than at a commit: make compare-code BASE=main DIFF=3
	@scripts/compare_code.py $(BASE) --diff $(or $(DIFF),0) --jobs $(JOBS)

variants: deps ## write the expected outcomes of tests/variants again
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target test_variants
	@XYLEM_UPDATE_EXPECTED=1 build/test_variants --gtest_brief=1

mutate: deps ## mutation testing: make MUTANTS mistakes in the sources, list those that no test notices
	@scripts/mutate.py --count $(MUTANTS) --seed $(SEED)

bench: build ## measure how fast HLO text is read, verified and printed, and the kernels
	@cmake --build --preset release --parallel $(JOBS) --target bench_hlo_text bench_kernels
	@build/bench_kernels
	@build/bench_hlo_text tests/programs
	@build/bench_hlo_text

bench-build: deps ## measure the build, without ccache, and compare it with the budgets (build-bench/)
	@scripts/bench_build.py

commands: build ## write docs/commands.md again, from what --help prints
	@scripts/make_commands_page.py build/xylem > docs/commands.md.new && mv docs/commands.md.new docs/commands.md

performance: ## write docs/performance.md and its charts again, from bench/RESULTS.md
	@scripts/make_performance_page.py

reference: build ## write the reference of the C and C++ interfaces into build-site/reference (Doxygen)
	@scripts/make_reference.sh

site: ## build the documentation as a site in build-site/ (mkdocs, from PyPI; with the reference after a build)
	@scripts/make_site.sh

operations: build ## generate docs/operations.md and docs/emitters.md from the operation table, tests/operations and sources
	@cmake --build --preset release --parallel $(JOBS) --target op_coverage
	@build/op_coverage --page > docs/operations.md.new && mv docs/operations.md.new docs/operations.md
	@build/op_coverage --files . > docs/emitters.md.new && mv docs/emitters.md.new docs/emitters.md

oracle: ## install XLA itself (jaxlib) into build-xla/, for the differential test
	@scripts/install_xla.sh build-xla

differential: deps ## compare random programs with XLA (needs `make oracle`, or a PYTHON with jaxlib)
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target differential_worker
	@$(PYTHON) fuzz/differential/main.py --worker build/differential_worker --seed 1 --coverage \
	    --start $(DIFFERENTIAL_FIRST) --programs $(DIFFERENTIAL_PROGRAMS) --invalid $(DIFFERENTIAL_INVALID) --findings build/differential

chains: deps ## run random chains of operations, interpreted and compiled (CHAIN_PROGRAMS, CHAIN_FIRST)
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target chains
	@build/chains --first $(CHAIN_FIRST) --count $(CHAIN_PROGRAMS) --findings build/chains_findings

cliffs: jax ## search CLIFF_MINUTES, 10 by default, for programs that are slower than XLA's or grow faster
	@build-jax/bin/python fuzz/cliffs/main.py --seed $(SEED) --minutes $(CLIFF_MINUTES)

format: ## clang-format all C++ sources in place
	@clang-format -i $(SOURCES)

tidy: deps ## run clang-tidy over the libraries and the command (needs clang and clang-tidy)
	@cmake --preset tidy >/dev/null
	@cmake --build --preset tidy --parallel $(JOBS) --target xla_protos
	@scripts/run_clang_tidy.py build-tidy --jobs $(JOBS)

install: build ## install command, library, plugin, headers, man page and completions under PREFIX (/usr/local)
	@cmake --build --preset release --parallel $(JOBS) --target xylem_shared xylem_pjrt xylem_engines
	@cmake --install build --prefix $(PREFIX)

uninstall: ## remove what `make install` put under PREFIX
	@cmake -DPREFIX=$(PREFIX) -P cmake/uninstall.cmake

wheel: deps ## build the Python package into build-wheel/: the command, the plugin for JAX, LLVM inside
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem_wheel
	@scripts/build_wheel.sh build build-wheel

check-wheel: wheel ## install the wheel into a clean Debian, use it with and without JAX, remove it (root; debootstrap)
	@scripts/test_wheel.sh build-wheel/xylem-*.whl

deb: deps ## build Debian packages into build-deb/: command, library, development files, plugin
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem xylem_shared xylem_pjrt xylem_engines
	@scripts/build_deb.sh build build-deb

check-deb: deb ## install the packages into a clean Debian, use them, purge them (root; debootstrap)
	@scripts/test_deb.sh build-deb

interface: deps ## write the list of functions that libxylem.so exports again (tests/package/interface.txt)
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target xylem xylem_shared xylem_pjrt xylem_engines
	@UPDATE=1 ctest --test-dir build -R '^package[.](install|interface)$$' --output-on-failure

clean: ## remove the build folders
	@rm -rf build build-debug build-asan build-tsan build-fuzz build-tidy build-bench build-xla build-jax build-python build-arm64 build-warnings build-wheel build-wheel-arm64 build-deb build-base
