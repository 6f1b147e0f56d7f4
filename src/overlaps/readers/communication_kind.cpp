#include "overlaps/readers/communication_kind.hpp"

#include <array>
#include <utility>

#include "base/at.hpp"
#include "nsight/kernel_name.hpp"
#include "ops/collective.hpp"
#include "trace_io/pytorch_et/torch_comm.hpp"

namespace echo::overlaps {

std::string kind_of_call(std::string_view name) {
  const auto kind = trace_io::comm_kind(name);
  if (!kind || kind->role == trace_io::CommRole::none) return "";
  return std::string(ops::collective_kind_names[at(kind->kind)]);
}

std::string kind_of_kernel(std::string_view name) {
  if (const auto kind = nsight::collective_of(name))
    return std::string(ops::collective_kind_names[at(*kind)]);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> deepep{
      {{"notify", "ep_notify"}, {"dispatch", "ep_dispatch"}, {"combine", "ep_combine"}}};
  if (name.find("ep::") == name.npos) return "";
  for (const auto& [sign, kind] : deepep)
    if (name.find(sign) != name.npos) return std::string(kind);
  return "";
}

std::string without_maker(std::string_view gpu) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD Instinct ", "AMD ", "Instinct "})
    if (gpu.starts_with(maker)) gpu.remove_prefix(maker.size());
  return std::string(gpu);
}

}  // namespace echo::overlaps
