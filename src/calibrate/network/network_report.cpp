// The command that fits every network, prints the errors of the fits, and writes the catalog's files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "base/at.hpp"
#include "base/error.hpp"
#include "calibrate/network/network_fit.hpp"
#include "calibrate/network/network_gates.hpp"
#include "config/catalog/network_file.hpp"

namespace echo::calibrate {
namespace {

std::string table_folder() {
  const char* set = std::getenv("ECHO_DATA_DIR");
  const std::string folder = std::string(set != nullptr ? set : "../shared/data") + "/collectives";
  if (!std::filesystem::is_directory(folder))
    throw UserError("the measured collectives are not at " + folder,
                    "set ECHO_DATA_DIR to the folder of the tables", 3);
  return folder;
}

constexpr const char* fit_date = "2026-11-20";

void write_constants(const std::string& folder, const NetworkKind& kind, std::int32_t most_nodes,
                     const NetworkFit& fit) {
  std::ofstream out(folder + "/" + kind.name + ".toml");
  if (!out)
    throw UserError("cannot write " + folder + "/" + kind.name + ".toml", "create the folder first", 3);
  std::vector<std::pair<std::string, double>> figures;
  if (fit.fitted.rows > 0)
    figures = {{"rows", static_cast<double>(fit.fitted.rows)},
               {"median_ape", fit.fitted.median},
               {"mean_ape", fit.fitted.mean},
               {"median_ape_16mib", fit.fitted.median_large}};
  if (fit.held_out.rows > 0) {
    figures.emplace_back("held_out_median_ape", fit.held_out.median);
    figures.emplace_back("held_out_median_ape_16mib", fit.held_out.median_large);
  }
  out << config::network_file_text({.name = kind.name,
                                    .source = kind.about,
                                    .licence = "MIT",
                                    .date = fit_date,
                                    .prior = kind.prior,
                                    .most_nodes = most_nodes,
                                    .fit = {fit.constants, fit.error, fit.moved},
                                    .figures = std::move(figures)});
}

void print(std::string_view name, std::string_view what, const NetworkErrors& e) {
  if (e.rows == 0) return;
  fmt::print("{:<18} {:<22} {:>5} {:>7.1f} {:>7.1f} {:>9.1f} {:>+7.1f}\n", name, what, e.rows, 100 * e.median,
             100 * e.mean, 100 * e.median_large, 100 * e.bias);
}

// Errors by log, collective and shape, to see where a fit is weak.
void print_families(const NetworkKind& kind, std::span<const NetworkMeasurement> rows,
                    const collective::NetworkConstants& k) {
  std::map<std::int32_t, std::vector<NetworkMeasurement>> families;
  for (const NetworkMeasurement& m : rows) families[m.family].push_back(m);
  for (const auto& [family, members] : families) {
    const auto& q = members.front().query;
    print(kind.name,
          fmt::format("{} {}x{} v{}", ops::collective_kind_names[at(q.kind)], q.group.nodes,
                      q.group.ranks_per_node, members.front().nccl_version),
          network_errors(members, k));
  }
}

void pool(NetworkErrors& all, const NetworkErrors& e) {
  all.absolute.insert(all.absolute.end(), e.absolute.begin(), e.absolute.end());
  all.absolute_large.insert(all.absolute_large.end(), e.absolute_large.begin(), e.absolute_large.end());
  all.bias += e.bias * static_cast<double>(e.rows);
}

void print_pooled(std::string_view what, NetworkErrors e) {
  e.rows = static_cast<std::int64_t>(e.absolute.size());
  if (e.rows == 0) return;
  for (const double a : e.absolute) e.mean += a / static_cast<double>(e.rows);
  e.median = median_or_zero(e.absolute);
  e.median_large = median_or_zero(e.absolute_large);
  e.bias /= static_cast<double>(e.rows);
  print("all", what, e);
}

}  // namespace

int run_networks(std::span<char*> args) {
  std::string out;
  bool families = false, checks = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--out" && i + 1 < args.size()) {
      out = args[++i];
    } else if (arg == "--families") {
      families = true;
    } else if (arg == "--check") {
      checks = true;
    } else {
      throw UserError(fmt::format("unknown argument \"{}\"", arg),
                      "networks [--check] [--out FOLDER] [--families]");
    }
  }
  const std::string tables = table_folder();
  if (checks) return check_networks(tables.c_str(), families);
  fmt::print("{:<18} {:<22} {:>5} {:>7} {:>7} {:>9} {:>7}\n", "network", "rows", "", "median%", "mean%",
             ">=16MiB%", "bias%");
  std::map<std::string, collective::NetworkConstants, std::less<>> known;
  NetworkErrors fitted, held_out, tests;
  for (const NetworkKind& kind : network_kinds()) {
    collective::NetworkConstants start =
        *kind.prior != 0 ? known.at(kind.prior) : collective::NetworkConstants{};
    start.name = kind.name;
    const auto rows = read_network(kind, tables);
    const NetworkFit fit = fit_network(rows, start, kind.guess);
    known[kind.name] = fit.constants;
    print(kind.name, "before the fit", network_errors(rows, start));
    print(kind.name, "fitted", fit.fitted);
    print(kind.name, "held out", fit.held_out);
    print(kind.name, "more nodes than fitted", fit.more_nodes);
    print(kind.name, "test only", fit.test_only);
    if (families) print_families(kind, rows, fit.constants);
    pool(fitted, fit.fitted), pool(held_out, fit.held_out), pool(tests, fit.test_only);
    std::int32_t most_nodes = rows.empty() ? 0 : 1;
    for (const NetworkMeasurement& row : rows) most_nodes = std::max(most_nodes, row.query.group.nodes);
    if (!out.empty()) write_constants(out, kind, most_nodes, fit);
  }
  print_pooled("fitted", fitted);
  print_pooled("held out", held_out);
  print_pooled("test only", tests);
  return 0;
}

}  // namespace echo::calibrate
