// Settings of the tracing libraries from environment variables. Invalid values never cause a failure: they
// are reported once on stderr and replaced by the default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace echo::exsitu {

struct Settings {
  std::string trace_file;        // ECHO_TRACE_FILE, with %p process, %r rank
  std::string gpu_trace_file;    // ECHO_GPU_TRACE_FILE, with the same marks
  std::string groups_file;       // ECHO_NCCL_GROUPS: who belongs to what; empty: none
  std::int64_t most_bytes = 0;   // ECHO_TRACE_LIMIT: of one file
  std::uint64_t copy_below = 0;  // ECHO_NCCL_COPY_BELOW: bytes a call may fill in for its peers
  std::int32_t version = 0;      // ECHO_NCCL_VERSION: 22809, 2.28.9; 0: that of the header
  std::int32_t rank = -1;        // ECHO_RANK, else RANK; -1: not known
  std::int32_t world = -1;       // ECHO_WORLD, else WORLD_SIZE
  std::int32_t gpu_buffers = 0;  // ECHO_GPU_BUFFERS: of CUPTI, 1 MiB each
};

// By a function like getenv, which may return null.
using Environment = const char* (*)(const char* name);
[[nodiscard]] Settings settings_of(Environment);
[[nodiscard]] const Settings& settings();  // of this process, read once

// %p, %r and %% replaced; anything else after % stays.
[[nodiscard]] std::string file_name(std::string_view pattern, std::int64_t process, std::int32_t rank);

// "22809" or "2.28.9" as NCCL codes versions; 0 where it is neither.
[[nodiscard]] std::int32_t version_code(std::string_view text);

// One line on stderr, in this library's name.
void complain(std::string_view what);

}  // namespace echo::exsitu
