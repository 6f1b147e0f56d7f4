#include "cli/run/best_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "cli/run/packet_cache.hpp"
#include "cli/terminal/terminal.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/launch/stop_signal.hpp"
#include "parallel/search/round_journal.hpp"
#include "parallel/search/search_workers.hpp"
#include "results/read_rows.hpp"
#include "search/best_first.hpp"
#include "search/evaluator.hpp"
#include "search/record.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

using search::Fate;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The share by which what is possible is better than what was found; infinite where either is not known.
double share_open(double best, double possible) {
  return std::isfinite(best) && std::isfinite(possible) ? std::fabs(possible - best) / std::fabs(best)
                                                        : INFINITY;
}

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "unknown";
}

std::string gap_text(double best, double possible) {
  const double share = share_open(best, possible);
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100.0 * share) : "unknown";
}

// Lines about the search on worker 0, at most one per interval, and a last one.
class Reporter {
 public:
  Reporter(ProgressStyle style, double interval, const search::Aims& aims, Log& log)
      : style_(style), interval_(style == ProgressStyle::bar ? 0.2 : interval), aims_(aims), log_(log) {}

  void see(const search::SearchProgress& now) {
    last_ = now;
    if (style_ == ProgressStyle::none || seconds_since(printed_) < interval_) return;
    printed_ = std::chrono::steady_clock::now();
    print();
  }
  void finish() {
    if (style_ != ProgressStyle::none) print();
    if (style_ == ProgressStyle::bar) log_.write("\n");
  }
  [[nodiscard]] std::string words() const {
    return fmt::format(
        "best {} found {}, possible {}, gap {}; {:.2f} % of {} combinations decided, {} simulated",
        aims_.objective(0).metric, number_text(last_.best), number_text(last_.possible),
        gap_text(last_.best, last_.possible),
        100.0 * static_cast<double>(last_.decided) /
            static_cast<double>(std::max<std::int64_t>(1, last_.kept)),
        text::show_count(last_.kept), text::show_count(last_.simulated));
  }

 private:
  void print() {
    if (style_ == ProgressStyle::bar) return log_.redraw("search: " + words());
    if (style_ == ProgressStyle::line) return log_.write("search: " + words() + "\n");
    text::Json json;
    json.open_object().member("search", true).member("best", last_.best).member("possible", last_.possible);
    json.member("decided", last_.decided).member("kept", last_.kept).member("simulated", last_.simulated);
    json.member("open", last_.open).close();
    log_.write(json.text() + "\n");
  }
  ProgressStyle style_;
  double interval_;
  const search::Aims& aims_;
  Log& log_;
  search::SearchProgress last_;
  std::chrono::steady_clock::time_point printed_ = std::chrono::steady_clock::now();
};

// What a complete file of this sweep holds.
std::optional<results::SearchRecord> found_before(const BestSearch& request) {
  if (request.fresh || !std::filesystem::exists(request.file)) return std::nullopt;
  const auto state = results::read_state(request.file);
  if (!state || !state->complete || state->sweep_key != request.sweep_key) return std::nullopt;
  return results::read_search(results::ResultFile(request.file).file());
}

void say_what_has_no_bound(const search::Aims& aims, Log& log) {
  for (std::size_t i = 0; i < aims.count(); ++i)
    if (!aims.has_bound(i))
      log.write(fmt::format("search: no bound of {} is known: every point that fits is simulated\n",
                            aims.objective(i).metric));
}

search::SearchResult search_all(const parallel::Session& session, const WorkerInputs& inputs,
                                const BestSearch& request, search::Evaluator& evaluator,
                                const search::OrderedSpace& space, Log& log) {
  const search::Aims aims(inputs.spec);
  const parallel::RunTask run = [&](const search::Node& node) { return evaluator.run(node); };
  const auto path = parallel::round_journal_of(request.file);
  if (request.fresh) parallel::RoundJournal::remove(parallel::real_disk(), path);
  parallel::RoundJournal journal(parallel::real_disk(), path, request.sweep_key);
  Reporter reporter(progress_style(request.progress, is_terminal(stderr)), request.interval, aims, log);
  say_what_has_no_bound(aims, log);
  if (journal.rounds_found() > 0)
    log.write(fmt::format("search: {} rounds of an earlier launch are taken from \"{}\"\n",
                          journal.rounds_found(), path.string()));
  const auto run_tasks = [&](std::span<const search::Node> tasks) {
    if (auto known = journal.next(tasks)) return std::move(*known);
    std::vector<search::Outcome> outcomes = parallel::run_round(session, tasks, run);
    journal.append(tasks, outcomes);
    return outcomes;
  };
  const auto see = [&](const search::SearchProgress& now) {
    reporter.see(now);
    const bool is_late = request.deadline && std::chrono::steady_clock::now() >= *request.deadline;
    return !parallel::stop_requested() && !is_late;
  };
  search::SearchPlan plan{
      .whole = evaluator.whole(), .combinations = space.ordered().size(), .gap = request.gap};
  search::SearchResult result =
      search::search_best(inputs.spec.search, aims, std::move(plan), run_tasks, see);
  reporter.finish();
  if (result.is_stopped)
    log.write(fmt::format("the search was stopped: {}; continue with the same command\n", reporter.words()));
  return result;
}

}  // namespace

BestPoints find_best(const parallel::Session& session, const WorkerInputs& inputs, const BestSearch& request,
                     Log& log) {
  BestPoints found;
  std::optional<results::SearchRecord> before;
  bool is_known = parallel::from_first_worker(session, [&] {
    before = found_before(request);
    return before.has_value();
  });
  if (is_known) {
    if (before) found.record = std::move(*before);
  } else {
    const search::OrderedSpace space(inputs.spec, inputs.catalog);
    const PacketCache packets(request.file, inputs.spec.packet_cache, inputs.catalog, inputs.calibration);
    search::Evaluator evaluator(space, inputs.spec, inputs.catalog, inputs.calibration, packets.memory());
    if (!session.is_first()) {
      parallel::serve_search(session, [&](const search::Node& node) { return evaluator.run(node); });
    } else {
      search::SearchResult result = search_all(session, inputs, request, evaluator, space, log);
      parallel::end_search(session);
      found.is_stopped = result.is_stopped;
      found.record = search::record_of(result.certificate, inputs.spec);
    }
  }
  parallel::broadcast(session, found.is_stopped);
  found.points = found.record.points;
  parallel::broadcast(session, found.points);
  return found;
}

double parse_share(const std::string& text, const std::string& option) {
  char* end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  std::string rest(end);
  std::erase(rest, ' ');
  if (rest == "%") number /= 100.0;
  if (end == text.c_str() || (!rest.empty() && rest != "%") || !(number >= 0.0 && number <= 1.0))
    throw UserError(option + ": \"" + text + "\" is no share between 0 and 100 %", "write 1% or 0.01", 2);
  return number;
}

std::string proof_text(const results::SearchRecord& record) {
  std::array<std::int64_t, search::fate_count> members{};
  for (std::size_t i = 0; i < record.fate.size(); ++i) members[at(record.fate[i])] += record.members[i];
  const auto count = [&](Fate fate) { return text::show_count(members[at(static_cast<int>(fate))]); };
  std::string text = fmt::format(
      "proof by search: of {} combinations that the rules keep, {} simulated; the others cannot be better: "
      "{} by "
      "their bound, {} lack memory, {} are not supported, {} repeat a config\n",
      text::show_count(record.kept), count(Fate::simulated), count(Fate::bound), count(Fate::memory),
      count(Fate::unsupported), count(Fate::repeat));
  if (members[at(static_cast<int>(Fate::open))] > 0)
    text += fmt::format("{} combinations may be better, by at most {:.2f} % (--gap)\n", count(Fate::open),
                        100.0 * record.gap);
  return text;
}

}  // namespace echo::cli
