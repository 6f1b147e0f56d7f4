// A model that calls nothing fit never errs on runs that went out of memory, and one that calls everything
// fit never errs on those that ran: only both together say something. Published runs are those whose layouts
// somebody chose because they fit; reports of the others are rare, and many are far beyond the limit.
#include "validation/steps/fit_text.hpp"

#include "simulate/report/memory_fit.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::validation {

namespace {

using Counts = std::map<std::string, FitCounts>;

void count(double chance, FitCounts& out) {
  if (chance < simulate::least_fit_chance)
    ++out.unfit;
  else
    ++(chance < simulate::ranked_fit_chance ? out.doubtful : out.fit);
}

std::string share(int some, int all) {
  return all == 0 ? "" : text::show_share(static_cast<double>(some) / all);
}

void add_rows(const std::string& outcome, const Counts& counts, text::TextTable& table) {
  const auto add = [&](const std::string& source, const FitCounts& c) {
    table.add({outcome, source, std::to_string(c.runs()), share(c.fit, c.runs()), share(c.doubtful, c.runs()),
               share(c.unfit, c.runs())});
  };
  for (const auto& [source, c] : counts) add(source, c);
  if (counts.size() > 1) add("all", FitScores::all(counts));
}

void add_counts(text::Json& json, const FitCounts& c) {
  json.member("runs", c.runs()).member("fit", c.fit).member("doubtful", c.doubtful).member("unfit", c.unfit);
}

void add_outcome(text::Json& json, const char* outcome, const Counts& counts) {
  json.key(outcome).open_object();
  add_counts(json, FitScores::all(counts));
  json.key("by_source").open_object();
  for (const auto& [source, c] : counts) {
    json.key(source).open_object();
    add_counts(json, c);
    json.close();
  }
  json.close().close();
}

}  // namespace

FitCounts FitScores::all(const Counts& counts) {
  FitCounts sum;
  for (const auto& [source, c] : counts) sum.unfit += c.unfit, sum.doubtful += c.doubtful, sum.fit += c.fit;
  return sum;
}

FitScores fit_scores(const std::vector<PredictedStep>& rows) {
  FitScores out;
  for (const PredictedStep& row : rows) {
    if (!row.is_predicted() || !row.prediction.has_memory) continue;
    if (row.step.outcome == config::MemoryOutcome::ran)
      count(row.prediction.fit_chance, out.ran[row.step.source]);
    if (row.step.outcome == config::MemoryOutcome::out_of_memory)
      count(row.prediction.fit_chance, out.out_of_memory[row.step.source]);
  }
  return out;
}

std::string fit_text(const FitScores& scores) {
  if (scores.ran.empty() && scores.out_of_memory.empty()) return "";
  text::TextTable table({"<chance to fit", "<source", "runs", "from 90 %", "between", "below 10 %"});
  add_rows("ran", scores.ran, table);
  add_rows("out of memory", scores.out_of_memory, table);
  return table.text() + "\n";
}

void add_fit(text::Json& json, const FitScores& scores) {
  json.key("fit").open_object();
  add_outcome(json, "ran", scores.ran);
  add_outcome(json, "out_of_memory", scores.out_of_memory);
  json.close();
}

}  // namespace echo::validation
