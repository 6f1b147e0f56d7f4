// echo-sweep doctor: whether this machine has what a sweep needs, and what is missing.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "apps/build_facts.hpp"
#include "apps/command.hpp"
#include "config/catalog_files.hpp"

namespace echo::apps::commands {

namespace {

struct Finding {
  bool good = false;
  std::string what, remedy;
};

Finding catalog_is_read() {
  try {
    const auto inputs = config::read_catalog();
    return {true,
            fmt::format("catalog: {} models, {} GPUs, {} clusters", inputs.catalog.models.size(),
                        inputs.catalog.gpus.size(), inputs.catalog.clusters.size()),
            ""};
  } catch (const std::exception& error) {
    return {false, fmt::format("catalog cannot be read: {}", error.what()),
            "set ECHO_CATALOG_DIR to the catalog"};
  }
}

Finding folder_is_writable() {
  const bool writable = ::access(".", W_OK) == 0;
  std::error_code error;
  const auto space = std::filesystem::space(".", error);
  const double free_gib = error ? 0.0 : static_cast<double>(space.available) / 1073741824.0;
  return {
      writable,
      fmt::format("current folder: {}, {:.1f} GiB free", writable ? "writable" : "not writable", free_gib),
      "run where result files may be written, or use -o"};
}

// Open MPI refuses root unless told twice.
Finding root_may_launch() {
  const bool is_told = std::getenv("OMPI_ALLOW_RUN_AS_ROOT") != nullptr &&
                       std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") != nullptr;
  const bool good = ::geteuid() != 0 || is_told;
  return {good, good ? "mpirun: allowed for this user" : "mpirun refuses root",
          "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or run as another user"};
}

std::function<int(Invocation&)> declare(Options&) {
  return [](Invocation&) {
    const BuildFacts facts = build_facts();
    fmt::print("echo-sweep {} ({}, {}, {})\ncores: {}\n", facts.version, facts.build_type, facts.compiler,
               facts.mpi, std::thread::hardware_concurrency());
    int code = 0;
    for (const Finding& finding : {catalog_is_read(), folder_is_writable(), root_may_launch()}) {
      fmt::print("{}  {}\n", finding.good ? "ok " : "BAD", finding.what);
      if (!finding.good) fmt::print("     {}\n", finding.remedy), code = 2;
    }
    return code;
  };
}

}  // namespace

extern const Command doctor{.name = "doctor", .summary = "check what a sweep needs here", .declare = declare};

}  // namespace echo::apps::commands
