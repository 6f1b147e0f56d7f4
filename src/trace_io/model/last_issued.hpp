// Tracks the last op issued on each stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace echo::trace_io {

class StreamOrder {
 public:
  struct Issued {
    std::int32_t node = -1;
    std::int64_t issue = 0, end = 0;  // when the host issued it, when the GPU finished it, ns
  };
  void add(std::int64_t stream, const Issued& one) { streams_[stream].push_back(one); }
  // The last op of the stream that was issued before; node -1: none.
  [[nodiscard]] Issued last(std::int64_t stream, std::int64_t issued_before) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? Issued{} : last(found->second, issued_before);
  }
  // The same of each stream that has one: (stream, op).
  [[nodiscard]] std::vector<std::pair<std::int64_t, Issued>> last_of_all(std::int64_t issued_before) const {
    std::vector<std::pair<std::int64_t, Issued>> out;
    for (const auto& [stream, list] : streams_)
      if (const Issued one = last(list, issued_before); one.node >= 0) out.emplace_back(stream, one);
    return out;
  }

 private:
  static Issued last(const std::vector<Issued>& list, std::int64_t issued_before) {
    const auto after = std::partition_point(list.begin(), list.end(),
                                            [&](const Issued& one) { return one.issue < issued_before; });
    return after == list.begin() ? Issued{} : *(after - 1);
  }
  std::map<std::int64_t, std::vector<Issued>> streams_;  // by issue
};

}  // namespace echo::trace_io
