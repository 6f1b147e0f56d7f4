#include <fmt/format.h>

#include "query/settle/planned_runs.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/result_text.hpp"
#include "settle/run_noise.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

std::string regret_text(const settle::Outlook& outlook) {
  return fmt::format("{:.2f} %", 100.0 * std::expm1(outlook.regret));
}
std::string chance_text(const settle::Outlook& outlook) {
  return fmt::format("{:.0f} %", 100.0 * outlook.chance);
}

std::string hours_text(double hours) {
  return hours < 10.0 ? fmt::format("{:.2f}", hours) : text::show_count(std::llround(hours));
}

double hours_of(const RunPlan& plan) {
  double hours = 0.0;
  for (const PlannedRun& run : plan.runs) hours += run.gpu_hours;
  return hours;
}

// The rows of the runs, and the chosen one last.
results::Table rows_of(const RunPlan& plan, const results::ResultRows& rows) {
  std::vector<std::int64_t> numbers;
  for (const PlannedRun& run : plan.runs) numbers.push_back(run.row);
  numbers.push_back(plan.chosen);
  return rows.pick(numbers);
}

std::string runs_table(const RunPlan& plan, const results::Table& table, std::size_t digits) {
  text::TextTable lines(
      {"run", "<id", "<layout", "gpus", "step", "steps", "GPU-hours", "then chance", "regret"});
  const std::vector<std::string> layouts = layouts_of(table, {"gpus"});
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    const auto row = static_cast<std::int64_t>(i);
    lines.add({std::to_string(i + 1), config_key(table, row).substr(0, digits), layouts[i],
               std::to_string(run.gpus), text::show_time(run.step_time), std::to_string(plan.steps),
               hours_text(run.gpu_hours), chance_text(run.after), regret_text(run.after)});
  }
  return lines.text();
}

void add_outlook(text::Json& json, const settle::Outlook& outlook) {
  json.member("chance_best", outlook.chance).member("expected_regret", std::expm1(outlook.regret));
  json.member("regret_standard_error", outlook.regret_error);
}

}  // namespace

std::string text_of(const RunPlan& plan, const RunsQuery& asked, const results::ResultRows& rows) {
  const results::Table table = rows_of(plan, rows);
  const auto digits = static_cast<std::size_t>(key_digits(rows, table));
  std::string text = fmt::format(
      "by {}, {} of {} ranked rows may be the best; {} has the least expected cost: the best with a chance "
      "of "
      "{}, expected regret {}\n",
      asked.by.metric, text::show_count(plan.rivals), text::show_count(plan.ranked),
      config_key(table, std::ssize(plan.runs)).substr(0, digits), chance_text(plan.before),
      regret_text(plan.before));
  if (plan.runs.empty())
    return text + (plan.runnable == 0
                       ? fmt::format("no ranked row runs on {} GPUs or fewer\n", asked.max_gpus)
                       : "no run that is allowed would change the choice\n");
  text += runs_table(plan, table, digits);
  text += fmt::format(
      "together {} GPU-hours, without starting up; each run {} steps to warm up and {} whose mean "
      "is known to {}\n",
      hours_text(hours_of(plan)), settle::warm_up_steps, plan.steps, text::show_share(asked.precision));
  if (std::ssize(plan.runs) < asked.runs)
    text += fmt::format("no {}{} run would change the choice\n", plan.runs.size() + 1,
                        plan.runs.size() == 1   ? "nd"
                        : plan.runs.size() == 2 ? "rd"
                                                : "th");
  return text +
         "write what they measure into a table with the columns id,step_time_s,steps; then\n"
         "echo-sweep update FILE TABLE\n";
}

void add_plan(text::Json& json, const RunPlan& plan, const RunsQuery& asked,
              const results::ResultRows& rows) {
  const results::Table table = rows_of(plan, rows);
  json.member("by", asked.by.metric).member("where", asked.where);
  json.member("ranked_rows", plan.ranked).member("rivals", plan.rivals).member("runnable", plan.runnable);
  json.member("chosen", config_key(table, std::ssize(plan.runs)));
  json.member("warm_up_steps", settle::warm_up_steps).member("steps", plan.steps);
  json.member("precision", asked.precision).member("gpu_hours", hours_of(plan));
  json.key("before").open_object();
  add_outlook(json, plan.before);
  json.close().key("runs").open_array();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    json.open_object().member("run_gpu_hours", run.gpu_hours).key("after").open_object();
    add_outlook(json, run.after);
    json.close();
    add_row(json, table, static_cast<std::int64_t>(i));
    json.close();
  }
  json.close();
}

}  // namespace echo::query
