// Echo-slowdown's trained model (NetX-lab/Echo-slowdown, training_testing/output/xgb_model.json) as one of
// ours. Its trees predict the slowdown of a kernel from eight measured metrics that were standardised by the
// mean and deviation of its training rows (train.py: four fifths of the table, drawn by scikit-learn with
// seed 42; StandardScaler). The file does not hold these, so the table is needed as well; the model's base
// score, the mean slowdown of its training rows, tells whether it is the right one. (predict.py of that
// repository gives the trees metrics as they are, not standardised.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "slowdown/learned.hpp"

namespace echo::learn {

// Whether JSON text is a model of xgboost, by its first bytes.
[[nodiscard]] bool is_echo_model(std::string_view text);

struct EchoModel {
  std::string_view json;
  std::string name;            // of that file, for messages
  std::vector<bool> held_out;  // [rows of the table] not among its training rows
  const CsvTable& table;       // train_dataset.csv or merged_features.csv: the features, and slowdown
  std::vector<slowdown::OverlapRow> rows = {};  // of the table, where it holds durations, else none
  std::vector<std::string> gpus = {};           // presets' names, where known
};
// Feature set `metrics`, base `direct`. With `rows`, its evidence is the error of overlapped durations on the
// rows that it was not trained on. Throws UserError, 2: no such model, or not of this table.
[[nodiscard]] slowdown::LearnedModel read_echo_model(const EchoModel&);

}  // namespace echo::learn
