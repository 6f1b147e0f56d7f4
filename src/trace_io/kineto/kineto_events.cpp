#include "trace_io/kineto/kineto_events.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "trace_io/io/json_pull.hpp"
#include "trace_io/io/picoseconds.hpp"
#include "trace_io/pytorch_et/torch_json.hpp"

namespace echo::trace_io {

namespace {

using Category = KinetoCategory;

// The older names are those of 2020 to 2022.
constexpr std::array<std::pair<std::string_view, Category>, 14> categories{
    {{"cpu_op", Category::cpu_op},
     {"Operator", Category::cpu_op},
     {"user_annotation", Category::annotation},
     {"cuda_runtime", Category::runtime},
     {"cuda_driver", Category::runtime},
     {"Runtime", Category::runtime},
     {"kernel", Category::kernel},
     {"Kernel", Category::kernel},
     {"gpu_memcpy", Category::memcpy},
     {"Memcpy", Category::memcpy},
     {"gpu_memset", Category::memset},
     {"Memset", Category::memset},
     {"cuda_sync", Category::sync},
     {"hip_runtime", Category::runtime}}};

Category category_of(std::string_view text) {
  for (const auto& [name, category] : categories)
    if (text == name) return category;
  return Category::other;
}

class Reader {
 public:
  Reader(const std::string& path, const KinetoWish& wish, KinetoHeader& header,
         const std::function<void(KinetoEvent&)>& take)
      : source_(path), json_(source_), wish_(wish), header_(header), take_(take) {}

  std::int64_t read() {
    try {
      if (json_.peek() == JsonPull::Kind::array) {
        events();
        return on_gpu_;
      }
      bool has_events = false;
      json_.object([&](std::string_view key) {
        if (key == "traceEvents") {
          has_events = true;
          events();
        } else if (key == "deviceProperties") {
          devices();
        } else if (key == "distributedInfo") {
          distributed();
        } else if (key == "baseTimeNanoseconds") {
          header_.epoch = std::clamp<std::int64_t>(integer_of(json_), 0, latest);
        } else {
          json_.skip();
        }
      });
      if (!has_events) json_.fail("it has no \"traceEvents\"");
    } catch (const JsonFault& fault) {
      refuse(source_.path(), fault, "profile again, and let the profiler write all of it");
    }
    return on_gpu_;
  }

 private:
  using Kind = JsonPull::Kind;

  void events() {
    json_.array([&] { event(); });
  }

  std::int32_t small() {
    const std::int64_t value = integer_of(json_);
    return value < 0 || value > std::numeric_limits<std::int32_t>::max() ? -1
                                                                         : static_cast<std::int32_t>(value);
  }
  // A string; any other value gives an empty one. Valid until the next call.
  std::string_view word() {
    if (json_.peek() == Kind::string) return json_.string();
    json_.skip();
    return {};
  }
  std::string text() { return json_.text(longest_torch_value); }
  // us to ns
  std::int64_t time() {
    const Kind kind = json_.peek();
    if (kind != Kind::number && kind != Kind::string) {
      json_.skip();
      return -1;
    }
    return thousandths_of(kind == Kind::number ? json_.number() : json_.string()).value_or(-1);
  }

  void event() {
    if (json_.peek() != Kind::object) return json_.skip();
    reset();
    bool is_span = false, has_category = false;
    json_.object([&](std::string_view key) {
      if (key == "ph") {
        is_span = word() == "X";
      } else if (key == "cat") {
        event_.category = category_of(word());
        has_category = true;
      } else if (key == "name") {
        event_.name.assign(word());
      } else if (key == "ts") {
        event_.start = time();
      } else if (key == "dur") {
        event_.duration = std::max<std::int64_t>(time(), 0);
      } else if (key == "tid") {
        event_.thread = integer_of(json_);
      } else if (key == "args" && (!has_category || is_wanted()) && json_.peek() == Kind::object) {
        json_.object([&](std::string_view name) { argument(name); });
      } else {
        json_.skip();
      }
    });
    if (!is_span) return;
    if (event_.category == Category::kernel || event_.category == Category::memcpy) ++on_gpu_;
    if (!is_wanted() || event_.start < 0 || event_.start > latest || event_.duration > longest) return;
    if (!event_.name.starts_with(wish_.name_prefix)) return;
    event_.call.name = event_.name;
    take_(event_);
  }

  [[nodiscard]] bool is_wanted() const {
    return wish_.takes(event_.category) &&
           (event_.start < 0 || (event_.start >= wish_.from && event_.start < wish_.until)) &&
           (wish_.name_prefix.empty() || event_.name.empty() || event_.name.starts_with(wish_.name_prefix));
  }

  void reset() {
    event_.name.clear();
    event_.category = Category::other;
    event_.start = event_.external_id = event_.correlation = event_.record_id = event_.sequence = -1;
    event_.device = event_.stream = event_.waits_for_stream = event_.waits_for_record = -1;
    event_.duration = event_.thread = event_.bytes = 0;
    if (has_call_) event_.call = {};
    if (has_comm_) event_.comm = {};
    if (has_launch_) event_.launch = {};
    has_call_ = has_comm_ = has_launch_ = false;
  }

  void argument(std::string_view name) {
    if (name == "External id" || name == "external id")
      event_.external_id = integer_of(json_);
    else if (name == "correlation")
      event_.correlation = integer_of(json_);
    else if (name == "Record function id")
      event_.record_id = integer_of(json_);
    else if (name == "Sequence number")
      event_.sequence = integer_of(json_);
    else if (name == "device")
      event_.device = integer_of(json_);
    else if (name == "stream")
      event_.stream = integer_of(json_);
    else if (name == "bytes")
      event_.bytes = std::max<std::int64_t>(integer_of(json_), 0);
    else if (name == "wait_on_stream")
      event_.waits_for_stream = integer_of(json_);
    else if (name == "wait_on_cuda_event_record_corr_id")
      event_.waits_for_record = integer_of(json_);
    else if (!operand(name) && !communication(name) && !launch(name))
      json_.skip();
  }

  bool operand(std::string_view name) {
    if (name == "Input Dims" || name == "Input dims")
      add_extents(json_, event_.call.shapes);
    else if (name == "Input Strides")
      add_extents(json_, event_.call.strides);
    else if (name == "Input type")
      add_texts(json_, event_.call.types);
    else if (name == "Concrete Inputs")
      add_texts(json_, event_.call.values);
    else
      return false;
    has_call_ = true;
    return true;
  }

  bool communication(std::string_view name) {
    CommCall& comm = event_.comm;
    if (name == "Collective name")
      comm.collective = text();
    else if (name == "dtype")
      comm.type = text();
    else if (name == "In msg nelems")
      comm.in = integer_of(json_);
    else if (name == "Out msg nelems")
      comm.out = integer_of(json_);
    else if (name == "Group size")
      comm.group_size = integer_of(json_);
    else if (name == "Process Group Name")
      comm.group = text();
    else if (name == "Process Group Description")
      comm.purpose = text();
    else if (name == "Process Group Ranks")
      read_rank_list(text(), comm);
    else if (name == "Src Rank" || name == "Dst Rank")
      comm.peer = small();
    else
      return false;
    has_comm_ = true;
    return true;
  }

  bool launch(std::string_view name) {
    if (!wish_.launches) return false;
    KinetoLaunch& out = event_.launch;
    if (name == "grid")
      extents(out.grid);
    else if (name == "block")
      extents(out.block);
    else if (name == "registers per thread")
      out.registers = integer_of(json_);
    else if (name == "shared memory")
      out.shared_memory = integer_of(json_);
    else if (name == "est. achieved occupancy %")
      out.occupancy_percent = real_or_nothing();
    else if (name == "blocks per SM")
      out.blocks_per_sm = real_or_nothing();
    else if (name == "warps per SM")
      out.warps_per_sm = real_or_nothing();
    else
      return false;
    has_launch_ = true;
    return true;
  }
  void extents(std::array<std::int64_t, 3>& out) {
    if (json_.peek() != Kind::array) return json_.skip();
    std::size_t axis = 0;
    json_.array([&] {
      const std::int64_t extent = integer_of(json_);
      if (axis < out.size()) out[axis++] = std::clamp<std::int64_t>(extent, 0, most_extent);
    });
  }
  double real_or_nothing() {
    if (json_.peek() == Kind::number) return json_.real();
    json_.skip();
    return KinetoLaunch::not_said;
  }

  void devices() {
    if (json_.peek() != Kind::array) return json_.skip();
    json_.array([&] {
      if (json_.peek() != Kind::object) return json_.skip();
      json_.object([&](std::string_view key) {
        if (key == "name" && header_.gpu.empty())
          header_.gpu = text();
        else if (key == "numSms" && header_.sm_count == 0)
          header_.sm_count = std::clamp(small(), 0, most_sms);
        else
          json_.skip();
      });
    });
  }

  void distributed() {
    if (json_.peek() != Kind::object) return json_.skip();
    json_.object([&](std::string_view key) {
      if (key == "rank")
        header_.rank = small();
      else if (key == "world_size")
        header_.world = small();
      else if (key == "pg_config" && json_.peek() == Kind::array)
        json_.array([&] { group(); });
      else
        json_.skip();
    });
  }

  void group() {
    if (json_.peek() != Kind::object) return json_.skip();
    CommCall one;
    json_.object([&](std::string_view key) {
      if (key == "pg_name")
        one.group = text();
      else if (key == "pg_desc")
        one.purpose = text();
      else if (key == "pg_size")
        one.group_size = integer_of(json_);
      else if (key == "ranks")
        read_rank_list(json_.text(std::size_t{1} << 24), one);
      else
        json_.skip();
    });
    header_.groups.push_back(std::move(one));
  }

  static constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int32_t most_sms = 4096;
  static constexpr std::int64_t latest = 4'000'000'000'000'000'000, longest = 1'000'000'000'000'000;  // ns
  ByteSource source_;
  JsonPull json_;
  const KinetoWish& wish_;
  KinetoHeader& header_;
  const std::function<void(KinetoEvent&)>& take_;
  KinetoEvent event_;
  std::int64_t on_gpu_ = 0;
  bool has_call_ = false, has_comm_ = false, has_launch_ = false;
};

}  // namespace

std::int64_t read_kineto_events(const std::string& path, const KinetoWish& wish, KinetoHeader& header,
                                const std::function<void(KinetoEvent&)>& take) {
  header = {};
  return Reader(path, wish, header, take).read();
}

}  // namespace echo::trace_io
