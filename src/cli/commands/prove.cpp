// echo-sweep prove FILE: checks the proof that a search for the best points left in its file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/run/best_search.hpp"
#include "cli/terminal/say.hpp"
#include "explain/sweep_again.hpp"
#include "results/read_rows.hpp"
#include "results/search_group.hpp"
#include "search/prove.hpp"
#include "search/record.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/space/space_index.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct ProveOptions {
  std::string file;
  std::vector<std::string> preset_paths;
  std::int64_t sample = 200, seed = 1;
  bool json = false;
};

constexpr int exit_refused = 5;

// Puts dimensions in the order in which `like` has the axes; those that it lacks come last.
void order_like(const std::vector<sweep::Dimension>& like, std::vector<sweep::Dimension>& dimensions) {
  const auto place = [&](const sweep::Dimension& dimension) {
    return std::ranges::find(like, dimension.columns.front().axis,
                             [](const sweep::Dimension& one) { return one.columns.front().axis; }) -
           like.begin();
  };
  std::ranges::stable_sort(dimensions, {}, place);
}

// The resolved text of a file has its keys sorted; combinations are numbered in the order of the sweep
// itself.
void order_as_written(const results::ResultFile& file, const std::vector<std::string>& preset_paths,
                      sweep::SweepSpec& spec) {
  const results::Provenance provenance = results::read_provenance(file.file());
  const std::string path = provenance.inputs.empty() ? "" : provenance.inputs.front().path;
  const sweep::SweepSpec written =
      config::read_sweep_again(provenance.sweep_toml, path, preset_paths, {}).spec;
  order_like(written.dimensions, spec.dimensions);
  for (std::size_t i = 0; i < std::min(spec.groups.size(), written.groups.size()); ++i)
    order_like(written.groups[i].dimensions, spec.groups[i].dimensions);
}

// The rows of the file are the points of its certificate.
std::string problem_of_rows(const results::ResultFile& file, const std::vector<std::int64_t>& points,
                            const config::SweepInputs& inputs) {
  const sweep::DesignSpace space(inputs.spec, inputs.catalog, sweep::index_of_list(points));
  if (file.rows() != std::ssize(points)) return "the file has other rows than its proof has points";
  std::vector<std::int64_t> rows(points.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const results::Table table = file.pick(rows);
  for (const std::int64_t row : rows)
    if (space.config_id(row) != table.config_id(row))
      return fmt::format("row {} of the file is not a point of its proof", row);
  return "";
}

int run_prove(const ProveOptions& options) {
  const results::ResultFile file(options.file);
  const auto record = results::read_search(file.file());
  if (!record)
    throw UserError("\"" + options.file + "\" has no proof",
                    "it is made by a sweep with [search] strategy = \"best\"", 2);
  explain::SweepAgain again = explain::sweep_again(file, options.preset_paths);
  config::SweepInputs& inputs = again.inputs;
  order_as_written(file, options.preset_paths, inputs.spec);
  const search::OrderedSpace space(inputs.spec, inputs.catalog);
  search::Evaluator evaluator(space, inputs.spec, inputs.catalog, inputs.calibration);
  const search::Certificate certificate = search::certificate_of(*record);
  search::Proof proof = search::prove(certificate, inputs.spec, space, evaluator, options.sample,
                                      static_cast<std::uint64_t>(options.seed));
  if (proof.problem.empty()) proof.problem = problem_of_rows(file, certificate.points, inputs);
  if (options.json) {
    text::Json json;
    json.open_object().member("file", options.file).member("sound", proof.problem.empty());
    json.member("problem", proof.problem).member("kept", record->kept).member("sets", proof.sets);
    json.member("bounds", proof.bounds).member("simulated", proof.simulated).member("sampled", proof.sampled);
    json.member("gap", record->gap).close();
    say("{}", json.text());
  } else if (proof.problem.empty()) {
    say("{}: the proof holds · {} sets, {} bounds worked out again, {} points simulated again, {} members of "
        "discarded sets simulated\n{}",
        options.file, text::show_count(proof.sets), text::show_count(proof.bounds),
        text::show_count(proof.simulated), text::show_count(proof.sampled), proof_text(*record));
  } else {
    say("{}: the proof does not hold: {}\n", options.file, proof.problem);
  }
  return proof.problem.empty() ? 0 : exit_refused;
}

std::function<int(Invocation&)> declare_prove(Options& options) {
  auto chosen = std::make_shared<ProveOptions>();
  options.argument(chosen->file, "FILE", "result file of a search for the best points");
  options.value(chosen->sample, "--sample",
                "members of discarded sets that are simulated, drawn at random (default: 200)");
  options.value(chosen->seed, "--seed", "of that draw (default: 1)");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_prove(*chosen); };
}

}  // namespace

extern const Command prove{.name = "prove",
                           .summary = "check the proof that a search for the best points left in its file",
                           .declare = declare_prove};

}  // namespace echo::cli::commands
