#include "exsitu/buffer_pool.hpp"

#include <cstdlib>

namespace echo::exsitu {

static constexpr std::size_t alignment = 64;  // CUPTI wants 8

BufferPool::BufferPool(std::size_t buffers, std::size_t bytes_each)
    : may_be_made_(buffers), bytes_each_(bytes_each / alignment * alignment) {}

BufferPool::~BufferPool() {
  for (std::uint8_t* buffer : idle_) std::free(buffer);
}

std::uint8_t* BufferPool::take() {
  const std::scoped_lock lock(mutex_);
  if (!idle_.empty()) {
    std::uint8_t* buffer = idle_.back();
    idle_.pop_back();
    return buffer;
  }
  if (may_be_made_ == 0) return nullptr;
  auto* made = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, bytes_each_));
  if (made != nullptr) --may_be_made_;
  return made;
}

void BufferPool::give_back(std::uint8_t* buffer) {
  if (buffer == nullptr) return;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(buffer);
}

}  // namespace echo::exsitu
