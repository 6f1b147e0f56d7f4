// File format of the tracing libraries: records of one cache line each, in the order they were begun. The
// first 64 bytes are the file's header. Little endian; read by analysis/echo_sweep/tracer/exsitu_records.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace echo::exsitu {

// Numbers are the file format: never reuse one.
enum class What : std::uint16_t {
  none = 0,  // begun and never finished: the process died in between
  text_of_comm =
      1,  // name, a line feed, members "0,1,2"; in as many records as it takes, one behind the other
  text_of_name = 2,    // a kernel's or marker's name
  text_of_mark = 3,    // of a mark
  text_of_call = 4,    // an NCCL function that has no meaning here
  comm_created = 8,    // count: ranks, peer: own rank, redop: colour, launch: parent
  comm_gone = 9,       // destroyed or aborted
  group_end = 10,      // what went out under `launch` did so now
  group_dropped = 11,  // ncclGroupSimulateEnd: nothing of `launch` was sent
  mark = 12,           // a place in the program, named by text_of_mark
  all_reduce = 16,
  all_gather = 17,
  reduce_scatter = 18,
  broadcast = 19,
  reduce = 20,
  all_to_all = 21,
  gather = 22,
  scatter = 23,
  send = 24,
  recv = 25,
  put_signal = 26,
  signal = 27,
  wait_signal = 28,
  unknown_call = 29,
  kernel = 64,
  copy = 65,
  fill = 66,
  launch_call = 67,   // host side of whatever has the same correlation
  stream_waits = 68,  // cudaStreamWaitEvent
  event_recorded = 69,
  host_waits = 70,     // for a stream, an event, the device
  marker_begins = 71,  // NVTX
  marker_ends = 72,
  overhead = 73,  // of the tracer
  external = 74,  // start: serial of the NCCL call in which the correlation was made
  lost = 75       // start: records CUPTI had no buffer for
};

struct FileHeader {
  std::array<char, 8> magic{'e', 'c', 'h', 'o', 't', 'r', 'c', '\n'};
  std::uint32_t format = 1;
  std::uint32_t record_bytes = 64;
  std::int64_t monotonic_ns = 0;  // two clocks read at one moment
  std::int64_t unix_ns = 0;
  std::uint64_t dropped = 0;  // records that found no room
  std::int32_t rank = -1;     // what the environment says; -1: nothing
  std::int32_t world = -1;
  std::int32_t process = 0;
  std::int32_t library = 0;          // NCCL version code reported; CUPTI's
  std::uint64_t has_unix_times = 0;  // 1: times of GPU records are of the second clock
};

// The record of an NCCL call.
struct Record {
  What what{};
  std::uint8_t type = 0;     // ncclDataType_t
  std::uint8_t flags = 0;    // members_assumed, data_copied
  std::uint32_t thread = 0;  // small numbers, by first call
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t count = 0;   // as given to NCCL
  std::uint64_t stream = 0;  // cudaStream_t
  std::int64_t launch = 0;   // of one outermost group; 0: by itself
  std::uint32_t comm = 0;
  std::int32_t peer = -1;  // or root; in the communicator
  std::int32_t redop = -1;
  std::uint32_t stream_id = no_stream_id;  // CUPTI's, where it is there
  std::uint64_t serial = 0;                // place in the file; written last, so 0 is an unfinished record
  static constexpr std::uint32_t no_stream_id = 0xffffffff;
};
inline constexpr std::uint8_t members_assumed = 1;  // of a communicator: nobody said who they are
inline constexpr std::uint8_t data_copied = 2;      // the call put own data where that of peers was due

// The record of a GPU activity.
struct GpuRecord {
  What what{};
  std::uint8_t kind = 0;  // direction of a copy, kind of a synchronisation
  std::uint8_t flags = 0;
  std::uint32_t correlation = 0;
  std::int64_t start = 0;  // CLOCK_MONOTONIC, ns
  std::int64_t end = 0;
  std::uint64_t amount = 0;  // bytes of copies and fills, blocks of a kernel, event's synchronisation number
  std::uint32_t name = 0;    // of text_of_name
  std::uint32_t device = 0;
  std::uint32_t stream_id = 0;
  std::uint32_t event = 0;
  std::uint32_t graph = 0;    // 0: none
  std::uint32_t threads = 0;  // of a block; of the host for launch_call and markers
  std::uint64_t serial = 0;
};

struct TextRecord {
  What what{};
  std::uint8_t length = 0;
  std::uint8_t goes_on = 0;  // the next record holds more of it
  std::uint32_t owner = 0;
  std::array<char, 48> text{};
  std::uint64_t serial = 0;
};

static_assert(sizeof(FileHeader) == 64 && sizeof(Record) == 64 && sizeof(GpuRecord) == 64 &&
              sizeof(TextRecord) == 64);
static_assert(offsetof(Record, serial) == 56 && offsetof(GpuRecord, serial) == 56 &&
              offsetof(TextRecord, serial) == 56);

}  // namespace echo::exsitu
