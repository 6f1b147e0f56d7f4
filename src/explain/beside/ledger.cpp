#include "explain/beside/ledger.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/at.hpp"

namespace echo::explain {

namespace {

class Account {
 public:
  Account(Beside& out) : out_(out) {}

  void run() {
    count(out_.recorded, &RoleSums::recorded, &RoleSums::recorded_time);
    count(out_.simulated, &RoleSums::simulated, &RoleSums::simulated_time);
    std::vector<bool> has_op(out_.recorded.activities.size()), has_kernel(out_.simulated.activities.size());
    for (const Match& match : out_.matches) {
      has_op[at(match.recorded)] = has_kernel[at(match.simulated)] = true;
      pair(match);
    }
    for (std::size_t i = 0; i < has_op.size(); ++i)
      if (!has_op[i]) left_over(out_.recorded, i, "kernels without an op", true);
    for (std::size_t i = 0; i < has_kernel.size(); ++i)
      if (!has_kernel[i]) left_over(out_.simulated, i, "ops without a kernel", false);
    line("gaps of the host", out_.recorded.usage.host, out_.simulated.usage.host);
    line("kernels issued, waiting", out_.recorded.usage.waiting, out_.simulated.usage.waiting);
    for (auto& [name, one] : lines_)
      if (one.recorded != SimTime::zero() || one.simulated != SimTime::zero()) out_.ledger.push_back(one);
    std::ranges::stable_sort(out_.ledger, [](const LedgerLine& a, const LedgerLine& b) {
      return std::chrono::abs(a.difference()) > std::chrono::abs(b.difference());
    });
  }

 private:
  RoleSums& sums(KernelRole role) { return out_.roles[static_cast<std::size_t>(role)]; }

  void count(const Side& side, std::int64_t RoleSums::*number, SimTime RoleSums::*time) {
    for (const Activity& one : side.activities) {
      RoleSums& sum = sums(one.role);
      ++(sum.*number);
      sum.*time += one.length();
    }
  }

  static std::string name_of(KernelRole role) {
    const std::string name(kernel_role_names[static_cast<std::size_t>(role)]);
    return communicates(role) ? "exposed " + name : name;
  }

  void line(const std::string& what, SimTime recorded, SimTime simulated, int kernels = 0, int ops = 0) {
    LedgerLine& one = lines_[what];
    one.what = what;
    one.recorded += recorded, one.simulated += simulated;
    one.kernels += kernels, one.ops += ops;
  }

  void pair(const Match& match) {
    const Activity &kernel = out_.recorded.activities[at(match.recorded)],
                   &op = out_.simulated.activities[at(match.simulated)];
    const SimTime recorded = out_.recorded.usage.share[at(match.recorded)],
                  simulated = out_.simulated.usage.share[at(match.simulated)];
    if (communicates(kernel.role)) return line(name_of(kernel.role), recorded, simulated, 1, 1);
    const double beside = static_cast<double>(out_.recorded.usage.beside[at(match.recorded)].count());
    const bool alone = beside <= alone_share * static_cast<double>(kernel.length().count());
    RoleSums& sum = sums(kernel.role);
    if (alone) {
      ++sum.alone;
      sum.alone_recorded += kernel.length(), sum.alone_simulated += op.alone;
    } else {
      ++sum.beside;
      sum.beside_recorded += kernel.length(), sum.beside_simulated += op.length();
      sum.beside_predicted_alone += op.alone;
    }
    line(name_of(kernel.role) + (alone ? ", alone" : ", beside communication"), recorded, simulated, 1, 1);
  }

  void left_over(const Side& side, std::size_t i, const std::string& why, bool is_recorded) {
    const KernelRole role = side.activities[i].role;
    const SimTime share = side.usage.share[i];
    const std::string what = communicates(role) ? name_of(role) : name_of(role) + ": " + why;
    line(what, is_recorded ? share : SimTime{}, is_recorded ? SimTime{} : share, is_recorded, !is_recorded);
  }

  Beside& out_;
  std::map<std::string, LedgerLine> lines_;
};

}  // namespace

Side side_of(std::vector<Activity> activities, SimTime extent) {
  Side out{.activities = std::move(activities), .usage = {}};
  out.usage = usage_of(out.activities);
  if (extent > out.usage.span) {
    out.usage.host += extent - out.usage.span;
    out.usage.span = extent;
  }
  return out;
}

Beside lay_beside(std::vector<Activity> recorded, std::vector<Activity> simulated, bool passes_known,
                  SimTime simulated_extent) {
  Beside out{.recorded = side_of(std::move(recorded)),
             .simulated = side_of(std::move(simulated), simulated_extent)};
  out.matches = matched(out.recorded.activities, out.simulated.activities, passes_known);
  Account(out).run();
  return out;
}

}  // namespace echo::explain
