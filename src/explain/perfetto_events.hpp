// Chrome trace events, one by one, into a file.
// Format: "Trace Event Format" (Chromium project); read by ui.perfetto.dev and chrome://tracing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "explain/perfetto_file.hpp"

namespace echo::explain {

[[nodiscard]] std::string microseconds(SimTime);  // to the picosecond

// The track of an event.
struct Track {
  std::int32_t process = 0, thread = 0;
};

class TraceEvents {
 public:
  // `facts`: members of the file's otherData, as JSON without braces.
  TraceEvents(TraceFile& file, std::string_view facts);
  void name_process(std::int32_t process, std::string_view name);  // processes are listed by number
  void name_thread(Track, std::string_view name);
  // colour: from Chromium's fixed palette, or empty; args: members, as JSON without braces.
  void slice(Track, std::string_view name, std::string_view category, SimTime start, SimTime end,
             std::string_view colour = {}, std::string_view args = {});
  void arrow(Track from, SimTime leaves, Track to, SimTime arrives);
  void counter(std::int32_t process, std::string_view name, SimTime at, double value);
  void finish();
  [[nodiscard]] std::int64_t events() const { return events_; }

 private:
  void add(std::string_view event);
  TraceFile& file_;
  std::string text_;
  std::int64_t events_ = 0, arrows_ = 0;
};

}  // namespace echo::explain
