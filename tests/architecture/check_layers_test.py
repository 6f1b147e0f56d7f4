"""The checker itself, on small trees: a sound one passes, and each kind of violation is caught and named."""

import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("src/layers.txt", "base : | xxhash.h\nmachine : base\nsimulate : base machine\n"
                                     "storage : base | hdf5.h posix\n")
        self.write("src/README.md", "`base/` `machine/` `simulate/` `storage/`\n")
        self.write("src/base/units.hpp", "// Quantities with units.\n#include <chrono>\n#include <xxhash.h>\n")
        self.write("src/machine/gpu.hpp", '// One GPU kind.\n#include "base/units.hpp"\n#include "machine/group.hpp"\n')
        self.write("src/simulate/simulate.hpp", "// One config, simulated.\n#pragma once\n")
        self.write("src/storage/hdf5.cpp", "#include <hdf5.h>\n#include <unistd.h>\n")
        self.write("tests/unit/base/units_test.cpp", "int a;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_caught(self, *words):
        found = check_layers.violations(self.root)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_sound_tree_passes(self):
        self.assertEqual(check_layers.violations(self.root), [])

    def test_an_upward_include_is_caught(self):
        self.write("src/base/units.hpp", '// Quantities with units.\n#include "machine/gpu.hpp"\n')
        self.assert_caught("src/base/units.hpp:2", "base may not include machine")

    def test_an_include_of_a_folder_that_is_no_module_is_caught(self):
        self.write("src/machine/gpu.hpp", '// One GPU kind.\n#include "tests/support/tiny.hpp"\n')
        self.assert_caught("machine may not include tests")

    def test_an_include_without_its_module_is_caught(self):
        self.write("src/machine/gpu.hpp", '// One GPU kind.\n#include "group.hpp"\n')
        self.assert_caught('write "machine/group.hpp"')

    def test_a_third_party_header_outside_its_folder_is_caught(self):
        self.write("src/machine/gpu.cpp", "#include <hdf5.h>\n")
        self.assert_caught("src/machine/gpu.cpp:1", "third-party header <hdf5.h>")

    def test_a_posix_header_in_a_pure_module_is_caught(self):
        self.write("src/machine/gpu.cpp", "#include <unistd.h>\n")
        self.assert_caught("POSIX header <unistd.h>")

    def test_a_clock_in_the_core_is_caught_and_allowed_above_it(self):
        self.write("src/storage/clock.cpp", "auto now = std::chrono::system_clock::now();\n")
        self.assertEqual(check_layers.violations(self.root), [])
        self.write("src/simulate/simulate.cpp", "auto now = std::chrono::steady_clock::now();\n")
        self.assert_caught("src/simulate/simulate.cpp:1", "pure core")

    def test_a_cycle_of_layers_is_caught(self):
        self.write("src/layers.txt", "base : machine | xxhash.h\nmachine : base\nsimulate : base machine\n"
                                     "storage : base | hdf5.h posix\n")
        self.assert_caught("src/layers.txt", "base may not use machine")

    def test_a_file_too_long_is_caught(self):
        self.write("src/base/long.cpp", "\n" * (check_layers.max_lines + 1))
        self.assert_caught("src/base/long.cpp", "401 lines")

    def test_a_test_too_long_is_caught(self):
        self.write("tests/unit/base/long_test.cpp", "\n" * (check_layers.max_lines + 1))
        self.assert_caught("tests/unit/base/long_test.cpp", "401 lines")

    def test_a_module_missing_from_the_map_is_caught(self):
        self.write("src/README.md", "`base/` `machine/` `simulate/`\n")
        self.assert_caught("src/README.md", "`storage/`")

    def test_a_header_that_does_not_say_what_it_is_is_caught(self):
        self.write("src/storage/hdf5.hpp", "#pragma once\n// Columns, texts and attributes.\n")
        self.assert_caught("src/storage/hdf5.hpp:1", "comment that says what it is")
        self.write("src/storage/hdf5.hpp", "// HDF5.\n#pragma once\n")
        self.assert_caught("src/storage/hdf5.hpp:1", "comment that says what it is")

    def test_a_folder_missing_from_the_layers_is_caught(self):
        self.write("src/wilderness/tree.hpp", "#pragma once\n")
        self.assert_caught("src/wilderness", "layers.txt")

    def test_a_path_of_one_machine_is_caught(self):
        self.write("tests/unit/base/units_test.cpp", 'auto path = "/ho' + 'me/someone/data.csv";\n')
        self.assert_caught("tests/unit/base/units_test.cpp:1", "path of one machine")

    def test_a_stranger_at_the_root_is_caught(self):
        self.write("pages/page.md", "hello\n")
        self.assert_caught("pages", "root")


if __name__ == "__main__":
    unittest.main()
