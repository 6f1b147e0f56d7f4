#include "base/memory_limit.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/error.hpp"

namespace echo {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t for_unwinding = std::int64_t{16} << 20;

std::atomic<std::int64_t> limit{unlimited};
thread_local MemoryMeter* innermost = nullptr;

void* take(std::size_t size) noexcept {
  MemoryMeter* const meter = innermost;
  if (meter != nullptr && !meter->admits(size)) return nullptr;
  void* const place = std::malloc(std::max<std::size_t>(size, 1));
  if (meter != nullptr && place != nullptr) meter->took(malloc_usable_size(place));
  return place;
}

void* take_or_throw(std::size_t size) {
  if (void* const place = take(size)) return place;
  if (innermost != nullptr && !innermost->admits(size)) innermost->refused();
  throw std::bad_alloc();
}

void give_back(void* place) noexcept {
  if (innermost != nullptr && place != nullptr) innermost->gave_back(malloc_usable_size(place));
  std::free(place);
}

std::string in_words(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = 1 << 20, gibibyte = 1 << 30;
  if (bytes < 10 * mebibyte) return std::to_string(bytes / 1024) + " KiB";
  if (bytes < 10 * gibibyte) return std::to_string(bytes / mebibyte) + " MiB";
  return std::to_string(bytes / gibibyte) + " GiB";
}

}  // namespace

void set_memory_limit(std::int64_t bytes) { limit = bytes; }
std::int64_t memory_limit() { return limit; }

bool MemoryMeter::is_counting() { return innermost != nullptr; }

MemoryMeter::MemoryMeter(std::int64_t most) : outer_(innermost), most_(most) {
  if (outer_ != nullptr) most_ = std::min(most_, outer_->most_ - std::max<std::int64_t>(outer_->live_, 0));
  innermost = this;
}

MemoryMeter::~MemoryMeter() {
  innermost = outer_;
  if (outer_ == nullptr) return;
  outer_->allocations_ += allocations_;
  outer_->peak_ = std::max(outer_->peak_, outer_->live_ + peak_);
  outer_->live_ += live_;
  outer_->has_refused_ = outer_->has_refused_ || has_refused_;
}

bool MemoryMeter::admits(std::size_t bytes) const noexcept {
  const std::int64_t most =
      has_refused_ && most_ <= unlimited - for_unwinding ? most_ + for_unwinding : most_;
  return bytes < static_cast<std::size_t>(unlimited) &&
         static_cast<std::int64_t>(bytes) <= most - std::max<std::int64_t>(live_, 0);
}

void MemoryMeter::took(std::size_t bytes) noexcept {
  ++allocations_;
  live_ += static_cast<std::int64_t>(bytes);
  peak_ = std::max(peak_, live_);
}

void refuse_size(const std::string& file, bool is_past_limit) {
  const std::string what = is_past_limit ? "reading it takes more memory than the limit of " +
                                               in_words(memory_limit()) + " for one input"
                                         : "the machine has too little memory to read it";
  throw UserError({Problem{{file, 0, 0, 1},
                           what,
                           is_past_limit ? "check that the file is what it should be; --max-memory raises "
                                           "the limit, as in --max-memory 64GiB"
                                         : "read it on a machine with more memory, or raise ulimit -v"}});
}

}  // namespace echo

// All of them but the aligned ones, so that what one allocates another can free. A sanitizer sees malloc and
// free.
[[gnu::noinline]] void* operator new(std::size_t size) { return echo::take_or_throw(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return echo::take_or_throw(size); }
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return echo::take(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return echo::take(size);
}
[[gnu::noinline]] void operator delete(void* place) noexcept { echo::give_back(place); }
[[gnu::noinline]] void operator delete[](void* place) noexcept { echo::give_back(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { echo::give_back(place); }
[[gnu::noinline]] void operator delete[](void* place, std::size_t) noexcept { echo::give_back(place); }
[[gnu::noinline]] void operator delete(void* place, const std::nothrow_t&) noexcept {
  echo::give_back(place);
}
[[gnu::noinline]] void operator delete[](void* place, const std::nothrow_t&) noexcept {
  echo::give_back(place);
}
