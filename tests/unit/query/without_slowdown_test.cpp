#include "query/rank/without_slowdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "results/columns.hpp"
#include "tests/support/tiny_results.hpp"
#include "training/axis.hpp"

namespace echo::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(WithoutSlowdown, CountsSlicesWhoseWinnerChangesAndWhatThatCosts) {
  const auto table = tiny_results({{.id = 0x1111111100000000, .gpus = 8, .tp = 1, .step = 1.0, .tax = 0.0},
                                   {.id = 0x2222222200000000, .gpus = 8, .tp = 2, .step = 1.25, .tax = 0.5},
                                   {.gpus = 16, .tp = 1, .step = 0.5, .tax = 0.1},
                                   {.gpus = 16, .tp = 2, .step = 0.75, .tax = 0.1},
                                   {.gpus = 32, .step = 0.25}});
  const WithoutSlowdown found = without_slowdown(table);
  EXPECT_TRUE(found.is_taxed);
  EXPECT_EQ(found.slices, 2);
  EXPECT_EQ(found.single, 1);
  EXPECT_EQ(found.changed, 1);
  EXPECT_EQ(found.near_ties, 0);
  EXPECT_DOUBLE_EQ(found.median_loss, 0.25);
  EXPECT_EQ(found.worst.without, 1);
  EXPECT_EQ(found.worst.with, 0);
  EXPECT_THAT(found.same, ElementsAre("gpus"));
  const std::string text = text_of(found, table);
  EXPECT_THAT(text, HasSubstr("another layout wins in 1 of 2 slices (50.0 %); choosing it costs 25.0 %"));
  EXPECT_THAT(text, HasSubstr("differ only in the layout (here: gpus); 1 with a single row left out"));
  EXPECT_THAT(text, HasSubstr("22222222 chosen instead of 11111111: tp 1 -> 2"));
}

TEST(WithoutSlowdown, TiesAreNoChangeWhereTheWinnerIsAmongThem) {
  const auto table = tiny_results(
      {{.tp = 1, .step = 1.0, .tax = 0.5}, {.tp = 2, .step = 1.5, .tax = 1.0}, {.tp = 4, .step = 2.0}});
  const WithoutSlowdown found = without_slowdown(table);
  EXPECT_EQ(found.changed, 0);
  EXPECT_EQ(found.told_apart, 1);
  EXPECT_THAT(text_of(found, table),
              HasSubstr("in 0 of 1 slice (0.0 %); it decides between layouts that tie without it"));
}

TEST(WithoutSlowdown, SaysWhereAChangeIsANearTie) {
  const auto table = tiny_results({{.tp = 1, .step = 1.0}, {.tp = 2, .step = 1.001, .tax = 0.5}});
  const WithoutSlowdown found = without_slowdown(table);
  EXPECT_EQ(found.changed, 1);
  EXPECT_EQ(found.near_ties, 1);
  EXPECT_THAT(text_of(found, table), HasSubstr("near ties (0.1 % or less): 1"));
}

TEST(WithoutSlowdown, SaysNothingWhereNothingSlows) {
  const auto table = tiny_results({{.tp = 1, .step = 1.0}, {.tp = 2, .step = 1.5}});
  EXPECT_FALSE(without_slowdown(table).is_taxed);
  EXPECT_EQ(text_of(without_slowdown(table), table), "");
}

TEST(WithoutSlowdown, AsksOnlyRowsThatAreKept) {
  const auto table = tiny_results(
      {{.tp = 1, .step = 1.0}, {.tp = 2, .step = 1.5, .tax = 1.0}, {.tp = 4, .status = 1, .step = 0.1}});
  EXPECT_EQ(without_slowdown(table).changed, 1);
  EXPECT_EQ(without_slowdown(table, "tp != 2").slices, 0);
}

// axes.toml says which axes are; of the other inputs, one is.
TEST(WithoutSlowdown, KnowsWhichInputsAreLayout) {
  for (const char* layout : {"tp", "dp", "schedule", "microbatches", "recompute_modules", "offload_layers"})
    EXPECT_TRUE(is_of_layout(layout)) << layout;
  for (const char* given : {"model", "gpus", "global_batch_tokens", "kernels", "lora_rank", "topology"})
    EXPECT_FALSE(is_of_layout(given)) << given;
  std::set<std::string_view> derived;
  for (const results::Column& column : results::column_table())
    if (column.role == results::Role::input && !training::find_axis(column.path)) derived.insert(column.path);
  EXPECT_EQ(derived, (std::set<std::string_view>{"microbatches", "global_batch_tokens"}));
}

// What the words say, row against row.
struct Twin {
  std::int64_t slices = 0, single = 0, changed = 0, near_ties = 0, told_apart = 0;
  double largest = 0.0;
};
Twin slow_twin(const std::vector<TinyRow>& rows) {
  Twin twin;
  std::set<std::pair<std::int64_t, std::int64_t>> done;
  for (const TinyRow& first : rows) {
    if (first.status != 0 || !done.insert({first.model, first.gpus}).second) continue;
    std::vector<TinyRow> slice;
    for (const TinyRow& row : rows)
      if (row.status == 0 && row.model == first.model && row.gpus == first.gpus) slice.push_back(row);
    ++(slice.size() > 1 ? twin.slices : twin.single);
    const auto unslowed = [](const TinyRow& row) { return row.step - row.tax; };
    const double best = std::ranges::min(slice, {}, &TinyRow::step).step;
    const double best_unslowed = unslowed(std::ranges::min(slice, {}, unslowed));
    std::vector<double> taken;
    for (const TinyRow& row : slice)
      if (unslowed(row) == best_unslowed) taken.push_back(row.step);
    const double loss = std::ranges::min(taken) / best - 1.0;
    if (loss > 0.0) ++twin.changed;
    if (loss > 0.0 && loss <= 1e-3) ++twin.near_ties;
    if (loss == 0.0 && std::ranges::max(taken) > best) ++twin.told_apart;
    twin.largest = std::max(twin.largest, loss);
  }
  return twin;
}

TEST(WithoutSlowdown, IsWhatTheWordsSay) {
  std::int64_t changed = 0, near_ties = 0, told_apart = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<TinyRow> rows(1 + random() % 60);
    for (TinyRow& row : rows)  // quarters and thousandths, so that there are ties and near ones
      row = {.model = static_cast<std::int64_t>(random() % 2),
             .gpus = static_cast<std::int64_t>(8 << random() % 4),
             .tp = static_cast<std::int64_t>(1 << random() % 4),
             .status = random() % 5 == 0 ? 1 : 0,
             .step = 2.0 + 0.25 * static_cast<double>(random() % 4) + (random() % 3 == 0 ? 0x1p-10 : 0.0),
             .tax = 0.25 * static_cast<double>(random() % 4)};
    const Twin twin = slow_twin(rows);
    const WithoutSlowdown found = without_slowdown(tiny_results(rows));
    ASSERT_EQ(found.slices, twin.slices) << "seed " << seed;
    ASSERT_EQ(found.single, twin.single) << "seed " << seed;
    ASSERT_EQ(found.changed, twin.changed) << "seed " << seed;
    ASSERT_EQ(found.near_ties, twin.near_ties) << "seed " << seed;
    ASSERT_EQ(found.told_apart, twin.told_apart) << "seed " << seed;
    ASSERT_EQ(found.worst.loss, twin.largest) << "seed " << seed;
    changed += twin.changed, near_ties += twin.near_ties, told_apart += twin.told_apart;
  }
  EXPECT_GT(std::min({changed, near_ties, told_apart}), 20);
}

}  // namespace
}  // namespace echo::query
