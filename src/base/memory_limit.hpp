// A limit on the memory that reading one input may take, so that a file of a few megabytes that unpacks to
// gigabytes, or a header that claims 10^12 elements, is refused instead of taking the machine down.
// What a thread allocates with `new` is counted while a MemoryMeter of it is alive, and not otherwise. What
// libraries in C take from malloc is not counted; those that readers use have limits of their own.
#pragma once

#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace echo {

// Bytes, for each input by itself; unlimited until it is set. The command line sets it, once, before
// anything is read.
void set_memory_limit(std::int64_t bytes);
[[nodiscard]] std::int64_t memory_limit();

// Counts the bytes that this thread allocates and frees from here on; meters nest.
class MemoryMeter {
 public:
  // An allocation that would take it past `most`, or past what an outer meter has left, throws
  // std::bad_alloc. After the first, a little more is granted: what is unwound may have something to say.
  explicit MemoryMeter(std::int64_t most = std::numeric_limits<std::int64_t>::max());
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  [[nodiscard]] std::int64_t live() const { return live_; }  // negative: more was freed than allocated
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  [[nodiscard]] std::int64_t allocations() const { return allocations_; }
  [[nodiscard]] bool has_refused() const { return has_refused_; }
  // Whether it refused because of what the outer meter counted before it, more than by what it counted
  // itself.
  [[nodiscard]] bool is_for_outer() const {
    return outer_ != nullptr && has_refused_ && peak_ < outer_->live_;
  }

  [[nodiscard]] static bool is_counting();  // whether this thread has one
  // For operator new and delete alone.
  [[nodiscard]] bool admits(std::size_t bytes) const noexcept;
  void refused() noexcept { has_refused_ = true; }
  void took(std::size_t bytes) noexcept;
  void gave_back(std::size_t bytes) noexcept { live_ -= static_cast<std::int64_t>(bytes); }

 private:
  MemoryMeter* outer_;
  std::int64_t most_, live_ = 0, peak_ = 0, allocations_ = 0;
  bool has_refused_ = false;
};

// Throw UserError, 2: reading `file` took more than memory_limit(), or more than there is.
[[noreturn]] void refuse_size(const std::string& file, bool is_past_limit);

// What read() returns. Throws UserError, 2, that names `file`, where it takes more than memory_limit().
// Within another, the two share one limit, and the one that has taken more is named.
template <class Read>
auto within_memory(const std::string& file, Read&& read) {
  bool is_past_limit = false;
  try {
    MemoryMeter meter(memory_limit());
    try {
      auto out = std::forward<Read>(read)();
      if (!meter.has_refused()) return out;
      is_past_limit = true;  // something on the way went on without the memory
    } catch (const std::bad_alloc&) {
      if (meter.is_for_outer()) throw;
      is_past_limit = meter.has_refused();
    } catch (const std::length_error&) {  // more elements than a container can have
      is_past_limit = true;
    }
  } catch (const std::bad_alloc&) {
    if (MemoryMeter::is_counting()) throw;
  }
  refuse_size(file, is_past_limit);
}

}  // namespace echo
