// Problem: constants shipped for a kind of machine are wrong at any one site because of a few shared causes
// - clocks, fabric, hosts - and a user has a handful of measured steps. Idea: let each cause be one factor
// with a prior for the variation between sites, and use the most probable factors (learn/robust_map). A
// factor that the rows would not narrow by a tenth of its prior stays 1: rows that contain no information
// about it must not move it. Whether this helps is evaluated on rows that the fit has not seen: models at a
// GPU count are held out whole where there are three of them or more, because rows of one differ little.
#include "validation/recalibrate.hpp"

#include <algorithm>
#include <cmath>

#include "config/measured/measured_steps.hpp"
#include "learn/evaluate/folds.hpp"
#include "learn/fit/robust_map.hpp"
#include "simulate/simulate.hpp"

namespace echo::validation {

namespace {

constexpr double narrowed = 0.9;  // posterior over prior sigma of a constant that rows speak of
constexpr double shows = 0.01;    // change of a row by one prior sigma of a constant that shows in it
constexpr std::int32_t most_folds = 10, fewest_setups = 3;

// The simulator with factors on its constants.
class Site {
 public:
  Site(const config::MeasuredSteps& steps, const simulate::Calibration& calibration,
       std::vector<config::SiteConstant> constants)
      : steps_(steps), known_(calibration), constants_(std::move(constants)) {
    if (constants_.empty()) return;
    std::erase_if(known_.kernels, [&](const auto& kernels) { return !moves(kernels.name); });  // large
  }

  // Logarithms of step times, in s; no value for a row that cannot be simulated.
  [[nodiscard]] std::vector<std::optional<double>> try_predict(std::span<const double> logs,
                                                               learn::RowsAsked rows) const {
    simulate::Catalog catalog = steps_.catalog;
    simulate::Calibration calibration = known_;
    for (std::size_t i = 0; i < constants_.size(); ++i)
      if (logs[i] != 0.0) config::apply(constants_[i], std::exp(logs[i]), catalog, calibration);
    simulate::Workspace workspace;
    std::vector<std::optional<double>> out;
    for (const std::size_t row : rows) {
      const auto report = simulate::simulate(*steps_.rows[row].config, catalog, calibration, workspace);
      out.push_back(report.status == training::Status::ok ? std::optional(std::log(to_seconds(report.step)))
                                                          : std::nullopt);
    }
    return out;
  }
  [[nodiscard]] std::vector<double> predict(std::span<const double> logs, learn::RowsAsked rows) const {
    std::vector<double> out;
    for (const auto& log : try_predict(logs, rows)) out.push_back(log.value());
    return out;
  }
  [[nodiscard]] const std::vector<config::SiteConstant>& constants() const { return constants_; }

 private:
  // Constants name all kernels that the rows use.
  [[nodiscard]] bool moves(const std::string& kernels) const {
    return std::any_of(constants_.begin(), constants_.end(), [&](const config::SiteConstant& c) {
      return c.quantity == config::SiteQuantity::products && c.preset == kernels;
    });
  }

  const config::MeasuredSteps& steps_;
  simulate::Calibration known_;
  std::vector<config::SiteConstant> constants_;
};

struct Fit {
  learn::MostProbable found;
  std::vector<char> may_move;  // [constants] whether the rows speak of it
};

// `slopes`: those of these rows at the shipped values, or near the answer, where they are not computed
// again.
Fit fit_to(const learn::NearlyKnown& problem, learn::RowsAsked rows, const learn::Slopes& slopes,
           int renewals) {
  Fit out;
  const auto sigma = learn::expected_sigma(problem, slopes, problem.noise);
  for (std::size_t p = 0; p < sigma.size(); ++p)
    out.may_move.push_back(sigma[p] < narrowed * problem.prior_sigma[p] ? 1 : 0);
  for (bool is_done = false; !is_done;) {
    out.found = learn::most_probable(problem, rows, out.may_move, slopes, renewals);
    is_done = true;
    for (std::size_t p = 0; p < sigma.size(); ++p) {
      if (out.may_move[p] == 0 || out.found.sigma[p] < narrowed * problem.prior_sigma[p]) continue;
      out.may_move[p] = 0, is_done = false;  // it shows elsewhere than where the rows are
    }
  }
  return out;
}

// [rows given] numbers from 0 in order of appearance: those of models at a GPU count, or of rows where there
// are fewer than three of these.
std::vector<std::int32_t> setups_of(const config::MeasuredSteps& steps, learn::RowsAsked rows) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int32_t> out;
  for (const std::size_t row : rows) {
    const training::TrainingConfig& config = *steps.rows[row].config;
    const auto next = static_cast<std::int32_t>(numbers.size());
    out.push_back(numbers.emplace(std::pair{config.model.index(), training::gpus_of(config.degrees)}, next)
                      .first->second);
  }
  return out;
}

// Predicts each row with constants that were fitted without its setup; those fits are computed again.
void hold_out(const learn::NearlyKnown& problem, const std::vector<std::size_t>& rows,
              const learn::Slopes& slopes, std::vector<std::int32_t> setup, Recalibration& out) {
  out.setups = learn::count_of(setup);
  if (out.setups < fewest_setups)
    for (std::size_t i = 0; i < setup.size(); ++i) setup[i] = static_cast<std::int32_t>(i);
  out.folds = std::min(most_folds, learn::count_of(setup));
  if (out.folds < 2) {
    out.folds = 0;
    return;
  }
  const std::vector<std::int32_t> fold = learn::fold_of(setup, out.folds, 0);
  for (std::int32_t f = 0; f < out.folds; ++f) {
    std::vector<std::size_t> seen, unseen, places;
    learn::Slopes seen_slopes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (fold[i] == f) {
        unseen.push_back(rows[i]), places.push_back(i);
      } else {
        seen.push_back(rows[i]), seen_slopes.push_back(slopes[i]);
      }
    }
    const auto predicted = problem.predict(fit_to(problem, seen, seen_slopes, 0).found.value, unseen);
    for (std::size_t i = 0; i < places.size(); ++i) out.rows[places[i]].held_out = std::exp(predicted[i]);
  }
}

std::vector<config::FittedSiteConstant> informed(const std::vector<RecalibratedConstant>& constants) {
  std::vector<config::FittedSiteConstant> out;
  for (const RecalibratedConstant& c : constants)
    if (c.is_informed) out.push_back(c.fitted);
  return out;
}

// The presets with the site's between them, and the choices that the command line made.
config::CatalogInputs with_site(const std::string& site, const RecalibrateRequest& request,
                                const config::CatalogInputs& presets) {
  config::CatalogInputs out = config::read_catalog_with_text(site, request.site_file, request.preset_paths);
  simulate::Calibration choices = presets.calibration;
  choices.kernels = std::move(out.calibration.kernels);
  choices.networks = std::move(out.calibration.networks);
  out.calibration = std::move(choices);
  return out;
}

struct Scored {
  std::vector<std::size_t> rows;  // of the table
  std::vector<double> shipped;    // logarithms of s
};

Scored scored_rows(const config::MeasuredSteps& steps, const Site& site,
                   std::map<std::string, int>& skipped) {
  std::vector<std::size_t> readable;
  for (std::size_t i = 0; i < steps.rows.size(); ++i) {
    const config::MeasuredStep& step = steps.rows[i];
    if (step.config && step.step_seconds) {
      readable.push_back(i);
    } else {
      ++skipped[step.config ? "no measurement" : step.skipped];
    }
  }
  const std::vector<double> as_shipped(site.constants().size(), 0.0);
  const auto predicted = site.try_predict(as_shipped, readable);
  Scored out;
  for (std::size_t i = 0; i < readable.size(); ++i) {
    if (predicted[i]) {
      out.rows.push_back(readable[i]), out.shipped.push_back(*predicted[i]);
    } else {
      ++skipped[simulate::why_unsupported(*steps.rows[readable[i]].config, steps.catalog).text];
    }
  }
  return out;
}

learn::NearlyKnown problem_of(const config::MeasuredSteps& steps, const Site& site) {
  learn::NearlyKnown problem;
  for (const config::SiteConstant& c : site.constants()) problem.prior_sigma.push_back(c.prior_sigma);
  for (const config::MeasuredStep& step : steps.rows)
    problem.measured.push_back(std::log(step.step_seconds.value_or(1.0)));
  problem.predict = [&site](std::span<const double> logs, learn::RowsAsked rows) {
    return site.predict(logs, rows);
  };
  return problem;
}

RecalibratedConstant fitted_constant(const config::SiteConstant& constant, std::size_t p, const Fit& fit,
                                     const learn::Slopes& slopes) {
  RecalibratedConstant c;
  c.fitted.constant = constant;
  c.fitted.factor = std::exp(fit.found.value[p]);
  c.fitted.sigma = fit.found.sigma[p];
  for (const auto& row : slopes) c.fitted.rows += std::abs(row[p]) * constant.prior_sigma >= shows ? 1 : 0;
  c.is_informed = fit.may_move[p] != 0;
  return c;
}

// Each scored row as it is priced with the presets as shipped, and again with `fitted` ones.
std::vector<RecalibratedRow> priced_again(const CsvTable& table, const config::CatalogInputs& fitted,
                                          const config::MeasuredSteps& steps, const Scored& scored,
                                          const Fit& fit) {
  const config::MeasuredSteps again = config::read_measured_steps(table, fitted);
  const auto after = Site(again, fitted.calibration, {}).predict({}, scored.rows);
  std::vector<RecalibratedRow> rows;
  for (std::size_t i = 0; i < scored.rows.size(); ++i) {
    const config::MeasuredStep& step = steps.rows[scored.rows[i]];
    rows.push_back({.row = step.row,
                    .measured = *step.step_seconds,
                    .shipped = std::exp(scored.shipped[i]),
                    .fitted = std::exp(after[i]),
                    .held_out = {},
                    .weight = fit.found.weight[i]});
  }
  return rows;
}

}  // namespace

Recalibration recalibrate(const CsvTable& table, const RecalibrateRequest& request,
                          const config::CatalogInputs& presets) {
  const config::MeasuredSteps steps = config::read_measured_steps(table, presets);
  const Site site(steps, presets.calibration, config::site_constants_of(steps));
  Recalibration out;
  out.rows_read = steps.rows.size();
  const Scored scored = scored_rows(steps, site, out.skipped);
  if (scored.rows.empty())
    throw UserError("no row of " + request.table + " can be predicted, so there is nothing to fit",
                    "`echo-sweep validate " + request.table + "` says why each row is left out");
  const learn::NearlyKnown problem = problem_of(steps, site);
  const std::vector<char> all(problem.prior_sigma.size(), 1);
  const std::vector<double> none(problem.prior_sigma.size(), 0.0);
  const learn::Slopes slopes = learn::sensitivities(problem, scored.rows, none, all, 1.0);
  const Fit fit = fit_to(problem, scored.rows, slopes, 3);
  out.noise = fit.found.noise;
  for (std::size_t p = 0; p < site.constants().size(); ++p) {
    RecalibratedConstant c = fitted_constant(site.constants()[p], p, fit, slopes);
    c.before = config::shown(c.fitted.constant, steps.catalog, presets.calibration);
    out.constants.push_back(std::move(c));
  }
  out.file_text = config::site_file_text(
      {request.site_file,
       request.table + " (XXH3-128 " + request.digest + "), " + std::to_string(scored.rows.size()) + " rows",
       informed(out.constants)},
      presets.catalog, presets.calibration);
  const config::CatalogInputs fitted = with_site(out.file_text, request, presets);
  for (RecalibratedConstant& c : out.constants)
    c.after = config::shown(c.fitted.constant, fitted.catalog, fitted.calibration);
  out.rows = priced_again(table, fitted, steps, scored, fit);
  hold_out(problem, scored.rows, learn::sensitivities(problem, scored.rows, fit.found.value, all, 0.5),
           setups_of(steps, scored.rows), out);
  return out;
}

HeldOutGain held_out_gain(const Recalibration& r) {
  HeldOutGain out;
  std::vector<double> gains;
  for (const RecalibratedRow& row : r.rows) {
    if (!row.held_out) continue;
    const double shipped = std::abs(std::log(row.shipped / row.measured));
    const double fitted = std::abs(std::log(*row.held_out / row.measured));
    out.shipped += shipped, out.fitted += fitted;
    out.shipped_ape += std::abs(row.shipped / row.measured - 1.0);
    out.fitted_ape += std::abs(*row.held_out / row.measured - 1.0);
    gains.push_back(shipped - fitted);
  }
  out.rows = static_cast<int>(gains.size());
  if (gains.empty()) return out;
  for (double* const sum : {&out.shipped, &out.fitted, &out.shipped_ape, &out.fitted_ape}) *sum /= out.rows;
  double squares = 0.0;
  for (const double gain : gains) squares += std::pow(gain - out.gain(), 2.0);
  if (out.rows > 1) out.error_of_gain = std::sqrt(squares / (out.rows - 1.0) / out.rows);
  return out;
}

std::string why_no_better(const Recalibration& r) {
  if (informed(r.constants).empty()) return "no row says anything of a constant";
  const HeldOutGain gain = held_out_gain(r);
  if (gain.rows == 0) return "no row could be held out, so nothing says whether this helps elsewhere";
  return gain.is_better() ? ""
                          : "recalibrated constants predict held-out rows no better than the shipped ones";
}

}  // namespace echo::validation
