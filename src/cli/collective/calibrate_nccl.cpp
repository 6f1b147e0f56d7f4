// The prior is the set of constants of the same GPU kind on the named network; the fit to the logs moves it.
// Within a node the same GPUs behave equally, so those constants are held closely, and those of the fabric
// are free. Left out: runs whose in- and out-of-place times differ by more than 25 %, sizes below 512 bytes
// (they cost the same as 512), and below 64 MiB runs in which one process drives several GPUs (each adds
// about 4 us). A second fit leaves out every other size, which shows the accuracy of interpolation between
// sizes.
#include "cli/collective/calibrate_nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "config/catalog/network_file.hpp"
#include "config/measured/measured_collectives.hpp"
#include "config/toml/read_file.hpp"
#include "validation/validated_table.hpp"

namespace echo::cli {

namespace {

using collective::MeasuredCollective;
using collective::NetworkConstants;
using config::MeasuredCollectiveRow;

CsvTable read_table(const std::string& path, const config::NcclLogHints& hints) {
  const auto text = config::read_whole_file(path);
  if (!text) throw UserError("cannot read " + path, "check the path and its permissions", 3);
  const std::string first = text->substr(0, text->find('\n'));
  if (first.find("size_bytes") != std::string::npos) return CsvTable::parse(*text, path);
  return CsvTable::parse(config::as_collective_table(config::read_nccl_log(*text, path, hints), hints), path);
}

CsvTable table_of(const std::string& path, const config::NcclLogHints& hints) {
  return within_memory(path, [&] { return read_table(path, hints); });
}

struct Data {
  std::vector<MeasuredCollective> rows;
  std::map<std::string, std::int32_t> families;
  std::map<std::string, int> left_out;
  std::vector<std::string> assumed;
  NetworkConstants one_node, several;  // priors
  bool has_several = false;
};

std::string why_left_out(const MeasuredCollectiveRow& row) {
  const std::int64_t bytes = row.measured.query.payload.value;
  if (!row.skipped.empty()) return row.skipped;
  if (!row.is_steady()) return "in and out of place more than 25 % apart";
  if (bytes < 512) return "below 512 bytes";
  if (row.shows_harness()) return "one process for all GPUs, below 64 MiB";
  return row.measured.query.kind == ops::CollectiveKind::send_recv ? "send and receive" : "";
}

void add(const CsvTable& table, const std::string& path, const config::CatalogInputs& presets, Data& out) {
  if (!config::is_collective_table(table))
    throw UserError({{table.header_place(), "this is not a table of measured collectives",
                      "its header must name " + config::collective_table_columns()}});
  const auto rows = config::read_measured_collectives(table, presets);
  for (const MeasuredCollectiveRow& row : rows) {
    const std::string why = why_left_out(row);
    if (!why.empty()) {
      ++out.left_out[why];
      continue;
    }
    MeasuredCollective m = row.measured;
    const auto& group = m.query.group;
    const std::string family =
        fmt::format("{} {} {} nodes of {}", path, row.collective, group.nodes, group.ranks_per_node);
    m.family = out.families.emplace(family, static_cast<std::int32_t>(out.families.size())).first->second;
    if (m.query.payload.value >= (16 << 20)) m.weight = 2.0;
    out.rows.push_back(m);
    (group.nodes > 1 ? out.several : out.one_node) = row.constants;
    out.has_several = out.has_several || group.nodes > 1;
    if (!row.assumed.empty() &&
        std::find(out.assumed.begin(), out.assumed.end(), row.assumed) == out.assumed.end())
      out.assumed.push_back(row.assumed);
  }
}

accuracy::Comparison comparison(const MeasuredCollective& m, const NetworkConstants& k) {
  const auto& q = m.query;
  return {fmt::format("{}, {} x {}, {}", ops::collective_kind_names.at(at(q.kind)), q.group.nodes,
                      q.group.ranks_per_node, q.payload.value < 1'000'000 ? "< 1 MB" : ">= 1 MB"),
          m.seconds, to_seconds(collective::price(q, m.links, {}, m.nccl_version, k).time)};
}

std::vector<accuracy::Comparison> compared(const std::vector<MeasuredCollective>& rows,
                                           const NetworkConstants& k) {
  std::vector<accuracy::Comparison> out;
  for (const MeasuredCollective& m : rows) out.push_back(comparison(m, k));
  return out;
}

// Predicts each half of the sizes with the fit to the other half.
std::vector<accuracy::Comparison> held_out(const std::vector<MeasuredCollective>& rows,
                                           const NetworkConstants& prior) {
  std::vector<accuracy::Comparison> out;
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<MeasuredCollective> seen, unseen;
    for (std::size_t i = 0; i < rows.size(); ++i) (i % 2 == half ? seen : unseen).push_back(rows[i]);
    if (seen.empty() || unseen.empty()) continue;
    const auto k = collective::fit_constants(seen, prior, collective::Guess::same_gpu).constants;
    const auto part = compared(unseen, k);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

// The achieved share of the NICs' rate, where the runs hardly determine it.
std::string advice(const collective::FittedConstants& fit) {
  constexpr double well_known = 0.05;
  const auto fields = collective::network_constant_fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fields[f].member == &NetworkConstants::network_rate &&
        !(fit.moved[f] && fit.error[f] < well_known * fit.constants.network_rate))
      return "these runs hardly determine the bandwidth of the NICs: add a run of all_gather_perf on two "
             "nodes\n";
  return "";
}

std::string constants_text(const collective::FittedConstants& fit, const NetworkConstants& prior) {
  text::TextTable table({"<constant", "value", "error", "before"});
  const auto fields = collective::network_constant_fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fit.moved[f] && collective::is_of_fabric(fields[f].name))
      table.add({fields[f].name, fmt::format("{:.4g}", fit.constants.*fields[f].member),
                 fmt::format("{:.2g}", fit.error[f]), fmt::format("{:.4g}", prior.*fields[f].member)});
  return table.text();
}

}  // namespace

NcclCalibration calibrate_nccl(const NcclCalibrationRequest& request, const config::CatalogInputs& presets) {
  Data data;
  for (const std::string& path : request.logs) add(table_of(path, request.hints), path, presets, data);
  if (data.rows.empty())
    throw UserError("nothing is left to fit: " + validation::skipped_text(data.left_out),
                    "give runs of more sizes with one process per GPU");
  NetworkConstants prior = data.has_several ? data.several : data.one_node;
  const std::string prior_name = prior.name;
  prior.name = request.name;
  const auto fit = collective::fit_constants(data.rows, prior, collective::Guess::same_gpu);
  const auto before = compared(data.rows, prior), after = compared(data.rows, fit.constants);
  const auto between = held_out(data.rows, prior);
  const auto fitted = accuracy::summarise(after), unseen = accuracy::summarise(between);
  std::string sources;
  for (const std::string& path : request.logs) sources += (sources.empty() ? "" : ", ") + path;
  std::int32_t most_nodes = 1;
  for (const auto& row : data.rows) most_nodes = std::max(most_nodes, row.query.group.nodes);
  NcclCalibration out;
  out.file_text = config::network_file_text({.name = request.name,
                                             .source = "nccl-tests runs: " + sources,
                                             .licence = "your own",
                                             .date = request.date,
                                             .prior = prior_name,
                                             .most_nodes = most_nodes,
                                             .fit = fit,
                                             .figures = {{"rows", static_cast<double>(data.rows.size())},
                                                         {"median_ape", fitted.median_ape},
                                                         {"mean_ape", fitted.mean_ape},
                                                         {"held_out_median_ape", unseen.median_ape},
                                                         {"held_out_mean_ape", unseen.mean_ape}}});
  out.report = validation::error_table_text("fitted", after);
  text::TextTable compare = validation::error_columns("all rows");
  compare.add(validation::error_cells("with " + prior_name, accuracy::summarise(before)));
  compare.add(validation::error_cells("fitted", fitted));
  compare.add(validation::error_cells("every other size held out", unseen));
  out.report += "\n" + compare.text();
  if (data.has_several) out.report += "\n" + constants_text(fit, prior) + advice(fit);
  out.report += "\n" + validation::skipped_text(data.left_out);
  for (const std::string& what : data.assumed) out.report += "assumed  " + what + "\n";
  if (!data.has_several)
    out.report +=
        "no run spans nodes: the constants of the network between them are those of " + prior_name + "\n";
  return out;
}

}  // namespace echo::cli
