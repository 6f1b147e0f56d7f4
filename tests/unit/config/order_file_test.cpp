#include "config/catalog/order_file.hpp"

#include <string_view>

#include "base/named_table.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* fine =
    "stages = 2\nmicrobatches = 2\norder = [\n  \"F0 F1 B0 B1\",\n  \"F0 B0  F1 B1\",\n]\n";

class OrderFile : public SweepFile {
 protected:
  void order(const std::string& text) const { (void)temp_.sweep(text, "orders/mine.toml"); }
  [[nodiscard]] SweepInputs read() const {
    return read_sweep(
        temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 2\npp = 2\n"
                    "schedule = [\"1f1b\", \"file:orders/mine.toml\"]\n"));
  }
  // "file:line:column what" of every problem.
  [[nodiscard]] std::vector<std::string> told(const std::string& text) const {
    order(text);
    std::vector<std::string> lines;
    try {
      (void)read();
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems()) {
        lines.push_back(support::fs::path(problem.place.file).filename().string() + ":" +
                        std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) +
                        " " + problem.what);
      }
    }
    return lines;
  }
};

TEST_F(OrderFile, JoinsTheCatalogUnderItsNameAndDigest) {
  order(fine);
  const SweepInputs inputs = read();
  ASSERT_EQ(inputs.catalog.orders.size(), 1u);
  const timeline::GivenOrder& given = inputs.catalog.orders[0];
  EXPECT_THAT(given.name, HasSubstr("file:orders/mine.toml@"));
  EXPECT_EQ(given.stages, 2);
  EXPECT_FALSE(given.splits_backward);
  EXPECT_THAT(given.held, ElementsAre(2, 1));
  const auto& schedules = inputs.spec.dimensions.back().columns[0].values;
  ASSERT_EQ(schedules.size(), 2u);
  EXPECT_EQ(schedules[1].text, given.name);
}

TEST_F(OrderFile, IsPartOfTheConfigsId) {
  order(fine);
  const SweepInputs first = read();
  order("# spaces and remarks do not matter\n" + std::string(fine));
  const SweepInputs same = read();
  order("stages = 2\nmicrobatches = 2\norder = [\"F0 F1 B0 B1\", \"F0 F1 B0 B1\"]\n");
  const SweepInputs other = read();
  const auto ids = [](const SweepInputs& inputs) {
    const sweep::DesignSpace space(inputs.spec, inputs.catalog);
    std::vector<std::uint64_t> found;
    for (std::int64_t i = 0; i < space.size(); ++i)
      found.push_back(sweep::config_id_of(space.at(sweep::PointIndex(i)), inputs.catalog));
    return found;
  };
  EXPECT_EQ(ids(first), ids(same));
  ASSERT_EQ(ids(first).size(), 2u);
  EXPECT_EQ(ids(first)[0], ids(other)[0]);
  EXPECT_NE(ids(first)[1], ids(other)[1]);
}

TEST_F(OrderFile, MaySplitBackwardsAndHoldSeveralChunks) {
  order(
      "stages = 1\nchunks_per_stage = 2\nmicrobatches = 1\nplacement = \"v\"\n"
      "order = [\"F0.0 F0.1 B0.1 B0.0 W0.0 W0.1\"]\n");
  const timeline::GivenOrder given = read().catalog.orders.at(0);
  EXPECT_TRUE(given.splits_backward);
  EXPECT_EQ(given.placement, timeline::Placement::v);
  EXPECT_THAT(given.held, ElementsAre(2));
}

TEST_F(OrderFile, SaysWhereItIsWrong) {
  const auto with = [](const char* first, const char* second) {
    return "stages = 2\nmicrobatches = 2\norder = [\n  \"" + std::string(first) + "\",\n  \"" + second +
           "\",\n]\n";
  };
  EXPECT_THAT(told(with("F0 F1 B0 B1", "F0 X0 B0 F1 B1")), ElementsAre("mine.toml:5:7 \"X0\" is not a task"));
  EXPECT_THAT(told(with("F0 F2 B0 B1", "F0 B0 F1 B1")),
              ElementsAre("mine.toml:4:7 \"F2\" names a microbatch that does not exist"));
  EXPECT_THAT(told(with("F0 F1.1 B0 B1", "F0 B0 F1 B1")),
              ElementsAre("mine.toml:4:7 \"F1.1\" names a chunk that does not exist"));
  EXPECT_THAT(told(with("F0 F1 B0 B1", "F0 B0 F1 F1 B1")),
              ElementsAre("mine.toml:5:13 stage 1 runs F1 twice"));
  EXPECT_THAT(told(with("F0 F1 B0", "F0 B0 F1 B1")), ElementsAre("mine.toml:4:12 stage 0 never runs B1"));
  EXPECT_THAT(told(with("F0 F1 B0 B1", "B0 F0 F1 B1")),
              ElementsAre("mine.toml:5:4 stage 1 runs B0 before its input"));
  EXPECT_THAT(told(with("F0 B0 F1 B1", "F0 F1 B0 B1")),
              ElementsAre("mine.toml:5:7 stage 1 deadlocks before F1"));
  EXPECT_THAT(told("stages = 2\nmicrobatches = 2\norder = [\"F0 F1 B0 B1\"]\n"),
              ElementsAre("mine.toml:3:9 order must be 2 strings, one per stage"));
  EXPECT_THAT(told("stages = 2\nmicrobatches = 2\nordre = []\n"),
              ElementsAre(HasSubstr("mine.toml:1:1"), HasSubstr("mine.toml:3:1")));
}

TEST_F(OrderFile, MustBeThere) {
  EXPECT_THAT(problems("schedule = \"file:orders/none.toml\"\n"), ElementsAre(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace echo::config
