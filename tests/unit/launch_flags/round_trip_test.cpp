// A config written as a launch file and read back is the same config, for every choice that a table can say;
// what it cannot say is listed, never lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/at.hpp"
#include "config/launch_settings.hpp"
#include "launch_flags/launch.hpp"
#include "sweep/space/canonical_text.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/random_config.hpp"
#include "tests/unit/launch_flags/launch_tables.hpp"

namespace echo::launch_flags {
namespace {

using support::Draws;
using training::TrainingConfig;

// Of each framework; ECHO_LAUNCH_CONFIGS=10000 in the slow tier.
int config_count() {
  const char* count = std::getenv("ECHO_LAUNCH_CONFIGS");
  return count == nullptr ? 200 : std::atoi(count);
}

// The framework's own choices for some model and layout.
TrainingConfig plain_config(const Table& table, const simulate::Catalog& catalog, Draws& draws) {
  TrainingConfig c;
  do {
    c.model = training::ModelId(support::any_of(draws, catalog.models));
  } while (!catalog.model(c.model).trace.is_none());
  c.cluster = machine::ClusterId(find_named(catalog.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(find_named(catalog.frameworks, table.framework));
  const training::FrameworkSpec& framework = catalog.framework(c);
  c.recipe = framework.recipe;
  c.recompute = framework.recompute;
  c.zero = framework.zero;
  c.sequence_parallel = framework.sequence_parallel;
  c.flash_attention = framework.flash_attention;
  c.overlap = framework.overlap;
  c.degrees = {.tensor = draws.one_of({1, 2, 4, 8}),
               .pipeline = draws.one_of({1, 2, 4}),
               .data = draws.one_of({1, 2, 4, 8, 32}),
               .context = draws.one_of({1, 1, 2, 4})};
  c.degrees.expert_tensor = catalog.model(c.model).has_experts() ? draws.one_of({1, c.degrees.tensor}) : 1;
  if (catalog.model(c.model).has_experts()) c.degrees.expert = draws.one_of({1, 2, 8});
  if (c.degrees.pipeline > 1) c.degrees.virtual_stages = draws.one_of({1, 1, 2});
  const std::int32_t micro = draws.one_of({1, 2, 4});
  c.batch = {.global_samples = c.degrees.data * micro * draws.one_of({1, 4, 16}),
             .micro_samples = micro,
             .sequence_tokens = draws.one_of({2048, 4096, 8192})};
  const char* schedule = c.degrees.virtual_stages > 1 ? "interleaved" : "1f1b";
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
  return c;
}

std::int32_t drawn_number(const sweep::AxisInfo& info, Draws& draws) {
  const std::int32_t bits = static_cast<std::int32_t>(training::member_of(info.axis).words.size());
  switch (info.kind) {
    case sweep::AxisKind::words:
      return 1 + draws.below((1 << bits) - 1);
    case sweep::AxisKind::ratio:
      return draws.one_of({0, 1000, 1250, 1500});
    case sweep::AxisKind::level:
      if (info.axis == sweep::Axis::recompute_layers)
        return draws.one_of({2, 3});  // files write 0 and 1 alike
      return std::min(draws.one_of({0, 1, 2, 3}), std::min(info.highest, 1000));
    default:
      return draws.one_of({1, 2, 4});
  }
}

// Sets an axis to the text of a row, "*" to some number; false where the fact is no axis of its own.
bool choose(const Term& term, Draws& draws, TrainingConfig& c) {
  const auto axis = training::find_axis(term.name);
  constexpr const char* of_layout[] = {"tp", "pp",          "cp",           "ep",      "etp",  "vpp",
                                       "dp", "micro_batch", "global_batch", "seq_len", "gpus", "model"};
  if (!axis || std::ranges::find(of_layout, term.name) != std::end(of_layout)) return false;
  const sweep::AxisInfo& info = training::info_of(*axis);
  const training::AxisMember& member = training::member_of(*axis);
  if (member.set == nullptr || info.kind == sweep::AxisKind::layer_list) return false;
  if (term.name == "schedule") {
    if (c.degrees.pipeline == 1 || (term.value == "interleaved") != (c.degrees.virtual_stages > 1))
      return false;
    const std::int32_t id = find_named(timeline::schedule_table(), term.value);
    EXPECT_GE(id, 0) << term.value;
    member.set(c, id);
  } else if (term.value == "*") {
    member.set(c, drawn_number(info, draws));
  } else if (info.kind == sweep::AxisKind::flag) {
    member.set(c, term.value == "true" ? 1 : 0);
  } else if (info.kind == sweep::AxisKind::word) {
    const auto word = std::ranges::find(member.words, term.value);
    EXPECT_NE(word, member.words.end()) << term.name << " " << term.value;
    member.set(c, static_cast<std::int32_t>(word - member.words.begin()));
  } else if (info.kind == sweep::AxisKind::words) {
    member.set(c, training::bits_of(member.words, term.value).value_or(0));
  } else {
    member.set(c, std::atoi(term.value.c_str()));
  }
  return true;
}

struct Drawn {
  TrainingConfig config;
  std::set<std::string> said;  // axes that some row of the table says
};

// A row of every relation.
Drawn drawn_config(const Table& table, const simulate::Catalog& catalog, std::uint64_t seed) {
  Draws draws(seed);
  Drawn drawn{plain_config(table, catalog, draws), {}};
  for (const Relation& relation : table.relations) {
    const Row& row = relation.rows[at(draws.below(static_cast<std::int32_t>(relation.rows.size())))];
    for (const Term& term : row.facts)
      if (choose(term, draws, drawn.config)) drawn.said.insert(term.name);
  }
  if (drawn.config.zero_group > 0) drawn.config.zero_group = drawn.config.degrees.data;
  return drawn;
}

Imported read_text(const Launch& launch, const Table& table, const simulate::Catalog& catalog,
                   Problems& problems) {
  const std::string text = launch_file(launch, table, "a test");
  const config::LaunchFile file =
      config::read_launch_file(file_name_of(table.format), text, shipped_tables(), table.name, problems);
  return read_back(file.settings, launch.unsaid, table, catalog, problems);
}

std::string texts(const std::vector<Unsaid>& unsaid) {
  std::string text;
  for (const Unsaid& one : unsaid) text += one.axis + "=" + one.value + " (" + one.otherwise + ") ";
  return text;
}

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, GivesTheSameConfigAndLosesNoChoiceThatTheTableSays) {
  const Table& table = shipped_table(GetParam());
  simulate::Catalog catalog = support::presets().catalog;
  const std::size_t layer_tables = catalog.layer_tables.size();
  std::map<std::string, int> left_unsaid;
  for (int i = 0; i < config_count(); ++i) {
    const Drawn drawn = drawn_config(table, catalog, 20261124 + static_cast<std::uint64_t>(i));
    const Launch launch = launch_of(drawn.config, table, catalog);
    Problems problems;
    const Imported again = read_text(launch, table, catalog, problems);
    ASSERT_EQ(problems.errors(), 0) << problems.list().front().what << "\n"
                                    << launch_file(launch, table, "x");
    EXPECT_TRUE(again.understood.unknown.empty()) << again.understood.unknown.front().setting.key;
    EXPECT_TRUE(again.understood.not_simulated.empty()) << again.understood.not_simulated.front().setting.key;
    ASSERT_EQ(sweep::config_id_of(config_of(again, catalog), catalog),
              sweep::config_id_of(drawn.config, catalog))
        << sweep::canonical_text(sweep::normalised(drawn.config, catalog), catalog) << "\n"
        << sweep::canonical_text(sweep::normalised(config_of(again, catalog), catalog), catalog) << "\n"
        << launch_file(launch, table, "x");
    for (const Unsaid& one : launch.unsaid) {
      ++left_unsaid[one.axis];
      EXPECT_FALSE(drawn.said.contains(one.axis)) << texts(launch.unsaid) << "\n"
                                                  << launch_file(launch, table, "x");
    }
    catalog.layer_tables.resize(layer_tables);
    if (HasFailure()) return;
  }
  // What is unsaid is unsaid for a reason that the table's page gives; nothing of the layout is, but of
  // models.
  for (const char* axis : {"tp", "pp", "micro_batch"}) EXPECT_EQ(left_unsaid[axis], 0) << axis;
}

// Any config at all: what the framework cannot say is listed, and with it the config is whole.
TEST_P(RoundTrip, ListsWhatCannotBeSaid) {
  const Table& table = shipped_table(GetParam());
  simulate::Catalog catalog = support::presets().catalog;
  const std::size_t layer_tables = catalog.layer_tables.size();
  for (int i = 0; i < config_count() / 2; ++i) {
    TrainingConfig config = support::wild_config(static_cast<std::uint64_t>(i));
    if (!catalog.model(config.model).trace.is_none()) continue;
    const Launch launch = launch_of(config, table, catalog);
    Problems problems;
    const Imported again = read_text(launch, table, catalog, problems);
    ASSERT_EQ(problems.errors(), 0) << problems.list().front().what << "\n"
                                    << launch_file(launch, table, "x");
    ASSERT_EQ(sweep::config_id_of(config_of(again, catalog), catalog), sweep::config_id_of(config, catalog))
        << sweep::canonical_text(sweep::normalised(config, catalog), catalog) << "\n"
        << sweep::canonical_text(sweep::normalised(config_of(again, catalog), catalog), catalog) << "\n"
        << launch_file(launch, table, "x");
    catalog.layer_tables.resize(layer_tables);
  }
}

INSTANTIATE_TEST_SUITE_P(Frameworks, RoundTrip,
                         testing::Values("megatron-lm", "megatron-bridge", "nemo", "nemo-1", "torchtitan",
                                         "deepspeed", "nanotron"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Shapes that a command line of Megatron-LM gives back, and those that it cannot.
TEST(Models, MegatronLmSaysEveryShapeButThese) {
  const Table& table = shipped_table("megatron-lm");
  simulate::Catalog catalog = support::presets().catalog;
  std::set<std::string> unsaid;
  for (std::size_t m = 0; m < catalog.models.size(); ++m) {
    Draws draws(1);
    TrainingConfig config = plain_config(table, catalog, draws);
    config.model = training::ModelId(static_cast<std::int32_t>(m));
    for (const Unsaid& one : launch_of(config, table, catalog).unsaid)
      if (one.axis == "model") unsaid.insert(one.value);
  }
  // Norms on both sides of a half; chunked attention; a shape that another preset has too.
  EXPECT_EQ(unsaid, (std::set<std::string>{"gemma3-27b", "llama4-maverick", "llama4-scout"}));
}

}  // namespace
}  // namespace echo::launch_flags
