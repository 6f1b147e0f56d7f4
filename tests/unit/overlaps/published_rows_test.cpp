// The rows found in public profiles, next to those that others extracted from the same profiles
// (overlap/overlap_rows.csv and traces/ of the reference data), where these are at hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/csv.hpp"
#include "overlaps/import.hpp"
#include "overlaps/readers/kineto_profile.hpp"
#include "overlaps/rows_csv.hpp"

namespace echo::overlaps {
namespace {

namespace fs = std::filesystem;

// Traces are called project__name.gz in the folder and name in the table, with or without .gz.
std::string bare(std::string name) {
  if (const auto project = name.find("__"); project != name.npos && !name.starts_with("trace__"))
    name = name.substr(project + 2);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

using Key = std::tuple<std::string, std::string, std::int64_t, std::string, std::string>;
struct Rows {
  const CsvTable& table;
  [[nodiscard]] std::string text(std::size_t row, const char* column) const {
    return std::string(table.text(row, column));
  }
  [[nodiscard]] std::map<Key, std::size_t> by_key() const {
    std::map<Key, std::size_t> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto ns = static_cast<std::int64_t>(std::llround(*table.number(row, "ts_us") * 1000.0));
      out[{bare(text(row, "trace")), text(row, "row_kind"), ns, text(row, "stream"), text(row, "kernel")}] =
          row;
    }
    return out;
  }
};

std::string imported_csv(const fs::path& traces) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(traces))
    if (entry.path().extension() == ".gz") files.insert(entry.path());
  std::vector<Profile> profiles;
  for (const fs::path& file : files) profiles.push_back(read_kineto_profile(file));
  const Imported imported = import_profiles(std::move(profiles));
  std::string out = rows_header();
  for (std::size_t i = 0; i < imported.profiles.size(); ++i)
    for (const Observation& row : imported.overlaps[i].rows)
      out += row_text(imported.profiles[i], row, {"", name_giver(imported, imported.runs[i]).trace, ""});
  return out;
}

TEST(PublishedRows, AreFoundAgain) {
  const char* data = std::getenv("ECHO_DATA_DIR");
  if (data == nullptr) GTEST_SKIP() << "ECHO_DATA_DIR is not set";
  const fs::path table = fs::path(data) / "overlap" / "overlap_rows.csv", traces = fs::path(data) / "traces";
  if (!fs::exists(table) || !fs::exists(traces)) GTEST_SKIP() << "overlap/ and traces/ are not there";
  const CsvTable theirs_table = CsvTable::read_file(table);
  const CsvTable mine_table = CsvTable::parse(imported_csv(traces), "rows.csv");
  const Rows theirs{theirs_table}, mine{mine_table};
  const auto published = theirs.by_key(), found = mine.by_key();
  std::int64_t common = 0, ambiguous = 0, wider = 0, by_rank = 0, recommended = 0;
  for (const auto& entry : published) {
    const auto& key = entry.first;
    const auto row = entry.second;
    if (std::get<0>(key) == "ds_train.json") continue;  // states no licence: not kept
    const auto at = found.find(key);
    const std::string label = std::get<0>(key) + " " + std::to_string(std::get<2>(key));
    if (at == found.end()) {
      // Told by name and grid alone, which is not enough.
      EXPECT_EQ(theirs.text(row, "op") + theirs.text(row, "shape"), "") << label;
      EXPECT_EQ(theirs.text(row, "recommended"), "0") << label;
      EXPECT_EQ(theirs.text(row, "alone_key"), "name+grid+block+op") << label;
      ++ambiguous;
      continue;
    }
    ++common;
    const std::size_t own = at->second;
    const auto number = [&](const char* column) {
      return std::pair(*theirs.table.number(row, column), *mine.table.number(own, column));
    };
    // Rounding of the table: to 0.1 us and to 0.0001.
    for (const char* column : {"dur_us", "ov_us"})
      EXPECT_NEAR(number(column).first, number(column).second, 0.0501) << label << ' ' << column;
    for (const char* column : {"ov_frac", "ov_other_frac", "ov_copy_frac"})
      EXPECT_NEAR(number(column).first, number(column).second, 1.01e-4) << label << ' ' << column;
    for (const char* column : {"op", "grid", "block", "comm_kernels", "comm_kind", "comm_ctas", "comm_bytes",
                               "n_conc", "regs", "smem_bytes"})
      EXPECT_EQ(theirs.text(row, column), mine.text(own, column)) << label << ' ' << column;
    if (mine.text(own, "alone_key").starts_with("ctx2")) {
      ++wider;  // two neighbours on either side: samples alone that agree
      continue;
    }
    EXPECT_EQ(theirs.text(row, "n_alone"), mine.text(own, "n_alone")) << label;
    EXPECT_EQ(theirs.text(row, "alone_key"), mine.text(own, "alone_key")) << label;
    const auto [stated, slowdown] = number("slowdown");
    EXPECT_NEAR(stated, slowdown, 1.01e-4 * std::max(1.0, stated)) << label;
    if (theirs.text(row, "row_kind") == "comm" && theirs.text(row, "recommended") == "1") {
      ++by_rank;  // the profile of the other rank, which tells waiting from work, is not there
      continue;
    }
    EXPECT_EQ(theirs.text(row, "recommended"), mine.text(own, "recommended")) << label;
    recommended += theirs.text(row, "recommended") == "1" ? 1 : 0;
  }
  EXPECT_EQ(common, 5420);
  EXPECT_EQ(ambiguous, 158);
  EXPECT_EQ(wider, 6);
  EXPECT_EQ(by_rank, 5);
  EXPECT_EQ(recommended, 1822);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(common));
}

}  // namespace
}  // namespace echo::overlaps
