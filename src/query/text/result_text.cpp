#include "query/text/result_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/lane.hpp"
#include "query/text/band_text.hpp"
#include "query/text/breakdown.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/path_text.hpp"
#include "query/text/rule_text.hpp"
#include "query/text/value_text.hpp"
#include "simulate/setting.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"
#include "training/axis.hpp"
#include "training/memory/memory.hpp"

namespace echo::query {

using results::Table;

static constexpr int bar_width = 40;

std::string config_key(const Table& table, std::int64_t row) {
  return fmt::format("{:016x}", table.config_id(row));
}

int key_digits(const results::ResultRows& all, const Table& shown) {
  int digits = 8;
  std::vector<std::int64_t> ids;
  constexpr std::int64_t batch = 16384;
  const auto& column = all.at("config_id");
  for (std::int64_t first = 0; first < all.rows() && shown.rows() > 0; first += batch) {
    all.read(column, first, std::min(batch, all.rows() - first), ids);
    for (std::int64_t row = 0; row < shown.rows(); ++row) {
      const std::uint64_t own = shown.config_id(row);
      for (const std::int64_t id : ids) {
        const std::uint64_t difference = own ^ static_cast<std::uint64_t>(id);
        while (digits < 16 && difference != 0 && difference >> (64 - 4 * digits) == 0) ++digits;
      }
    }
  }
  return digits;
}

std::string setting_line(const results::FileState& state) {
  std::string text;
  if (!state.settings.what_if.empty())
    text = "what if " + state.settings.what_if + ": hardware that no preset describes (evidence what-if)\n";
  if (state.settings.setting == simulate::setting_names.front()) return text;
  return text + "setting " + state.settings.setting +
         ": steps of a long run, with stragglers, late hosts and checkpoints\n";
}

// One setting a line, then those of the recipe and the fabric side by side.
static std::string settings_text(const Table& table, std::int64_t row) {
  constexpr std::size_t widest = 100;
  std::string text, recipe, line;
  for (const auto& column : table.columns()) {
    if (column.role != "input" || column.width != 1) continue;
    const std::string value = value_text(table, column, row);
    const auto axis = training::find_axis(column.name);
    if (!axis || training::info_of(*axis).holder == training::AxisHolder::config) {
      text += fmt::format("  {:<22}{}\n", column.name, value);
      continue;
    }
    const std::string choice = fmt::format("  {}={}", column.name, value);
    if (line.size() + choice.size() > widest) recipe += std::exchange(line, "") + "\n";
    line += choice;
  }
  return text + "\nrecipe\n" + recipe + line + "\n";
}

static std::string breakdown_text(const Table& table, std::int64_t row) {
  const bool has_path = table.find("breakdown/path_time") != nullptr;
  text::TextTable text({"<  part", "exposed", "of step", "busy", has_path ? "on critical path" : "", "<"});
  const double step = table.number("step_time", row);
  for (const std::string_view part : time_category_names) {
    const double seconds = exposed(table, row, part);
    const double busy = table.part("breakdown/total_time", row, part);
    const double on_path = has_path ? table.part("breakdown/path_time", row, part) : 0.0;
    if (seconds == 0.0 && busy == 0.0 && on_path == 0.0) continue;
    text.add({"  " + std::string(part), text::show_time(seconds), text::show_share(seconds / step),
              text::show_time(busy), has_path ? text::show_time(on_path) : "",
              text::show_bar(seconds / step, bar_width)});
  }
  text.add({"  step", text::show_time(step), text::show_share(1.0), "", has_path ? text::show_time(step) : "",
            ""});
  return text.text();
}

static std::string memory_text(const Table& table, std::int64_t row) {
  text::TextTable text({"<  part", "memory", "of limit", "<"});
  const double limit = table.number("mem_limit", row);
  const auto add = [&](const std::string& name, double bytes) {
    text.add({"  " + name, text::show_gib(bytes), text::show_share(bytes / limit),
              text::show_bar(bytes / limit, bar_width)});
  };
  for (const std::string_view part : training::memory_part_names) {
    add(std::string(part), table.part("breakdown/mem", row, part));
  }
  add("peak", table.number("mem_peak", row));
  add("limit", limit);
  std::string chance;
  if (table.find("fit_chance") != nullptr)
    chance = fmt::format("  chance to fit {}\n", text::show_share(table.number("fit_chance", row)));
  return text.text() + chance;
}

// The number of tokens of a traced step may be unknown.
static std::string rate_text(const Table& table, std::int64_t row) {
  const double rate = table.number("tokens_per_s", row);
  if (!std::isfinite(rate)) return "";
  return fmt::format("{:.0f} tokens/s, {:.0f} per GPU, ", rate, table.number("tokens_per_s_per_gpu", row));
}

// "framework nemo, recipe nvidia-performance": files before schema 1.9 know no recipes.
static std::string framework_text(const Table& table, std::int64_t row) {
  std::string text = "framework " + table.text("framework", row);
  if (table.find("recipe") != nullptr) text += ", recipe " + table.text("recipe", row);
  return text;
}

std::string page_text(const Table& table, std::int64_t row) {
  std::string text =
      fmt::format("config {}  (row {} of {})\n{} on {} x {} ({}), {}\n{}\n", config_key(table, row),
                  table.integer("config", row), text::show_count(table.state().rows),
                  table.text("model", row), table.integer("gpus", row), table.text("gpu", row),
                  table.text("cluster", row), layout_of(table, row), framework_text(table, row));
  text += fmt::format("status {}", table.text("status", row));
  if (const std::string reason = table.text("reason", row); reason != "none") {
    text += fmt::format(", reason {}", reason);
    if (const double margin = table.number("reason_margin", row); std::isfinite(margin)) {
      text += fmt::format(": short of {}", text::show_gib(margin));
    }
    if (const double excess = table.number("limit_excess", row); std::isfinite(excess)) {
      text += fmt::format(" {}: {} beyond it", table.text("limit", row), text::show_share(excess));
    }
    if (table.find("rule") != nullptr && table.text("rule", row) != "none")
      text += ": " + rule_said(table.text("rule", row));
  }
  text += fmt::format("\n\nsettings\n{}", settings_text(table, row));
  if (std::isfinite(table.number("step_time", row))) {
    text += fmt::format(
        "\nstep {}  (without slowdown {}, tax {}{})\n{}{}MFU {}, evidence {}\n\n"
        "breakdown of the step (stage {}, the busiest)\n{}",
        text::show_time(table.number("step_time", row)),
        text::show_time(table.number("step_time_no_slowdown", row)),
        text::show_share(table.number("slowdown_tax", row)),
        table.find("step_time_no_contention") == nullptr
            ? ""
            : "; without contention " + text::show_time(table.number("step_time_no_contention", row)),
        band_text(table, row), rate_text(table, row), text::show_share(table.number("mfu", row)),
        table.text("evidence", row), table.integer("critical_stage", row), breakdown_text(table, row));
    text += path_text(table, row) + error_sources_text(table, row);
  }
  if (std::isfinite(table.number("mem_peak", row))) {
    text += fmt::format("\nmemory of one GPU (stage {}, the fullest)\n{}",
                        table.integer("mem_peak_stage", row), memory_text(table, row));
  }
  return text;
}

void add_row(text::Json& json, const Table& table, std::int64_t row) {
  for (const auto& column : table.columns()) {
    json.key(column.name);
    if (column.name == "config_id") {
      json.value(config_key(table, row));
    } else if (column.width > 1) {
      json.open_object();
      for (const std::string& label : column.labels) json.member(label, table.part(column.name, row, label));
      json.close();
    } else if (!column.meanings.empty()) {
      json.value(table.text(column.name, row));
    } else if (!column.is_real()) {
      json.value(table.integer(column.name, row));
    } else {
      json.value(table.number(column.name, row));
    }
  }
}

}  // namespace echo::query
