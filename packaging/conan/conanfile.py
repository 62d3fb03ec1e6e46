"""conan create packaging/conan --build=missing

Builds this checkout. Anti-Grain Geometry is not in ConanCenter: install the system package (libagg-dev).
Consumers write find_package(CompressionBoard COMPONENTS writer), as with the
package that `cmake --install` makes.
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class CompressionBoard(ConanFile):
    name = "compression-board"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Logs and compares neural networks before and after compression"
    settings = "os", "compiler", "build_type", "arch"
    requires = (
        "boost/[>=1.81]",
        "cli11/[>=2.3]",
        "giflib/[>=5.2]",
        "highway/[>=1.0]",
        "isa-l/[>=2.30]",
        "libdeflate/[>=1.14]",
        "libspng/[>=0.7]",
        "md4c/[>=0.4.8]",
        "openssl/[>=3.0]",
        "protozero/[>=1.7]",
        "pugixml/[>=1.13]",
        "re2/[>=20220601]",
        "simdjson/[>=3.1]",
        "tl-expected/[>=1.0]",
        "yaml-cpp/[>=0.7]",
    )

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "data/*", "examples/*", "include/*",
                        "packaging/*", "src/*"):  # fmt: skip
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["CBOARD_TESTS"] = False
        toolchain.variables["CBOARD_PAGE"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="programs")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.builddirs = ["lib/cmake/CompressionBoard"]
        self.cpp_info.set_property("cmake_find_mode", "none")  # Our own package config.
