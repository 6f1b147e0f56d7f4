// Facts of publications about their runs that no column of a measured table holds: which framework, GPU and
// cluster preset a row means (publications.toml of the catalog folders), and what all runs of a suite of
// benchmarks mean (suites.toml).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog/recipe_reader.hpp"

namespace echo {
class Problems;
}

namespace echo::config {

// Whose words a rule repeats: of one publication, or of all that run a suite of benchmarks by its rules.
enum class RuleOf : std::uint8_t { publication, suite };

// Rows of a table whose named columns each contain one of the fragments, ignoring case. The columns `suite`
// and `round` stand for all that name what was run: row_id, source, reference, framework, task and model.
struct PublishedRuns {
  std::vector<std::pair<std::string, std::vector<std::string>>> where;  // column, fragments
  std::string framework, recipe, gpu, cluster;  // presets; empty = as in the row's own cell
  std::vector<Choice> choices;                  // of axes that the row leaves open
  std::int32_t virtual_stages = 0;              // on each pipeline stage; 0 = not stated
  std::vector<std::int32_t> layer_split;        // layers of each chunk; empty = even
  RuleOf of = RuleOf::publication;
};

// Reads the file's text: [[runs]] where = { COLUMN = "FRAGMENT" or ["FRAGMENT", ...], ... }, framework =
// "...", recipe = "...", gpu = "...", cluster = "...", choices = { AXIS = value, ... }, vpp = 1, layer_split
// = [4, 4, ...], source = "...". A rule that asks for a measurement (step time, memory) is a problem: it
// would fit the answer.
[[nodiscard]] std::vector<PublishedRuns> read_publications(const std::string& text, const std::string& file,
                                                           Problems&, RuleOf = RuleOf::publication);

[[nodiscard]] bool matches(const PublishedRuns&, const CsvTable&, std::size_t row);

// The value of the first matching rule that has one; otherwise `otherwise`.
[[nodiscard]] std::string published_framework(const std::vector<PublishedRuns>&, const CsvTable&,
                                              std::size_t row, std::string otherwise);
// The first matching rule that names a framework or a recipe decides: a framework comes with its recipe.
[[nodiscard]] std::string published_recipe(const std::vector<PublishedRuns>&, const CsvTable&,
                                           std::size_t row, std::string otherwise);
[[nodiscard]] std::string published_gpu(const std::vector<PublishedRuns>&, const CsvTable&, std::size_t row,
                                        std::string otherwise);

// Virtual stages of each pipeline stage, of the first matching rule that states them.
[[nodiscard]] std::int32_t published_virtual_stages(const std::vector<PublishedRuns>&, const CsvTable&,
                                                    std::size_t row, std::int32_t otherwise);

// Per axis the choice of the first matching rule that names it.
[[nodiscard]] std::vector<Choice> published_choices(const std::vector<PublishedRuns>&, const CsvTable&,
                                                    std::size_t row);

// The layers of each chunk, of the first matching rule that lists as many chunks and layers; else empty.
[[nodiscard]] std::vector<std::int32_t> published_layers(const std::vector<PublishedRuns>&, const CsvTable&,
                                                         std::size_t row, std::int32_t chunks,
                                                         std::int32_t layers);

// Whether any rule of a publication matches: somebody has read what it says about this run. And whether one
// of a suite does.
[[nodiscard]] bool is_described(const std::vector<PublishedRuns>&, const CsvTable&, std::size_t row);
[[nodiscard]] bool is_of_suite(const std::vector<PublishedRuns>&, const CsvTable&, std::size_t row);

// Empty if no rule has one.
[[nodiscard]] std::string published_cluster(const std::vector<PublishedRuns>&, const CsvTable&,
                                            std::size_t row);

}  // namespace echo::config
