#include "ops/describe.hpp"

#include <array>

#include "base/at.hpp"

namespace echo::ops {

namespace {

std::string size_of(Bytes bytes) {
  constexpr std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  std::int64_t tenths = bytes.value * 10;
  for (; tenths >= 10'240 && unit + 1 < units.size(); ++unit) tenths /= 1024;
  std::string text = std::to_string(tenths / 10);
  if (unit > 0) text += "." + std::to_string(tenths % 10);
  return text + " " + std::string(units[unit]);
}

}  // namespace

std::string describe(const KernelKey& key) {
  std::string text(name_of(key.kind));
  const bool has_depth = key.kind == KernelKind::gemm || key.kind == KernelKind::attention_forward ||
                         key.kind == KernelKind::attention_backward;
  text += " " + std::to_string(key.m) + "x" + std::to_string(key.n);
  if (has_depth) text += "x" + std::to_string(key.k);
  if (key.kind == KernelKind::gemm) text += " " + std::string(gemm_layout_names[at(key.layout)]);
  if (key.batch > 1) text += (key.grouped ? " group of " : " batch ") + std::to_string(key.batch);
  return text;
}

std::string describe(const CollectiveQuery& query) {
  const std::string nodes = std::to_string(query.group.nodes) + (query.group.nodes == 1 ? " node" : " nodes");
  return std::string(collective_kind_names[at(query.kind)]) + " " + size_of(query.payload) + " over " +
         std::to_string(query.group.ranks) + " ranks of " + nodes;
}

}  // namespace echo::ops
