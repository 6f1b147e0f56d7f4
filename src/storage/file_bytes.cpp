#include "storage/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "storage/raw_file.hpp"
#include "storage/seal.hpp"

namespace echo::storage {
namespace {

constexpr const char* remedy_of_damage = "restore it from a copy, or remove it and run its sweep again";

std::string reason(int error) { return std::generic_category().message(error); }

int flags_of(FileBytes::Use use) {
  switch (use) {
    case FileBytes::Use::read:
      return O_RDONLY;
    case FileBytes::Use::update:
      return O_RDWR;
    case FileBytes::Use::create:
    case FileBytes::Use::create_with_sums:
      break;
  }
  return O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;
}

std::string text_of(const ByteRange& range) {
  return "bytes " + std::to_string(range.first) + " to " + std::to_string(range.last) +
         " do not agree with their checksum";
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path, Use use)
    : name_(path.string()), writes_(use != Use::read), has_sums_(use == Use::create_with_sums) {
  file_ = ::open(name_.c_str(), flags_of(use) | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw UserError(
        "cannot " + std::string(use == Use::read ? "read" : "write") + " \"" + name_ + "\": " + reason(errno),
        use == Use::read ? "check that it is there and readable"
                         : "choose another place with -o, or make this one writable",
        5);
  if (use == Use::read || use == Use::update) {
    try {
      look_at_end(use == Use::update);
      if (use == Use::update) require_whole();
    } catch (...) {
      ::close(std::exchange(file_, -1));
      throw;
    }
  }
  checks_ = has_sums_ && use == Use::read;
}

FileBytes::~FileBytes() {
  if (file_ >= 0) ::close(file_);
}

// Older files begin with version 0 of HDF5's first block and may have no checksums. Younger ones end in
// checksums or in a seal, so that one which lost its end is not taken for an older one.
void FileBytes::look_at_end(bool may_lack_sums) {
  struct stat found {};
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size() + 1> start{};
  if (::fstat(file_, &found) != 0 || !S_ISREG(found.st_mode))
    throw UserError("\"" + name_ + "\" is not a file", "give the .h5 file written by a sweep", 5);
  size_ = static_cast<std::uint64_t>(found.st_size);
  has_sums_ = read_block_sums(file_, size_, sums_);
  if (has_sums_ && !sums_.damage.empty())
    throw UserError("\"" + name_ + "\" is damaged: " + sums_.damage, remedy_of_damage, 5);
  if (has_sums_) size_ = sums_.data_bytes;
  if (has_sums_ || may_lack_sums) return;
  if (!read_fully(file_, 0, start.size(), start.data()) ||
      !std::string_view(start.data(), start.size()).starts_with(signature))
    throw UserError("cannot read HDF5 in \"" + name_ + "\": it does not start like an HDF5 file",
                    "give a file that this program wrote; if it is one, restore it from a copy", 5);
  if (start.back() != 0 && !is_sealed(name_))
    throw UserError(
        "\"" + name_ +
            "\" is damaged: there are no checksums at its end; it was cut off, changed by another "
            "program, or not written by this one",
        remedy_of_damage, 5);
}

void FileBytes::require_whole() const {
  const auto places = damaged();
  if (places.empty()) return;
  throw UserError(
      "\"" + name_ + "\" is damaged: " + text_of(places.front()) +
          (places.size() > 1 ? ", nor do " + std::to_string(places.size() - 1) + " other places" : ""),
      std::string(remedy_of_damage) + "; echo-sweep verify lists what is lost", 5);
}

void FileBytes::remember(const std::string& what, int error) {
  if (problem_.empty()) problem_ = what + (error == 0 ? "" : ": " + reason(error));
}

const std::vector<std::byte>* FileBytes::block(std::uint64_t number) {
  if (!held_.empty() && held_number_ == number) return &held_;
  const std::uint64_t first = number * block_bytes;
  held_.resize(std::min(block_bytes, size_ - first));
  held_number_ = number;
  if (!read_fully(file_, first, held_.size(), held_.data()))
    remember("bytes from " + std::to_string(first) + " on cannot be read", errno);
  else if (block_sum(held_) != sums_.sums[number])
    remember(text_of({first, first + held_.size() - 1}), 0);
  else
    return &held_;
  held_.clear();
  return nullptr;
}

bool FileBytes::read_checked(std::uint64_t place, std::size_t bytes, char* out) {
  while (bytes > 0) {
    const auto* held = block(place / block_bytes);
    if (held == nullptr) return false;
    const std::size_t skipped = place % block_bytes, count = std::min(bytes, held->size() - skipped);
    std::memcpy(out, held->data() + skipped, count);
    out += count, place += count, bytes -= count;
  }
  return true;
}

bool FileBytes::read(std::uint64_t place, std::size_t bytes, void* out) {
  // The library may ask for bytes past the end, which count as zero.
  auto* const target = static_cast<char*>(out);
  const std::size_t present = place >= size_ ? 0 : std::min<std::uint64_t>(bytes, size_ - place);
  std::memset(target + present, 0, bytes - present);
  if (checks_) return read_checked(place, present, target);
  if (!unwritten_.empty())
    std::memset(target, 0, present);  // the file may be shorter than what was asked of it
  if (!read_fully(file_, place, present, target) && (errno != 0 || unwritten_.empty())) {
    remember("bytes from " + std::to_string(place) + " on cannot be read", errno);
    return false;
  }
  for (const auto& [first, data] : unwritten_) {
    const std::uint64_t begin = std::max(first, place), end = std::min(first + data.size(), place + bytes);
    if (begin < end) std::memcpy(target + (begin - place), data.data() + (begin - first), end - begin);
  }
  return true;
}

void FileBytes::write(std::uint64_t place, std::size_t bytes, const void* data) {
  size_ = std::max(size_, place + bytes);
  if (problem_.empty() && write_fully(file_, place, bytes, data)) return;
  remember("cannot write to it", errno);
  const auto* first = static_cast<const std::byte*>(data);
  unwritten_.emplace_back(place, std::vector<std::byte>(first, first + bytes));
}

void FileBytes::resize(std::uint64_t bytes) {
  size_ = bytes;
  if (problem_.empty() && ::ftruncate(file_, static_cast<off_t>(bytes)) != 0)
    remember("cannot set its length", errno);
}

void FileBytes::append_sums() {
  sums_ = {.data_bytes = size_, .sums = {}, .damage = {}};
  std::vector<std::byte> bytes(block_bytes);
  for (std::uint64_t first = 0; first < size_; first += block_bytes) {
    const std::span piece(bytes.data(), std::min(block_bytes, size_ - first));
    if (!read_fully(file_, first, piece.size(), piece.data())) return remember("cannot read it back", errno);
    sums_.sums.push_back(block_sum(piece));
  }
  const std::string end = trailer_of(sums_);
  if (::ftruncate(file_, static_cast<off_t>(size_)) != 0 ||
      !write_fully(file_, size_, end.size(), end.data()))
    remember("cannot write to it", errno);
}

void FileBytes::close() {
  if (file_ < 0) return;
  if (writes_ && has_sums_ && problem_.empty()) append_sums();
  if (::close(std::exchange(file_, -1)) != 0) remember("cannot finish it", errno);
}

std::vector<ByteRange> FileBytes::damaged() const {
  std::vector<ByteRange> ranges;
  constexpr std::uint64_t piece_blocks = 128;
  std::vector<std::byte> piece(piece_blocks * block_bytes);
  for (std::uint64_t first = 0; has_sums_ && first < size_; first += piece.size()) {
    const std::uint64_t held = std::min<std::uint64_t>(piece.size(), size_ - first);
    const bool is_readable = read_fully(file_, first, held, piece.data());
    for (std::uint64_t at = 0; at < held; at += block_bytes) {
      const std::span<const std::byte> one(piece.data() + at, std::min(block_bytes, held - at));
      if (is_readable && block_sum(one) == sums_.sums[(first + at) / block_bytes]) continue;
      const ByteRange range{first + at, first + at + one.size() - 1};
      if (!ranges.empty() && ranges.back().last + 1 == range.first)
        ranges.back().last = range.last;
      else
        ranges.push_back(range);
    }
  }
  return ranges;
}

}  // namespace echo::storage
