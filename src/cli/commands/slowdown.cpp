// echo-sweep slowdown import|train|evaluate|explain|info: from measurements of overlapped work to models of
// its slowdown.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "cli/command.hpp"
#include "cli/slowdown/echo_split.hpp"
#include "cli/slowdown/overlap_import.hpp"
#include "cli/slowdown/profile_import.hpp"
#include "cli/slowdown/slowdown_data.hpp"
#include "cli/slowdown/slowdown_explain.hpp"
#include "cli/slowdown/slowdown_model_text.hpp"
#include "cli/slowdown/slowdown_report.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/toml/read_file.hpp"
#include "learn/evaluate/train_model.hpp"
#include "learn/fit/echo_model.hpp"
#include "nsight/echo_table.hpp"
#include "slowdown/model_file.hpp"
#include "storage/overlap_file.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct SlowdownOptions {
  std::string action, output, gpu, features = "metrics", model, group, csv, data;
  std::string alone, overlapped, metrics, source, license, measured_by, clocks;
  std::vector<std::string> files, preset_paths;
  std::int64_t folds = 5, repeats = 3, seed = 1, assumed_channels = 0,
               assumed_memory_rate = -1;  // GB/s; below 0: not given
  bool json = false;
};

config::CatalogInputs presets_of(const SlowdownOptions& options) {
  return config::read_presets(options.preset_paths);
}

const std::string& only_file(const SlowdownOptions& options) {
  if (options.files.size() != 1)
    throw UserError(fmt::format("slowdown {} takes 1 file, not {}", options.action, options.files.size()),
                    "echo-sweep slowdown --help");
  return options.files.front();
}

const std::string& output_of(const SlowdownOptions& options) {
  if (options.output.empty())
    throw UserError(
        "slowdown " + options.action + " needs an output file",
        options.action == "train" ? "add -o MODEL" : "add -o OUT.h5, or -o ROWS.csv of profiles of steps");
  return options.output;
}

slowdown::FeatureSet features_of(const SlowdownOptions& options) {
  return options.features == "simulator" ? slowdown::FeatureSet::simulator : slowdown::FeatureSet::metrics;
}

std::optional<AssumedChannels> assumed_of(const SlowdownOptions& options) {
  const bool channels = options.assumed_channels != 0, rate = options.assumed_memory_rate >= 0;
  if (!channels && !rate) return {};
  if (!channels || !rate || options.assumed_channels < 1)
    throw UserError("--assume-channels and --assume-memory-rate go together, one channel at least",
                    "as in --assume-channels 4 --assume-memory-rate 60");
  return AssumedChannels{
      static_cast<std::int32_t>(std::min<std::int64_t>(options.assumed_channels, 1'000'000)),
      static_cast<double>(options.assumed_memory_rate) * 1e9};
}

SlowdownData data_of(const SlowdownOptions& options, const std::string& file, slowdown::FeatureSet features) {
  return read_slowdown_data(file, options.gpu, features, presets_of(options), assumed_of(options));
}

// Sweeps request shapes that nobody measured; most profiled kernels were measured.
learn::FoldSettings folds_of(const SlowdownOptions& options, slowdown::FeatureSet features) {
  if (options.folds < 2 || options.folds > 100)
    throw UserError(fmt::format("--folds {}: not a possible number of folds", options.folds),
                    "choose 2 to 100; the default is 5");
  if (options.repeats < 1 || options.repeats > 100)
    throw UserError(fmt::format("--repeats {}: not a possible number of repeats", options.repeats),
                    "choose 1 to 100; the default is 3");
  const std::string usual = features == slowdown::FeatureSet::simulator ? "shape" : "random";
  const std::string& name = options.group.empty() ? usual : options.group;
  const auto at = std::find(learn::grouping_names.begin(), learn::grouping_names.end(), name);
  return {.grouping = static_cast<learn::Grouping>(at - learn::grouping_names.begin()),
          .folds = static_cast<std::int32_t>(options.folds),
          .seed = static_cast<std::uint64_t>(options.seed),
          .repeats = static_cast<std::int32_t>(options.repeats)};
}

// Writes the whole file or none.
void write_file(const std::string& file, const std::string& bytes) {
  const std::string unfinished = file + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary);
  out << bytes;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(unfinished, file, failed);
  if (out && !failed) return;
  std::filesystem::remove(unfinished, failed);
  throw UserError("cannot write " + file, "check the path, its permissions and free space", 5);
}

std::string bytes_of(const std::string& file) {
  const auto bytes = config::read_whole_file(file);
  if (!bytes) throw UserError("cannot read " + file, "check the path and its permissions");
  return *bytes;
}

// --- import
double clock_of(const SlowdownOptions& options) {
  if (options.clocks.empty()) return slowdown::not_measured;
  char* end = nullptr;
  const double clock = std::strtod(options.clocks.c_str(), &end);
  if (*end == '\0' && clock > 0.0) return clock;
  throw UserError("--clocks: \"" + options.clocks + "\" is not a clock rate",
                  "give it in MHz, as in --clocks 1410");
}

// A table of every row, where the files are profiles of steps.
int import_profile_table(const SlowdownOptions& options, const std::string& output) {
  const ProfileFiles files = profile_files(options.files);
  const overlaps::Imported read = import_profile_files(files.torch, files.nsight);
  write_file(output, profile_rows_csv(read, {options.gpu, options.source}));
  if (options.json)
    say("{}", profile_import_json(read, output));
  else
    say("{}{}\n", profile_import_text(read), output);
  return 0;
}

// Echo-slowdown's trained model, beside the table it was trained on; returns false where there is none.
bool import_model(const SlowdownOptions& options, const std::string& output) {
  const auto is_model = [](const std::string& file) {
    std::string head(256, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(head.data(), std::ssize(head));
    return file.ends_with(".json") && learn::is_echo_model(head);
  };
  const auto at = std::find_if(options.files.begin(), options.files.end(), is_model);
  if (at == options.files.end()) return false;
  if (options.files.size() != 2)
    throw UserError(*at + " needs the table it was trained on, and nothing else",
                    "echo-sweep slowdown import xgb_model.json train_dataset.csv -o MODEL.slowdown");
  const std::string bytes = bytes_of(*at);
  const CsvTable table =
      CsvTable::read_file(at == options.files.begin() ? options.files[1] : options.files[0]);
  learn::EchoModel source{bytes, *at, held_out_by_echo(table.rows()), table};
  if (nsight::is_echo_table(table)) source.rows = nsight::read_echo_table(table, options.gpu).rows;
  if (!options.gpu.empty()) source.gpus.push_back(options.gpu);
  const slowdown::LearnedModel model = within_memory(*at, [&] { return learn::read_echo_model(source); });
  const std::string written = slowdown::model_to_bytes(model);
  write_file(output, written);
  say("{}",
      options.json ? model_json(model, output, written.size()) : model_text(model, output, written.size()));
  return true;
}

int import_tables(const SlowdownOptions& options) {
  const std::string& output = output_of(options);
  if (import_model(options, output)) return 0;
  if (output.ends_with(".csv")) return import_profile_table(options, output);
  const OverlapImport read = import_overlaps({.files = options.files,
                                              .alone = options.alone,
                                              .overlapped = options.overlapped,
                                              .metrics = options.metrics},
                                             {.gpu = options.gpu,
                                              .source = options.source,
                                              .license = options.license,
                                              .measured_by = options.measured_by,
                                              .clock_mhz = clock_of(options)},
                                             presets_of(options));
  const std::string digest = storage::write_overlaps(output, read.data);
  if (!options.json) {
    say("{}{}: digest {}\n", import_text(read), output, digest);
    return 0;
  }
  text::Json json;
  json.open_object().member("file", output).member("rows", read.data.rows.size()).member("digest", digest);
  json.key("parts").open_array();
  for (const OverlapPart& part : read.parts) {
    json.open_object().member("what", part.what).member("rows", part.rows).key("notes").open_array();
    for (const std::string& note : part.notes) json.value(note);
    json.close().close();
  }
  json.close().close();
  say("{}", json.text());
  return 0;
}

// --- train, evaluate, explain, info
int train(const SlowdownOptions& options) {
  const std::string& output = output_of(options);
  const SlowdownData data = data_of(options, only_file(options), features_of(options));
  const learn::FoldSettings folds = folds_of(options, features_of(options));
  const std::string candidate = options.model == "auto" ? "" : options.model;
  const learn::Training trained = learn::train_model(
      learn::candidates_of(data.examples), data.examples,
      {.candidate = candidate, .folds = folds, .dataset = data.digest, .assumed = assumed_lines(data)});
  const std::string bytes = slowdown::model_to_bytes(trained.model);
  write_file(output, bytes);
  if (options.json) {
    say("{}", model_json(trained.model, output, bytes.size()));
    return 0;
  }
  say("{}\n{}", report_text({data, trained.report, folds}), model_text(trained.model, output, bytes.size()));
  return 0;
}

int evaluate(const SlowdownOptions& options) {
  const SlowdownData data = data_of(options, only_file(options), features_of(options));
  const learn::FoldSettings folds = folds_of(options, features_of(options));
  const learn::NestedReport nested =
      learn::evaluate_nested(learn::candidates_of(data.examples), data.examples, folds);
  const SlowdownReport report{data, nested, folds};
  if (!options.csv.empty()) write_file(options.csv, report_csv(report));
  say("{}", options.json ? report_json(report) : report_text(report));
  return 0;
}

int explain(const SlowdownOptions& options) {
  const std::string& file = only_file(options);
  const std::string bytes = bytes_of(file);
  SlowdownExplanation explanation;
  if (bytes.starts_with(slowdown::model_file_magic)) {
    const slowdown::LearnedModel model = slowdown::model_from_bytes(bytes, file);
    if (options.data.empty())
      throw UserError("explaining the model " + file + " needs rows to predict", "add --data FILE");
    const SlowdownData data = data_of(options, options.data, model.features);
    explanation = explain_model(model, data, static_cast<std::uint64_t>(options.seed));
  } else {
    const SlowdownData data = data_of(options, file, features_of(options));
    const std::string candidate = options.model == "auto" ? "" : options.model;
    explanation = explain_data(data, candidate, folds_of(options, features_of(options)));
  }
  say("{}", options.json ? slowdown_explanation_json(explanation) : slowdown_explanation_text(explanation));
  return 0;
}

int info(const SlowdownOptions& options) {
  const std::string& file = only_file(options);
  const std::string bytes = bytes_of(file);
  const slowdown::LearnedModel model = slowdown::model_from_bytes(bytes, file);
  say("{}", options.json ? model_json(model, file, bytes.size()) : model_text(model, file, bytes.size()));
  return 0;
}

void declare_import(Options& options, SlowdownOptions& chosen) {
  options.value(chosen.gpu, "--gpu",
                "the measured GPU, if the file does not name it: a preset, or for tables its driver's name");
  options.value(chosen.alone, "--alone", "import: Nsight export of the run without communication");
  options.value(chosen.overlapped, "--overlapped", "import: Nsight export of the run with communication");
  options.value(chosen.metrics, "--metrics", "import: Nsight Compute table with the metrics of the kernels");
  options.value(chosen.source, "--source", "import: source of the rows, as free text");
  options.value(chosen.license, "--license", "import: license of the rows");
  options.value(chosen.measured_by, "--measured-by", "import: driver, date and command, as free text");
  options.value(chosen.clocks, "--clocks", "import: SM clock during the measurement, in MHz");
}

std::function<int(Invocation&)> declare_slowdown(Options& options) {
  auto chosen = std::make_shared<SlowdownOptions>();
  options.choice(
      chosen->action, "ACTION", {"import", "train", "evaluate", "explain", "info"},
      "import: make a dataset of measured overlaps; train: fit a model to one; evaluate: errors of models on "
      "held-out rows; explain: features that predictions depend on; info: describe a model");
  options.arguments(
      chosen->files, "FILE",
      "import: profiles of torch.profiler (.json, .json.gz), exports of Nsight Systems, tables, datasets; "
      "train, evaluate: a table or a dataset; explain: one of these or a model; info: a model");
  options.value(
      chosen->output, "-o,--output",
      "import: dataset to write, or with .csv a table of all overlaps in profiles; train: model to write");
  declare_import(options, *chosen);
  options.choice(chosen->features, "--features", {"metrics", "simulator"},
                 "metrics: measured counters, for profiled kernels; simulator: properties that the simulator "
                 "knows of any kernel and collective, for sweeps");
  options.value(chosen->assumed_channels, "--assume-channels",
                "simulator features: channels of the communication beside rows that do not record it");
  options.value(
      chosen->assumed_memory_rate, "--assume-memory-rate",
      "simulator features: GB/s (whole) that such communication moves through HBM (some 3 for each byte per "
      "second of bus bandwidth)");
  options.value(chosen->model, "--model",
                "train, explain: name of a model; auto = chosen by cross-validation");
  options.choice(
      chosen->group, "--group", {"random", "kernel", "shape"},
      "how rows are held out: random rows, whole kernels, or whole shapes (default: random for metrics, "
      "shape for simulator features)");
  options.value(chosen->folds, "--folds", "number of cross-validation folds");
  options.value(chosen->repeats, "--repeats", "number of times the folds that choose a model are drawn");
  options.value(chosen->seed, "--seed", "random seed of folds and training");
  options.value(chosen->csv, "--csv", "evaluate: write every row with its predictions to this CSV file");
  options.value(chosen->data, "--data", "explain MODEL: rows to predict");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) {
    if (chosen->action == "import") return import_tables(*chosen);
    if (chosen->action == "train") return train(*chosen);
    if (chosen->action == "evaluate") return evaluate(*chosen);
    return chosen->action == "explain" ? explain(*chosen) : info(*chosen);
  };
}

}  // namespace

extern const Command slowdown{.name = "slowdown",
                              .summary = "import overlaps; train, evaluate and explain slowdown models",
                              .declare = declare_slowdown};

}  // namespace echo::cli::commands
