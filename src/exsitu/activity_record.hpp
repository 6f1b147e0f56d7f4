// Converts CUPTI's activity records, whose sizes vary, to records of ours.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "exsitu/record.hpp"

namespace echo::exsitu {

// Numbers for names, from 1; 0 for those beyond `most`, which a program that makes up names would reach.
class NameTable {
 public:
  explicit NameTable(std::size_t most = 1 << 16) : most_(most) {}
  struct Number {
    std::uint32_t number = 0;
    bool is_new = false;
  };
  Number of(std::string_view name);

 private:
  std::size_t most_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Nothing for kinds that are not kept. `name` is what GpuRecord::name has to be a number of; empty: nothing.
struct NamedRecord {
  GpuRecord record;
  std::string_view name;
};
[[nodiscard]] std::optional<NamedRecord> record_of(const CUpti_Activity&);

// Whether a function of CUDA, by CUPTI's name for it ("cudaLaunchKernel_v7000"), puts something on a stream
// whose place among the others the trace must know.
[[nodiscard]] bool enqueues(std::string_view function);

}  // namespace echo::exsitu
