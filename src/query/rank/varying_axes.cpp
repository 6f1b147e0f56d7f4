#include "query/rank/varying_axes.hpp"

#include <algorithm>

namespace echo::query {

std::vector<std::string> varying_axes(const results::ResultRows& rows) {
  std::vector<std::string> axes;
  for (const results::ColumnInfo& column : rows.columns())
    if (column.role == "input" && column.width == 1 && std::ranges::count(rows.state().axes, column.name) > 0)
      axes.push_back(column.name);
  std::vector<double> first(axes.size());
  std::vector<char> varies(axes.size(), 0);
  for (results::Scan scan(rows, axes); !axes.empty() && scan.next();) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::vector<double>& values = scan.values(axis);
      if (scan.first() == 0 && !values.empty()) first[axis] = values.front();
      if (varies[axis] == 0 &&
          std::ranges::any_of(values, [&](double value) { return value != first[axis]; }))
        varies[axis] = 1;
    }
    if (std::ranges::count(varies, 0) == 0) break;
  }
  std::vector<std::string> out;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (varies[axis] != 0) out.push_back(axes[axis]);
  return out;
}

}  // namespace echo::query
