#include "results/write/merge_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "results/write/carry.hpp"

namespace echo::results {
namespace {

// The properties that must be equal, as shown to users.
struct Common {
  const char* what;
  std::string FileHeader::*key;
};
constexpr Common common[] = {
    {"the inputs that rows depend on (program, presets, constants or limits; row_key)", &FileHeader::row_key},
    {"the axes and rules of the sweep (space_key)", &FileHeader::space_key}};

void require_one_sweep(const std::deque<OldRows>& files) {
  std::vector<Problem> problems;
  for (const OldRows& file : files) {
    for (const Common& must : common) {
      const std::string &first = files.front().state().*must.key, &here = file.state().*must.key;
      if (here != first)
        problems.push_back(
            {{},
             fmt::format("\"{}\" and \"{}\" differ in {}: {} and {}", files.front().path().string(),
                         file.path().string(), must.what, first, here),
             "merge files of the same sweep, written by the same program"});
    }
    if (file.state().ids != files.front().state().ids)
      problems.push_back({{},
                          fmt::format("\"{}\" has {} points, \"{}\" has {}", files.front().path().string(),
                                      files.front().state().ids, file.path().string(), file.state().ids),
                          "merge files of the same sweep, run without --limit or with the same limit"});
  }
  if (!problems.empty()) throw UserError(std::move(problems), 2);
}

// Rows of one number in two files: [i] of `kept` and of `other` are a pair.
struct Pairs {
  std::vector<CarriedRow> kept, other;
};

Pairs pairs_of(std::span<const CarriedFile> files) {
  std::vector<CarriedRow> all;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (std::int64_t row = 0; row < files[f].rows->count(); ++row)
      all.push_back(
          {files[f].rows->number(row), static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(row)});
  std::ranges::stable_sort(all, {}, &CarriedRow::number);
  Pairs pairs;
  for (std::size_t i = 1, first = 0; i < all.size(); ++i) {
    if (all[i].number != all[first].number) first = i;
    if (i != first) pairs.kept.push_back(all[first]), pairs.other.push_back(all[i]);
  }
  return pairs;
}

// Pairs whose bytes differ in some column, row numbers aside.
std::vector<bool> differing(std::span<const CarriedFile> files, const Pairs& pairs, const CodeTables& codes,
                            const std::vector<std::string>& layer_tables) {
  const Carrier carrier(files, codes, layer_tables);
  std::vector<bool> differs(pairs.kept.size(), false);
  std::vector<std::byte> a, b;
  for (std::size_t first = 0; first < pairs.kept.size(); first += batch_rows) {
    const std::size_t count = std::min<std::size_t>(batch_rows, pairs.kept.size() - first);
    for (const Column& column : column_table()) {
      if (column.role == Role::scale) continue;
      carrier.column_bytes(column, std::span(pairs.kept).subspan(first, count), a);
      carrier.column_bytes(column, std::span(pairs.other).subspan(first, count), b);
      const auto width = static_cast<std::ptrdiff_t>(a.size() / count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i) * width;
        if (!std::equal(a.begin() + at, a.begin() + at + width, b.begin() + at)) differs[first + i] = true;
      }
    }
  }
  return differs;
}

void refuse_conflicts(std::span<const CarriedFile> files, const FileHeader& header) {
  const Pairs pairs = pairs_of(files);
  if (pairs.kept.empty()) return;
  auto names = names_of(files, pairs.kept);
  for (auto& [kind, used] : names_of(files, pairs.other)) names[kind].insert(used.begin(), used.end());
  const CodeTables codes({}, names, {}, header.limit_names);
  const auto differs = differing(files, pairs, codes, files.front().rows->layer_tables());
  const auto conflicts = std::ranges::count(differs, true);
  if (conflicts == 0) return;
  const auto at = static_cast<std::size_t>(std::ranges::find(differs, true) - differs.begin());
  const CarriedRow &a = pairs.kept[at], &b = pairs.other[at];
  throw UserError(
      fmt::format("{} point{} differ{} between files; the first is {:016x}, row {} of \"{}\" and row "
                  "{} of \"{}\"",
                  conflicts, conflicts == 1 ? "" : "s", conflicts == 1 ? "s" : "",
                  files[a.file].rows->config_id(a.row), a.row, files[a.file].rows->path().string(), b.row,
                  files[b.file].rows->path().string()),
      "choose with --prefer first or --prefer last", 2);
}

simulate::Catalog layer_catalog(const std::vector<std::string>& texts) {
  simulate::Catalog catalog;
  for (const std::string& text : texts) {
    std::istringstream in(text);
    catalog.layer_tables.emplace_back();
    for (std::int32_t layers = 0; in >> layers;) catalog.layer_tables.back().push_back(layers);
  }
  return catalog;
}

std::int64_t distinct_points(std::span<const CarriedFile> files) {
  return static_cast<std::int64_t>(carried_rows(files).size());
}

}  // namespace

WriteSummary merge_results(const std::filesystem::path& out, std::span<const std::filesystem::path> files,
                           Prefer prefer, const std::string& command) {
  std::deque<OldRows> old;
  for (const auto& file : files) old.emplace_back(file);
  require_one_sweep(old);
  std::vector<CarriedFile> carried;
  std::int32_t launches = 0;
  for (const OldRows& file : old) {
    carried.push_back({&file, {}, launches});
    launches += file.next_launch();
  }
  FileHeader header = old.front().state();
  if (prefer == Prefer::none) refuse_conflicts(carried, header);
  if (prefer == Prefer::last) std::ranges::reverse(carried);
  header.shard.clear();
  header.is_partial = distinct_points(carried) < header.ids;
  Provenance provenance = read_provenance(old.front().file());
  provenance.launches.clear(), provenance.failures.clear();
  provenance.command = command;
  RowsInMemory none({});
  return write_results(out, none, layer_catalog(old.front().layer_tables()), header, provenance, carried);
}

}  // namespace echo::results
