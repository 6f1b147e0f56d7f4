// What one GPU did in a profiled run: kernels and copies with their times, what launched them, and the
// communication some of them are. Readers of profiles (readers/) fill it; observe.hpp finds the overlaps in
// it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace echo::overlaps {

// Each text once; 0 is the empty one.
class Texts {
 public:
  Texts() { static_cast<void>(add("")); }
  [[nodiscard]] std::int32_t add(std::string_view text);
  [[nodiscard]] const std::string& operator[](std::int32_t id) const {
    return texts_[static_cast<std::size_t>(id)];
  }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

inline constexpr double not_said = std::numeric_limits<double>::quiet_NaN();

// The resources of a launch; -1 and NaN: not said.
struct Launch {
  std::array<std::int64_t, 3> grid{}, block{};  // 0: not said
  std::int64_t registers = -1;                  // per thread
  std::int64_t shared_memory = -1;              // bytes of a block
  double occupancy_percent = not_said;          // as the profiler estimates it
  double blocks_per_sm = not_said, warps_per_sm = not_said;
};
// The product of three extents; 0 where one is not said or the product is past 2^53.
[[nodiscard]] std::int64_t product_of(const std::array<std::int64_t, 3>& extents);

// What the host said of a collective it launched.
struct Collective {
  std::string kind;              // all_reduce, all_gather, ..., ep_dispatch; empty: not known
  std::string type;              // of an element, as the framework calls it
  std::string group;             // name of the communicator
  std::int64_t group_size = -1;  // ranks; -1: not said
  std::int64_t bytes = -1;       // the larger of what goes in and what comes out; -1: not said
};

// Times in ns; texts of Profile::texts.
struct Activity {
  bool is_kernel = true;      // else a copy or a memset
  bool communicates = false;  // a kernel that does
  std::int32_t name = 0;      // in full
  std::int32_t op = 0;  // the two innermost ops of the host around the launch: "aten::linear/aten::addmm"
  std::int32_t shape = 0,
               types = 0;           // the extents and types of the operands of the innermost op that has any
  bool is_shape_of_parent = false;  // not of the innermost op
  std::int32_t launch = 0;          // of Profile::launches
  std::int32_t collective = -1;     // of Profile::collectives; -1: it is none
  std::int64_t stream = 0, start = 0, duration = 0;
  [[nodiscard]] std::int64_t end() const { return start + duration; }
};

struct Profile {
  std::string trace;                   // the file's name
  std::string path;                    // as it was given
  std::string format;                  // "torch.profiler", "Nsight Systems"
  std::string driver_gpu;              // as the driver calls it; empty: not said
  std::string gpu;                     // the same without its maker
  bool is_sm_count_inferred = false;   // from blocks and blocks per SM
  std::int32_t sm_count = 0;           // 0: not known
  std::int32_t rank = -1, world = -1;  // -1: not said
  std::int64_t tick = 1;               // ns: the resolution of the times
  std::int64_t epoch = 0;              // ns to add so that times of several ranks compare
  std::int64_t first_kernel = 0;       // ns: when it started
  std::int64_t of_other_gpus = 0;      // activities of the file that are not here
  Texts texts;
  std::vector<Launch> launches;
  std::vector<Collective> collectives;
  std::vector<Activity> activities;  // by start; those that start together as the file has them
};

// Orders the activities and derives what follows from them: first_kernel, tick (1000 ns where every time is
// whole microseconds, else 1), and, where it is not said, sm_count from blocks and blocks per SM, if all
// launches imply the same one.
void finish(Profile&);

}  // namespace echo::overlaps
