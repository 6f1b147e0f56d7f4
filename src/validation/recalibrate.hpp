// Fits a few constants of a user's site to steps measured there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/fitted/site_file.hpp"

namespace echo::validation {

struct RecalibrateRequest {
  std::string table, digest;  // the table's file and what its bytes are known by
  std::string site_file;      // to be written
  std::vector<std::string> preset_paths;
};

struct RecalibratedRow {
  std::string row;
  double measured = 0.0, shipped = 0.0, fitted = 0.0;  // s
  std::optional<double> held_out;  // s, by constants that did not see the row nor others of its setup
  double weight = 1.0;             // in the fit; less where the row disagrees with the rest
};

struct RecalibratedConstant {
  config::FittedSiteConstant fitted;
  bool is_informed = false;  // else kept as shipped
  std::string before, after;
};

struct Recalibration {
  std::size_t rows_read = 0;
  std::map<std::string, int> skipped;
  std::vector<RecalibratedRow> rows;
  std::vector<RecalibratedConstant> constants;
  double noise = 0.0;         // of a row, as a fraction
  int setups = 0, folds = 0;  // setups: models at GPU counts; folds: 0 where nothing could be held out
  std::string file_text;      // the site preset
};

// `presets`: as shipped. The predictions called fitted are made with `file_text`, read again. Throws
// UserError where no row can be predicted.
[[nodiscard]] Recalibration recalibrate(const CsvTable&, const RecalibrateRequest&,
                                        const config::CatalogInputs& presets);

// Mean of |log(predicted / measured)| of held-out rows: how much less it is for recalibrated constants, and
// that difference's standard error (0 where one setup is all there is). _ape: mean of |predicted / measured -
// 1|, as the table of errors prints it; a prediction that is far too long weighs more in it, one that is far
// too short less. Better is what is better by both.
struct HeldOutGain {
  double shipped = 0.0, fitted = 0.0, error_of_gain = 0.0, shipped_ape = 0.0, fitted_ape = 0.0;
  int rows = 0;
  [[nodiscard]] double gain() const { return shipped - fitted; }
  [[nodiscard]] bool is_better() const { return gain() > 0.0 && fitted_ape < shipped_ape; }
};
[[nodiscard]] HeldOutGain held_out_gain(const Recalibration&);
// Why the preset should not be used; empty where it may be.
[[nodiscard]] std::string why_no_better(const Recalibration&);

[[nodiscard]] std::string recalibration_text(const Recalibration&);
[[nodiscard]] std::string recalibration_json(const Recalibration&);
[[nodiscard]] std::string recalibration_csv(const Recalibration&);  // one line per row

}  // namespace echo::validation
