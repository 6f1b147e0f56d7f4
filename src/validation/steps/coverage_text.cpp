// The constants and the bands were fitted to the published steps themselves, so for such a table this is not
// a test of them (echo-calibrate errors is: it leaves each publication out in turn); for any other table it
// is.
#include "validation/steps/coverage_text.hpp"

#include <cmath>

#include "accuracy/coverage.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::validation {

namespace {

struct Bands {
  std::vector<accuracy::BandedError> one_sigma, p90;
};

Bands bands_of(const std::vector<PredictedStep>& rows) {
  Bands out;
  for (const PredictedStep& row : rows) {
    if (!row.is_scored()) continue;
    const double error = std::log(row.ratio());
    out.one_sigma.push_back({row.step.source, error, row.prediction.report.rel_error});
    out.p90.push_back({row.step.source, error, row.prediction.report.rel_error_p90});
  }
  return out;
}

void add_members(text::Json& json, const accuracy::Coverage& one_sigma, const accuracy::Coverage& p90) {
  json.member("rows", p90.rows).member("one_sigma", one_sigma.covered).member("band_80", p90.covered);
  json.member("median_band_80", p90.median_band);
}

}  // namespace

std::string coverage_text(const std::vector<PredictedStep>& rows) {
  const Bands bands = bands_of(rows);
  if (bands.p90.empty()) return "";
  text::TextTable text({"<runs within the error bands", "rows", "1 sigma", "80 % band", "its width"});
  const auto add = [&text](const std::string& name, const accuracy::Coverage& one,
                           const accuracy::Coverage& p90) {
    text.add({name, std::to_string(p90.rows), text::show_share(one.covered), text::show_share(p90.covered),
              "+-" + text::show_share(p90.median_band)});
  };
  const auto one = accuracy::coverage_by_group(bands.one_sigma);
  for (const auto& [source, p90] : accuracy::coverage_by_group(bands.p90)) add(source, one.at(source), p90);
  add("all", accuracy::coverage(bands.one_sigma), accuracy::coverage(bands.p90));
  return text.text() + "\n";
}

void add_coverage(text::Json& json, const std::vector<PredictedStep>& rows) {
  const Bands bands = bands_of(rows);
  json.key("coverage").open_object();
  add_members(json, accuracy::coverage(bands.one_sigma), accuracy::coverage(bands.p90));
  json.key("by_source").open_object();
  const auto one = accuracy::coverage_by_group(bands.one_sigma);
  for (const auto& [source, p90] : accuracy::coverage_by_group(bands.p90)) {
    json.key(source).open_object();
    add_members(json, one.at(source), p90);
    json.close();
  }
  json.close().close();
}

}  // namespace echo::validation
