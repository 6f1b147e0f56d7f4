#include "results/write/front_group.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/at.hpp"

namespace echo::results {
namespace {

using storage::ElementType;

struct PointGroup {
  storage::Hdf5File& file;
  std::string path;
  std::uint64_t points;

  template <class Value>
  void add(const std::string& name, ElementType type, const std::vector<Value>& values,
           const std::string& units, const std::string& long_name) const {
    const std::string here = path + "/" + name, scale = path + "/point";
    file.make_dataset({here, type, {points}, {}});
    file.write_rows(here, 0, points, values.data());
    file.set_attribute(here, "units", units);
    file.set_attribute(here, "long_name", long_name);
    if (here == scale)
      file.make_scale(here);
    else
      file.attach_scale(here, 0, scale);
  }
};

template <class Value, class Get>
std::vector<Value> column_of(std::span<const FrontPoint> points, Get get) {
  std::vector<Value> values;
  for (const FrontPoint& point : points) values.push_back(static_cast<Value>(get(point)));
  return values;
}

void write_points(const PointGroup& group, std::span<const FrontPoint> points,
                  std::span<const sweep::Objective> objectives, std::span<const ColumnInfo> columns) {
  std::vector<std::int32_t> numbers(points.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  group.file.make_group(group.path);
  group.add("point", ElementType::i4, numbers, "1",
            "number among these points, best " + objectives[0].metric + " first");
  group.add("config", ElementType::i4,
            column_of<std::int32_t>(points, [](const FrontPoint& p) { return p.row; }), "1",
            "row of the file");
  group.add(objectives[0].metric, ElementType::f8,
            column_of<double>(points, [](const FrontPoint& p) { return p.first; }), columns[0].units,
            columns[0].long_name);
  group.add(objectives[1].metric, ElementType::f8,
            column_of<double>(points, [](const FrontPoint& p) { return p.second; }), columns[1].units,
            columns[1].long_name);
  group.add("rival", ElementType::i4,
            column_of<std::int32_t>(points, [](const FrontPoint& p) { return p.rival; }), "1",
            "row of the file most likely to beat it in both; -1: none with a probability of 0.1 or more");
  group.add("rival_chance", ElementType::f8,
            column_of<double>(points, [](const FrontPoint& p) { return p.rival_chance; }), "1",
            "probability that the rival beats it in both");
}

void add_standing(const PointGroup& group, std::span<const FrontPoint> points) {
  group.add("standing", ElementType::i1,
            column_of<std::int8_t>(points, [](const FrontPoint& p) { return p.standing; }), "1",
            "certainty of its place on the front");
  std::vector<std::int8_t> codes(standing_names.size());
  std::iota(codes.begin(), codes.end(), std::int8_t{0});
  std::string joined;
  for (const std::string_view name : standing_names)
    joined += (joined.empty() ? "" : " ") + std::string(name);
  group.file.set_attribute(group.path + "/standing", "flag_values", codes);
  group.file.set_attribute(group.path + "/standing", "flag_meanings", joined);
}

}  // namespace

void write_front(storage::Hdf5File& file, std::span<const FrontPoint> front,
                 std::span<const sweep::Objective> objectives, std::span<const ColumnInfo> columns) {
  const std::string here = "/pareto";
  const auto split = std::ranges::find(front, Standing::unproven, &FrontPoint::standing);
  const auto on_front = front.first(at(split - front.begin()));
  const auto unproven = front.subspan(on_front.size());
  const PointGroup group{file, here, on_front.size()};
  write_points(group, on_front, objectives, columns);
  add_standing(group, on_front);
  if (!unproven.empty())
    write_points({file, here + "/unproven", unproven.size()}, unproven, objectives, columns);
  const std::string &first = objectives[0].metric, &second = objectives[1].metric;
  file.set_attribute(here, "NX_class", "NXdata");
  file.set_attribute(here, "signal", first);
  file.set_attribute(here, "axes", second);
  file.set_attribute(here, "title",
                     "feasible configs that no other config beats in both " + first + " and " + second);
}

}  // namespace echo::results
