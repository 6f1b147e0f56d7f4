// Every row is priced on the generic cluster of its GPU with the NICs that its network's words name, by the
// constants of that network where the catalog has some. Accuracy is claimed for steady rows (in- and
// out-of-place within 25 %) of at least 1 MB, below 64 MiB with a process for each
// GPU; the others are scored too, apart.
#include "validation/validate_collectives.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "base/at.hpp"
#include "collective/algorithm.hpp"
#include "text/csv_cell.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;
using config::MeasuredCollectiveRow;

constexpr const char* region = "size >= 1 MB, in- and out-of-place within 25 %";

struct Prediction {
  double seconds = 0;
  ops::CollectiveEstimate estimate;
};

std::string band_of(std::int64_t bytes) {
  if (bytes < 64 << 10) return "a: < 64 KiB";
  if (bytes < 1 << 20) return "b: 64 KiB to 1 MiB";
  return bytes < 64 << 20 ? "c: 1 to 64 MiB" : "d: >= 64 MiB";
}

// The groups over which rows are summed, one error table each.
struct Grouping {
  const char* name;
  std::string (*of)(const MeasuredCollectiveRow&);
};
constexpr std::array<Grouping, 7> groupings{
    {{"gpu", [](const auto& r) { return r.gpu; }},
     {"nodes", [](const auto& r) { return std::to_string(r.nodes); }},
     {"ranks", [](const auto& r) { return std::to_string(r.measured.query.group.ranks); }},
     {"collective", [](const auto& r) { return r.collective; }},
     {"network", [](const auto& r) { return r.network; }},
     {"constants", [](const auto& r) { return r.constants.name; }},
     {"size", [](const auto& r) { return band_of(r.measured.query.payload.value); }}}};

struct Scores {
  std::vector<Comparison> claimed, all;
  std::array<std::vector<Comparison>, groupings.size()> by;
  std::map<std::string, int> skipped, assumed;
  int unsteady = 0, harness = 0;
};

bool is_claimed(const MeasuredCollectiveRow& row) {
  return row.is_steady() && !row.shows_harness() && row.measured.query.payload.value >= 1'000'000;
}

Prediction predict(const MeasuredCollectiveRow& row) {
  const auto& m = row.measured;
  Prediction out{0.0, collective::price(m.query, m.links, {}, m.nccl_version, row.constants)};
  out.seconds = to_seconds(out.estimate.time);
  return out;
}

void add_score(const MeasuredCollectiveRow& row, const Prediction& p, Scores& out) {
  const Comparison one{"", row.measured.seconds, p.seconds};
  if (is_claimed(row)) out.claimed.push_back(one);
  out.all.push_back(one);
  if (!row.is_steady()) ++out.unsteady;
  if (row.shows_harness()) ++out.harness;
  if (!row.assumed.empty()) ++out.assumed[row.assumed];
  for (std::size_t i = 0; i < groupings.size(); ++i) {
    out.by[i].push_back(one);
    out.by[i].back().group = groupings[i].of(row);
  }
}

std::string as_text(std::size_t rows, const Scores& scores) {
  std::string out;
  for (std::size_t i = 0; i < groupings.size(); ++i)
    out += error_table_text(groupings[i].name, scores.by[i]) + "\n";
  text::TextTable claims = error_columns("rows");
  claims.add(error_cells(region, accuracy::summarise(scores.claimed)));
  claims.add(error_cells("all", accuracy::summarise(scores.all)));
  out += claims.text() + fmt::format("\n{} rows read, {} scored, of these {} not steady\n", rows,
                                     scores.all.size(), scores.unsteady);
  if (scores.harness > 0)
    out += fmt::format("not claimed {}: one process drives several GPUs, which shows below 64 MiB\n",
                       scores.harness);
  out += skipped_text(scores.skipped);
  for (const auto& [what, count] : scores.assumed) out += fmt::format("assumed {:5}  {}\n", count, what);
  return out +
         "Errors are absolute percentage errors of the predicted time; bias is the mean of predicted / "
         "measured - 1.\n";
}

void add_json(text::Json& json, std::size_t rows, const Scores& scores) {
  json.member("table", "collectives").member("rows", rows).member("region", region);
  for (const auto& [name, comparisons] : {std::pair{"claimed", &scores.claimed}, {"all", &scores.all}}) {
    json.key(name).open_object();
    add_errors(json, accuracy::summarise(*comparisons));
    json.close();
  }
  json.key("by").open_object();
  for (std::size_t i = 0; i < groupings.size(); ++i) {
    json.key(groupings[i].name).open_object();
    add_errors_by_group(json, accuracy::summarise_by_group(scores.by[i]));
    json.close();
  }
  json.close();
  add_skipped(json, scores.skipped);
  json.key("assumed").open_object();
  for (const auto& [what, count] : scores.assumed) json.member(what, count);
  json.close();
}

constexpr const char* csv_header =
    "file,line,gpu,network,collective,nodes,ranks,size_bytes,status,reason,constants,nccl_version,algorithm,"
    "protocol,"
    "channels,measured_us,predicted_us,ratio,steady,assumed\n";

void add_csv(const std::string& file, const MeasuredCollectiveRow& row, const Prediction& p,
             std::string& out) {
  const auto to = std::back_inserter(out);
  const auto& m = row.measured;
  fmt::format_to(to, "{},{},{},{},{},{},{},{},{},{},{},{},", file, row.line, text::csv_cell(row.gpu),
                 text::csv_cell(row.network), text::csv_cell(row.collective), row.nodes, m.query.group.ranks,
                 m.query.payload.value, row.skipped.empty() ? "ok" : "skipped", text::csv_cell(row.skipped),
                 text::csv_cell(row.constants.name), m.nccl_version);
  if (!row.skipped.empty()) {
    fmt::format_to(to, ",,,{:.6g},,,,{}\n", m.seconds * 1e6, text::csv_cell(row.assumed));
    return;
  }
  fmt::format_to(to, "{},{},{},{:.6g},{:.6g},{:.6g},{},{}\n", collective::name_of_algorithm(p.estimate),
                 ops::protocol_names.at(at(p.estimate.protocol)), p.estimate.channels, m.seconds * 1e6,
                 p.seconds * 1e6, p.seconds / m.seconds, row.is_steady() ? 1 : 0,
                 text::csv_cell(row.assumed));
}

}  // namespace

ValidatedTable validate_collectives(const std::vector<MeasuredCollectiveRow>& rows, const std::string& file,
                                    const ValidateOptions& options) {
  const auto predictions = options.shares.predict<Prediction>(
      rows.size(), [&](std::size_t i) { return rows[i].skipped.empty() ? predict(rows[i]) : Prediction{}; });
  Scores scores;
  ValidatedTable out;
  if (options.wants_csv) out.csv_header = csv_header;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].skipped.empty())
      add_score(rows[i], predictions[i], scores);
    else
      ++scores.skipped[rows[i].skipped];
    if (options.wants_csv) add_csv(text::csv_cell(file), rows[i], predictions[i], out.csv);
  }
  out.file = file, out.form = "collectives", out.rows = rows.size();
  out.claimed = accuracy::summarise(scores.claimed), out.all = accuracy::summarise(scores.all);
  out.claimed_rows = scores.claimed;
  for (std::size_t i = 0; i < groupings.size(); ++i)
    out.by[groupings[i].name] = accuracy::summarise_by_group(scores.by[i]);
  out.text = as_text(rows.size(), scores);
  out.add_members = [read = rows.size(), scores](text::Json& json) { add_json(json, read, scores); };
  return out;
}

}  // namespace echo::validation
