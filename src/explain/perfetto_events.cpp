#include "explain/perfetto_events.hpp"

#include <fmt/format.h>

#include "text/json.hpp"

namespace echo::explain {

std::string microseconds(SimTime time) {
  constexpr std::int64_t per_microsecond = 1'000'000;
  const bool negative = time < SimTime::zero();
  const std::int64_t ps = negative ? -time.count() : time.count(), rest = ps % per_microsecond;
  std::string text = (negative ? "-" : "") + std::to_string(ps / per_microsecond);
  if (rest != 0) text += fmt::format(".{:06}", rest);
  return text;
}

TraceEvents::TraceEvents(TraceFile& file, std::string_view facts) : file_(file) {
  text_ = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{{}}},\"traceEvents\":[\n", facts);
}

void TraceEvents::add(std::string_view event) {
  constexpr std::size_t buffered = 1 << 16;
  if (events_++ > 0) text_ += ",\n";
  text_ += event;
  if (text_.size() < buffered) return;
  file_.write(text_);
  text_.clear();
}

void TraceEvents::name_process(std::int32_t process, std::string_view name) {
  add(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})", process,
                  text::json_text(name)));
  add(fmt::format(R"({{"ph":"M","pid":{0},"tid":0,"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
                  process));
}

void TraceEvents::name_thread(Track track, std::string_view name) {
  add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                  track.process, track.thread, text::json_text(name)));
}

void TraceEvents::slice(Track track, std::string_view name, std::string_view category, SimTime start,
                        SimTime end, std::string_view colour, std::string_view args) {
  std::string event = fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":{},"cat":"{}","ts":{},"dur":{})",
                                  track.process, track.thread, text::json_text(name), category,
                                  microseconds(start), microseconds(end - start));
  if (!colour.empty()) event += fmt::format(R"(,"cname":"{}")", colour);
  if (!args.empty()) event += fmt::format(R"(,"args":{{{}}})", args);
  add(event + "}");
}

void TraceEvents::arrow(Track from, SimTime leaves, Track to, SimTime arrives) {
  ++arrows_;
  add(fmt::format(R"({{"ph":"s","id":{},"pid":{},"tid":{},"name":"p2p","cat":"p2p","ts":{}}})", arrows_,
                  from.process, from.thread, microseconds(leaves)));
  add(fmt::format(R"({{"ph":"f","bp":"e","id":{},"pid":{},"tid":{},"name":"p2p","cat":"p2p","ts":{}}})",
                  arrows_, to.process, to.thread, microseconds(arrives)));
}

void TraceEvents::counter(std::int32_t process, std::string_view name, SimTime at, double value) {
  add(fmt::format(R"({{"ph":"C","pid":{},"name":{},"ts":{},"args":{{"value":{}}}}})", process,
                  text::json_text(name), microseconds(at), text::json_number(value)));
}

void TraceEvents::finish() {
  text_ += "\n]}\n";
  file_.write(text_);
  file_.close();
}

}  // namespace echo::explain
