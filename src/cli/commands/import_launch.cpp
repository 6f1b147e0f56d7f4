// echo-sweep import FILE: the launch file of a training framework as a sweep of one point, or of a space
// around it.
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/launch/imported_sweep.hpp"
#include "cli/terminal/say.hpp"
#include "config/toml/read_file.hpp"

namespace echo::cli::commands {

namespace {

struct ImportOptions {
  ImportedSweep request;
  std::string output;
};

int run_import(const ImportOptions& options) {
  const SweepOfLaunch sweep = sweep_of_launch(options.request);
  for (const std::string& line : sweep.ledger) remark("{}\n", line);
  if (options.output.empty())
    say("{}", sweep.text);
  else
    config::write_whole_file(options.output, sweep.text);
  return 0;
}

std::function<int(Invocation&)> declare_import_launch(Options& options) {
  auto chosen = std::make_shared<ImportOptions>();
  options.argument(chosen->request.file, "FILE",
                   "launch script or flags (.sh), or settings (.yaml, .toml, .json) of a training framework");
  options.value(chosen->request.framework, "--from",
                "framework whose settings these are, as of `launch --for` (default: found out)");
  options.value(chosen->request.cluster, "--cluster", "preset of the cluster, which no launch file names");
  options.value(chosen->request.gpus, "--gpus", "number of GPUs, where the file does not say it");
  options.value(chosen->request.vocab, "--vocab",
                "size of the vocabulary, where the file leaves it to a tokenizer");
  options.values(chosen->request.sets, "--set",
                 "another axis, as in --set model=llama3-8b; wins over the file");
  options.flag(chosen->request.widened, "--space",
               "a space around the point: what could this job do better?");
  options.value(chosen->output, "-o,--output", "file to write (default: standard output)");
  options.values(chosen->request.preset_paths, "--preset-path,--include", preset_path_help);
  return [chosen](Invocation&) { return run_import(*chosen); };
}

}  // namespace

extern const Command import_launch{.name = "import",
                                   .summary = "turn a launch file of a training framework into a sweep",
                                   .declare = declare_import_launch};

}  // namespace echo::cli::commands
