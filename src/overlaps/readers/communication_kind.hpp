// What a collective is called in tables of overlaps.
#pragma once

#include <string>
#include <string_view>

namespace echo::overlaps {

// all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, reduce, send_recv, by the name of a call of
// the framework ("nccl:all_reduce"); empty where it names none.
[[nodiscard]] std::string kind_of_call(std::string_view name);
// The same by the name of a kernel, and ep_dispatch, ep_combine, ep_notify of DeepEP's; empty where it does
// not say.
[[nodiscard]] std::string kind_of_kernel(std::string_view name);

// A GPU's name without its maker: "NVIDIA H800" is "H800".
[[nodiscard]] std::string without_maker(std::string_view gpu);

}  // namespace echo::overlaps
