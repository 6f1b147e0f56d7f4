// The tables of a trace under construction: each name, kernel and group once, in order of appearance.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace echo::trace_io {

// Appends a node that waits for `needs`, in any order and more than once, and for nothing else.
void append_node(trace::RankTrace&, const trace::Node&, std::vector<std::int32_t> needs);

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

}  // namespace echo::trace_io
