#include "config/measured/step_columns.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "config/toml/did_you_mean.hpp"

namespace echo::config {

namespace {

enum class Cell : std::int8_t { text, whole, number };

struct Column {
  const char* name;
  Cell cell = Cell::whole;
};

constexpr std::array<Column, 54> columns{{{"row_id", Cell::text},
                                          {"source", Cell::text},
                                          {"reference", Cell::text},
                                          {"framework", Cell::text},
                                          {"recipe", Cell::text},
                                          {"task", Cell::text},
                                          {"setting", Cell::text},
                                          {"gpu", Cell::text},
                                          {"num_gpus"},
                                          {"gpus_per_node"},
                                          {"scale_up_gbytes_per_s", Cell::number},
                                          {"scale_out_gbits_per_s_per_node", Cell::number},
                                          {"model", Cell::text},
                                          {"layers"},
                                          {"hidden"},
                                          {"heads"},
                                          {"kv_heads"},
                                          {"ffn_hidden"},
                                          {"gated_ffn"},
                                          {"vocab"},
                                          {"seq_len"},
                                          {"experts"},
                                          {"experts_per_token"},
                                          {"expert_ffn_hidden"},
                                          {"precision", Cell::text},
                                          {"tp"},
                                          {"pp"},
                                          {"dp"},
                                          {"cp"},
                                          {"ep"},
                                          {"etp"},
                                          {"vpp"},
                                          {"sequence_parallel"},
                                          {"zero"},
                                          {"zero_group"},
                                          {"micro_batch"},
                                          {"global_batch"},
                                          {"recompute", Cell::text},
                                          {"schedule", Cell::text},
                                          {"flash_attention"},
                                          {"overlap_grad_reduce"},
                                          {"overlap_param_gather"},
                                          {"overlap_tp"},
                                          {"step_time_s", Cell::number},
                                          {"step_time_kind", Cell::text},
                                          {"peak_mem_gib", Cell::number},
                                          {"mem_kind", Cell::text},
                                          {"quality", Cell::text},
                                          {"core", Cell::text},
                                          {"suspect"},
                                          {"scale_up_domain_gpus"},
                                          {"head_dim"},
                                          {"stratum", Cell::text},
                                          {"note", Cell::text}}};

}  // namespace

std::vector<Problem> unknown_step_columns(const CsvTable& table) {
  std::vector<std::string> absent;
  for (const Column& column : columns)
    if (!table.has(column.name)) absent.emplace_back(column.name);
  std::vector<Problem> out;
  for (const std::string& name : table.columns()) {
    if (std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return name == c.name; }))
      continue;
    const std::string meant = closest(name, absent);
    if (meant.empty())
      out.push_back({table.header_place(name), "column \"" + name + "\" is unknown and ignored",
                     "no action needed if it is a remark", Problem::Severity::warning});
    else
      out.push_back({table.header_place(name), "column \"" + name + "\" is unknown",
                     "did you mean \"" + meant + "\"?"});
  }
  return out;
}

std::vector<Problem> bad_step_cells(const CsvTable& table, std::size_t row) {
  std::vector<Problem> out;
  for (const Column& column : columns) {
    try {
      if (column.cell == Cell::whole) (void)table.integer(row, column.name);
      if (column.cell == Cell::number) (void)table.number(row, column.name);
    } catch (const UserError& error) {
      out.insert(out.end(), error.problems().begin(), error.problems().end());
    }
  }
  return out;
}

}  // namespace echo::config
