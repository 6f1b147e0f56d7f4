#include "parallel/search/round_journal.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/record.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "search/serialize.hpp"

namespace echo::parallel {

using search::Node;
using search::Outcome;

namespace {

std::uint64_t hash_of(std::span<const Node> tasks) {
  const std::string bytes = to_archive(std::vector<Node>(tasks.begin(), tasks.end()));
  return hash64(std::as_bytes(std::span(bytes)));
}

std::string payload_of(std::span<const Node> tasks, const std::vector<Outcome>& outcomes) {
  std::string payload;
  put_value(hash_of(tasks), payload);
  return payload += to_archive(outcomes);
}

// The payloads of the whole frames at the begin of `bytes`.
std::vector<std::string> payloads_in(std::string_view bytes) {
  std::vector<std::string> found;
  while (const auto payload = first_frame(bytes)) {
    found.emplace_back(*payload);
    bytes.remove_prefix(claimed_length(bytes));
  }
  return found;
}

void require(int error, const std::filesystem::path& path) {
  if (error != 0)
    throw UserError("cannot write \"" + path.string() + "\": " + std::strerror(error),
                    "free some space or choose another place with -o", 5);
}

}  // namespace

std::filesystem::path round_journal_of(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  return path += ".search";
}

RoundJournal::RoundJournal(Disk& disk, std::filesystem::path path, const std::string& key)
    : disk_(disk), path_(std::move(path)), head_("echo-sweep search 1 " + key + "\n") {
  const Opened<std::string> found = read_whole(disk_, path_);
  const bool is_own = found.error == 0 && found.it->starts_with(head_);
  if (is_own) frames_ = payloads_in(std::string_view(*found.it).substr(head_.size()));
}

// A file with the frames that hold, in place of the old one.
void RoundJournal::begin_file(std::size_t frames) {
  const EntryKind kind = disk_.kind(path_);
  if (kind == EntryKind::file) require(disk_.remove(path_), path_);
  Opened<DiskFile> made = disk_.open(path_, Disk::Use::create);
  require(made.error, path_);
  out_ = std::move(made.it);
  std::string bytes = head_;
  for (std::size_t i = 0; i < frames; ++i) bytes += framed(frames_[i]);
  require(out_->append(bytes), path_);
}

std::optional<std::vector<Outcome>> RoundJournal::next(std::span<const Node> tasks) {
  if (out_ != nullptr || used_ == frames_.size()) return std::nullopt;
  RecordReader payload(frames_[used_]);
  if (payload.value<std::uint64_t>() != hash_of(tasks) || !payload.is_whole()) return std::nullopt;
  ++used_;
  std::vector<Outcome> outcomes;
  from_archive(frames_[used_ - 1].substr(sizeof(std::uint64_t)), outcomes);
  return outcomes;
}

void RoundJournal::append(std::span<const Node> tasks, const std::vector<Outcome>& outcomes) {
  if (out_ == nullptr) begin_file(used_);
  require(out_->append(framed(payload_of(tasks, outcomes))), path_);
}

void RoundJournal::remove(Disk& disk, const std::filesystem::path& path) {
  if (disk.kind(path) == EntryKind::file) static_cast<void>(disk.remove(path));
}

}  // namespace echo::parallel
