// Files of blocks that workers packed, against files of single rows: the same bytes, whichever blocks there
// are.
#include "results/write/block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <random>

#include "base/record.hpp"
#include "results/rank/objectives.hpp"
#include "results/rows_digest.hpp"
#include "results/write/block_builder.hpp"
#include "results/write/block_columns.hpp"
#include "results/write/fill.hpp"
#include "results/write/result_file.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::results {
namespace {

FileHeader header_of(std::int64_t rows) { return {.name = "blocks", .sweep_key = "00ff", .ids = rows}; }

using Parts = std::vector<std::string>;

// Of all rows, as one worker makes them that has every row.
std::map<std::int64_t, Parts> blocks_of(const std::vector<FinishedRow>& rows,
                                        const simulate::Catalog& catalog) {
  std::map<std::int64_t, Parts> blocks;
  const auto builder = make_block_builder(catalog, header_of(std::ssize(rows)), 0, 0);
  for (const FinishedRow& row : rows)
    if (auto parts = builder->add(row.row); !parts.empty()) blocks[builder->first()] = std::move(parts);
  return blocks;
}

// Rows of which some are blocks.
class PartlyPacked : public RowsInMemory {
 public:
  PartlyPacked(const std::vector<FinishedRow>& rows, std::map<std::int64_t, Parts> blocks)
      : RowsInMemory(rows), blocks_(std::move(blocks)) {}
  bool has_block(std::int64_t first) override { return blocks_.contains(first); }
  std::string block_part(std::int64_t first, std::int32_t part) override {
    ++parts_given;
    return blocks_.at(first).at(static_cast<std::size_t>(part));
  }
  void skip_block(std::int64_t /*first*/) override { ++skipped; }
  int parts_given = 0, skipped = 0;

 private:
  std::map<std::int64_t, Parts> blocks_;
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string written(RowStream& rows, std::int64_t count, const simulate::Catalog& catalog,
                    std::string* digest = nullptr) {
  const TempFile file("blocks.h5");
  const WriteSummary summary = write_results(file.path, rows, catalog, header_of(count), {.program = "test"});
  EXPECT_EQ(digest_of(file.path), summary.rows_digest);
  if (digest != nullptr) *digest = summary.rows_digest;
  return bytes_of(file.path);
}

// Some fail, some break a limit, and the second half names a model that the first does not, whose name comes
// first: codes of a block by itself are not those of the file.
std::vector<FinishedRow> mixed_rows(std::int64_t count) {
  auto rows = sample_rows(count);
  for (FinishedRow& row : rows) {
    row.row.config.model = training::ModelId(row.row.id < count / 2 ? 0 : 1);
    if (row.row.id % 1000 == 17) row.row.report = {}, row.row.report.status = training::Status::failed;
  }
  return rows;
}

TEST(Block, GivesTheSameBytesWhoeverPacksTheRows) {
  const auto catalog = sample_catalog();
  const std::vector<std::int64_t> counts = support::is_sanitized
                                               ? std::vector<std::int64_t>{100, 17'000}
                                               : std::vector<std::int64_t>{100, 16'384, 40'000};
  for (const std::int64_t count : counts) {
    SCOPED_TRACE(count);
    const auto rows = mixed_rows(count);
    RowsInMemory single(rows);
    const std::string expected = written(single, count, catalog);
    const auto all = blocks_of(rows, catalog);
    ASSERT_EQ(std::ssize(all), (count + block_rows - 1) / block_rows);
    std::mt19937 random(7);
    for (int trial = 0; trial < (support::is_sanitized ? 2 : 4); ++trial) {
      auto some = all;
      if (trial > 0) std::erase_if(some, [&](const auto&) { return random() % 2 == 0; });
      PartlyPacked packed(rows, some);
      EXPECT_TRUE(written(packed, count, catalog) == expected) << trial;
      EXPECT_EQ(packed.skipped, 2 * std::ssize(some));  // once to look at names, once to place it
    }
  }
}

TEST(Block, ComesBackFromItsParts) {
  const auto rows = mixed_rows(20'000);
  for (const auto& [first, parts] : blocks_of(rows, sample_catalog())) {
    const auto head = read_head(parts.front());
    ASSERT_TRUE(head);
    EXPECT_EQ(head->block.first, first);
    EXPECT_EQ(head->parts, std::ssize(parts));
    Block block = head->block;
    for (std::size_t part = 1; part < parts.size(); ++part)
      ASSERT_TRUE(read_columns(parts[part], block.columns));
    EXPECT_EQ(block.columns.size(), row_datasets().size());
    EXPECT_EQ(parts_of(block), parts);
  }
}

// A report that nothing of may show where the row lacks its step or its memory.
simulate::StepReport odd_report(std::uint64_t seed) {
  simulate::StepReport report = sample_row(0).row.report;
  report.step = SimTime(seed % 3 == 0 ? 0 : static_cast<std::int64_t>(1 + draw(seed, 0, 0) % 1'000'000'000));
  report.memory_peak = Bytes(seed % 5 < 2 ? 0 : static_cast<std::int64_t>(draw(seed, 0, 1) % 1'000'000'000));
  report.status = static_cast<training::Status>(draw(seed, 0, 2) % 3);
  for (std::size_t i = 0; i < report.exposed.size(); ++i)
    report.exposed[i] = report.total[i] = SimTime(static_cast<std::int64_t>(draw(seed, i, 3) % 1'000'000));
  for (std::size_t i = 0; i < report.memory.size(); ++i)
    report.memory[i] = Bytes(static_cast<std::int64_t>(draw(seed, i, 4) % 1'000'000));
  for (float& error : report.error) error = static_cast<float>(draw_unit(seed, 0, 5));
  report.critical_stage = report.memory_stage = static_cast<std::int32_t>(draw(seed, 0, 6) % 7);
  report.mfu = report.measured_share = draw_unit(seed, 0, 7);
  report.tokens_per_second = 1.0 + draw_unit(seed, 0, 8);
  report.rel_error = report.rel_error_p90 = report.mem_rel_error = report.fit_chance =
      static_cast<float>(draw_unit(seed, 0, 9));
  return report;
}

TEST(BlockColumns, HaveForEachRowWhatItsFillersSay) {
  auto catalog = sample_catalog();
  catalog.gpus[0].power = {.cap = 700.0, .idle = 90.0, .memory = 400.0, .link = 200.0};
  catalog.clusters[0].gpus_per_node = 8, catalog.clusters[0].power.supply_efficiency = 0.9;
  campaign::Terms terms{.target_tokens = 1e12};
  terms.economics.pue = 1.2, terms.economics.carbon_kg_per_kwh = 0.4;
  auto rows = sample_rows(500);
  for (FinishedRow& row : rows) row.row.report = odd_report(static_cast<std::uint64_t>(row.row.id));
  BlockColumns columns(catalog, terms, {});
  columns.start(0);
  std::vector<std::int64_t> places;
  for (const FinishedRow& row : rows) places.push_back(row.row.id);
  for (std::size_t from = 0, count = 1; from < rows.size(); from += count, count = 1 + from % 97) {
    count = std::min(count, rows.size() - from);
    columns.put(std::span(rows).subspan(from, count), std::span(places).subspan(from, count));
  }
  columns.set_rows(std::ssize(rows));
  for (std::size_t i = 0; i < column_table().size(); ++i) {
    const Column& column = column_table()[i];
    SCOPED_TRACE(column.path);
    if (names_a_table(column)) continue;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    const ColumnInfo& info = columns.at(column.path);
    info.is_real() ? columns.read(info, 0, columns.rows(), reals)
                   : columns.read(info, 0, columns.rows(), integers);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Context context{rows[row].row, catalog, terms, places[row]};
      std::vector<double> expected(static_cast<std::size_t>(info.width), fill::missing);
      const bool is_own = fill::has(context, column.filler->needs);
      if (column.filler->integer != nullptr) {
        ASSERT_EQ(integers[row], is_own ? column.filler->integer(context) : column.filler->blank) << row;
        continue;
      }
      if (is_own && column.filler->real != nullptr)
        expected[0] = column.filler->real(context);
      else if (is_own)
        column.filler->parts(context, expected.data());
      for (std::size_t part = 0; part < expected.size(); ++part) {
        if (info.type == storage::ElementType::f4) expected[part] = static_cast<float>(expected[part]);
        const double found = reals[row * expected.size() + part];
        ASSERT_TRUE(found == expected[part] || (std::isnan(found) && std::isnan(expected[part])))
            << row << " " << found << " " << expected[part];
      }
    }
  }
}

// Whatever the bytes, they are read within their bounds, and refused or make sense.
TEST(Block, OfDamagedBytesIsRefusedOrMakesSense) {
  const auto blocks = blocks_of(mixed_rows(300), sample_catalog());
  const Parts& parts = blocks.begin()->second;
  std::mt19937 random(3);
  int refused = 0;
  for (int trial = 0; trial < support::trials(5000); ++trial) {
    std::string damaged = parts[trial % 2];
    for (std::size_t i = 0; i < 1 + random() % 4; ++i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 3 == 0) damaged.resize(random() % damaged.size());
    std::vector<PackedColumn> columns;
    const auto head = read_head(damaged);
    const bool is_sound = trial % 2 == 0 ? head.has_value() : read_columns(damaged, columns);
    refused += is_sound ? 0 : 1;
    ASSERT_LE(columns.size(), row_datasets().size());
    if (head) {
      ASSERT_LE(head->block.rows, block_rows);
    }
  }
  EXPECT_GT(refused, support::trials(1000));
}

TEST(Block, IsNotMadeOfRowsThatAWorkerLacks) {
  const auto rows = mixed_rows(40'000);
  const simulate::Catalog catalog = sample_catalog();  // which the builder refers to
  const FileHeader header = header_of(40'000);
  const auto builder = make_block_builder(catalog, header, 0, 0);
  std::vector<std::int64_t> made;
  for (const FinishedRow& row : rows) {
    if (row.row.id < 10 || row.row.id == 20'000) continue;  // another worker's
    if (!builder->add(row.row).empty()) made.push_back(builder->first());
  }
  EXPECT_EQ(made, (std::vector<std::int64_t>{32'768}));
}

// The findings of a file are joined from blocks; here they are found in the file itself.
TEST(Block, JoinsWhatTheWholeFileSays) {
  const TempFile file("findings.h5");
  const auto rows = mixed_rows(50'000);
  PartlyPacked packed(rows, blocks_of(rows, sample_catalog()));
  (void)write_results(file.path, packed, sample_catalog(), header_of(50'000), {.program = "test"});
  const ResultFile found(file.path);
  const auto effects = main_effects(found, "step_time");
  const auto names = found.file().texts("/effects/axis");
  std::vector<double> shares(names.size());
  found.file().read_rows("/effects/main_effect", 0, shares.size(), shares.data());
  ASSERT_EQ(effects.size(), names.size());
  ASSERT_GT(effects.size(), 1u);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    EXPECT_EQ(effects[i].axis, names[i]);
    EXPECT_EQ(effects[i].share, shares[i]);
  }
  const auto objectives = two_objectives({});
  const auto front = robust_front(found, objectives[0], objectives[1]);
  std::vector<std::int32_t> config(found.file().shape("/pareto/config").front());
  found.file().read_rows("/pareto/config", 0, config.size(), config.data());
  ASSERT_GE(front.size(), config.size());
  for (std::size_t i = 0; i < config.size(); ++i) EXPECT_EQ(front[i].row, config[i]);
}

}  // namespace
}  // namespace echo::results
