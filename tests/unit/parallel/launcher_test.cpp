#include "parallel/platform/launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace echo::parallel {
namespace {

// Without what launchers set, this test's own included; puts the environment back.
class Launcher : public testing::Test {
 protected:
  Launcher() {
    for (char** entry = environ; *entry != nullptr; ++entry) before_.emplace_back(*entry);
    for (const std::string& entry : before_)
      for (const char* start : {"OMPI_COMM", "PMI", "SLURM", "FLUX", "ALPS", "MV2"})
        if (entry.starts_with(start)) unsetenv(entry.substr(0, entry.find('=')).c_str());
  }
  ~Launcher() override {
    clearenv();
    for (const std::string& entry : before_) {
      const auto name = entry.find('=');
      setenv(entry.substr(0, name).c_str(), entry.c_str() + name + 1, 1);
    }
  }

 private:
  std::vector<std::string> before_;
};

TEST_F(Launcher, NobodyStartedAProcessOfAShell) {
  setenv("OMPI_MCA_btl", "self", 1);  // settings of MPI are no launcher
  setenv("SLURM_JOB_ID", "7", 1);     // nor is an allocation
  EXPECT_FALSE(is_launched());
  EXPECT_FALSE(may_have_peers());
  EXPECT_TRUE(is_first_process());
}

TEST_F(Launcher, RanksAreThoseOfTheLauncher) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    setenv(name, "3", 1);
    EXPECT_TRUE(is_launched() && may_have_peers()) << name;
    EXPECT_FALSE(is_first_process()) << name;
    setenv(name, "0", 1);
    EXPECT_TRUE(is_first_process()) << name;
    unsetenv(name);
  }
}

TEST_F(Launcher, AStepWithoutARankMayHavePeersAndPrints) {
  for (const char* name : {"PMI_FD", "SLURM_PROCID", "FLUX_JOB_ID"}) {
    setenv(name, "1", 1);
    EXPECT_TRUE(may_have_peers()) << name;
    EXPECT_FALSE(is_launched()) << name;
    EXPECT_TRUE(is_first_process()) << name;
    unsetenv(name);
  }
}

TEST_F(Launcher, WorkersOfOneNodeAreAsManyAsAll) {
  EXPECT_FALSE(is_on_one_node());
  setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  EXPECT_FALSE(is_on_one_node());
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
  EXPECT_FALSE(is_on_one_node());
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "8", 1);
  EXPECT_TRUE(is_on_one_node());
}

}  // namespace
}  // namespace echo::parallel
