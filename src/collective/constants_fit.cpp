// Fits the constants of one network to measured times. The algorithm that NCCL chose does not depend on
// them, so the problem is smooth except for the corners of a few minima. Minimised over log constants x,
// with the prior's middle c and widths d:
//   sum_i w_i sqrt(r_i^2 + e^2) / sum_i w_i  +  strength * sum_f ((x_f - c_f) / d_f)^2,
//   r = log(predicted / measured)
// The absolute value (rounded off within e = 1 %) is robust to outliers; the prior holds constants that few
// rows determine. Method: Gauss-Newton with the rows reweighted by 1 / sqrt(r^2 + e^2) at each step (which
// bounds the sum from above, Huber 1981) and Levenberg's damping; derivatives by differences. The error of a
// constant is the larger of two: the range that the curvature leaves open when the mean error may rise by a
// tenth of a percentage point, and the uncertainty from the scatter of the families (logs, collectives,
// shapes) when these are taken as independent. Neglected: correlation of constants in the errors that a file
// states.
#include "collective/constants_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::collective {
namespace {

constexpr double prior_strength = 0.0015, rounding = 0.01, difference = 1e-4;

// Lower and upper bounds within which the formula keeps its meaning.
double upper_of(std::string_view name, double start) {
  if (name.find("rate") != std::string_view::npos) return 1.0;
  if (name == "overlap") return 8.0;
  if (name == "network_delay" || name == "network_post" || name == "network_step") return 200.0;
  return std::max(start * 20.0, 1.0);
}
double lower_of(std::string_view name, double start) { return name == "overlap" ? 1.0 : start / 20.0; }

using Vector = std::vector<double>;

// Lower triangle of a symmetric positive matrix, row by row; factored in place.
struct Cholesky {
  std::size_t n;
  Vector a;
  double& at(std::size_t i, std::size_t j) { return a[i * n + j]; }

  bool factor() {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        double sum = at(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        if (i == j && sum <= 0.0) return false;
        at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
    }
    return true;
  }
  Vector solve(Vector b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= at(i, k) * b[k];
      b[i] /= at(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) b[i] -= at(k, i) * b[k];
      b[i] /= at(i, i);
    }
    return b;
  }
};

class Problem {
 public:
  Problem(std::span<const MeasuredCollective> rows, const NetworkConstants& centre, Guess guess)
      : rows_(rows), prepared_(rows), base_(centre) {
    const auto fields = network_constant_fields();
    for (const MeasuredCollective& row : rows) total_weight_ += row.weight;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const double middle = centre.*fields[f].member;
      if (middle <= 0.0 || !matters(fields[f].member)) continue;
      field_.push_back(f);
      centre_.push_back(std::log(middle));
      width_.push_back(prior_width(fields[f].name, guess));
      lower_.push_back(std::log(lower_of(fields[f].name, middle)));
      upper_.push_back(std::log(upper_of(fields[f].name, middle)));
    }
  }

  [[nodiscard]] std::size_t free() const { return field_.size(); }
  [[nodiscard]] std::size_t field(std::size_t i) const { return field_[i]; }
  [[nodiscard]] double width(std::size_t i) const { return width_[i]; }
  [[nodiscard]] const Vector& centre() const { return centre_; }

  [[nodiscard]] NetworkConstants constants_at(const Vector& x) const {
    NetworkConstants k = base_;
    const auto fields = network_constant_fields();
    for (std::size_t i = 0; i < x.size(); ++i) k.*fields[field_[i]].member = std::exp(x[i]);
    return k;
  }
  [[nodiscard]] Vector residuals(const Vector& x) const {
    const NetworkConstants k = constants_at(x);
    Vector r(rows_.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::log(prepared_.predicted(i, k) / rows_[i].seconds);
    return r;
  }
  [[nodiscard]] double loss(const Vector& x, const Vector& r) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += share(i) * std::sqrt(r[i] * r[i] + rounding * rounding);
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += prior_strength * square((x[i] - centre_[i]) / width_[i]);
    return sum;
  }
  // Jacobian, [field][row].
  [[nodiscard]] std::vector<Vector> slopes(const Vector& x, const Vector& r) const {
    std::vector<Vector> out;
    for (std::size_t f = 0; f < x.size(); ++f) {
      Vector moved = x;
      const double step = x[f] + difference > upper_[f] ? -difference : difference;
      moved[f] += step;
      out.push_back(residuals(moved));
      for (std::size_t i = 0; i < r.size(); ++i) out[f][i] = (out[f][i] - r[i]) / step;
    }
    return out;
  }
  // Half of the second and first derivatives of the reweighted squares with the prior.
  void normal_equations(const Vector& x, const Vector& r, const std::vector<Vector>& j, Cholesky& h,
                        Vector& g) const {
    const std::size_t n = x.size();
    h = {n, Vector(n * n, 0.0)};
    g.assign(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t i = 0; i < r.size(); ++i) {
        const double weighted = share(i) / std::sqrt(r[i] * r[i] + rounding * rounding) * j[a][i];
        g[a] += weighted * r[i];
        for (std::size_t b = 0; b <= a; ++b) h.at(a, b) += weighted * j[b][i];
      }
      h.at(a, a) += 2.0 * prior_strength / square(width_[a]);
      g[a] += 2.0 * prior_strength * (x[a] - centre_[a]) / square(width_[a]);
    }
  }
  [[nodiscard]] Vector step(const Vector& x, Cholesky h, const Vector& g, double damping) const {
    for (std::size_t i = 0; i < x.size(); ++i) h.at(i, i) *= 1.0 + damping;
    Vector to = x;
    if (!h.factor()) return to;
    const Vector by = h.solve(g);
    for (std::size_t i = 0; i < x.size(); ++i)
      to[i] = std::clamp(x[i] - std::clamp(by[i], -1.0, 1.0), lower_[i], upper_[i]);
    return to;
  }
  [[nodiscard]] double share(std::size_t i) const { return rows_[i].weight / total_weight_; }
  [[nodiscard]] std::int32_t family(std::size_t i) const { return rows_[i].family; }

 private:
  static double square(double v) { return v * v; }
  [[nodiscard]] bool matters(double NetworkConstants::*member) const {
    NetworkConstants other = base_;
    other.*member *= 0.9;
    for (std::size_t i = 0; i < prepared_.size(); ++i)
      if (prepared_.predicted(i, base_) != prepared_.predicted(i, other)) return true;
    return false;
  }

  std::span<const MeasuredCollective> rows_;
  PreparedRows prepared_;
  NetworkConstants base_;
  double total_weight_ = 0.0;
  std::vector<std::size_t> field_;  // the free ones
  Vector centre_, width_, lower_, upper_;
};

Vector minimise(const Problem& problem) {
  Vector x = problem.centre(), r = problem.residuals(x);
  double loss = problem.loss(x, r), damping = 1e-2;
  for (int round = 0; round < 200; ++round) {
    Cholesky h{0, {}};
    Vector g;
    problem.normal_equations(x, r, problem.slopes(x, r), h, g);
    const double before = loss;
    for (int attempt = 0; attempt < 12; ++attempt) {
      const Vector to = problem.step(x, h, g, damping);
      const Vector there = problem.residuals(to);
      const double found = problem.loss(to, there);
      if (found < loss) {
        x = to, r = there, loss = found;
        damping = std::max(1e-9, damping * 0.3);
        break;
      }
      damping *= 4.0;
    }
    if (before - loss < 1e-7 * before) break;
  }
  return x;
}

// One standard error of each free constant, in log units.
Vector errors_at(const Problem& problem, const Vector& x) {
  constexpr double allowed = 0.001;  // of mean error
  const Vector r = problem.residuals(x);
  const auto slopes = problem.slopes(x, r);
  Cholesky h{0, {}};
  Vector g;
  problem.normal_equations(x, r, slopes, h, g);
  if (!h.factor()) return Vector(x.size(), 1.0);
  std::int32_t families = 0;
  for (std::size_t i = 0; i < r.size(); ++i) families = std::max(families, problem.family(i) + 1);
  // The pull of each family on the constants: families are independent, rows within one are not.
  std::vector<Vector> pull(static_cast<std::size_t>(families), Vector(x.size(), 0.0));
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t f = 0; f < x.size(); ++f)
      pull[static_cast<std::size_t>(problem.family(i))][f] +=
          problem.share(i) * r[i] / std::sqrt(r[i] * r[i] + rounding * rounding) * slopes[f][i];
  Vector variance(x.size(), 0.0);
  for (const Vector& one : pull) {
    const Vector shift = h.solve(one);
    for (std::size_t f = 0; f < x.size(); ++f) variance[f] += shift[f] * shift[f];
  }
  Vector out(x.size());
  for (std::size_t f = 0; f < x.size(); ++f) {
    Vector unit(x.size(), 0.0);
    unit[f] = 1.0;
    const double undecided = 2.0 * allowed * h.solve(unit)[f];
    out[f] = std::min(problem.width(f), std::sqrt(std::max(variance[f], undecided)));
  }
  return out;
}

}  // namespace

double prior_width(std::string_view name, Guess guess) {
  const bool same = guess == Guess::same_gpu;
  if (name == "network_rate")
    return same ? 0.2 : 0.06;  // healthy fabrics are much alike, others are what they are
  if (name == "network_delay" || name == "network_post" || name == "network_step") return 1.5;
  if (name.starts_with("inter_hop")) return 0.3;
  if (name == "chunk_ramp") return 0.2;
  if (name == "p2p_network_rate") return 0.4;
  if (same && !is_of_fabric(name)) return name.starts_with("base") ? 0.15 : 0.08;
  if (name.starts_with("nvlink_rate") || name == "nvls_rate" || name == "p2p_rate") return 0.25;
  if (name.starts_with("base")) return 0.3;
  return name == "overlap" ? 0.5 : 0.6;
}

PreparedRows::PreparedRows(std::span<const MeasuredCollective> rows) {
  for (const MeasuredCollective& row : rows) {
    ECHO_EXPECT(row.query.group.ranks > 1 && row.query.payload.value > 0 && row.seconds > 0.0);
    const auto chosen = price(row.query, row.links, {}, row.nccl_version, {});
    calls_.push_back({{row.query.kind, row.query.payload.value},
                      set_up(row.query.group, row.links, {}, row.nccl_version),
                      chosen.protocol,
                      &algorithm_of(chosen)});
  }
}

double PreparedRows::predicted(std::size_t row, const NetworkConstants& k) const {
  const Prepared& p = calls_[row];
  return p.algorithm->time(p.call, p.communicator, p.protocol, k).time.us * 1e-6;
}

FittedConstants fit_constants(std::span<const MeasuredCollective> rows, const NetworkConstants& centre,
                              Guess guess) {
  const auto fields = network_constant_fields();
  FittedConstants out{centre, Vector(fields.size(), 0.0), std::vector<bool>(fields.size(), false)};
  if (rows.empty()) return out;
  const Problem problem(rows, centre, guess);
  const Vector x = minimise(problem), error = errors_at(problem, x);
  out.constants = problem.constants_at(x);
  for (std::size_t i = 0; i < problem.free(); ++i) {
    out.moved[problem.field(i)] = true;
    out.error[problem.field(i)] = error[i] * out.constants.*fields[problem.field(i)].member;
  }
  return out;
}

}  // namespace echo::collective
