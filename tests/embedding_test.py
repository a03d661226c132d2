"""The repository inside another project: it builds the library alone, with that project's flags, and searches for no
package that only the command, the engine or tests need."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARENT = f"""cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory("{ROOT}" haloscope)
add_executable(user user.cc)
target_link_libraries(user PRIVATE haloscope::core)
get_directory_property(options COMPILE_OPTIONS)
message(STATUS "parent: [${{options}}] [${{CMAKE_CXX_FLAGS_RELEASE}}] [${{CMAKE_CXX_STANDARD}}]")
"""
HIDDEN = ("fmt", "CLI11", "LLVM", "MPI", "GTest", "benchmark", "Python3")


class Embedding(unittest.TestCase):

    def test_only_the_library_with_the_parents_flags(self):
        compiler = shutil.which("clang++-19") or shutil.which("c++")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CMakeLists.txt").write_text(PARENT)
            (folder / "user.cc").write_text("#include <haloscope/haloscope.h>\nint main() {}\n")
            configured = subprocess.run(
                ["cmake", "-S", name, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                 "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O3", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                 *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{each}=ON" for each in HIDDEN)],
                capture_output=True, text=True, check=False)
            self.assertEqual(0, configured.returncode, configured.stdout + configured.stderr)
            self.assertIn("parent: [] [-O3] []", configured.stdout)
            commands = json.loads((folder / "build" / "compile_commands.json").read_text())
            self.assertFalse((folder / "build" / "haloscope" / "CTestTestfile.cmake").exists())
            targets = subprocess.run(["ninja", "-C", folder / "build", "-t", "targets", "all"], capture_output=True,
                                     text=True, check=True).stdout
        self.assertNotIn("fuzzers", targets)
        self.assertGreater(len(commands), 300)
        for each in commands:
            self.assertIn(" -O3 ", each["command"])
            self.assertNotIn(" -O2 ", each["command"])
            self.assertNotIn("ccache", each["command"])
            self.assertNotRegex(each["file"], r"_(test|fuzz|bench)\.cc$|/tools/|/halo/(codegen|engine|devices|passes)/")


if __name__ == "__main__":
    unittest.main()
