#include "profilers/overlap/cell_samples.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.hpp"
#include "nsight/kernel_name.hpp"

namespace echo::profilers {

using slowdown::CommunicationKind;

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::vector<GpuRecord> of_role(std::span<const GpuRecord> records, const CellRun& run, Role role) {
  std::vector<GpuRecord> out;
  for (const GpuRecord& record : records)
    if (record.device == run.device && role_of(record, run.beside) == role) out.push_back(record);
  std::sort(out.begin(), out.end(),
            [](const GpuRecord& a, const GpuRecord& b) { return a.when.start < b.when.start; });
  return out;
}

nsight::BusyTime busy_time(const std::vector<GpuRecord>& records) {
  std::vector<nsight::Interval> times;
  times.reserve(records.size());
  for (const GpuRecord& record : records) times.push_back(record.when);
  return {times, 1};
}

std::int64_t length_of(nsight::Interval when) { return when.end - when.start; }

Sample sample(nsight::Interval when, const nsight::BusyTime& others) {
  const auto length = static_cast<double>(std::max<std::int64_t>(1, length_of(when)));
  return {.seconds = length * 1e-9, .beside = static_cast<double>(others.within(when)) / length};
}

}  // namespace

Role role_of(const GpuRecord& record, CommunicationKind beside) {
  if (record.kind == RecordKind::copy)
    return beside == CommunicationKind::copy_engine ? Role::communication : Role::other;
  if (has(record.name, gate_name)) return Role::other;
  if (has(record.name, proxy_name))
    return beside == CommunicationKind::proxy ? Role::communication : Role::other;
  if (nsight::is_communication(record.name))
    return beside == CommunicationKind::collective ? Role::communication : Role::other;
  return Role::kernel;
}

CellSamples read_cell(std::span<const GpuRecord> records, const CellRun& run) {
  const std::vector<GpuRecord> kernels = of_role(records, run, Role::kernel);
  const std::vector<GpuRecord> communications = of_role(records, run, Role::communication);
  const auto each = static_cast<std::size_t>(run.kernels_per_launch);
  if (kernels.size() != static_cast<std::size_t>(run.launches) * each ||
      (run.beside != CommunicationKind::unknown && communications.empty()))
    throw UserError("a run left " + std::to_string(kernels.size()) + " kernel records and " +
                        std::to_string(communications.size()) + " of communication for " +
                        std::to_string(run.launches) + " launches of " + std::to_string(each),
                    "no other profiler may trace this process, and nothing else may run in it", 1);
  const nsight::BusyTime kernel_times = busy_time(kernels), other_times = busy_time(communications);
  CellSamples out;
  for (std::size_t first = 0; first < kernels.size(); first += each) {
    const auto end = kernels.begin() + static_cast<std::ptrdiff_t>(first + each);
    nsight::Interval launch = kernels[first].when;
    for (auto k = kernels.begin() + static_cast<std::ptrdiff_t>(first); k != end; ++k)
      launch.end = std::max(launch.end, k->when.end);
    out.kernel.push_back(sample(launch, other_times));
  }
  if (run.launches > 0) {
    const auto longest = std::max_element(
        kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(each),
        [](const GpuRecord& a, const GpuRecord& b) { return length_of(a.when) < length_of(b.when); });
    out.kernel_name = longest->name;
    out.kernel_shape = longest->shape;
  }
  for (const GpuRecord& record : communications) {
    out.communication.push_back(sample(record.when, kernel_times));
    if (record.kind != RecordKind::kernel) continue;
    out.channels = static_cast<std::int32_t>(record.shape.blocks);
    out.threads = record.shape.threads;
  }
  return out;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace echo::profilers
