#include "trace_io/io/byte_source.hpp"

#include <filesystem>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 16;

}  // namespace

ByteSource::ByteSource(const std::string& path) : path_(path) {
  if (!std::filesystem::is_directory(path)) file_.reset(gzopen(path.c_str(), "rb"));
  if (file_ == nullptr) throw UserError(path + " cannot be read", "check the path and its permissions");
  gzbuffer(file_.get(), static_cast<unsigned>(block_size));
  bytes_.resize(block_size);
}

std::string_view ByteSource::block() {
  const int count = gzread(file_.get(), bytes_.data(), static_cast<unsigned>(bytes_.size()));
  int code = Z_OK;
  gzerror(file_.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
    throw UserError({Problem{{path_},
                             "byte " + std::to_string(read_) + ": the compressed data cannot be decompressed",
                             "the file is damaged or truncated; record or copy it again"}});
  read_ += count;
  return {bytes_.data(), static_cast<std::size_t>(count)};
}

std::string_view ByteSource::bytes(std::size_t most) {
  if (rest_.empty()) rest_ = block();
  const std::string_view out = rest_.substr(0, most);
  rest_.remove_prefix(out.size());
  return out;
}

bool ByteSource::line(std::string& out) {
  out.clear();
  while (true) {
    if (rest_.empty()) rest_ = block();
    if (rest_.empty()) return !out.empty();
    const std::size_t end = rest_.find('\n');
    out += rest_.substr(0, end);
    if (out.size() > longest_line)
      throw UserError({Problem{
          {path_}, path_ + " has a line of more than 256 MiB", "check that the file has this format"}});
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (end != rest_.npos) return true;
  }
}

}  // namespace echo::trace_io
