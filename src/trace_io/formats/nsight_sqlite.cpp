// SQLite exports of Nsight Systems: kernels with their times, calls of the host, NVTX ranges.
#include "nsight/sqlite.hpp"
#include "trace_io/nsight/nsight_timeline.hpp"

namespace echo::trace_io::formats {

namespace {

bool recognises(const std::string&, std::string_view head) { return nsight::is_sqlite(head); }

}  // namespace

extern const Format nsight_sqlite{
    .name = "nsight_sqlite",
    .summary = "Nsight Systems: nsys export --type sqlite, traced with cuda,nvtx",
    .source = "NVIDIA Nsight Systems, SQLite Export Schema Reference",
    .recognises = recognises,
    .read = read_nsight,
    .write = nullptr};

}  // namespace echo::trace_io::formats
