#include "config/catalog/built_in_catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include <fstream>

#include "base/error.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::config {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A program of its own prefix: PREFIX/bin/echo-sweep.
class BuiltInCatalog : public ::testing::Test {
 protected:
  BuiltInCatalog()
      : prefix(fs::canonical(fs::temp_directory_path()) / ("echo-prefix-" + std::to_string(::getpid()))) {
    fs::create_directories(prefix / "bin");
  }
  ~BuiltInCatalog() override { fs::remove_all(prefix); }

  fs::path make_catalog(const fs::path& folder) const {
    for (const char* kind : {"gpus", "models", "clusters"}) fs::create_directories(prefix / folder / kind);
    return prefix / folder;
  }
  [[nodiscard]] std::string found(const std::string& chosen = "") const {
    return built_in_catalog({.chosen = chosen, .program = prefix / "bin/echo-sweep"});
  }
  [[nodiscard]] Problem refusal(const std::string& chosen = "") const {
    try {
      return {.what = "found " + found(chosen)};
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
      return error.problems().front();
    }
  }
  fs::path prefix;
};

TEST_F(BuiltInCatalog, LiesBesideTheProgram) {
  const fs::path catalog = make_catalog("share/echo-sweep/catalog");
  EXPECT_EQ(found(), catalog);
}

TEST_F(BuiltInCatalog, IsNamedWithoutTheLinkOfABuildTree) {
  const fs::path source = make_catalog("source/sweeps/catalog");
  fs::create_directories(prefix / "share/echo-sweep");
  fs::create_directory_symlink("../../source/sweeps/catalog", prefix / "share/echo-sweep/catalog");
  EXPECT_EQ(found(), source);
}

TEST_F(BuiltInCatalog, IsTheChosenOneBeforeAnyOther) {
  make_catalog("share/echo-sweep/catalog");
  const fs::path chosen = make_catalog("mine");
  EXPECT_EQ(found(chosen), chosen);
}

TEST_F(BuiltInCatalog, AWrongChoiceIsRefusedAlthoughThereIsAnother) {
  make_catalog("share/echo-sweep/catalog");
  const std::string nowhere = prefix / "nowhere";
  EXPECT_THAT(refusal(nowhere).what,
              HasSubstr(nowhere + ", which is not a catalog: there is no such folder"));
  fs::create_directories(prefix / "half/gpus");
  EXPECT_THAT(refusal(prefix / "half").what, HasSubstr("no folder \"models\""));
  std::ofstream(prefix / "file") << "no folder";
  EXPECT_THAT(refusal(prefix / "file").what, HasSubstr("there is no such folder"));
}

TEST_F(BuiltInCatalog, AMissNamesTheFolderThatWasTried) {
  const Problem problem = refusal();
  EXPECT_THAT(problem.what, HasSubstr("tried " + (prefix / "share/echo-sweep/catalog").string()));
  EXPECT_THAT(problem.remedy, HasSubstr("ECHO_CATALOG_DIR"));
}

TEST_F(BuiltInCatalog, OfThisBuildTreeIsTheSources) {
  const CatalogSearch search{.program = catalog_search().program};
  EXPECT_EQ(built_in_catalog(search), fs::canonical(support::source_dir()) / "sweeps/catalog");
}

TEST_F(BuiltInCatalog, AnEmptyVariableChoosesNothing) {
  ::setenv("ECHO_CATALOG_DIR", "", 1);
  EXPECT_EQ(catalog_search().chosen, "");
  ::setenv("ECHO_CATALOG_DIR", "somewhere", 1);
  EXPECT_EQ(catalog_search().chosen, "somewhere");
  ::unsetenv("ECHO_CATALOG_DIR");
}

}  // namespace
}  // namespace echo::config
