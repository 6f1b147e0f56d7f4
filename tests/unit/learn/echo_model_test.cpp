#include "learn/fit/echo_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace echo::learn {
namespace {

using ::testing::HasSubstr;

// Ten rows, of which 8 and 1 are held out. Times alone of 1 to 10 us; the slow ones are slowed.
std::string table_text() {
  std::string text = "ground_truth,Compute throughput,slowdown\n";
  for (int row = 0; row < 10; ++row)
    text += std::to_string(1000 * (row + 1)) + ",50," + (row < 5 ? "0.5" : "0.1") + "\n";
  return text;
}
// Trained on rows 0, 2, ..., 7 and 9: mean slowdown 0.3, mean time 5.5 us.
constexpr double mean_time = 5500.0;
const double deviation = 1000.0 * std::sqrt(2.0 * (20.25 + 6.25 + 2.25 + 0.25) / 8.0);

std::string model_text(double threshold_ns, const std::string& base = "3E-1",
                       const std::string& name = "ground_truth") {
  const double threshold = (threshold_ns - mean_time) / deviation;
  return R"({"learner":{"feature_names":[")" + name +
         R"(","Compute throughput"],"gradient_booster":{"model":{"trees":[{"left_children":[1,-1,-1],)"
         R"("right_children":[2,-1,-1],"split_indices":[0,0,0],"default_left":[1,0,0],"split_type":[0,0,0],)"
         R"("split_conditions":[)" +
         std::to_string(threshold) +
         R"(,0.2,-0.5],"loss_changes":[1,0,0]}]},"name":"gbtree"},)"
         R"("learner_model_param":{"base_score":")" +
         base + R"(","num_class":"0","num_feature":"2"}}})";
}

std::vector<bool> held_out() {
  std::vector<bool> out(10, false);
  out[1] = out[8] = true;
  return out;
}

slowdown::LearnedModel read(const std::string& json, const std::string& table = table_text()) {
  const CsvTable parsed = CsvTable::parse(table, "train_dataset.csv");
  return read_echo_model({json, "xgb_model.json", held_out(), parsed});
}
std::string complaint(const std::string& json, const std::string& table = table_text()) {
  try {
    static_cast<void>(read(json, table));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.problems().front().what;
  }
  return "";
}

TEST(EchoModel, SplitsStandardisedMetricsAsItsTableHasThem) {
  const slowdown::LearnedModel model = read(model_text(4500.0));
  EXPECT_TRUE(slowdown::is_sound(model));
  slowdown::OverlapRow row;
  row.kernel = "gemm";
  row.alone = 4.4e-6;
  EXPECT_NEAR(slowdown::kept_rate(model, row), 1.0 / 1.5, 1e-6);
  row.alone = 4.6e-6;  // 0.3 - 0.5 is less than none
  EXPECT_DOUBLE_EQ(slowdown::kept_rate(model, row), 1.0);
  EXPECT_EQ(model.evidence.rows, 8);
  EXPECT_TRUE(model.evidence.errors.empty());
}

TEST(EchoModel, WithDurationsItsErrorIsThatOnRowsHeldOut) {
  const std::string json = model_text(4500.0);
  const CsvTable table = CsvTable::parse(table_text(), "merged_features.csv");
  std::vector<slowdown::OverlapRow> rows;
  for (int i = 0; i < 10; ++i) {
    slowdown::OverlapRow row;
    row.kernel = "gemm";
    row.alone = (i + 1) * 1e-6;
    row.overlapped = row.alone * (i < 5 ? 1.5 : 1.25);
    row.overlap_ratio = 1.0;
    rows.push_back(row);
  }
  const slowdown::LearnedModel model =
      read_echo_model({json, "xgb_model.json", held_out(), table, rows, {"a100"}});
  ASSERT_EQ(model.evidence.errors.size(), 2U);
  // Row 1 is predicted, row 8 is taken as not slowed: 0 and 20 %; without slowdown 33.3 and 20 %.
  EXPECT_NEAR(model.evidence.errors[0].mean, 0.1, 1e-6);
  EXPECT_NEAR(model.evidence.errors[1].mean, (1.0 / 3.0 + 0.2) / 2.0, 1e-6);
}

TEST(EchoModel, AnotherTableThanItsOwnIsRefused) {
  EXPECT_THAT(complaint(model_text(4500.0, "4E-1")),
              HasSubstr("the mean slowdown of its training rows is 0.4, that of the table's is 0.3"));
  EXPECT_THAT(complaint(model_text(4500.0, "3E-1", "SM clock")), HasSubstr("\"SM clock\" that is not known"));
  EXPECT_THAT(complaint(model_text(4500.0), table_text() + "11000,50,0.1\n"), HasSubstr("other rows"));
  EXPECT_THAT(complaint("{}"), HasSubstr("not a tree model"));
  EXPECT_TRUE(is_echo_model(model_text(1.0)));
  EXPECT_FALSE(is_echo_model(R"({"traceEvents": []})"));
}

}  // namespace
}  // namespace echo::learn
