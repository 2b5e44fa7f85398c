"""Recipe of Mobula for conan 2, for a clone of the repository: conan create cmake/package/conan

Only the C interface and what it consists of is built by default; -o "&:server=True" builds libraries and programs too.
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

TREE = ("CMakeLists.txt", "LICENSE", "cmake/*", "schema/*", "shared/*", "server/*", "client/*", "docs/*")


class Mobula(ConanFile):
    name = "mobula"
    license = "MIT"
    description = "Authoritative game-state server: client library, server library and programs"
    topics = ("game-server", "netcode", "ecs", "replication")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"server": [True, False]}
    default_options = {"server": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._tree, "CMakeLists.txt"))
        self.version = re.search(r"project\(mobula VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in TREE:
            copy(self, pattern, self._tree, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("flatbuffers/[>=2.0.8 <25]", transitive_headers=True)
        self.requires("fmt/[>=9 <12]", transitive_headers=True)
        self.requires("libsodium/[>=1.0.18 <2]")
        self.requires("nlohmann_json/[>=3.11 <4]")
        self.requires("xxhash/[>=0.8.1 <1]")
        if self.options.server:
            self.requires("boost/[>=1.81 <2]")
            self.requires("cli11/[>=2.3 <3]")
            self.requires("openssl/[>=3 <4]")
            self.requires("prometheus-cpp/[>=1.1 <2]")
            self.requires("rapidjson/[>=1.1 <2]")
            self.requires("spdlog/[>=1.10 <2]")
            self.requires("sqlite3/[>=3.40 <4]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("flatbuffers/<host_version>")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["MOBULA_TESTS"] = False
        toolchain.cache_variables["MOBULA_BENCH"] = False
        toolchain.cache_variables["MOBULA_CLIENT_ONLY"] = not self.options.server
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="mobula-packaged" if self.options.server else "mobula-client-library")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package's own files declare the targets, so conan generates none.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake")]
