// echo-sweep calibrate nccl LOG...: fits the network constants of a cluster to nccl-tests runs on one and two
// nodes.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <memory>

#include "base/error.hpp"
#include "cli/collective/calibrate_nccl.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/measured/fabric_words.hpp"
#include "config/toml/read_file.hpp"

namespace echo::cli {

namespace {

struct Arguments {
  std::string what, output, nccl;
  NcclCalibrationRequest request;
  std::int64_t nodes = 0, ranks = 0;
  std::vector<std::string> preset_paths;
};

int run(Arguments& a) {
  NcclCalibrationRequest& request = a.request;
  if (request.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._") != std::string::npos ||
      request.name.empty())
    throw UserError("\"" + request.name + "\" is not a valid preset name",
                    "use lower-case letters, digits, dashes, dots and underscores: --name my-cluster");
  if (!a.nccl.empty()) request.hints.nccl_version = config::read_nccl_version(a.nccl);
  if (!a.nccl.empty() && request.hints.nccl_version == 0)
    throw UserError("\"" + a.nccl + "\" is not an NCCL version", "write it as 2.21.5");
  constexpr std::int64_t most = 1'000'000;
  if (a.nodes > most || a.ranks > most)
    throw UserError("--nodes or --ranks is larger than 1000000",
                    "give the numbers of nodes and ranks of the run");
  request.hints.nodes = static_cast<std::int32_t>(a.nodes),
  request.hints.ranks = static_cast<std::int32_t>(a.ranks);
  if (request.date.empty()) request.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  const auto presets = config::read_presets(a.preset_paths);
  const NcclCalibration done = calibrate_nccl(request, presets);
  const std::string path = a.output.empty() ? request.name + ".toml" : a.output;
  config::write_whole_file(path, done.file_text);
  say("{}\nwrote {}. To use it, put it into the folder networks/ of your presets "
      "(~/.config/echo-sweep/networks, or\n"
      "catalog/networks next to the sweep) and write  network = \"{}\"  in the file of your cluster.\n",
      done.report, path, request.name);
  return 0;
}

std::function<int(Invocation&)> declare_calibrate(Options& options) {
  const auto a = std::make_shared<Arguments>();
  options.choice(a->what, "what", {"nccl"}, "what to calibrate");
  options.arguments(a->request.logs, "LOG", "outputs of nccl-tests, or CSV tables of measured collectives");
  a->request.name = "my-cluster";
  options.value(a->request.name, "--name", "name of the preset to write");
  options.value(a->output, "-o,--output", "file to write (default: NAME.toml)");
  options.value(a->request.hints.gpu, "--gpu", "GPU preset, if the logs do not name the GPU: h100-sxm");
  options.value(a->request.hints.network, "--network",
                "number, rate and type of the NICs of a node: \"8x400Gb/s IB\"");
  options.value(a->request.hints.collective, "--collective",
                "collective, if the logs do not name it: all_reduce");
  options.value(a->nodes, "--nodes", "number of nodes, if the logs do not list them");
  options.value(a->ranks, "--ranks", "number of ranks, if the logs do not list them");
  options.value(a->nccl, "--nccl", "NCCL version, if the logs do not print it: 2.21.5");
  options.value(a->request.date, "--date", "date to write into the preset (default: today)");
  options.values(a->preset_paths, "--preset-path,--include", preset_path_help);
  return [a](Invocation&) { return run(*a); };
}

}  // namespace

namespace commands {
extern const Command calibrate;
const Command calibrate{"calibrate", "fit the network constants of your cluster to runs of nccl-tests",
                        declare_calibrate};
}  // namespace commands

}  // namespace echo::cli
