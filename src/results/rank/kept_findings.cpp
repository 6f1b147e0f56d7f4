#include "results/rank/kept_findings.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "results/columns.hpp"
#include "results/rank/objectives.hpp"

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;

// The file of these rows, where its findings are those that this program would make.
const Hdf5File* file_of(const ResultRows& rows) {
  const auto* const stored = dynamic_cast<const ResultFile*>(&rows);
  const bool is_own = stored != nullptr && rows.state().schema_version == schema_version() &&
                      !stored->file().has("/measured") &&
                      rows.rows() <= std::numeric_limits<std::int32_t>::max();
  return is_own ? &stored->file() : nullptr;
}

template <class Value>
bool read_all(const Hdf5File& file, const std::string& path, ElementType type, std::vector<Value>& out) {
  if (!file.has(path) || file.is_text(path) || file.type(path) != type) return false;
  const auto shape = file.shape(path);
  if (shape.size() != 1 || shape[0] > std::numeric_limits<std::int32_t>::max()) return false;
  out.resize(shape[0]);
  file.read_rows(path, 0, out.size(), out.data());
  return true;
}

// Those of a group, whose standing is this where the group does not say.
bool read_points(const Hdf5File& file, const std::string& group, const ResultRows& rows, bool says_standing,
                 std::vector<FrontPoint>& points) {
  std::vector<std::int32_t> row, rival;
  std::vector<double> first, second, chance;
  std::vector<std::int8_t> standing;
  const auto objectives = two_objectives(rows.state().objectives);
  if (!read_all(file, group + "/config", ElementType::i4, row) ||
      !read_all(file, group + "/" + objectives[0].metric, ElementType::f8, first) ||
      !read_all(file, group + "/" + objectives[1].metric, ElementType::f8, second) ||
      !read_all(file, group + "/rival", ElementType::i4, rival) ||
      !read_all(file, group + "/rival_chance", ElementType::f8, chance))
    return false;
  if (says_standing && !read_all(file, group + "/standing", ElementType::i1, standing)) return false;
  if (!says_standing) standing.assign(row.size(), static_cast<std::int8_t>(Standing::unproven));
  for (const std::size_t size : {first.size(), second.size(), rival.size(), chance.size(), standing.size()})
    if (size != row.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] < 0 || row[i] >= rows.rows() || rival[i] < -1 || rival[i] >= rows.rows() || standing[i] < 0 ||
        standing[i] >= std::ssize(standing_names))
      return false;
    points.push_back(
        {{row[i], first[i], second[i]}, static_cast<Standing>(standing[i]), rival[i], chance[i]});
  }
  return true;
}

}  // namespace

std::optional<std::vector<FrontPoint>> kept_front(const ResultRows& rows) {
  const Hdf5File* const file = file_of(rows);
  if (file == nullptr || !file->has("/pareto")) return std::nullopt;
  std::vector<FrontPoint> points;
  if (!read_points(*file, "/pareto", rows, true, points)) return std::nullopt;
  if (file->has("/pareto/unproven") && !read_points(*file, "/pareto/unproven", rows, false, points))
    return std::nullopt;
  return points;
}

std::optional<std::vector<MainEffect>> kept_effects(const ResultRows& rows, const std::string& metric) {
  const Hdf5File* const file = file_of(rows);
  const std::string names = "/effects/axis", shares = "/effects/main_effect";
  std::vector<double> share;
  if (file == nullptr || !file->has("/effects") || !file->has(names) || !file->is_text(names) ||
      two_objectives(rows.state().objectives)[0].metric != metric ||
      !read_all(*file, shares, ElementType::f8, share))
    return std::nullopt;
  const auto axes = file->texts(names);
  if (axes.size() != share.size()) return std::nullopt;
  std::vector<MainEffect> effects;
  for (std::size_t i = 0; i < axes.size(); ++i) effects.push_back({axes[i], share[i]});
  return effects;
}

}  // namespace echo::results
