// The tables of a trace while it grows: each name, kernel and group once, in the order they came.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace echo::interchange {

class TraceTables {
 public:
  explicit TraceTables(trace::Trace& trace) : trace_(&trace) {}
  [[nodiscard]] std::int32_t name(std::string_view);
  [[nodiscard]] std::int32_t kernel(const ops::KernelKey&);
  // -1 where no group is called so.
  [[nodiscard]] std::int32_t group(std::string_view) const;
  // As trace.groups will have it; where one is called the same, that one.
  [[nodiscard]] std::int32_t add_group(trace::Group);
  // The one of the same name and members; where one is called the same but has others, under a name of its
  // own.
  [[nodiscard]] std::int32_t add_distinct_group(trace::Group);

 private:
  trace::Trace* trace_;
  std::map<std::string, std::int32_t, std::less<>> names_, groups_;
  std::map<ops::KernelKey, std::int32_t> kernels_;
};

}  // namespace echo::interchange
