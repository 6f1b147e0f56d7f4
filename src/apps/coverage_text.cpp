// The constants and the bands were fitted to the published steps themselves, so of such a table this is no
// test of them (echo-calibrate errors is: it leaves each publication out in turn); of any other table it is.
#include "apps/coverage_text.hpp"

#include <cmath>

#include "apps/show_quantity.hpp"
#include "apps/text_table.hpp"
#include "validate/coverage.hpp"

namespace echo::apps {

namespace {

struct Bands {
  std::vector<validate::BandedError> one_sigma, p90;
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

void add_members(Json& json, const validate::Coverage& one_sigma, const validate::Coverage& p90) {
  json.member("rows", p90.rows).member("one_sigma", one_sigma.covered).member("band_80", p90.covered);
  json.member("median_band_80", p90.median_band);
}

}  // namespace

std::string coverage_text(const std::vector<PredictedStep>& rows) {
  const Bands bands = bands_of(rows);
  if (bands.p90.empty()) return "";
  TextTable text({"<runs within the error bands", "rows", "1 sigma", "80 % band", "its width"});
  const auto add = [&text](const std::string& name, const validate::Coverage& one,
                           const validate::Coverage& p90) {
    text.add({name, std::to_string(p90.rows), show_share(one.covered), show_share(p90.covered),
              "+-" + show_share(p90.median_band)});
  };
  const auto one = validate::coverage_by_group(bands.one_sigma);
  for (const auto& [source, p90] : validate::coverage_by_group(bands.p90)) add(source, one.at(source), p90);
  add("all", validate::coverage(bands.one_sigma), validate::coverage(bands.p90));
  return text.text() + "\n";
}

void add_coverage(Json& json, const std::vector<PredictedStep>& rows) {
  const Bands bands = bands_of(rows);
  json.key("coverage").open_object();
  add_members(json, validate::coverage(bands.one_sigma), validate::coverage(bands.p90));
  json.key("by_source").open_object();
  const auto one = validate::coverage_by_group(bands.one_sigma);
  for (const auto& [source, p90] : validate::coverage_by_group(bands.p90)) {
    json.key(source).open_object();
    add_members(json, one.at(source), p90);
    json.close();
  }
  json.close().close();
}

}  // namespace echo::apps
